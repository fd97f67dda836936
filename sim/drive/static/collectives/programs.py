"""Who sends, reads and passes on what in each kind of operation (section R9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from syncfabric.sim.drive.static.collectives.asked import Collective
from syncfabric.sim.drive.static.collectives.core import Core, Passes, keep

__all__ = ["Seat", "core_of", "joined"]

HIGHEST_FIRST = ("max", "min")
"""Operations that must know the highest flits first."""

Combine = Callable[[int, int], int]
"""Combines a flit with one's own, and remembers what the next needs to know."""


@dataclass(frozen=True)
class Seat:
    """A member's place in its group.

    Parameters
    ----------
    member, root : int
        Its place among the members, and the root's.
    last : bool
        The next on the ring is the root.
    ring : bool
    """

    member: int
    root: int
    last: bool
    ring: bool


def core_of(asked: Collective, seat: Seat, words: Sequence[int], flit_bits: int, now: int) -> Core:
    """Return a member's software in an operation that begins here in cycle ``now``."""
    at_root, size = seat.member == seat.root, asked.flits

    def own(member: int) -> list[int]:
        return _split(words[member], asked, flit_bits)

    if asked.kind in ("broadcast", "scatter"):
        to = [seat.root]
        if asked.kind == "scatter":
            to = [member for member in range(len(words)) if member != seat.root]
        stream = [flit for member in to for flit in own(member)]
        if at_root:
            reads = len(stream) if seat.ring else 0
            return Core(now, sends=stream, reads=reads, root=True)
        first = size * to.index(seat.member) if asked.kind == "scatter" else 0
        return Core(now, reads=len(stream), kept=range(first, first + size))
    twice = asked.kind == "allreduce"
    if at_root:
        on: Passes = (lambda _, flit: flit) if twice else keep
        return Core(
            now, sends=own(seat.member), reads=size, kept=range(size), passes=on, work=asked.work,
            root=True,
        )  # fmt: skip
    reads = 2 * size if twice else size
    passes = _token(own(seat.member), _combiner(asked.op, flit_bits), last=seat.last)
    return Core(now, reads=reads, kept=range(size, reads), passes=passes, work=asked.work)


def joined(flits: Sequence[int], asked: Collective, flit_bits: int) -> int:
    """Return the word that flits make, in the order in which they came."""
    order = flits if asked.op in HIGHEST_FIRST else reversed(flits)
    word = 0
    for flit in order:
        word = word << flit_bits | flit
    return word


def _split(word: int, asked: Collective, flit_bits: int) -> list[int]:
    """Return a word's flits in the order in which they are sent."""
    mask = (1 << flit_bits) - 1
    flits = [word >> flit_bits * place & mask for place in range(asked.flits)]
    return flits[::-1] if asked.op in HIGHEST_FIRST else flits


def _token(own: Sequence[int], combine: Combine, *, last: bool) -> Passes:
    """Combine what comes first with one's own; then pass the result on, but not to the root."""

    def on(place: int, flit: int) -> int | None:
        if place < len(own):
            return combine(own[place], flit)
        return None if last else flit

    return on


def _combiner(op: str, flit_bits: int) -> Combine:
    if op == "sum":
        return _sum(flit_bits)
    if op in HIGHEST_FIRST:
        return _choice(1 if op == "max" else -1)
    operations: dict[str, Combine] = {
        "or": lambda own, flit: own | flit,
        "and": lambda own, flit: own & flit,
        "xor": lambda own, flit: own ^ flit,
    }
    return operations[op]


def _sum(flit_bits: int) -> Combine:
    carry = 0

    def combine(own: int, flit: int) -> int:
        nonlocal carry
        total = own + flit + carry
        carry = total >> flit_bits
        return total & (1 << flit_bits) - 1

    return combine


def _choice(sign: int) -> Combine:
    """Pass on whichever word is the greater (or lesser), from the first flit that differs on."""
    better = 0

    def combine(own: int, flit: int) -> int:
        nonlocal better
        better = better or sign * ((own > flit) - (own < flit))
        return own if better > 0 else flit

    return combine
