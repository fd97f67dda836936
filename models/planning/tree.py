"""A barrier tree, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Node

__all__ = ["Ints", "Tree", "coordinates", "path_sums"]

Ints: TypeAlias = NDArray[np.int64]


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
