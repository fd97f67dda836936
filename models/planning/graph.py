"""A network's routers, links and nodes as planners see them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Ints, Irregular, Place
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec, MessageSpec

__all__ = ["LinkGraph", "Rays", "path_sums"]


LITTLE = 1 / 1024
MOST_KEPT = 1 << 20
"""Levels that are kept of all roots together."""


def path_sums(parent: Ints, weights: Ints) -> Ints:
    """Add up the weights from the root to each place, both included, by pointer doubling.

    Parameters
    ----------
    parent : array of int64, shape (n,)
        The place above each; -1 at the root.
    weights : array of int64, shape (n,)
        What each place adds.

    Raises
    ------
    PlanError
        This is no tree: some place does not lead to the root.
    """
    root = int(np.flatnonzero(parent < 0)[0])
    above = np.where(parent < 0, np.arange(len(parent)), parent)
    sums = np.where(parent < 0, 0, weights)
    for _ in range(len(parent).bit_length() + 1):
        if (above == root).all():
            total: Ints = sums + weights[root]
            return total
        sums, above = sums + sums[above], above[above]
    raise PlanError("Tree must have one root that every member leads to")


class Rays(NamedTuple):
    """All shortest ways from a root.

    Attributes
    ----------
    levels : list of int
        Links from the root to each router; -1 where there is no way.
    steps : list of (array, array, array)
        For each level but the root's: its routers, each as often as it has neighbours on the
        level above, these neighbours, and where each router's begin.
    """

    levels: list[int]
    steps: list[tuple[Ints, Ints, Ints]]

    @classmethod
    def of(cls, graph: LinkGraph, root: int) -> Rays:
        """Work out those of a root."""
        _, level = graph.spanning(root)
        here = level[graph.owner]
        links = np.flatnonzero((here > 0) & (level[graph.neighbour] == here - 1))
        links = links[np.argsort(here[links], kind="stable")]
        ends = np.flatnonzero(np.diff(here[links])) + 1
        steps = []
        for row in np.split(links, ends):
            owner = graph.owner[row]
            first = np.flatnonzero(np.diff(owner, prepend=-1))
            steps.append((owner[first], graph.neighbour[row], first))
        return cls(level.tolist(), steps if len(links) else [])

    def prices(self, cost: Ints) -> Ints:
        """Return the least cost of a way from the root to each router, both included."""
        prices = cost.copy()
        for routers, above, first in self.steps:
            prices[routers] += np.minimum.reduceat(prices[above], first)
        return prices


@dataclass(frozen=True, eq=False)
class LinkGraph:
    """Routers, the links between them, and the nodes at their ports.

    Parameters
    ----------
    topology : Irregular
        Routers by number, and the node at a port.
    columns : int
        Columns of a mesh, whose node i is router i; 0: nodes are node interfaces, each at the far
        end of a link of its router.
    """

    topology: Irregular
    columns: int = 0

    @classmethod
    def of(cls, network: MessageSpec, dead: Collection[Place] = ()) -> LinkGraph:
        """Take a network's routers, and the links that have no end among the dead ports."""
        topology = network.topology.graph
        if dead:
            left = (link for link in topology.links if not any(end in dead for end in link))
            topology = replace(topology, links=tuple(left))
        return cls(topology, network.width if isinstance(network, MeshSpec) else 0)

    def __len__(self) -> int:
        return self.topology.switches

    @property
    def own_links(self) -> int:
        """Links between a member and its router: 1 to a node interface, 0 on a mesh."""
        return 0 if self.columns else 1

    @property
    def indptr(self) -> Ints:
        """Where each router's links begin in the arrays by link, shape (q + 1,)."""
        return self.topology.indptr

    @property
    def neighbour(self) -> Ints:
        """The router at the other end of each link, shape (2 m,)."""
        return self.topology.neighbour

    @cached_property
    def degree(self) -> Ints:
        """Links of each router, shape (q,)."""
        return np.diff(self.indptr)

    @cached_property
    def owner(self) -> Ints:
        """The router whose link it is, shape (2 m,)."""
        return np.repeat(np.arange(len(self)), self.degree)

    def ports_between(self, here: Ints, there: Ints) -> tuple[Ints, Ints]:
        """Return both ports of a link from each router ``here`` to its neighbour ``there``.

        Of several such links it is the one with the lowest port of ``here``.
        """
        keys = self.owner * len(self) + self.neighbour
        first = np.searchsorted(keys, here * len(self) + there)
        return self.topology.port[first], self.topology.far_port[first]

    def spanning(self, root: int) -> tuple[Ints, Ints]:
        """Return parent and level of every router in the BFS tree around a root.

        The parent is the lowest-numbered router of the level above: what scanning each level's
        routers in order gives (paper BTIN, section 3.1). Both are -1 at what cannot be reached,
        and the parent is at the root.
        """
        parent = np.full(len(self), -1, dtype=np.int64)
        level = np.full(len(self), -1, dtype=np.int64)
        place = np.empty(len(self), dtype=np.int64)
        level[root] = depth = 0
        front = np.array([root], dtype=np.int64)
        while len(front):
            depth += 1
            counts = self.degree[front]
            above = np.repeat(front, counts)
            entries = np.arange(len(above)) + np.repeat(
                self.indptr[front] - np.cumsum(counts) + counts, counts
            )
            below = self.neighbour[entries]
            new = level[below] < 0
            above, below = above[new], below[new]
            # Of several assignments to one place the last one stays: backwards, the first.
            parent[below[::-1]] = above[::-1]
            level[below] = depth
            order = np.arange(len(below))
            place[below[::-1]] = order[::-1]
            front = np.sort(below[place[below] == order])
        return parent, level

    @cached_property
    def near(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each router, ascending, each once."""
        neighbour, indptr = self.neighbour.tolist(), self.indptr.tolist()
        rows = (neighbour[a:b] for a, b in itertools.pairwise(indptr))
        return tuple(tuple(dict.fromkeys(row)) for row in rows)

    def distances(self, sources: Sequence[int], cost: Ints) -> Ints:
        """Return the least cost of a way from each source to all routers, its own not counted.

        Parameters
        ----------
        sources : sequence of int
        cost : array of int64, shape (routers,)
            What each router costs, at least 0.

        Returns
        -------
        array of float, shape (sources, routers)
            Infinite where there is no way.
        """
        count = len(self)
        # A way that costs nothing is no link to ``dijkstra``: each link costs a little more.
        price = cost[self.neighbour] + LITTLE
        links = csr_array((price, self.neighbour, self.indptr), shape=(count, count))
        found: Ints = dijkstra(links, indices=sources)
        return found

    def rays(self, root: int) -> Rays:
        """Return the shortest ways from a root; those of the roots asked last are kept."""
        kept = self._rays
        if root not in kept:
            if len(kept) * len(self) >= MOST_KEPT:
                kept.clear()
            kept[root] = Rays.of(self, root)
        return kept[root]

    @cached_property
    def _rays(self) -> dict[int, Rays]:
        return {}

    def node(self, member: Node) -> int:
        """Return the number of a node from how the network file names it: (x, y), or its port."""
        if self.columns:
            return member[1] * self.columns + member[0]
        return self.topology.index(member)

    def member(self, node: int) -> Node:
        """Return how the network file names a node; the inverse of ``node``."""
        if self.columns:
            return node % self.columns, node // self.columns
        return self.topology.node(node)

    def place(self, node: int) -> Place:
        """Return the router and port of a node."""
        return self.topology.nodes[node]

    def name(self, router: int) -> str:
        """Return what to call a router in a message."""
        if self.columns:
            return f"router ({router % self.columns}, {router // self.columns})"
        return f"switch {router}"

    def shown(self, router: int) -> int | list[int]:
        """Return a router as JSON has it: [x, y] on a mesh, else its number."""
        return [router % self.columns, router // self.columns] if self.columns else router

    def router(self, shown: int | list[int]) -> int:
        """Return a router's number; the inverse of ``shown``."""
        if isinstance(shown, list):
            x, y = shown
            return y * self.columns + x
        return shown
