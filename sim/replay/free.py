"""Ways of packets that no barrier keeps apart, and how they go with no schedule."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.errors import SpecError
from syncfabric.models.planning.updown import updown_tables
from syncfabric.sim.replay.ground import Ground, Way

__all__ = ["MOST_CHANNELS", "Ends", "FreeWays", "at_once", "free_ways", "layers_of"]

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


Ends = tuple[int, int]
"""The nodes of the network that a packet goes from and to."""


class FreeWays(NamedTuple):
    """Ways that cannot deadlock, message by message, and the virtual channel of each."""

    ways: list[Way]
    channels: list[int]
    rerouted: int
    """How many are not the schedule's."""


def free_ways(ground: Ground, ways: Sequence[Way], ends: Sequence[Ends]) -> FreeWays:
    """Find virtual channels for ways; up/down routes for those that would need too many.

    Raises
    ------
    SpecError
        Up/down routes are needed, and a channel leads one way only.
    """
    routes = [way.links[1:-1] for way in ways]
    layers = layers_of(routes, MOST_CHANNELS)
    if None not in layers:
        return FreeWays(list(ways), [layer or 0 for layer in layers], 0)
    number = ground.topology.number
    if any((b, a) not in number for a, b in number):
        raise SpecError(
            f"topology {ground.topology.name}: without barriers its messages need more than "
            f"{MOST_CHANNELS} virtual channels on these paths, or channels that all lead both "
            "ways, for up/down routes"
        )
    # One channel is kept for the others, whose routes need no second.
    layers = layers_of(routes, MOST_CHANNELS - 1)
    tables = updown_tables(ground.irregular).tolist()
    found = [
        way if layer is not None else _by_tables(ground, tables, *pair)
        for way, layer, pair in zip(ways, layers, ends, strict=True)
    ]
    channels = [MOST_CHANNELS - 1 if layer is None else layer for layer in layers]
    return FreeWays(found, channels, layers.count(None))


def _by_tables(ground: Ground, tables: Sequence[Sequence[int]], source: int, target: int) -> Way:
    here, end = (ground.irregular.nodes[node][0] for node in (source, target))
    switches = [here]
    while here != end:
        across = ground.irregular.across(here, tables[here][end])
        assert across is not None
        here = across[0]
        switches.append(here)
    return ground.along(switches, source, target)


def at_once(
    ground: Ground, transfers: Sequence[Transfer], ways: Sequence[Way]
) -> tuple[list[int], list[Ends], list[tuple[int, ...]]]:
    """Return how nodes send that know no schedule: each to the next ones by number first.

    Its ports take messages by turns, and so do those of its receivers.

    Returns
    -------
    order, ends, ports : list
        Which messages, in that order; from and to which nodes of the network each, and the output
        port at each switch.
    """
    count, first = ground.topology.nodes, ground.first
    order = sorted(
        range(len(transfers)),
        key=lambda n: ((transfers[n].path[-1] - transfers[n].path[0]) % count, n),
    )
    turns: tuple[Counter[int], Counter[int]] = Counter(), Counter()
    ends: list[Ends] = []
    for number in order:
        path, places = transfers[number].path, list[int]()
        for node, turn in zip((path[0], path[-1]), turns, strict=True):
            places.append(first[node] + turn[node] % (first[node + 1] - first[node]))
            turn[node] += 1
        ends.append((places[0], places[1]))
    ports = [
        (*ways[number].ports[:-1], ground.irregular.nodes[target][1])
        for number, (_, target) in zip(order, ends, strict=True)
    ]
    return order, ends, ports
