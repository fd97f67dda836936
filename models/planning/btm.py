"""Planner ``btm``: the barrier tree for meshes, by quadrants around central members.

Source: paper BTM, section 2.1 and Algorithm 1. Where the paper leaves ties open, a root is the
member nearest the centroid in exact integers; among equals the quadrant as seen from the centroid
decides (+X, +Y, -X, -Y), then the larger x, then the larger y.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike

from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.planning.segments import Segments, quadrants
from syncfabric.models.planning.tree import Ints, Tree, coordinates

__all__ = ["build_tree", "centrality", "local_root", "local_roots", "quadrant"]


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
