"""What is under way on barrier wires, and what comes out of them, be they whole or broken."""

from __future__ import annotations

from collections.abc import Iterable

from syncfabric.models.golden.wire_wiring import WireWiring

__all__ = ["WireLinks"]


class WireLinks:
    """Links with registers on the way; a word of wires is sent only when it changes.

    Parameters
    ----------
    wiring : WireWiring
    stirring : set of int
        Units to be looked at; those that receive something new are added.

    Attributes
    ----------
    inputs : list of list of int, by unit and link
        The words that are received.
    """

    def __init__(self, wiring: WireWiring, stirring: set[int]) -> None:
        self._ends, self._stirring = wiring.ends, stirring
        self.inputs = [[0] * len(links) for links in wiring.outputs]
        self._words = [0] * len(wiring.ends)  # by link: what comes out, were it whole
        self._broken: dict[int, tuple[int, int]] = {}  # by link: bits stuck at 0, and at 1
        self._under_way: dict[int, list[tuple[int, int]]] = {}  # by cycle: link and word

    def send(self, when: int, link: int, word: int) -> None:
        """Send a word that is received from a cycle on."""
        self._under_way.setdefault(when, []).append((link, word))

    def deliver(self, now: int) -> None:
        """Let units receive what comes out in this cycle."""
        for link, word in self._under_way.pop(now, ()):
            self._words[link] = word
            self._receive(link)

    def due(self) -> Iterable[int]:
        """Return the cycles in which something comes out."""
        return self._under_way

    def stick(self, link: int, low: int, high: int) -> None:
        """Break wires of a link; see ``WireModel.stick``."""
        self._broken[link] = low, high
        self._receive(link)

    def _receive(self, link: int) -> None:
        end = self._ends[link]
        if end is None:
            return
        low, high = self._broken.get(link, (0, 0))
        unit, port = end
        word = self._words[link] & ~low | high
        if self.inputs[unit][port] != word:
            self.inputs[unit][port] = word
            self._stirring.add(unit)
