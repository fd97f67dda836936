"""The switches of a static network: buffers, credits and routes, in lock step (R1 to R3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence

from syncfabric.models.golden.static_wiring import PORTS, StaticWiring

__all__ = ["Switches"]


class Switches:
    """All buffers of a network, those of the cores too; only what may move is looked at.

    A buffer has the number of the link that leads to it. None overflows, for the counters say how
    many places are free: ``OVERFLOW`` stays 0.

    Parameters
    ----------
    wiring : StaticWiring
    touched : set of int
        Nodes at which a buffer has changed; added to.
    stirring : set of int
        Nodes whose core buffer has got a flit, or whose injection link a credit; added to.

    Attributes
    ----------
    buffers : list of deque of int, by link
        The flits under way, the oldest first.
    credits : list of int, by link
        The sender's counter.
    awake : set of int
        Buffers that may move in the coming cycle.
    dead : set of int
        Links over which neither flits nor credits go any more.
    """

    def __init__(self, wiring: StaticWiring, touched: set[int], stirring: set[int]) -> None:
        self._wiring, self._touched, self._stirring = wiring, touched, stirring
        self.buffers: list[deque[int]] = [deque() for _ in range(wiring.links)]
        self.credits = wiring.capacity.copy()
        self.awake: set[int] = set()
        self.dead: set[int] = set()
        self._outputs: list[tuple[int, ...]] = [()] * wiring.links  # those that select a buffer
        self._sources: Sequence[Sequence[int]] = [()] * (PORTS * wiring.nodes)

    def route(self, selects: Sequence[Sequence[int]]) -> None:
        """Let every output select buffers anew, by its link."""
        self._sources = selects
        outputs: list[list[int]] = [[] for _ in range(self._wiring.links)]
        for output, links in enumerate(selects):
            for link in links:
                outputs[link].append(output)
        self._outputs = [tuple(to) for to in outputs]
        self.awake.update(link for link, queue in enumerate(self.buffers) if queue)

    def move(self, sent: dict[int, int]) -> list[int]:
        """Choose the buffers that move in this cycle, and return them.

        Parameters
        ----------
        sent : dict of link to flit
            What is on the links; added to.
        """
        buffers, credits, outputs = self.buffers, self.credits, self._outputs
        moved = []
        for link in self.awake:
            queue, to = buffers[link], outputs[link]
            if queue and to and all(map(credits.__getitem__, to)):
                moved.append(link)
                for output in to:
                    sent[output] = queue[0]
        self.awake = set(moved)
        return moved

    def edge(self, sent: Mapping[int, int], moved: Collection[int]) -> None:
        """Move the flits, and count credits.

        Parameters
        ----------
        sent : mapping of link to flit
            What is on the links.
        moved : collection of int
            Buffers that their front flit leaves.
        """
        buffers, credits, wiring = self.buffers, self.credits, self._wiring
        place, is_core, touched = wiring.place, wiring.is_core, self._touched
        for link in moved:
            buffers[link].popleft()
            touched.add(place[link])
            if link in self.dead:
                continue
            credits[link] += 1
            if credits[link] == 1:
                self._wake(link)
        for link, flit in sent.items():
            credits[link] -= 1
            node = place[link]
            if node < 0 or link in self.dead:
                continue
            buffers[link].append(flit)
            touched.add(node)
            if is_core[link]:
                self._stirring.add(node)
            else:
                self.awake.add(link)

    def clear(self, links: Collection[int]) -> None:
        """Empty the buffers of links, and fill their counters."""
        for link in links:
            self.credits[link] = self._wiring.capacity[link]
            self._wake(link)
            if link in self.dead:
                continue
            self.buffers[link].clear()
            if self._wiring.place[link] >= 0:
                self._touched.add(self._wiring.place[link])

    def _wake(self, link: int) -> None:
        """Wake who waits for a credit of a link."""
        node = link - PORTS * self._wiring.nodes
        if node >= 0:
            self._stirring.add(node)
        else:
            self.awake.update(self._sources[link])
