"""Members' software in operations: who sends, reads and passes on what, cycle by cycle (R9)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from operator import and_, or_, xor

from syncfabric.sim.drive.static.operations import FROM_ROOT, HIGHEST_FIRST, Collective, Shape

__all__ = ["Core", "core_of", "joined"]

Passes = Callable[[int, int], int | None]
"""What is sent on for a flit, by its place in the stream; None: nothing."""
Combine = Callable[[int, int], int]
"""Combines a flit with one's own; it may remember what the next flits need."""


class Core:
    """Sends what is its own, reads what is due, and passes on what it changes.

    A member has a register for one flit: it takes the next when it is done with the last, and has
    sent on what came of it, or does in the cycle. The root takes every flit, for no other closes
    the ring.

    Parameters
    ----------
    now : int
        The cycle in which the operation begins here.
    sends : sequence of int
        Flits of its own, one a cycle from ``now`` on.
    reads : int
        Flits that it reads.
    kept : range
        Places of those that are its result.
    passes : Passes
    work : int
        Cycles that a flit takes it.
    root : bool
    """

    def __init__(
        self,
        now: int,
        *,
        sends: Sequence[int] = (),
        reads: int = 0,
        kept: range = range(0),
        passes: Passes = lambda _place, _flit: None,
        work: int = 0,
        root: bool = False,
    ) -> None:
        self._hand = deque((now, flit) for flit in sends)
        self._read, self._reads, self._kept = 0, reads, kept
        self._passes, self._work, self._root = passes, work, root
        self._free = now
        self.kept: list[int] = []

    @property
    def finished(self) -> bool:
        """Whether it has read and sent everything."""
        return self._read == self._reads and not self._hand

    def next_cycle(self, now: int, *, arrived: bool, credit: bool) -> int | None:
        """Return the cycle, from ``now`` on, in which it acts if nothing else happens."""
        if arrived and self._takes():
            return max(now, self._free)
        return max(now, self._hand[0][0]) if credit and self._hand else None

    def step(self, now: int, flit: int | None, *, credit: bool) -> tuple[bool, int | None]:
        """Act in a cycle; return whether it takes the core buffer's front, and what it sends.

        Parameters
        ----------
        now : int
        flit : int or None
            The front of the core buffer.
        credit : bool
            The injection link takes a flit.
        """
        send: int | None = None
        if credit and self._hand and self._hand[0][0] <= now:
            _, send = self._hand.popleft()
        if flit is None or not self._takes() or now < self._free:
            return False, send
        if self._read in self._kept:
            self.kept.append(flit)
        onward = self._passes(self._read, flit)
        self._read += 1
        if not self._root:
            self._free = now + self._work
        if onward is not None:
            if credit and send is None and not self._work and not self._hand:
                send = onward
            else:
                self._hand.append((now + self._work, onward))
        return True, send

    def _takes(self) -> bool:
        return self._read < self._reads and (self._root or not self._hand)


def core_of(asked: Collective, shape: Shape, member: int, words: Sequence[int], now: int) -> Core:
    """Return a member's software in an operation that begins here in cycle ``now``."""
    root, size = shape.order[0], asked.flits
    at_root = member == root
    if asked.kind in FROM_ROOT:
        to = [root]
        if asked.kind == "scatter":
            to = sorted(shape.order[1:])
        stream = [flit for other in to for flit in _split(words[other], asked, shape.bits)]
        if at_root:
            return Core(now, sends=stream, reads=len(stream) if shape.ring else 0, root=True)
        first = size * to.index(member) if asked.kind == "scatter" else 0
        return Core(now, reads=len(stream), kept=range(first, first + size))
    own, twice = _split(words[member], asked, shape.bits), asked.kind == "allreduce"
    if at_root:
        on: Passes = (lambda _, flit: flit) if twice else (lambda _, flit: None)
        return Core(
            now, sends=own, reads=size, kept=range(size), passes=on, work=asked.work, root=True
        )
    reads = 2 * size if twice else size
    passes = _token(own, _combiner(asked.op, shape.bits), last=member == shape.order[-1])
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
    if op in HIGHEST_FIRST:
        return _choice(1 if op == "max" else -1)
    return _sum(flit_bits) if op == "sum" else {"or": or_, "and": and_, "xor": xor}[op]


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
