"""What is under way on barrier wires, and what comes out of them, be they whole or broken."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from syncfabric.models.golden.wire_wiring import WireWiring

__all__ = ["WireLinks"]


class WireLinks:
    """Links with registers on the way; words of wires are sent only when they change.

    Parameters
    ----------
    wiring : WireWiring
    stirring : set of int
        Units to be looked at; those that receive something new that they hear are added.
    heard : list of list of int, by unit and link
        The wires that matter there.

    Attributes
    ----------
    inputs : list of list of int, by unit and link
        The words that are received.
    """

    def __init__(self, wiring: WireWiring, stirring: set[int], heard: list[list[int]]) -> None:
        self._stirring, self._heard = stirring, heard
        self.inputs = [[0] * len(links) for links in wiring.outputs]
        # By unit, of each link that leads somewhere: its place among the unit's, its number, and
        # where it leads to.
        self._ways = [
            [(place, link, *end) for place, link in enumerate(links) if (end := wiring.ends[link])]
            for links in wiring.outputs
        ]
        self._come: list[Sequence[int]] = [[0] * len(links) for links in wiring.outputs]
        self._broken: dict[int, tuple[int, int]] = {}  # by link: bits stuck at 0, and at 1
        self._under_way: dict[int, list[tuple[int, Sequence[int]]]] = {}  # by cycle: of a unit

    def send(self, when: int, unit: int, words: Sequence[int]) -> None:
        """Send the words of all links of a unit; they are received from a cycle on."""
        self._under_way.setdefault(when, []).append((unit, words))

    def deliver(self, now: int) -> None:
        """Let units receive what comes out in this cycle."""
        for unit, words in self._under_way.pop(now, ()):
            self._come[unit] = words
            self._receive(unit)

    def is_due(self, now: int) -> bool:
        """Return whether something comes out in a cycle."""
        return now in self._under_way

    def due(self) -> Iterable[int]:
        """Return the cycles in which something comes out."""
        return self._under_way

    def stick(self, link: int, low: int, high: int) -> None:
        """Break wires of a link; see ``WireModel.stick``."""
        self._broken[link] = low, high
        for unit, ways in enumerate(self._ways):
            if any(way[1] == link for way in ways):
                self._receive(unit)

    def _receive(self, sender: int) -> None:
        """Let units receive what comes from another."""
        words, inputs = self._come[sender], self.inputs
        for place, link, unit, port in self._ways[sender]:
            word = words[place]
            if link in self._broken:
                low, high = self._broken[link]
                word = word & ~low | high
            change = inputs[unit][port] ^ word
            if change:
                inputs[unit][port] = word
                if change & self._heard[unit][port]:
                    self._stirring.add(unit)
