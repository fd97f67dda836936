"""Links that die while a network runs, and are fenced by its software.

A dead link is silent both ways: all its wires are 0. Its sender gets no credit any more, and what
waits for one stands in the way of others. Once software knows that a link is dead it has it
*fenced*: from then on the sender gets back every credit that is out, one a cycle and channel, and
what it sends is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

__all__ = ["Cuts"]


class Cuts:
    """The links of a run that are to die.

    Credits are counted on the wires from reset, as whoever stands at the link's end would.

    Parameters
    ----------
    links : iterable of int
        Directed links, as numbered on the wires.
    lanes : int
        Lanes of a link.
    counted : collection of int
        Those lanes of a link for which credits come back.
    freed : list of int
        Lanes whose credit is high in the coming cycle, shared with the model.

    Attributes
    ----------
    dead : set of int
        Lanes over which nothing goes any more.
    """

    def __init__(
        self, links: Iterable[int], lanes: int, counted: Collection[int], freed: list[int]
    ) -> None:
        self._lanes, self._freed = lanes, freed
        self._out = {link * lanes + lane: 0 for link in links for lane in counted}
        self._fenced: set[int] = set()
        self.dead: set[int] = set()

    def die(self, links: Iterable[int]) -> None:
        """Make links silent from the cycle about to be stepped on."""
        for link in links:
            self.dead.update(range(link * self._lanes, (link + 1) * self._lanes))
        self._freed[:] = [lane for lane in self._freed if lane not in self.dead]

    def fence(self, links: Iterable[int]) -> None:
        """Give dead links' senders their credits back from the cycle about to be stepped on."""
        chosen = set(links)
        fenced = {lane for lane in self._out if lane // self._lanes in chosen} - self._fenced
        self._fenced |= fenced
        self._freed += sorted(lane for lane in fenced if self._out[lane])

    def note(self, credit: Sequence[int], sent: Iterable[int]) -> None:
        """Count what was on the wires in a cycle, and see to the credits of the next."""
        for lane in credit:
            if lane in self._out:
                self._out[lane] -= 1
        for lane in sent:
            if lane in self._out:
                self._out[lane] += 1
        if self.dead:
            self._freed[:] = [lane for lane in self._freed if lane not in self.dead]
            self._freed += sorted(lane for lane in self._fenced if self._out[lane])
