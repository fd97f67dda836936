"""Tables of words, and what a register map is made of: fields, words, blocks of words.

Addresses count words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Literal, Self, TypeAlias

from syncfabric.models.messages.layout import Layout

Access: TypeAlias = Literal["r", "w", "rw"]
"""What software can do; the rest is refused."""

WORD_BITS = 32
COUNTER_BITS = 8


@dataclass(frozen=True)
class Bits:
    """A field of a word.

    Parameters
    ----------
    name : str
    low, width : int
        Where it is.
    access : {"r", "w", "rw"}
    meaning : str
    reset : int, optional
        What it reads after reset, where that is fixed.
    constant : bool
        It always reads ``reset``.
    """

    name: str
    low: int
    width: int
    access: Access
    meaning: str
    reset: int | None = None
    constant: bool = False


@dataclass(frozen=True)
class Word:
    """A word, or several in a row.

    Parameters
    ----------
    name : str
    address : int
        From the beginning of the block.
    meaning : str
    fields : tuple of Bits
        What is read and what is written may be other fields at the same bits. None: what is there
        are no registers of this map.
    count : int, optional
        How many, if it is an array.
    """

    name: str
    address: int
    meaning: str
    fields: tuple[Bits, ...]
    count: int | None = None


@dataclass(frozen=True)
class Block:
    """Words that belong together, once or several times.

    Parameters
    ----------
    name : str
    address : int
        From the beginning of the block around it.
    meaning : str
    parts : tuple of Word or Block
        By rising address.
    count : int, optional
        How many, if it is an array.
    stride : int
        Words from one to the next.
    """

    name: str
    address: int
    meaning: str
    parts: tuple[Part, ...]
    count: int | None = None
    stride: int = 0


Part: TypeAlias = Word | Block


def bits_of(layout: Layout, access: Access, *, reset: int | None = None) -> tuple[Bits, ...]:
    """Return the fields of a layout, each of which reads the same after reset."""
    return tuple(
        Bits(field.name, layout.offsets[field.name], field.width, access, field.meaning, reset)
        for field in layout.fields
    )


def whole(
    name: str,
    access: Access,
    meaning: str,
    *,
    width: int = WORD_BITS,
    reset: int | None = None,
    constant: bool = False,
) -> tuple[Bits, ...]:
    """Return the one field of a word; of no bits, it always reads 0."""
    if width == 0:
        return (Bits(name, 0, 1, access, f"{meaning}; 0, as there are none", 0, constant=True),)
    return (Bits(name, 0, width, access, meaning, reset, constant),)


COUNT = whole("count", "r", "stays at its greatest value", width=COUNTER_BITS, reset=0)
"""The field of a saturating counter of events."""


class WordTable(IntEnum):
    """Words of one part: address, what it is for, and its fields. A member is its address.

    Attributes
    ----------
    meaning : str
    fields : tuple of Bits
        At their greatest widths.
    """

    meaning: str
    fields: tuple[Bits, ...]

    def __new__(cls, address: int, meaning: str = "", fields: tuple[Bits, ...] = COUNT) -> Self:
        """Make a member; a word is a counter of events where nothing else is said."""
        word = int.__new__(cls, address)
        word._value_ = address
        word.meaning, word.fields = meaning, fields
        return word

    @property
    def counts(self) -> bool:
        """Whether it is a counter of events."""
        return self.fields is COUNT

    @classmethod
    def widths(cls, access: Access) -> dict[int, int]:
        """Return the bits of each word that can be read, or written, by address."""
        bits = {
            int(word): [f.low + f.width for f in word.fields if access in f.access] for word in cls
        }
        return {address: max(ends) for address, ends in bits.items() if ends}

    def word(
        self, base: int = 0, prefix: str = "", count: int | None = None, **changes: Any
    ) -> Word:
        """Return it as a word of a map, of a part at ``base``; ``changes`` are of its fields."""
        changed = tuple(replace(field, **changes) for field in self.fields)
        return Word(prefix + self.name, base + self, self.meaning, changed, count)
