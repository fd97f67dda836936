"""A barrier tree, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Node, Port, Turn

__all__ = [
    "Children",
    "Ints",
    "Tree",
    "coordinates",
    "distribute_turn",
    "path_sums",
]

Ints: TypeAlias = NDArray[np.int64]
Children: TypeAlias = tuple[Node | None, Node | None, Node | None, Node | None]


def distribute_turn(port: Port) -> Turn:
    """Return the first turn of a DISTRIBUTE to the child at ``port``: X-Y for +X and -X."""
    return Turn.X_FIRST if port in (Port.EAST, Port.WEST) else Turn.Y_FIRST


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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pairs = zip(self._arrays(), other._arrays(), strict=True)
        same = all(np.array_equal(mine, theirs) for mine, theirs in pairs)
        return same and self.relays == other.relays

    __hash__ = None  # type: ignore[assignment]

    def _arrays(self) -> tuple[Ints, Ints, Ints, Ints]:
        return self.x, self.y, self.parent, self.port

    def __repr__(self) -> str:
        members = len(self) - self.relays
        return f"Tree(members={members}, root={self.root}, height={self.height})"

    @classmethod
    def from_edges(
        cls,
        members: Sequence[Node],
        edges: Sequence[Any],
        ports: Ints,
        relays: Sequence[Node] = (),
    ) -> Tree:
        """Build the tree of [child, parent] pairs and each node's port (see ``edges``)."""
        nodes = (*members, *relays)
        x, y = coordinates(nodes)
        place = {node: position for position, node in enumerate(nodes)}
        parent = np.full(len(x), -1, dtype=np.int64)
        for (cx, cy), (px, py) in edges:
            parent[place[cx, cy]] = place[px, py]
        return cls(x, y, parent, ports, len(relays))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes: the members in the group's order, then the relays."""
        return tuple(zip(self.x.tolist(), self.y.tolist(), strict=True))

    @property
    def members(self) -> tuple[Node, ...]:
        """All members, in the group's order."""
        return self.nodes[: len(self) - self.relays]

    @cached_property
    def root_position(self) -> int:
        """Position of the root among the members."""
        return int(np.flatnonzero(self.parent < 0)[0])

    @property
    def root(self) -> Node:
        """The root node."""
        return self.node(self.root_position)

    def path_sums(self, weights: Ints) -> Ints:
        """Add up the weights from the root to each member, both included: see ``path_sums``."""
        return path_sums(self.parent, weights)

    @cached_property
    def depth(self) -> Ints:
        """Edges from the root to each member, shape (n,)."""
        return self.path_sums((self.parent >= 0).astype(np.int64))

    @cached_property
    def hops(self) -> Ints:
        """Links along the tree from the root to each member, shape (n,)."""
        above = np.where(self.parent < 0, np.arange(len(self)), self.parent)
        links: Ints = np.abs(self.x - self.x[above]) + np.abs(self.y - self.y[above])
        return self.path_sums(links)

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

    @cached_property
    def _position(self) -> dict[Node, int]:
        return {node: position for position, node in enumerate(self.nodes)}

    @property
    def edges(self) -> list[list[list[int]]]:
        """Every [child, parent], each as [x, y], in order of the children."""
        below = np.flatnonzero(self.parent >= 0)
        below = below[np.lexsort((self.y[below], self.x[below]))]
        above = self.parent[below]
        table = np.stack(
            [self.x[below], self.y[below], self.x[above], self.y[above]], axis=1
        ).reshape(-1, 2, 2)
        pairs: list[list[list[int]]] = table.tolist()
        return pairs

    def node(self, position: int) -> Node:
        """Return the member at a position."""
        return int(self.x[position]), int(self.y[position])

    def parent_of(self, node: Node) -> Node | None:
        """Return a member's parent; None for the root."""
        above = int(self.parent[self._position[node]])
        return None if above < 0 else self.node(above)

    def children_of(self, node: Node) -> Children:
        """Return a member's children by port: +X, +Y, -X, -Y."""
        east, north, west, south = (
            None if below < 0 else self.node(below)
            for below in self.children[self._position[node]].tolist()
        )
        return east, north, west, south
