"""What the places of a network share while they deal with one cycle's synchronization."""

from __future__ import annotations

from syncfabric.models.golden.record import Message, Observer

__all__ = ["Plane"]


class Plane:
    """Wires and counters of all synchronization messages.

    Parameters
    ----------
    credits : list of int, by lane
        The credit counters.
    freed : list of int
        Lanes whose credit is high in the next cycle; appended to.
    observer : Observer or None
        Hears of messages that are taken.

    Attributes
    ----------
    sent : list of (lane, message)
        What is on the links in this cycle.
    held_inputs, held_outputs : set of int
        Links whose input presents, or whose output sends, a message in the way of ordinary flits.
    touched : set of int
        Places whose registers or counters may have changed.
    """

    def __init__(self, credits: list[int], freed: list[int], observer: Observer | None) -> None:
        self.credits, self.freed, self.observer = credits, freed, observer
        self.sent: list[tuple[int, Message]] = []
        self.held_inputs: set[int] = set()
        self.held_outputs: set[int] = set()
        self.touched: set[int] = set()
