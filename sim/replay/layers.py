"""Virtual channels for any routes: a layer of its own for routes that would close a cycle.

Each route is put into the first layer, a virtual channel, in which no links wait for each other in
a cycle (Skeie, Lysne and Theiss, Layered Shortest Path Routing in System Area Networks, IPDPS
2002). So no rule for the topology is needed, as datelines would be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["MOST_CHANNELS", "layers_of"]

MOST_CHANNELS = 4


def layers_of(routes: Sequence[Sequence[int]], most: int) -> list[int | None]:
    """Return the layer of each route; None where all layers would have a cycle.

    Parameters
    ----------
    routes : sequence of sequence of int
        The links of each, by numbers.
    most : int
        Layers.
    """
    layers = [_Layer() for _ in range(most)]
    found: dict[tuple[int, ...], int | None] = {}
    for route in map(tuple, routes):
        if route not in found:
            fits = (number for number, layer in enumerate(layers) if layer.takes(route))
            found[route] = next(fits, None)
    return [found[tuple(route)] for route in routes]


class _Layer:
    """Which link's packets wait for which link."""

    def __init__(self) -> None:
        self._after: defaultdict[int, set[int]] = defaultdict(set)

    def takes(self, route: Sequence[int]) -> bool:
        """Take a route in, unless it closes a cycle."""
        added: list[tuple[int, int]] = []
        for a, b in pairwise(route):
            if b in self._after[a]:
                continue
            if self._reaches(b, a):
                for c, d in added:
                    self._after[c].remove(d)
                return False
            self._after[a].add(b)
            added.append((a, b))
        return True

    def _reaches(self, start: int, end: int) -> bool:
        seen, stack = {start}, [start]
        while stack:
            here = stack.pop()
            if here == end:
                return True
            fresh = self._after.get(here, set()) - seen
            seen |= fresh
            stack += fresh
        return False
