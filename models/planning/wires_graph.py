"""Routers or switches as barrier wires see them: units, links, and where a group's root may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.planning.centre import least_eccentric
from syncfabric.models.planning.switch_graph import SwitchGraph
from syncfabric.models.planning.tree import Ints

__all__ = ["Centre", "Ends", "IrregularGraph", "MeshGraph", "WireGraph"]

Ends: TypeAlias = list[tuple[int, int, int]]
"""The links of a router: own port, router at the other end, port there."""

SIDES = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
MEASURED = 1 << 22
"""Distances, candidates times members, up to which roots are ranked by their sum."""


class Centre(NamedTuple):
    """Where the root of a group may be.

    Parameters
    ----------
    roots : list of int
        Routers whose farthest member is nearest, best first: by the sum of the distances to all
        members, then by number.
    radius : int
        Links between routers from there to the farthest member.
    least : int
        Routers that no tree over these members has fewer than.
    """

    roots: list[int]
    radius: int
    least: int


class WireGraph(Protocol):
    """A network's routers, numbered from 0, and their links."""

    @property
    def ends(self) -> Sequence[Ends]:
        """The links of each router, by rising port."""

    def centre(self, members: Sequence[int]) -> Centre:
        """Return where the root of a group may be, from its members' routers, each once."""


class MeshGraph:
    """The routers of a mesh, numbered as its nodes are."""

    def __init__(self, mesh: Mesh) -> None:
        self._mesh = mesh
        self.ends: list[Ends] = []
        for node in mesh.nodes:
            near = ((port, mesh.neighbour(node, port)) for port in SIDES)
            self.ends.append(
                [(port, mesh.index(other), port.opposite) for port, other in near if other]
            )

    def centre(self, members: Sequence[int]) -> Centre:
        """Return the routers that are best for a root, see ``WireGraph``.

        The distance to the farthest member is that to a corner of the members' rectangle in the
        coordinates x + y and x - y.
        """
        places = np.array(members, dtype=np.int64)
        width, height = self._mesh.width, self._mesh.height
        x, y = places % width, places // width
        column, row = np.arange(width), np.arange(height)[:, None]
        up, down = x + y, x - y
        far = np.maximum.reduce(
            [
                up.max() - (column + row),
                (column + row) - up.min(),
                down.max() - (column - row),
                (column - row) - down.min(),
            ]
        ).ravel()
        radius = int(far.min())
        roots = np.flatnonzero(far == radius)
        total = (_sums(x, width) + _sums(y, height)[:, None]).ravel()[roots]
        least = max(len(members), int(np.ptp(x) + np.ptp(y)) + 1)
        return Centre(roots[np.lexsort((roots, total))].tolist(), radius, least)


class IrregularGraph:
    """The switches of an irregular network."""

    def __init__(self, topology: Irregular) -> None:
        self._graph = graph = SwitchGraph.of(topology)
        links = np.stack([graph.port, graph.neighbour, graph.far_port], axis=1)
        rows = np.split(links, graph.indptr[1:-1])
        self.ends: list[Ends] = [sorted(map(tuple, row.tolist())) for row in rows]
        ones = np.ones(len(graph.neighbour))
        shape = (len(graph), len(graph))
        self._links = csr_array((ones, graph.neighbour, graph.indptr), shape=shape)

    def centre(self, members: Sequence[int]) -> Centre:
        """Return the switches that are best for a root, see ``WireGraph``."""
        targets = np.array(sorted(members), dtype=np.int64)
        _, level = self._graph.spanning(members[0])
        switches = np.flatnonzero(level >= 0)
        roots, radius = least_eccentric(self._graph, switches, targets)
        least = max(len(members), 2 * radius)
        if len(targets) * len(switches) <= MEASURED:
            distance = dijkstra(self._links, unweighted=True, indices=targets)
            total = distance.sum(axis=0)[roots]
            least = max(len(members), int(distance[:, targets].max()) + 1)
            roots = roots[np.lexsort((roots, total))]
        return Centre(roots.tolist(), radius, least)

    def farthest(self, members: Sequence[int]) -> list[int]:
        """Return the links from each member, which can all reach each other, to the farthest."""
        places = np.array(members, dtype=np.int64)
        found: list[int] = self._graph.eccentricities(places, places).tolist()
        return found


def _sums(places: Ints, count: int) -> Ints:
    """Return the sum of the distances from 0, 1, … to all places on a line."""
    number = np.bincount(places, minlength=count)
    left = np.cumsum(number) - number
    rising = np.concatenate([[0], np.cumsum(left + number)[:-1]])
    right = number.sum() - left - number
    falling = np.concatenate([np.cumsum((right + number)[::-1])[::-1][1:], [0]])
    total: Ints = rising + falling
    return total
