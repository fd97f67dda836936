"""Planners ``btm`` and ``cs``: trees over members of a grid, as paper BTM builds and compares them.

Source: paper BTM, section 2.1 and Algorithm 1; sections 1 and 3.3 for the CS tree. Where the paper
leaves ties open, a root is the member nearest the centroid in exact integers; among equals the
quadrant as seen from the centroid decides (+X, +Y, -X, -Y), then the larger x, then the larger y.
For other grids than meshes of two dimensions see docs/planning.md, "Members' trees on any grid".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Ints
from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.graph import path_sums


def places_of(members: Sequence[Sequence[int]] | ArrayLike, dimensions: int = 2) -> Ints:
    """Return the coordinates of the members as 64-bit integers, shape (n, dimensions).

    Raises
    ------
    PlanError
        There are no members, or one is there twice.
    """
    places = np.asarray(members, dtype=np.int64).reshape(-1, dimensions)
    if not len(places):
        raise PlanError("Barrier must have at least 1 member, not 0")
    strides = np.cumprod([1, *(places.max(axis=0)[:-1] + 1)])
    keys = np.sort((places * strides).sum(axis=1))
    if (keys[1:] == keys[:-1]).any():
        raise PlanError("Barrier members must be different nodes")
    return places


def _around(places: Ints) -> Grid:
    """Return a mesh that has these places."""
    return Grid(tuple((places.max(axis=0) + 1).tolist()), pairs=True)


@dataclass(frozen=True, eq=False)
class Tree:
    """A barrier tree: of members only, or with relays on the paths.

    Parameters
    ----------
    places : array of int64, shape (n, dimensions)
        The members, in the group's order, then the relays.
    parent : array of int64, shape (n,)
        Position of each node's parent; -1 for the root.
    port : array of int64, shape (n,)
        Port by which the parent sends to this node; any for the root.
    relays : int
        How many of the nodes, the last ones, have a register and are no members.
    grid : Grid, optional
        Where they are; a mesh by default.
    """

    places: Ints
    parent: Ints
    port: Ints
    relays: int = 0
    grid: Grid | None = None

    def __len__(self) -> int:
        return len(self.places)

    @classmethod
    def from_edges(
        cls,
        members: Sequence[Sequence[int]],
        edges: Sequence[Any],
        ports: Ints | None = None,
        relays: Sequence[Sequence[int]] = (),
        grid: Grid | None = None,
    ) -> Tree:
        """Build the tree of [child, parent] pairs of places; ``btm``'s ports if none are given."""
        nodes = [tuple(node) for node in (*members, *relays)]
        places = places_of(nodes, len(nodes[0]) if nodes else 2)
        position = {node: i for i, node in enumerate(nodes)}
        parent = np.full(len(places), -1, dtype=np.int64)
        for child, above in edges:
            parent[position[tuple(child)]] = position[tuple(above)]
        tree = cls(places, parent, ports if ports is not None else parent, len(relays), grid)
        return tree if ports is not None else tree._by_sectors()

    def _by_sectors(self) -> Tree:
        """Return the tree with the port to the sector in which each node lies."""
        port = _ports(self.space)[sectors(self.steps)]
        return Tree(self.places, self.parent, port, self.relays, self.grid)

    @property
    def x(self) -> Ints:
        """First coordinates, shape (n,)."""
        return self.places[:, 0]

    @property
    def y(self) -> Ints:
        """Second coordinates, shape (n,)."""
        return self.places[:, 1]

    @cached_property
    def space(self) -> Grid:
        """The grid that they are on."""
        return self.grid or _around(self.places)

    @cached_property
    def root_position(self) -> int:
        """Position of the root among the members."""
        return int(np.flatnonzero(self.parent < 0)[0])

    @cached_property
    def depth(self) -> Ints:
        """Edges from the root to each member, shape (n,)."""
        return path_sums(self.parent, (self.parent >= 0).astype(np.int64))

    @cached_property
    def steps(self) -> Ints:
        """Links up each dimension from the parent to each node, shape (n, dimensions)."""
        above = np.where(self.parent < 0, np.arange(len(self)), self.parent)
        return self.space.steps(self.places[above], self.places)

    @cached_property
    def links(self) -> Ints:
        """Links between each node and its parent, shape (n,); 0 of the root."""
        links: Ints = np.abs(self.steps).sum(axis=1)
        return links

    @cached_property
    def hops(self) -> Ints:
        """Links along the tree from the root to each member, shape (n,)."""
        return path_sums(self.parent, self.links)

    @property
    def height(self) -> int:
        """Edges on the longest path down (not levels)."""
        return int(self.depth.max())

    @property
    def longest_path(self) -> int:
        """The greatest number of links along the tree from the root to a member."""
        return int(self.hops.max())

    @cached_property
    def children(self) -> Ints:
        """Position of each member's children by port, -1 for none, shape (n, ports)."""
        table = np.full((len(self), self.space.ports), -1, dtype=np.int64)
        below = np.flatnonzero(self.parent >= 0)
        table[self.parent[below], self.port[below]] = below
        return table


def sectors(steps: Ints) -> Ints:
    """Return the sector of each offset from a centre: i up dimension i, n + i down it.

    Dimensions make pairs from the outside in, the first with the last. An offset belongs to the
    first pair, of dimensions a < b, in which it is not 0: up a if a > 0, b >= 0; up b if b > 0,
    a <= 0; down a if a < 0, b <= 0; down b if b < 0, a >= 0. The middle one of an odd number is by
    itself. So sectors are disjoint and cover all but the centre; in two dimensions they are paper
    BTM's quadrants +X 0, +Y 1, -X 2, -Y 3.

    Parameters
    ----------
    steps : array of int64, shape (m, n)
    """
    n = steps.shape[1]
    found = np.full(len(steps), 2 * n - 1 - (n - 1) // 2, dtype=np.int64)
    # From the inside out: the outer pairs have the last word.
    if n % 2:
        middle = n // 2
        found = np.where(steps[:, middle] > 0, middle, n + middle)
    for a in reversed(range(n // 2)):
        b = n - 1 - a
        first, last = steps[:, a], steps[:, b]
        up_a, up_b = (first > 0) & (last >= 0), (last > 0) & (first <= 0)
        down_a, down_b = (first < 0) & (last <= 0), (last < 0) & (first >= 0)
        found = np.select([up_a, up_b, down_a, down_b], [a, b, n + a, n + b], default=found)
    return found.astype(np.int64)


def _ports(grid: Grid) -> Ints:
    """Return the port that leads to each sector."""
    ups, downs = zip(*grid.axes, strict=True)
    return np.array([*ups, *downs], dtype=np.int64)


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
        return np.repeat(per_run, self.lengths, axis=0)

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


def off_centre(places: Ints, runs: Segments) -> Ints:
    """Return n times each place's offset from the centroid of its run, of n places."""
    return runs.spread(runs.lengths)[:, None] * places - runs.over(np.add, places)


def _whole(count: int) -> Segments:
    return Segments(np.zeros(1, np.int64), count)


def _nearness(places: Ints, grid: Grid) -> list[Ints]:
    """Return keys by which the first of all members in a grid is the root."""
    away = off_centre(places, _whole(len(places)))
    if not grid.wraps:
        return [(away**2).sum(axis=1), sectors(away), *-places.T]
    # A torus has no centroid, but the member nearest to it is that with the least sum of squares.
    cost = np.zeros(len(places), dtype=np.int64)
    for here, side in zip(places.T, grid.sides, strict=True):
        around = np.tile(np.bincount(here, minlength=side), 3)
        places_on = np.arange(3 * side)
        sums = [np.concatenate([[0], np.cumsum(around * places_on**k)]) for k in range(3)]
        at = np.arange(side) + side
        ends = at + side // 2 + 1, at - (side - 1) // 2
        none, once, twice = (total[ends[0]] - total[ends[1]] for total in sums)
        cost += (twice - 2 * at * once + at**2 * none)[here]
    return [cost, *-places.T]


def by_centrality(members: Sequence[Node] | ArrayLike) -> Ints:
    """Return the members' positions, the most central first, ties as this module's head says."""
    places = places_of(members)
    order: Ints = np.lexsort(_nearness(places, _around(places))[::-1])
    return order


def local_root(members: Sequence[Node]) -> Node:
    """Return the member nearest the centroid, ties as this module's head says."""
    return members[int(by_centrality(members)[0])]


def build_tree(members: Sequence[Sequence[int]] | ArrayLike, grid: Grid | None = None) -> Tree:
    """Build the whole tree at once, level by level, a run of the arrays for each subtree.

    Parameters
    ----------
    members : sequence of places, or array of shape (n, dimensions)
        The group.
    grid : Grid, optional
        Where they are; a mesh of two dimensions by default.

    Returns
    -------
    Tree
        The tree that each member would work out by itself (paper BTM, Algorithm 1).
    """
    places = places_of(members, len(grid.sides) if grid else 2)
    space = grid or _around(places)
    count = 2 * places.shape[1]
    parent = np.full(len(places), -1, dtype=np.int64)
    port = np.full(len(places), space.ports, dtype=np.int64)
    rest: Ints = np.arange(len(places))
    runs, keys = _whole(len(places)), _nearness(places, space)
    while True:
        chosen = runs.first_least(*keys)
        roots = rest[chosen]
        others = np.ones(len(rest), dtype=bool)
        others[chosen] = False
        centre, rest = runs.spread(roots)[others], rest[others]
        if not len(rest):
            break
        steps = space.steps(places[centre], places[rest])
        side = centre * count + sectors(steps)
        order = np.argsort(side)
        rest, side, steps = rest[order], side[order], steps[order]
        runs = Segments.of(side)
        # Every member remembers the last centre it was below: at the end, its parent.
        parent[rest], port[rest] = side // count, _ports(space)[side % count]
        # Offsets from that centre are coordinates, as no ring is passed all round from there.
        away = off_centre(steps, runs)
        keys = [(away**2).sum(axis=1), sectors(away), *-places[rest].T]
    return Tree(places, parent, port, grid=grid)


def cs_tree(members: Sequence[Node] | ArrayLike) -> Tree:
    """Build the CS tree: all members' paths to the root as a tree of neighbours.

    Every member's message goes X first, then Y, to the root of ``btm``'s tree, as packets do; where
    two paths meet they are one from there on. Every node on a path has a register, also one that
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
    x, y = places_of(members).T
    place = int(by_centrality(members)[0])
    root_x, root_y = int(x[place]), int(y[place])
    width = int(x.max()) + 1
    keys = y * width + x
    relays = np.setdiff1d(_on_paths(x, y, root_x, root_y, width), keys)
    keys = np.concatenate([keys, relays])
    x, y = keys % width, keys // width
    along_x = x != root_x
    step_x = np.where(along_x, np.sign(root_x - x), 0)
    step_y = np.where(along_x, 0, np.sign(root_y - y))
    order = np.argsort(keys)
    above = keys + step_y * width + step_x
    parent = order[np.searchsorted(keys[order], above)]
    port = sectors(-np.stack([step_x, step_y], axis=1))
    root = (x == root_x) & (y == root_y)
    return Tree(np.stack([x, y], axis=1), np.where(root, -1, parent), port, len(relays))


def _on_paths(x: Ints, y: Ints, root_x: int, root_y: int, width: int) -> Ints:
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
