"""What a guarded link carries, and what its guards must know of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Const, Value
from amaranth.lib.wiring import In, Member, Out


@dataclass(frozen=True)
class GuardPart:
    """Wires of a link that have check bits together.

    Parameters
    ----------
    words, valid : tuple of str
        The wires that a word is made of, the lowest first, and those that say what it is: of
        packets, if there are any, and then of messages.
    check : str
        The wires of its check bits.
    probes : slice
        Its channels.
    packets : bool
        It carries flits, which are numbered.
    """

    words: tuple[str, ...]
    valid: tuple[str, ...]
    check: str
    probes: slice
    packets: bool = True

    @property
    def messages(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Wires that say that a message is on the link, and wires that messages have alone."""
        data = tuple(name for name in self.words if name not in ("flit", *self.valid))
        return self.valid[self.packets :], data

    def word(self, link: Any) -> Value:
        """Return all that is checked."""
        numbers = [link.sequence] if self.packets else []
        words = (getattr(link, name) for name in self.words)
        return Cat(*words, *numbers, link.probe[self.probes])

    def lanes(self, link: Any) -> Value:
        """Return what says that something is on the link: a bit a channel, the lowest first."""
        return Cat(getattr(link, name) for name in self.valid)


@dataclass(frozen=True)
class GuardShape:
    """A guarded link of a network.

    Source: docs/microarchitecture-faults.md, F1.

    Parameters
    ----------
    check_bits : int
    ordinary : int
        Channels of packets, set-up packets included; the first channels of the link.
    places : int
        Of each of them.
    classes : int
        Wires that say that a message is on the link.
    credited : bool
        A class is a channel, of one place.
    own : bool
        Messages have wires of their own.
    prefix : str
        Before ``valid``, ``credit`` and, with ``own``, ``check``: the names of messages' wires.
    message, rest : str
        Name of messages' own wires; shared links: of those for what ``flit`` does not hold, or
        empty.
    registers : int
        Registers on the link.
    """

    check_bits: int
    ordinary: int
    places: int
    classes: int
    credited: bool
    own: bool
    prefix: str = "sync_"
    message: str = "sync"
    rest: str = ""
    registers: int = 0

    @property
    def channels(self) -> int:
        """How many channels there are."""
        return self.ordinary + (self.classes if self.credited else 0)

    @property
    def sequence_bits(self) -> int:
        """Width of a flit's number: enough to tell any loss of what the places hold from none."""
        return self.places.bit_length()

    @property
    def parts(self) -> list[GuardPart]:
        """Wires that are checked together."""
        both, packets = slice(None), slice(0, self.ordinary)
        message = f"{self.prefix}valid"
        if not self.own:
            valid = ("valid", message) if self.classes else ("valid",)
            rest = (self.rest,) if self.rest else ()
            return [GuardPart(("flit", *valid, *rest), valid, "check", both)]
        words, check = (self.message, message), f"{self.prefix}check"
        own = slice(self.ordinary, None)
        parts = [GuardPart(words, (message,), check, own, packets=False)]
        if self.ordinary:
            parts.insert(0, GuardPart(("flit", "valid"), ("valid",), "check", packets))
        return parts

    @property
    def wires(self) -> dict[str, int]:
        """Width of the wires that guards add, by name; the last runs against the link."""
        checks = {part.check: self.check_bits for part in self.parts}
        numbers = {"sequence": self.sequence_bits} if self.ordinary else {}
        return {**checks, **numbers, "probe": self.channels, "empty": self.channels}

    @property
    def members(self) -> dict[str, Member]:
        """The same, as members of a link."""
        return {n: (In if n == "empty" else Out)(width) for n, width in self.wires.items()}

    def places_of(self, channel: int) -> int:
        """Return how much the receiver of a channel holds."""
        return self.places if channel < self.ordinary else 1

    def credits(self, link: Any) -> Iterator[Value]:
        """Yield each channel's credit wire."""
        if self.ordinary:
            yield from link.credit
        if self.channels > self.ordinary:
            yield from getattr(link, f"{self.prefix}credit")

    def sent(self, link: Any) -> Iterator[Value]:
        """Yield each channel's wire that says that something is on the link."""
        if self.ordinary:
            yield from link.valid
        if self.channels > self.ordinary:
            yield from getattr(link, f"{self.prefix}valid")


GENERATORS = {
    **{1: 0x1, 2: 0x3, 3: 0x3, 4: 0x3, 5: 0x5, 6: 0x3, 7: 0x45, 8: 0x7},
    **{9: 0x45, 10: 0x8F, 11: 0x163, 12: 0x20F, 13: 0x40F, 14: 0x805, 15: 0x100F, 16: 0x8005},
}
"""The generator by its degree, less its highest term; docs/microarchitecture-faults.md, F1."""


def check_of(word: Value, bits: int) -> Value:
    """Return the remainder of word(x) * x^bits; bit i of the word is the coefficient of x^i.

    Parameters
    ----------
    word : Value
        What is checked.
    bits : int
        Check bits, 1 to 16.
    """
    generator, mask = GENERATORS[bits], (1 << bits) - 1
    terms: list[list[Value]] = [[] for _ in range(bits)]
    remainder = generator  # of x^bits
    for bit in word:
        for row in range(bits):
            if remainder >> row & 1:
                terms[row].append(bit)
        remainder = remainder << 1 & mask ^ (generator if remainder >> (bits - 1) else 0)
    return Cat(Cat(row).xor() if row else Const(0, 1) for row in terms)
