"""A core's software in one operation: what it takes and sends over its port, cycle by cycle."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["Act", "Core", "Passes", "keep"]

Passes = Callable[[int, int], int | None]
"""What is sent on for a flit, by its place in the stream; None: nothing."""


class Act(NamedTuple):
    """What a core does in a cycle."""

    take: bool
    send: int | None


def keep(_place: int, _flit: int) -> None:
    """Send nothing on."""


class Core:
    """Sends what is its own, reads what is due, and passes on what it changes.

    A member has a register for one flit: it takes the next when it is done with the last, and has
    sent on what came of it, or does in the cycle. The root takes whatever comes, for nobody else
    closes the ring.

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
        passes: Passes = keep,
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

    def step(self, now: int, flit: int | None, *, credit: bool) -> Act:
        """Act in a cycle.

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
            return Act(False, send)
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
        return Act(True, send)

    def _takes(self) -> bool:
        return self._read < self._reads and (self._root or not self._hand)
