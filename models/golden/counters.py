"""Saturating counters of events, E10."""

from __future__ import annotations

from collections.abc import Iterable

from syncfabric.models.messages import COUNTER_BITS

__all__ = ["MOST", "Counters"]

MOST = (1 << COUNTER_BITS) - 1


class Counters:
    """Counters of a node's parts: an event of t is in its counter from t + 2.

    Parameters
    ----------
    count : int
        Counters 0 to ``count`` - 1.
    built : bool
        They are there; otherwise they read 0.
    """

    def __init__(self, count: int, *, built: bool) -> None:
        self._values, self._built = [0] * count, built
        self._events: tuple[int, ...] = ()

    def __getitem__(self, counter: int) -> int:
        return self._values[counter]

    @property
    def is_idle(self) -> bool:
        """Whether nothing is still to be counted."""
        return not self._events

    def step(self, events: Iterable[int]) -> None:
        """Go over a clock edge; ``events`` are the counters of what happens in this cycle."""
        if self._built:
            if self._events:
                for counter in self._events:
                    self._values[counter] = min(MOST, self._values[counter] + 1)
            self._events = tuple(events)
