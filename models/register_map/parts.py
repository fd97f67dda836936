"""What a register map is made of: fields, words, blocks of words. Addresses count words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, TypeAlias

from syncfabric.models.messages import COUNTER_BITS, Layout

__all__ = [
    "WORD_BITS",
    "Access",
    "Bits",
    "Block",
    "Part",
    "Rows",
    "Window",
    "Word",
    "bits_of",
    "counters",
    "whole",
    "words_of",
]

Access: TypeAlias = Literal["r", "w", "rw"]
"""What software can do; the rest is refused."""

WORD_BITS = 32


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
        At least one. What is read and what is written may be other fields at the same bits.
    count : int, optional
        How many, if it is an array.
    """

    name: str
    address: int
    meaning: str
    fields: tuple[Bits, ...]
    count: int | None = None


@dataclass(frozen=True)
class Window:
    """Words that are no registers of this map.

    Parameters
    ----------
    name : str
    address, words : int
        Where they begin, and how many.
    meaning : str
    """

    name: str
    address: int
    words: int
    meaning: str


@dataclass(frozen=True)
class Block:
    """Words that belong together, once or several times.

    Parameters
    ----------
    name : str
    address : int
        From the beginning of the block around it.
    meaning : str
    parts : tuple of Word, Window or Block
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


Part: TypeAlias = Word | Window | Block


def bits_of(
    layout: Layout, access: Access, *, kept: int = -1, low: int = 0, reset: int | None = None
) -> tuple[Bits, ...]:
    """Return the fields of a layout.

    Parameters
    ----------
    layout : Layout
    access : {"r", "w", "rw"}
    kept : int
        Mask of the layout's bits that are kept: of each field the low ones, or none.
    low : int
        Where the layout begins.
    reset : int, optional
        What each field reads after reset.
    """
    found = []
    for field in layout.fields:
        mask = (1 << field.width) - 1
        width = (kept >> layout.offsets[field.name] & mask).bit_count()
        if width:
            at = low + layout.offsets[field.name]
            found.append(Bits(field.name, at, width, access, field.meaning, reset))
    return tuple(found)


Rows: TypeAlias = Mapping[IntEnum, tuple[str, tuple[Bits, ...]]]
"""What words are for, and their fields, by the words' addresses."""


def words_of(rows: Rows, base: int = 0, prefix: str = "") -> tuple[Word, ...]:
    """Return the words of a table, which begins at ``base``."""
    return tuple(Word(prefix + w.name, base + w, *row) for w, row in rows.items())


def counters(about: Mapping[IntEnum, str], base: int = 0) -> tuple[Word, ...]:
    """Return saturating counters of events: what is counted, by the counters' addresses."""
    count = whole("count", "r", "stays at its greatest value", width=COUNTER_BITS, reset=0)
    return words_of({word: (text, count) for word, text in about.items()}, base)


def whole(
    name: str, access: Access, meaning: str, *, width: int = WORD_BITS, reset: int | None = None
) -> tuple[Bits, ...]:
    """Return the one field of a word; of no bits, it always reads 0."""
    if width == 0:
        return (Bits(name, 0, 1, access, f"{meaning}; 0, as there are none", 0, constant=True),)
    return (Bits(name, 0, width, access, meaning, reset),)
