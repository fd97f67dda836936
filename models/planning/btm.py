"""Planners ``btm`` and ``cs``: trees over members of a mesh, as paper BTM builds and compares them.

Source: paper BTM, section 2.1 and Algorithm 1; sections 1 and 3.3 for the CS tree. Where the paper
leaves ties open, a root is the member nearest the centroid in exact integers; among equals the
quadrant as seen from the centroid decides (+X, +Y, -X, -Y), then the larger x, then the larger y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Ints
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.planning.graph import path_sums

__all__ = [
    "Segments",
    "Tree",
    "build_tree",
    "by_centrality",
    "coordinates",
    "cs_tree",
    "local_root",
    "off_centre",
    "quadrants",
]


def coordinates(members: Sequence[Node] | ArrayLike) -> tuple[Ints, Ints]:
    """Return the x and the y of the members as arrays of 64-bit integers, shape (n,) each.

    Raises
    ------
    PlanError
        There are no members, or one is there twice.
    """
    places = np.asarray(members, dtype=np.int64).reshape(-1, 2)
    if not len(places):
        raise PlanError("Barrier must have at least 1 member, not 0")
    x, y = np.ascontiguousarray(places[:, 0]), np.ascontiguousarray(places[:, 1])
    keys = np.sort(y * (int(x.max()) + 1) + x)
    if (keys[1:] == keys[:-1]).any():
        raise PlanError("Barrier members must be different nodes")
    return x, y


@dataclass(frozen=True, eq=False)
class Tree:
    """A barrier tree: of members only, or with relays on the way.

    Parameters
    ----------
    x, y : array of int64, shape (n,)
        The members, in the group's order, then the relays.
    parent : array of int64, shape (n,)
        Position of each node's parent; -1 for the root.
    port : array of int64, shape (n,)
        Port by which the parent sends to this node (0 to 3); 4 (LOCAL) for the root.
    relays : int
        How many of the nodes, the last ones, have a register and are no members.
    """

    x: Ints
    y: Ints
    parent: Ints
    port: Ints
    relays: int = 0

    def __len__(self) -> int:
        return len(self.x)

    @classmethod
    def from_edges(
        cls,
        members: Sequence[Node],
        edges: Sequence[Any],
        ports: Ints,
        relays: Sequence[Node] = (),
    ) -> Tree:
        """Build the tree of [child, parent] pairs of [x, y], and each node's port."""
        nodes = (*members, *relays)
        x, y = coordinates(nodes)
        place = {node: position for position, node in enumerate(nodes)}
        parent = np.full(len(x), -1, dtype=np.int64)
        for (cx, cy), (px, py) in edges:
            parent[place[cx, cy]] = place[px, py]
        return cls(x, y, parent, ports, len(relays))

    @cached_property
    def root_position(self) -> int:
        """Position of the root among the members."""
        return int(np.flatnonzero(self.parent < 0)[0])

    @cached_property
    def depth(self) -> Ints:
        """Edges from the root to each member, shape (n,)."""
        return path_sums(self.parent, (self.parent >= 0).astype(np.int64))

    @cached_property
    def hops(self) -> Ints:
        """Links along the tree from the root to each member, shape (n,)."""
        above = np.where(self.parent < 0, np.arange(len(self)), self.parent)
        links: Ints = np.abs(self.x - self.x[above]) + np.abs(self.y - self.y[above])
        return path_sums(self.parent, links)

    @property
    def height(self) -> int:
        """Edges on the longest way down (not levels)."""
        return int(self.depth.max())

    @property
    def longest_path(self) -> int:
        """The greatest number of links along the tree from the root to a member."""
        return int(self.hops.max())

    @cached_property
    def children(self) -> Ints:
        """Position of each member's children by port, -1 for none, shape (n, 4)."""
        table = np.full((len(self), 4), -1, dtype=np.int64)
        below = np.flatnonzero(self.parent >= 0)
        table[self.parent[below], self.port[below]] = below
        return table


def quadrants(dx: Ints, dy: Ints) -> Ints:
    """Return the quadrant of each offset from a centre: +X 0, +Y 1, -X 2, -Y 3.

    +X: dx > 0, dy >= 0; +Y: dy > 0, dx <= 0; -X: dx < 0, dy <= 0; -Y: dy < 0, dx >= 0. They are
    disjoint and cover all but the centre, which comes out as 3.
    """
    east = (dx > 0) & (dy >= 0)
    north = (dy > 0) & (dx <= 0)
    west = (dx < 0) & (dy <= 0)
    return np.select([east, north, west], [0, 1, 2], default=3).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Segments:
    """Runs of equal keys in an array of ``size`` places.

    Parameters
    ----------
    starts : array of int64
        First place of each run, rising from 0; no run is empty.
    size : int
        Places in all.
    """

    starts: Ints
    size: int

    @classmethod
    def of(cls, keys: Ints) -> Segments:
        """Find the runs of equal keys."""
        changes = np.flatnonzero(keys[1:] != keys[:-1]) + 1
        return cls(np.concatenate([np.zeros(1, np.int64), changes]), len(keys))

    @cached_property
    def lengths(self) -> Ints:
        """Places of each run."""
        return np.diff(self.starts, append=self.size)

    def spread(self, per_run: Ints) -> Ints:
        """Give every place the value of its run."""
        return np.repeat(per_run, self.lengths)

    def over(self, ufunc: np.ufunc, values: Ints) -> Ints:
        """Give every place the sum, greatest or least of its run."""
        return self.spread(ufunc.reduceat(values, self.starts))

    def first_least(self, *keys: Ints) -> Ints:
        """Return the place of each run with the least keys, compared one after another.

        All keys together must be different within a run.
        """
        places: Ints = np.arange(self.size)
        runs = self
        for key in keys:
            values = key[places]
            best: NDArray[np.bool_] = values == runs.over(np.minimum, values)
            run = runs.spread(np.arange(len(self.starts)))[best]
            places, runs = places[best], Segments.of(run)
        return places


def off_centre(x: Ints, y: Ints, runs: Segments) -> tuple[Ints, Ints]:
    """Return n times each place's offset from the centroid of its run, of n places."""
    n = runs.spread(runs.lengths)
    return n * x - runs.over(np.add, x), n * y - runs.over(np.add, y)


def by_centrality(members: Sequence[Node] | ArrayLike) -> Ints:
    """Return the members' positions, the most central first, ties as this module's head says."""
    x, y = coordinates(members)
    dx, dy = off_centre(x, y, Segments(np.zeros(1, np.int64), len(x)))
    order: Ints = np.lexsort((-y, -x, quadrants(dx, dy), dx * dx + dy * dy))
    return order


def local_root(members: Sequence[Node]) -> Node:
    """Return the member nearest the centroid, ties as this module's head says."""
    return members[int(by_centrality(members)[0])]


def build_tree(members: Sequence[Node] | ArrayLike) -> Tree:
    """Build the whole tree at once, level by level, a run of the arrays for each subtree.

    Parameters
    ----------
    members : sequence of Node, or array of shape (n, 2)
        The group.

    Returns
    -------
    Tree
        The tree that each member would work out by itself (paper BTM, Algorithm 1).
    """
    x, y = coordinates(members)
    parent = np.full(len(x), -1, dtype=np.int64)
    port = np.full(len(x), int(Port.LOCAL), dtype=np.int64)
    rest: Ints = np.arange(len(x))
    runs = Segments(np.zeros(1, np.int64), len(x))
    while len(rest):
        dx, dy = off_centre(x[rest], y[rest], runs)
        chosen = runs.first_least(dx * dx + dy * dy, quadrants(dx, dy), -x[rest], -y[rest])
        roots = rest[chosen]
        others = np.ones(len(rest), dtype=bool)
        others[chosen] = False
        centre = runs.spread(roots)[others]
        rest = rest[others]
        if not len(rest):
            break
        side = quadrants(x[rest] - x[centre], y[rest] - y[centre])
        keys = centre * 4 + side
        order = np.argsort(keys)
        rest, keys = rest[order], keys[order]
        runs = Segments.of(keys)
        # Every member remembers the last centre it was below: at the end, its parent.
        parent[rest], port[rest] = keys // 4, keys % 4
    return Tree(x, y, parent, port)


def cs_tree(members: Sequence[Node] | ArrayLike) -> Tree:
    """Build the CS tree: all members' ways to the root as a tree of neighbours.

    Every member's message goes X first, then Y, to the root of ``btm``'s tree, as packets do; where
    two ways meet they are one from there on. Every node on the way has a register, also one that
    is no member (a relay): so an edge is one link.

    Parameters
    ----------
    members : sequence of Node, or array of shape (n, 2)
        The group.

    Returns
    -------
    Tree
        The members first, in their order, then the relays by row and column.
    """
    x, y = coordinates(members)
    place = int(by_centrality(members)[0])
    root_x, root_y = int(x[place]), int(y[place])
    width = int(x.max()) + 1
    keys = y * width + x
    relays = np.setdiff1d(_on_the_way(x, y, root_x, root_y, width), keys)
    keys = np.concatenate([keys, relays])
    x, y = keys % width, keys // width
    along_x = x != root_x
    step_x = np.where(along_x, np.sign(root_x - x), 0)
    step_y = np.where(along_x, 0, np.sign(root_y - y))
    order = np.argsort(keys)
    above = keys + step_y * width + step_x
    parent = order[np.searchsorted(keys[order], above)]
    port = quadrants(-step_x, -step_y)
    root = (x == root_x) & (y == root_y)
    return Tree(x, y, np.where(root, -1, parent), port, len(relays))


def _on_the_way(x: Ints, y: Ints, root_x: int, root_y: int, width: int) -> Ints:
    """Return the nodes between members and root, as y * width + x, ends included."""
    rows = np.unique(np.append(y, root_y))
    row = np.searchsorted(rows, y)
    west, east = np.full(len(rows), root_x), np.full(len(rows), root_x)
    np.minimum.at(west, row, x)
    np.maximum.at(east, row, x)
    lengths = east - west + 1
    place = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    along_rows = np.repeat(rows * width + west, lengths) + place
    return np.union1d(along_rows, np.arange(rows[0], rows[-1] + 1) * width + root_x)
