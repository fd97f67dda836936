"""The Octagon, and what is made of it.

Source: Karim, Nguyen and Dey, An Interconnect Architecture for Networking Systems on Chips,
IEEE Micro 22(5), 2002. A ring of eight nodes whose opposite ones are joined too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from syncfabric.models.collectives.grids import around
from syncfabric.models.collectives.topology import Channel, Topology, both_ways

__all__ = ["bridged_octagons", "fat_octagon", "octagon", "octagon_space"]

SIDE = 8


def octagon(name: str, nodes: int) -> Topology:
    """Return a ring of 4·n nodes, 8 or more, whose opposite ones are joined."""
    return Topology(name, nodes, 0, both_ways(octagon_links(range(nodes))))


def fat_octagon(name: str, nodes: int) -> Topology:
    """Return an Octagon of 8 routers with as many processors each.

    With two a router, processors 2·r and 2·r + 1 are behind router r, vertex 16 + r.
    """
    each = nodes // SIDE
    local = [(p, nodes + p // each) for p in range(nodes)]
    routers = octagon_links(range(nodes, nodes + SIDE))
    return Topology(name, nodes, SIDE, both_ways([*local, *routers]))


def bridged_octagons(name: str, nodes: int) -> Topology:
    """Return Octagons in a row that share a bridge node: 15 nodes for two, 22 for three.

    The node opposite the first one of an Octagon is the first one of the next.
    """
    links: list[Channel] = []
    first, fresh = 0, 1
    while fresh < nodes:
        around_it = [first, *range(fresh, fresh + SIDE - 1)]
        links += octagon_links(around_it)
        first, fresh = around_it[SIDE // 2], fresh + SIDE - 1
    return Topology(name, nodes, 0, both_ways(links))


def octagon_space(name: str, *sides: int) -> Topology:
    """Return Octagons in several dimensions: corresponding nodes form Octagons too."""
    step = [SIDE**i for i in range(len(sides))]
    links = [
        (base + a * step[axis], base + b * step[axis])
        for axis in range(len(sides))
        for base in _lines(len(sides), axis)
        for a, b in octagon_links(range(SIDE))
    ]
    return Topology(name, SIDE ** len(sides), 0, both_ways(links))


def octagon_links(numbers: Sequence[int]) -> list[Channel]:
    """Return the ring through these vertices, and the links between opposite ones."""
    half = len(numbers) // 2
    ring = [(numbers[a], numbers[b]) for a, b in around(range(len(numbers)))]
    return [*ring, *zip(numbers[:half], numbers[half:], strict=True)]


def _lines(dimensions: int, axis: int) -> list[int]:
    """Return the nodes whose coordinate on an axis is 0."""
    spans = [range(1) if i == axis else range(SIDE) for i in range(dimensions)]
    return [sum(x * SIDE**i for i, x in enumerate(place)) for place in product(*spans)]
