"""Graphs known by name that the paper tried and gives no edges of; each with its source."""

from __future__ import annotations

from math import isqrt

from syncfabric.models.collectives.octagons import octagon_links
from syncfabric.models.collectives.topology import Topology, both_ways

__all__ = ["hoffman_singleton", "minimum_path", "petersen", "star", "twisted_ladder"]


def minimum_path(name: str, nodes: int) -> Topology:
    """Return the ring with chords of least diameter and mean distance for degree 4.

    AMP stands for a minimum path. The edges of the AMP machines, which a search found, are not in
    the papers at hand. This is the graph that is proved to have the shortest paths among rings
    with chords: node i joined with i ± b and i ± (b - 1), b the square root of half the nodes,
    rounded up.

    Source: Beivide, Herrada, Balcázar and Arruabarrena, Optimal Distance Networks of Low Degree
    for Parallel Computers, IEEE Trans. Computers 40(10), 1991.
    """
    b = isqrt((nodes + 1) // 2 - 1) + 1
    links = [(i, (i + step) % nodes) for step in (b - 1, b) for i in range(nodes)]
    return Topology(name, nodes, 0, both_ways(links))


def twisted_ladder(name: str, nodes: int) -> Topology:
    """Return the Möbius ladder: a ladder whose ends are joined crosswise.

    With eight nodes it is the Octagon.

    Source: Guy and Harary, On the Möbius ladders, Canadian Mathematical Bulletin 10(4), 1967.
    """
    return Topology(name, nodes, 0, both_ways(octagon_links(range(nodes))))


def petersen(name: str) -> Topology:
    """Return the Moore graph of degree 3 and diameter 2: a pentagon around a pentagram.

    Source: Hoffman and Singleton, On Moore graphs with diameters 2 and 3, IBM Journal of Research
    and Development 4(5), 1960; drawn as by Petersen, 1898.
    """
    outer = [(i, (i + 1) % 5) for i in range(5)]
    inner = [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    return Topology(name, 10, 0, both_ways([*outer, *inner, *((i, 5 + i) for i in range(5))]))


def hoffman_singleton(name: str) -> Topology:
    """Return the Moore graph of degree 7 and diameter 2: five pentagons and five pentagrams.

    Vertex j of pentagon h is joined with vertex h·i + j, modulo 5, of pentagram i. Pentagon h has
    the nodes from 5·h on, pentagram i those from 25 + 5·i on.

    Source: Hoffman and Singleton, as above; these edges are Robertson's, 1969.
    """
    pentagons = [(5 * h + j, 5 * h + (j + 1) % 5) for h in range(5) for j in range(5)]
    pentagrams = [(25 + 5 * i + j, 25 + 5 * i + (j + 2) % 5) for i in range(5) for j in range(5)]
    across = [
        (5 * h + j, 25 + 5 * i + (h * i + j) % 5)
        for h in range(5)
        for i in range(5)
        for j in range(5)
    ]
    return Topology(name, 50, 0, both_ways([*pentagons, *pentagrams, *across]))


def star(name: str, nodes: int) -> Topology:
    """Return node 0 joined with every other node."""
    return Topology(name, nodes, 0, both_ways((0, leaf) for leaf in range(1, nodes)))
