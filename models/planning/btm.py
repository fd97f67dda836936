"""Planner ``btm``: the barrier tree for meshes, by quadrants around central members.

Source: paper BTM, section 2.1 and Algorithm 1. Where the paper leaves ties open, a root is the
member nearest the centroid in exact integers; among equals the quadrant as seen from the centroid
decides (+X, +Y, -X, -Y), then the larger x, then the larger y.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Node, Port, Turn
from syncfabric.models.planning.segments import Segments, quadrants
from syncfabric.models.planning.tree import Ints, Register, Tree, coordinates, reduce_turn

__all__ = ["build_tree", "centrality", "local_root", "local_roots", "quadrant", "setup_register"]


def quadrant(dx: int, dy: int) -> Port:
    """Return the quadrant of an offset from a root, named by its port; LOCAL at the root."""
    if dx > 0 and dy >= 0:
        return Port.EAST
    if dy > 0 and dx <= 0:
        return Port.NORTH
    if dx < 0 and dy <= 0:
        return Port.WEST
    return Port.SOUTH if dy < 0 else Port.LOCAL


def local_root(members: Collection[Node]) -> Node:
    """Return the member nearest the centroid, ties as this module's head says."""
    return min(members, key=centrality(members))


def centrality(members: Collection[Node]) -> Callable[[Node], tuple[int, int, int, int]]:
    """Return the key that orders nodes: nearest the members' centroid first, then as for roots."""
    n = len(members)
    sum_x, sum_y = sum(x for x, _ in members), sum(y for _, y in members)

    def key(member: Node) -> tuple[int, int, int, int]:
        x, y = member
        dx, dy = n * x - sum_x, n * y - sum_y
        return dx * dx + dy * dy, quadrant(dx, dy), -x, -y

    return key


def setup_register(
    members: Collection[Node],
    self: Node,
    gid: int,
    *,
    op: str = "or",
) -> Register:
    """Work out one member's own barrier register, as that member runs it, alone.

    Source: paper BTM, Algorithm 1 (Setup_Register). Departure: the R
    bit names the first turn of the path back over the links of the distribution.

    Parameters
    ----------
    members : collection of Node
        The whole group.
    self : Node
        The member that asks.
    gid : int
        Group identifier.
    op : str
        How data are combined.

    Raises
    ------
    PlanError
        ``self`` is no member.
    """
    if self not in members:
        raise PlanError(f"Node {self} must be a member of group {gid} to set up its register")
    region: list[Node] = list(members)
    parent: Node | None = None
    side = Port.LOCAL
    while True:
        root = local_root(region)
        parts: dict[Port, list[Node]] = {port: [] for port in Port}
        for x, y in region:
            parts[quadrant(x - root[0], y - root[1])].append((x, y))
        if root == self:
            break
        parent, side = root, quadrant(self[0] - root[0], self[1] - root[1])
        region = parts[side]
    turn = Turn.X_FIRST if parent is None else reduce_turn(side)
    east, north, west, south = (
        local_root(parts[port]) if parts[port] else None
        for port in (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
    )
    return Register(gid, self, parent, turn, (east, north, west, south), op)


def build_tree(members: Sequence[Node] | ArrayLike) -> Tree:
    """Build the whole tree at once, level by level, a run of the arrays for each subtree.

    Parameters
    ----------
    members : sequence of Node, or array of shape (n, 2)
        The group.

    Returns
    -------
    Tree
        The tree that all members' own ``setup_register`` make together.
    """
    x, y = coordinates(members)
    parent = np.full(len(x), -1, dtype=np.int64)
    port = np.full(len(x), int(Port.LOCAL), dtype=np.int64)
    rest: Ints = np.arange(len(x))
    runs = Segments(np.zeros(1, np.int64), len(x))
    while len(rest):
        chosen = local_roots(x[rest], y[rest], runs)
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


def local_roots(x: Ints, y: Ints, runs: Segments) -> Ints:
    """Return the place of each run's local root, as ``local_root`` would choose it."""
    n = runs.spread(runs.lengths)
    dx, dy = n * x - runs.spread(runs.sum(x)), n * y - runs.spread(runs.sum(y))
    return runs.first_least(dx * dx + dy * dy, quadrants(dx, dy), -x, -y)
