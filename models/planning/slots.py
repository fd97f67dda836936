"""Groups on barrier wires beside engines: a link tree for each, and a slot free on all of it.

Source: docs/microarchitecture-wires.md, X1 and X6.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.layout.setup import MOST_REQUESTS, owners_of
from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.dead import NOTHING, Dead
from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import GroupSpec, MessageSpec
from syncfabric.models.planning.graph import LinkGraph
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.least_radius import centre_of
from syncfabric.models.planning.pace import on_wires
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.spread import Wanted, spread

__all__ = ["least_tree", "plan_on_wires"]


def plan_on_wires(
    network: MessageSpec, groups: Sequence[GroupSpec], dead: Dead = NOTHING
) -> tuple[tuple[GroupPlan, ...], list[GroupSpec]]:
    """Plan the groups that go on wires, in their order; return those left over, too.

    A group takes the lowest slot that is free at all routers of its tree of least radius, or, if
    there is none, the lowest in which a longer tree finds its way between those that are taken.
    With managers, groups are theirs in turn, as other groups are.

    Parameters
    ----------
    network : MessageSpec
    groups : sequence of GroupSpec
        All; those whose planner is not that of wires are looked over.
    dead : Dead, optional

    Raises
    ------
    PlanError
        Members cannot reach each other.
    """
    router = network.shape.router
    managers = max(1, router.managers)
    owners = owners_of(managers, router.layout.entries, router.wires)
    taken: list[set[int]] = [set() for _ in range(router.wires)]
    plans: list[GroupPlan] = []
    left = []
    turn = 0
    for group in groups:
        if group.planner != WIRE_PLANNER:
            continue
        first = router.layout.entries
        mine = [s for s in range(router.wires) if owners.get(first + s) == turn % managers]
        plan = _place(network, group, mine, taken, dead)
        if plan is None:
            left.append(group)
            continue
        turn += 1
        plans.append(plan)
    return tuple(plans), left


def _place(
    network: MessageSpec,
    group: GroupSpec,
    slots: Sequence[int],
    taken: Sequence[set[int]],
    dead: Dead,
) -> GroupPlan | None:
    """Return a plan in one of some slots, whose routers are then taken; None: there is no room."""
    graph, router = LinkGraph.of(network, dead.links), network.shape.router
    shortest = least_tree(graph, group)
    assert shortest
    for tree, s in ((shortest, s) for s in slots):
        if taken[s].isdisjoint(tree.routers.tolist()):
            break
    else:
        for s in slots:
            around = LinkGraph.of(network, {*dead.links, *_ports(graph, taken[s])})
            found = least_tree(around, group, taken[s])
            if found:
                tree = found
                break
        else:
            return None
    if router.managers and len(tree) > MOST_REQUESTS:
        return None
    taken[s].update(tree.routers.tolist())
    entry = router.layout.entries + s
    return GroupPlan(
        id=group.id,
        op=group.op,
        planner=WIRE_PLANNER,
        members=group.members,
        graph=graph,
        shape=tree,
        placement=dict.fromkeys(tree.routers.tolist(), entry),
        bound=on_wires(router, tree.radius),
        bound_least=on_wires(router, shortest.radius),
        slot_register=network.shape.register_of(entry),
    )


def least_tree(
    graph: LinkGraph, group: GroupSpec, without: set[int] | None = None
) -> PortTree | None:
    """Return a tree of least radius; None: it would need routers that it is to do without."""
    nodes = [graph.place(graph.node(member)) for member in group.members]
    routers = tuple(sorted({router for router, _ in nodes}))
    if without and not without.isdisjoint(routers):
        return None
    try:
        centre = centre_of(graph, np.array(routers, dtype=np.int64))
    except PlanError as error:
        if without:
            return None
        raise PlanError(f"group {group.id}: {error}") from None
    laid = spread(graph, [Wanted(group.id, routers, centre)], 1)[group.id]
    listed = laid.routers
    parents = [laid.parent.get(router, -1) for router in listed]
    arrays = np.array(listed, dtype=np.int64), np.array(parents, dtype=np.int64)
    return PortTree.spanned(graph, *arrays, nodes)


def _ports(graph: LinkGraph, routers: set[int]) -> list[Place]:
    """Return the link ports of some routers."""
    return [end for link in graph.topology.links for end in link if end[0] in routers]
