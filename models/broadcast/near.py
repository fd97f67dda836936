"""Which nodes may be a parent's nearest: all that are left, or those that an index or a draw finds.

A finder names nodes by rank, their place in the ascending order of their numbers. It returns
candidates for a block of parents, and the costs decide between these (``balanced_path.py``).

Source: ours; paper ADAPT looks at all pairs. Trees of boxes: Bentley, Multidimensional Binary
Search Trees Used for Associative Searching, Communications of the ACM 18(9), 1975. Distances from
pivots as coordinates: Micó, Oncina and Vidal, A new version of the nearest-neighbour approximating
and eliminating search algorithm, Pattern Recognition Letters 15(1), 1994.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from syncfabric.models.broadcast import near_kernel as kernel
from syncfabric.models.broadcast.costs import Costs, Floats, Ints
from syncfabric.models.errors import SpecError

Flags: TypeAlias = NDArray[np.bool_]
Number = TypeVar("Number", np.int64, np.float64)

ALL_NODES = 8_192
"""Up to so many nodes all that are left are candidates, if nothing else is asked for."""
NEAREST = 16
"""Candidates that an index returns of a parent."""
FAR = 4
"""Pivots whose costs are coordinates."""
PIVOTS, LEVELS = 16, 12
"""Of a cell; cells within cells."""
SMALLEST_CELL = 8
FEWEST_DRAWN, MOST_DRAWN = 16, 256


class Places:
    """Where nodes are: the nearer, the lower their cost.

    Parameters
    ----------
    points : array_like
        Of shape (nodes, dimensions), by the number of the node.

    Raises
    ------
    SpecError
        It is no such array of finite numbers.
    """

    def __init__(self, points: ArrayLike) -> None:
        try:
            self.points: Floats = np.array(points, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise SpecError("places: they must be numbers, a row a node") from None
        if self.points.ndim != 2 or not self.points.size or not np.isfinite(self.points).all():
            raise SpecError("places: they must be finite numbers, a row a node")

    def finder(self, members: Ints, left: Flags) -> Finder:
        """Return what finds candidates among nodes."""
        return _Boxes(_rows(self.points, members, "places"), left)


class Groups:
    """Which groups nodes are in: the smaller the group that two share, the lower their cost.

    Parameters
    ----------
    labels : array_like
        Integers of shape (nodes, levels), by the number of the node, the largest groups first: as
        the pod, and the rack in it. Groups of different larger groups may have the same label.

    Raises
    ------
    SpecError
        It is no such array.
    """

    def __init__(self, labels: ArrayLike) -> None:
        found = np.array(labels)
        if found.ndim != 2 or not found.size or not np.issubdtype(found.dtype, np.integer):
            raise SpecError("groups: they must be integers, a row a node, a column a level")
        self.labels: Ints = found.astype(np.int64)

    def finder(self, members: Ints, left: Flags) -> Finder:
        """Return what finds candidates among nodes."""
        labels = _rows(self.labels, members, "groups")
        group = np.zeros((labels.shape[1] + 1, len(labels)), dtype=np.int64)
        for level, label in enumerate(labels.T):
            group[level + 1] = _parts(group[level], label)
        return _Kin(group, left)


Near: TypeAlias = Places | Groups | Literal["all"] | None
"""How the nearest nodes are found; None: all are looked at if there are few, else pivots and draws
find some."""


class Finder(Protocol):
    """What finds candidates among the nodes that are left."""

    @property
    def width(self) -> int:
        """Columns of candidates."""

    @property
    def indexed(self) -> int:
        """Columns that are the nearest nodes by an index: the first ones.

        A row of which fewer than half are left is to be found anew.
        """

    def candidates(self, parents: Ints) -> Ints:
        """Return ranks of nodes that are left, of shape (parents, width); -1: none."""

    def take(self, ranks: Ints) -> None:
        """Remove nodes."""


class All:
    """All nodes that are left, as in the paper.

    Parameters
    ----------
    left : bool array
        Of shape (nodes); the owner clears those that are taken.
    """

    indexed = 0

    def __init__(self, left: Flags) -> None:
        self._left = left
        self.width = int(left.sum())

    def candidates(self, parents: Ints) -> Ints:
        """Return all, for each parent."""
        ranks = np.flatnonzero(self._left)
        return np.broadcast_to(ranks, (len(parents), len(ranks)))

    def take(self, ranks: Ints) -> None:
        """Count those that are left."""
        self.width -= len(ranks)


class _Boxes:
    """The nearest points, by a tree of boxes; of equal distances the lowest ranks."""

    width = indexed = NEAREST

    def __init__(self, points: Floats, left: Flags) -> None:
        levels = max(0, (len(points) // kernel.LEAF).bit_length())
        order, leaf = kernel.sort_points(points, levels)
        boxes = kernel.boxes(points, order, levels)
        self._tree = points, order, leaf, levels, *boxes, kernel.lowest_left(order, levels, left)

    def candidates(self, parents: Ints) -> Ints:
        points, order, _, levels, low, high, least = self._tree
        return kernel.nearest(points, order, levels, low, high, least, parents, NEAREST)

    def take(self, ranks: Ints) -> None:
        _, order, leaf, levels, _, _, least = self._tree
        kernel.remove_points(order, leaf, levels, least, ranks)


class _Kin:
    """Those of the smallest groups, the lowest ranks first."""

    width = indexed = NEAREST

    def __init__(self, group: Ints, left: Flags) -> None:
        self._lists = group, *kernel.link_groups(group, left)

    def candidates(self, parents: Ints) -> Ints:
        group, head, after, _ = self._lists
        return kernel.kin(group, head, after, parents, NEAREST)

    def take(self, ranks: Ints) -> None:
        kernel.unlink(*self._lists, ranks)


def _parts(group: Ints, labels: Ints) -> Ints:
    """Return groups, numbered from 0, parted by labels."""
    _, label = np.unique(labels, return_inverse=True)
    _, found = np.unique(group * (label.max() + 1) + label, return_inverse=True)
    return found


class Guess:
    """Those nearest by their costs from a few pivots, those in the same cells, and some drawn.

    Where costs follow from places, costs from pivots are as good as these; where they follow from
    groups, cells around pivots, each with pivots of its own inside, are like these. Where they
    follow from nothing, the draws find one that is nearly as near as the nearest.
    """

    indexed = 2 * NEAREST

    def __init__(self, costs: Costs, members: Ints, left: Flags) -> None:
        self._indices = _Boxes(_away(costs, members), left), _Kin(_cells(costs, members), left)
        self._bag, self._slot = kernel.bag(left)
        self._count = int(left.sum())
        self._state = np.array([1], dtype=np.uint64)
        self._drawn = FEWEST_DRAWN

    @property
    def width(self) -> int:
        """Columns of candidates."""
        return self.indexed + self._drawn

    def candidates(self, parents: Ints) -> Ints:
        """Return what the indices find, and draws."""
        found = [index.candidates(parents) for index in self._indices]
        shape = len(parents), self._drawn
        found.append(kernel.draw(self._bag, self._count, self._state, *shape))
        return np.concatenate(found, axis=1)

    def take(self, ranks: Ints) -> None:
        """Remove nodes."""
        for index in self._indices:
            index.take(ranks)
        self._count = kernel.take_out(self._bag, self._slot, self._count, ranks)

    def adapt(self, picked: int, by_index: int) -> None:
        """Draw more from now on if the indices are hardly better than draws, else fewer."""
        expected = self.indexed / self.width
        if by_index < (1 + expected) / 2 * picked:
            self._drawn = min(MOST_DRAWN, 2 * self._drawn)
        else:
            self._drawn = max(FEWEST_DRAWN, self._drawn // 2)


def _away(costs: Costs, members: Ints) -> Floats:
    """Return costs from pivots, of shape (nodes, pivots), each pivot far from those before it."""
    count = len(members)
    points, pivot, away = np.zeros((count, FAR)), 0, np.full(count, np.inf)
    for column in points.T:
        others = np.delete(np.arange(count), pivot)
        column[others] = costs.between(np.full(count - 1, members[pivot]), members[others])
        away = np.minimum(away, column)
        pivot = int(np.argmax(away))
    return points


def _cells(costs: Costs, members: Ints) -> Ints:
    """Return cells within cells, of shape (levels, nodes): whose pivot is the nearest."""
    count = len(members)
    cells = np.zeros((LEVELS + 1, count), dtype=np.int64)
    shuffled = np.random.default_rng(1).permutation(count)
    for cell, inside in pairwise(cells):
        order = shuffled[np.argsort(cell[shuffled], kind="stable")]
        first = np.searchsorted(cell[order], np.arange(cell.max() + 2))
        many = np.diff(first)
        nodes = np.flatnonzero(many[cell] > SMALLEST_CELL)
        least, label = np.full(len(nodes), np.inf), np.zeros(count, dtype=np.int64)
        for k in range(PIVOTS):
            pivot = order[first[:-1] + many * k // PIVOTS][cell[nodes]]
            cost, others = np.zeros(len(nodes)), np.flatnonzero(nodes != pivot)
            cost[others] = costs.between(members[pivot[others]], members[nodes[others]])
            label[nodes[cost < least]] = k
            least = np.minimum(least, cost)
        inside[:] = _parts(cell, label)
    return cells


def finder(near: Near, costs: Costs, members: Ints, left: Flags) -> Finder:
    """Return what finds candidates.

    Parameters
    ----------
    near : Near
    costs : Costs
    members : int64, of shape (nodes)
        The nodes by their ranks.
    left : bool, of shape (nodes)
        Those that can be found, by their ranks; the caller clears what is taken.

    Raises
    ------
    SpecError
        ``near`` does not fit the nodes, or a cost function returned what is no cost.
    """
    if isinstance(near, Places | Groups):
        return near.finder(members, left)
    if near not in (None, "all"):
        raise SpecError(f'near: {near!r} is none of Places, Groups, "all" or None')
    few = near == "all" or len(members) <= ALL_NODES
    return All(left) if few else Guess(costs, members, left)


def _rows(table: NDArray[Number], members: Ints, what: str) -> NDArray[Number]:
    """Return the rows of nodes."""
    if len(table) <= members[-1]:
        raise SpecError(f"{what}: there are {len(table)} rows, and none of node {members[-1]}")
    return table[members]
