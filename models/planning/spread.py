"""Trees of several groups at once, spread so that no router has more of them than entries.

Routes are negotiated: all groups are laid, and those that pass a router with too many are laid anew
at a price there that rises from round to round.

Source: after L. McMurchie, C. Ebeling, PathFinder: A Negotiation-Based Performance-Driven Router
for FPGAs, FPGA 1995.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Ints, Irregular
from syncfabric.models.planning.graph import Rays, distances
from syncfabric.models.planning.least_radius import Centre, lay
from syncfabric.models.planning.port_tree import PortTree

BASE = 16
"""What a router costs; each other group there costs 1 more."""
PRESENT, HISTORY = 4 * BASE, BASE // 2
"""What a router costs more for each group that it has too many, now and in each round before."""
SLACK = (0, 1, 2, 4)
"""How much more than the least a tree's radius may be, where less does not do."""
IN_VAIN = 3
"""Rounds in vain after which that is given up."""
ROOTS = 4
"""Roots that are tried for a group in each round."""
MEASURED = 1 << 18
"""Members times routers up to which roots are chosen by what paths from there cost."""
MOST_KEPT = 1 << 20
"""Levels that are kept of all roots together."""
EFFORT = 200_000
"""Routers of all trials of a group: huge networks get one root."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """A group to be laid.

    Parameters
    ----------
    group : int
        Its identifier.
    members : tuple of int
        The members' routers, ascending.
    centre : Centre
        Where its root can be.
    share : int
        Whose entries it takes.
    fixed : PortTree or None
        Its tree, if that is not to be chosen.
    """

    group: int
    members: tuple[int, ...]
    centre: Centre
    share: int = 0
    fixed: PortTree | None = None


class CrowdedError(PlanError):
    """Groups need more entries at a router than there are.

    Attributes
    ----------
    router, share : int
    trees : list of list of int
        The routers of each group.
    """

    def __init__(self, router: int, share: int, trees: list[list[int]]) -> None:
        super().__init__(f"router {router} has too many groups")
        self.router, self.share, self.trees = router, share, trees


@dataclass(eq=False)
class _State:
    """Trees so far, and how many of them are at each router, by share."""

    graph: Irregular
    capacity: int
    load: Ints
    history: Ints
    busy: Ints
    trees: dict[int, PortTree] = field(default_factory=dict)
    rays: dict[int, Rays] = field(default_factory=dict)

    def put(self, wanted: Wanted, tree: PortTree) -> None:
        self.trees[wanted.group] = tree
        self.load[wanted.share, tree.routers] += 1
        self.busy += _messages(tree, wanted, len(self.busy))

    def take(self, wanted: Wanted) -> None:
        tree = self.trees.pop(wanted.group, None)
        if tree:
            self.load[wanted.share, tree.routers] -= 1
            self.busy -= _messages(tree, wanted, len(self.busy))

    def rays_of(self, root: int) -> Rays:
        """Return the shortest paths from a root; those of the roots asked last are kept."""
        if root not in self.rays:
            if len(self.rays) * len(self.graph) >= MOST_KEPT:
                self.rays.clear()
            self.rays[root] = Rays.of(self.graph, root)
        return self.rays[root]

    def crowded(self, wanted: Wanted) -> bool:
        """Whether a group's tree passes a router that has too many."""
        return bool(
            (self.load[wanted.share, self.trees[wanted.group].routers] > self.capacity).any()
        )

    def best(self, wanted: Wanted, slack: int = 0) -> PortTree:
        """Return the cheapest tree around a few of the roots."""
        load = self.load[wanted.share]
        over = np.maximum(load + 1 - self.capacity, 0)
        cost = BASE + self.load.sum(axis=0) + over * PRESENT + self.history[wanted.share]
        members = list(wanted.members)
        cost[members] = 0
        cost[len(self.graph.whole or self.graph) :] = 1
        roots = wanted.centre.roots(slack)
        if len(members) * len(self.graph) <= MEASURED and len(roots) > ROOTS:
            costs = distances(self.graph, members, cost)[:, roots].sum(axis=0)
            roots = roots[np.argsort(costs, kind="stable")]
        count = max(1, min(ROOTS, EFFORT // len(self.graph)))
        rays = map(self.rays_of, roots[:count].tolist())
        trees = [lay(self.graph, each, members, cost, self.busy) for each in rays]

        def rank(tree: PortTree) -> tuple[int, int, int]:
            """Its cost, then the messages that meet each other more often with it."""
            crowding = _messages(tree, wanted, len(self.busy)) @ self.busy
            return int(cost[tree.routers].sum()), int(crowding), -tree.root

        return min(trees, key=rank)


def _messages(tree: PortTree, wanted: Wanted, routers: int) -> Ints:
    """Return how many messages of a group come to each router in a barrier."""
    below = np.flatnonzero(tree.parent >= 0)
    comes = (wanted.members, tree.routers[below], tree.routers[tree.parent[below]])
    return np.bincount(np.concatenate(comes), minlength=routers)


def spread(graph: Irregular, wanted: Sequence[Wanted], capacity: int) -> dict[int, PortTree]:
    """Return a tree of routers for each group, by its identifier.

    All have the least radius, if such trees are found in a few rounds; then those that still pass a
    crowded router may have a greater one.

    Parameters
    ----------
    graph : Irregular
    wanted : sequence of Wanted
    capacity : int
        Entries of each share at each router.

    Raises
    ------
    CrowdedError
        No such trees are found.
    """
    shares = 1 + max((one.share for one in wanted), default=0)
    shape = shares, len(graph)
    load, history = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    state = _State(graph, capacity, load, history, np.zeros(len(graph), dtype=np.int64))
    free = [one for one in wanted if one.fixed is None]
    for one in wanted:
        if one.fixed is not None:
            state.put(one, one.fixed)
    for one in free:
        state.put(one, state.best(one))
    for slack in SLACK:
        _relieve(state, free, slack)
    if (state.load > capacity).any():
        share, router = divmod(int(state.load.argmax()), len(graph))
        raise CrowdedError(
            router, share, [state.trees[one.group].routers.tolist() for one in wanted]
        )
    return state.trees


def _relieve(state: _State, groups: Sequence[Wanted], slack: int) -> None:
    """Lay groups that pass crowded routers anew, round by round, while that helps."""
    least, vain = None, 0
    while vain < IN_VAIN and (excess := np.maximum(state.load - state.capacity, 0)).any():
        over = int(excess.sum())
        vain = 0 if least is None or over < least else vain + 1
        least = over if least is None else min(least, over)
        state.history += excess * HISTORY
        for one in groups:
            if state.crowded(one):
                state.take(one)
                state.put(one, state.best(one, slack))
