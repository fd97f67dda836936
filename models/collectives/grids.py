"""Named topologies with a coordinate a dimension: rings, meshes, tori, hypercubes."""

from __future__ import annotations

from itertools import product

from syncfabric.models.collectives.topology import Channel, Topology, both_ways

__all__ = ["folded_hypercube", "hypercube", "mesh", "ring", "torus"]


def ring(name: str, nodes: int) -> Topology:
    """Return node i joined with i + 1, the last with the first."""
    return Topology(name, nodes, 0, both_ways(around(range(nodes))))


def mesh(name: str, *sides: int) -> Topology:
    """Return a mesh; node x + y · width of a mesh in two dimensions."""
    return Topology(name, len(_places(sides)), 0, both_ways(grid_links(sides)))


def torus(name: str, *sides: int) -> Topology:
    """Return a mesh whose rows and columns are rings; a side of 2 has one link, not two."""
    places = _places(sides)
    links = [
        (places[place], places[(*place[:i], (place[i] + 1) % side, *place[i + 1 :])])
        for i, side in enumerate(sides)
        for place in places
        if side > 2 or place[i] + 1 < side
    ]
    return Topology(name, len(places), 0, both_ways(links))


def hypercube(name: str, nodes: int) -> Topology:
    """Return nodes joined where their numbers differ in one bit; ``nodes`` is a power of two."""
    return Topology(name, nodes, 0, both_ways(_cube_links(nodes)))


def folded_hypercube(name: str, nodes: int) -> Topology:
    """Return a hypercube whose opposite nodes are joined too: the paper's K-ring.

    Source: El-Amawy and Latifi, IEEE Trans. Parallel and Distributed Systems 2(1), 1991.
    """
    opposite = [(a, nodes - 1 - a) for a in range(nodes // 2)]
    return Topology(name, nodes, 0, both_ways([*_cube_links(nodes), *opposite]))


def grid_links(sides: tuple[int, ...]) -> list[Channel]:
    """Return the links of a mesh; the first coordinate counts fastest."""
    places = _places(sides)
    return [
        (number, places[further])
        for place, number in places.items()
        for i in range(len(sides))
        if (further := (*place[:i], place[i] + 1, *place[i + 1 :])) in places
    ]


def around(numbers: range) -> list[Channel]:
    """Return the links of a ring of these vertices."""
    return [(a, numbers[(i + 1) % len(numbers)]) for i, a in enumerate(numbers)]


def _places(sides: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    """Return the numbers of the coordinates; the first counts fastest."""
    places = product(*(range(side) for side in reversed(sides)))
    return {place[::-1]: number for number, place in enumerate(places)}


def _cube_links(nodes: int) -> list[Channel]:
    bits = [1 << i for i in range(nodes.bit_length() - 1)]
    return [(a, a | bit) for a in range(nodes) for bit in bits if not a & bit]
