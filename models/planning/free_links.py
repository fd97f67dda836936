"""The directed links of a static network as numbers, and which of them are free."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from syncfabric.models.networks.irregular import Irregular, Place

Output: TypeAlias = Place
"""An output of a switch: its number, and the port; that of a node leads to its core."""

Routes: TypeAlias = dict[Output, int]
"""The input that each output selects."""

KEPT = 1 << 22
"""Distances that are remembered."""


class FreeLinks:
    """Links between switches; those that are taken lead nowhere.

    The link that leaves switch s by port p is number ``ports * s + p``.

    Parameters
    ----------
    graph : Irregular
        The switches.
    taken : iterable of Output
        Links that others use.

    Attributes
    ----------
    ports : int
        Of a switch.
    free : bytearray, by link
        1 where a link exists and is not taken.
    far : list of int, by link
        The number of the link back, which leaves the port where it ends; -1: there is none.
    """

    def __init__(self, graph: Irregular, taken: Iterable[Output] = ()) -> None:
        self.graph, self.ports = graph, graph.ports
        ends = graph.links_array
        a, b = (self.ports * ends[:, i] + ends[:, i + 1] for i in (0, 2))
        far = np.full(self.ports * graph.switches, -1, dtype=np.int64)
        far[a], far[b] = b, a
        self.far: list[int] = far.tolist()
        self.free = bytearray((far >= 0).astype(np.uint8).tobytes())
        for switch, port in taken:
            self.free[self.ports * switch + port] = 0
        self._after: dict[int, tuple[int, ...]] = {}
        self.away = lru_cache(max(64, KEPT // graph.switches))(self._away)

    def head(self, link: int) -> int:
        """Return the switch that a link leads to."""
        return self.far[link] // self.ports

    def of(self, switch: int) -> range:
        """Return the numbers of all outputs of a switch."""
        return range(self.ports * switch, self.ports * (switch + 1))

    def after(self, link: int) -> tuple[int, ...]:
        """Return the links by which a flit that came by one may leave the switch at its end."""
        found = self._after.get(link)
        if found is None:
            back = self.far[link]
            turns = self.graph.turns_back
            outputs = (out for out in self.of(back // self.ports) if turns or out != back)
            found = self._after[link] = tuple(out for out in outputs if self.far[out] >= 0)
        return found

    def into(self, switch: int) -> list[int]:
        """Return the free links that lead to a switch, by the port that they leave."""
        links = (self.far[out] for out in self.of(switch))
        free = (link for link in links if link >= 0 and self.free[link])
        return sorted(free, key=lambda link: (link % self.ports, link))

    def _away(self, switch: int) -> Sequence[int]:
        """Return the links between a switch and each other, taken links included; by switch."""
        columns = self.graph.columns
        if not columns:
            levels: list[int] = self.graph.levels(switch).tolist()
            return levels
        y, x = divmod(switch, columns)
        steps = [abs(i - x) for i in range(columns)]
        rows = self.graph.switches // columns
        return [abs(j - y) + step for j in range(rows) for step in steps]

    def distance(self, a: int, b: int) -> int:
        """Count the links between two switches."""
        if not (columns := self.graph.columns):
            return self.away(b)[a]
        (ay, ax), (by, bx) = divmod(a, columns), divmod(b, columns)
        return abs(ax - bx) + abs(ay - by)

    def outputs(self, links: Iterable[int]) -> list[Output]:
        """Return where links leave."""
        return [divmod(link, self.ports) for link in links]
