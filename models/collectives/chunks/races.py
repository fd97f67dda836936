"""Accesses of thread blocks to the same chunk that nothing puts into an order."""

from collections.abc import Collection, Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

Clock = NDArray[np.int32]
"""By block, how many of its steps are known to be done."""
Key = tuple[int, int]


class Races:
    """Vector clocks of thread blocks.

    A step comes after those before it in its block, what it waits for, the send that it receives,
    and all that these come after. Source: L. Lamport, Time, clocks, and the ordering of events in a
    distributed system, Communications of the ACM 21, 1978; F. Mattern, Virtual time and global
    states of distributed systems, 1989.

    Parameters
    ----------
    blocks : iterable of (gpu, block)
    awaited : collection of (gpu, block, step)
        Steps that others wait for.
    """

    def __init__(self, blocks: Iterable[Key], awaited: Collection[tuple[int, int, int]]) -> None:
        self._number = {key: number for number, key in enumerate(blocks)}
        self._clocks = {key: np.zeros(len(self._number), np.int32) for key in self._number}
        self._awaited, self._kept = awaited, dict[tuple[int, int, int], Clock]()
        self._wrote: dict[Hashable, Key] = {}
        self._reads: dict[Hashable, list[Key]] = {}

    def waits(self, key: Key, other: tuple[int, int, int]) -> None:
        """Let a block's next step come after a step that it waits for."""
        self.receives(key, self._kept[other])

    def receives(self, key: Key, clock: Clock) -> None:
        """Let a block's next step come after a send."""
        np.maximum(self._clocks[key], clock, out=self._clocks[key])

    def races(self, key: Key, step: int, place: Hashable, *, writes: bool) -> bool:
        """Note an access; return whether it may come before one that it should come after."""
        clock, own = self._clocks[key], (self._number[key], step)
        before = [self._wrote[place]] if place in self._wrote else []
        if writes:
            before += self._reads.pop(place, [])
            self._wrote[place] = own
        else:
            self._reads.setdefault(place, []).append(own)
        return any(clock[block] <= number for block, number in before if (block, number) != own)

    def done(self, key: Key, step: int) -> Clock:
        """Note that a step is done; return what a send of it carries."""
        clock = self._clocks[key]
        clock[self._number[key]] = step + 1
        if (*key, step) in self._awaited:
            self._kept[*key, step] = clock.copy()
        return clock
