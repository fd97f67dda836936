"""Ways of packets that no barrier keeps apart, and how they go with no schedule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.errors import SpecError
from syncfabric.models.planning.updown import updown_tables
from syncfabric.sim.replay.ground import Ground, Way
from syncfabric.sim.replay.layers import MOST_CHANNELS, layers_of

__all__ = ["Ends", "FreeWays", "at_once", "free_ways"]

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
