"""What is to be done in cycles to come."""

from __future__ import annotations

import heapq
from collections.abc import Callable

__all__ = ["Act", "Agenda"]

Act = Callable[[int], None]
"""Is told the cycle in which it is done."""


class Agenda:
    """Acts by their cycles; those of a cycle in the order in which they were entered."""

    def __init__(self) -> None:
        self._acts: list[tuple[int, int, Act]] = []
        self._entered = 0

    @property
    def next_cycle(self) -> int | None:
        """The first cycle in which something is to be done."""
        return self._acts[0][0] if self._acts else None

    def at(self, cycle: int, act: Act) -> None:
        """Enter an act."""
        self._entered += 1
        heapq.heappush(self._acts, (cycle, self._entered, act))

    def step(self, now: int) -> None:
        """Do what is due, and what becomes due by that."""
        while self._acts and self._acts[0][0] <= now:
            heapq.heappop(self._acts)[2](now)
