"""Saturating counters of events, E10."""

from collections.abc import Iterable

from syncfabric.models.messages.words import COUNTER_BITS, WordTable

MOST = (1 << COUNTER_BITS) - 1


class Counters:
    """Counters of a node's parts: an event of t is in its counter from t + 2.

    Parameters
    ----------
    words : iterable of WordTable
        Of a part, the counters among them.
    built : bool
        They are there; otherwise they read 0.
    """

    def __init__(self, words: Iterable[WordTable], *, built: bool) -> None:
        self._values, self._built = {int(word): 0 for word in words if word.counts}, built
        self._events: tuple[int, ...] = ()

    def __contains__(self, address: int) -> bool:
        return address in self._values

    def __getitem__(self, address: int) -> int:
        return self._values[address]

    @property
    def is_idle(self) -> bool:
        """Whether nothing is still to be counted."""
        return not self._events

    def step(self, events: Iterable[int]) -> None:
        """Go over a clock edge; ``events`` are the words of what happens in this cycle."""
        if self._built:
            if self._events:
                for counter in self._events:
                    self._values[counter] = min(MOST, self._values[counter] + 1)
            self._events = tuple(events)
