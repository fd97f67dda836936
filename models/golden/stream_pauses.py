"""When words of streams let packets go first, on links that both share (V13.4 to V13.6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from typing import Any

from syncfabric.models.golden.interface import NodeInterface
from syncfabric.models.golden.router import Router
from syncfabric.models.layout.streams import StreamLayout

_BETWEEN = 3
"""Cycles from the beginning of a pause in which no other begins."""


class Pauses:
    """Pauses of a router, or of a process's port.

    Parameters
    ----------
    joins, forks : set of int
        How many cycles after the beginning of a pause each of them rests.

    Attributes
    ----------
    joins, forks : bool
        They rest in this cycle: no port V counts as having a credit; no other port does.
    """

    def __init__(self, joins: Set[int], forks: Set[int]) -> None:
        self._of_joins, self._of_forks = joins, forks
        self._last = max({_BETWEEN, *joins, *forks})
        self._ages: list[int] = []  # cycles since pauses began
        self.joins = self.forks = False

    @classmethod
    def of_router(cls, layout: StreamLayout) -> Pauses:
        """Return those of a router."""
        if layout.join == "serial":
            return cls({0, 1}, {0, 1})
        return cls({0}, {layout.latency - 1})

    @classmethod
    def of_interface(cls) -> Pauses:
        """Return those of a node interface, whose words are all like joins'."""
        return cls({0}, set())

    @property
    def is_idle(self) -> bool:
        """Whether cycles that are not late would change nothing."""
        return not self._ages

    def step(self, *, late: bool) -> None:
        """Begin a cycle that is late, or not."""
        if not (late or self._ages):
            return
        self._ages = [age + 1 for age in self._ages if age < self._last]
        if late and all(age > _BETWEEN for age in self._ages):
            self._ages.append(0)
        self.joins, self.forks = self._in(self._of_joins), self._in(self._of_forks)

    def _in(self, ages: Iterable[int]) -> bool:
        return any(age in self._ages for age in ages)


class Lateness:
    """Routers of packets, or node interfaces, and which of them are late (V13.4).

    Parameters
    ----------
    places : sequence of Router or NodeInterface
    """

    def __init__(self, places: Sequence[Router[Any] | NodeInterface]) -> None:
        self._places = places
        self._carrying = list[int]()

    def carry(self, at: int, outputs: Collection[int]) -> None:
        """Let words leave by outputs in this cycle, before any flit."""
        self._places[at].carries = outputs
        self._carrying.append(at)

    def turn(self) -> set[int]:
        """Begin a cycle; return the numbers of those that are late in it."""
        late = {at for at in self._carrying if self._places[at].late}
        for at in self._carrying:
            self._places[at].carries = ()
        self._carrying.clear()
        return late
