"""Link trees of the least radius: where their roots can be, and small trees from there.

The radius of a tree is the greatest number of links from its root to a member's router. In any tree
with root r it is at least the greatest distance from r to a member; the breadth-first tree around
r has exactly that. So the least radius of all trees is the least of that distance over all routers,
members or not, and each router that has it is a centre: it can be the root of such a tree.
"""

import heapq
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Ints, Irregular
from syncfabric.models.planning.graph import BATCH, Rays, frontiers, least_eccentric
from syncfabric.models.planning.port_tree import PortTree

MOST_MEASURED = 1024
"""Members' routers up to which the distances of all routers from all of them are measured."""


class Centre(NamedTuple):
    """Where the root of a group's tree can be.

    Attributes
    ----------
    radius : int
        Links from there to the farthest member's router.
    far : array of int64, shape (routers,)
        Links from each router to the farthest member's; where that is not known, a number that
        is greater than the radius.
    total : array of int64, shape (routers,)
        Sum of the links from each router to all members'; 0 where that is not known.
    """

    radius: int
    far: Ints
    total: Ints

    def roots(self, slack: int) -> Ints:
        """Return all routers whose farthest member is no farther than the radius and a slack.

        The best come first: those with the least sum of distances, then the lowest-numbered.
        """
        roots = np.flatnonzero(self.far <= self.radius + slack)
        return roots[np.lexsort((roots, self.total[roots]))]


def centre_of(graph: Irregular, targets: Ints) -> Centre:
    """Return the least radius of trees that join routers, and their roots.

    Parameters
    ----------
    graph : Irregular
    targets : array of int64
        The members' routers, ascending, each once.

    Raises
    ------
    PlanError
        They cannot reach each other.
    """
    level, real = graph.levels(int(targets[0])), len(graph.whole or graph)
    far = np.zeros(len(graph), dtype=np.int64)
    total = np.zeros(len(graph), dtype=np.int64)
    if (level[targets] < 0).any():
        lost = int(targets[level[targets] < 0][0])
        raise PlanError(f"members at routers {targets[0]} and {lost} cannot reach each other")
    if len(targets) > MOST_MEASURED:
        roots, radius = least_eccentric(graph, np.flatnonzero(level[:real] >= 0), targets)
        far += len(graph)
        far[roots] = radius
        return Centre(radius, far, total)
    for first in range(0, len(targets), BATCH):
        for depth, frontier in enumerate(frontiers(graph, targets[first : first + BATCH])):
            reached = np.flatnonzero(frontier)
            far[reached] = np.maximum(far[reached], depth)
            total[reached] += depth * np.bitwise_count(frontier[reached]).astype(np.int64)
    far[level < 0] = far[real:] = len(graph)
    return Centre(int(far.min()), far, total)


def lay(graph: Irregular, rays: Rays, members: Collection[int], cost: Ints, busy: Ints) -> PortTree:
    """Return a tree of shortest paths from a root to all members over routers of little cost.

    Level by level from the farthest: children for which no router of the level above is in the
    tree anyway get some by greedy set cover, the least cost of a path to the root for each child
    first. Then each child takes one that is in the tree anyway, of these the least busy, and of
    these the lowest-numbered.

    Parameters
    ----------
    graph : Irregular
    rays : Rays
        The shortest paths from the root.
    members : collection of int
        The members' routers.
    cost : array of int64, shape (routers,)
        What it costs that a router is in the tree; at members' routers nothing, else at least 1.
    busy : array of int64, shape (routers,)
        Messages of other groups that come to each router in a barrier.
    """
    levels, prices = rays.levels, rays.prices(cost).tolist()
    rows: list[set[int]] = [set() for _ in range(max(levels[m] for m in members) + 1)]
    for member in members:
        rows[levels[member]].add(member)
    parent = {rays.root: -1}
    for here in range(len(rows) - 1, 0, -1):
        above = {
            child: [near for near in graph.near[child] if levels[near] == here - 1]
            for child in sorted(rows[here])
        }
        row = rows[here - 1]
        _cover(above, row, prices)
        kept = {*members}
        for child, nears in above.items():
            found = (near for near in nears if near in row)
            parent[child] = min(found, key=lambda near: (near not in kept, busy[near], near))
            kept.add(parent[child])
        row &= kept
    whole = graph.whole or graph
    arrays = np.array(sorted(_joined(parent, len(whole)).items()), dtype=np.int64).T
    return PortTree.spanned(whole, *arrays)


def _joined(parent: dict[int, int], routers: int) -> dict[int, int]:
    """Return the parents of the network's routers, the pieces of longer links put together."""
    found = {}
    for router in (router for router in parent if router < routers):
        above = parent[router]
        while above >= routers:
            above = parent[above]
        found[router] = above
    return found


def _cover(above: Mapping[int, Sequence[int]], row: set[int], prices: Sequence[int]) -> None:
    """Add routers to a row until each child has one there: a set cover by greed."""
    wanted: dict[int, set[int]] = {}
    for child, nears in above.items():
        if row.isdisjoint(nears):
            for near in nears:
                wanted.setdefault(near, set()).add(child)
    waiting = {child for children in wanted.values() for child in children}
    queue = [(prices[near] / len(children), near) for near, children in wanted.items()]
    heapq.heapify(queue)
    while waiting:
        price, near = heapq.heappop(queue)
        children = wanted[near] & waiting
        if not children:
            continue
        now = prices[near] / len(children)
        if now > price:
            heapq.heappush(queue, (now, near))
            continue
        row.add(near)
        waiting -= children
