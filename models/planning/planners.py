"""The groups of a network, each by its planner, with entries for all at every router."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.layout.network import MOST_REGISTERS
from syncfabric.models.layout.setup import MOST_REQUESTS, share_of
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.networks.dead import NOTHING, Dead
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, planners_of
from syncfabric.models.planning import btin, btm, cs, shortest, updown
from syncfabric.models.planning.entries import MOST_ENTRIES, Room, allot
from syncfabric.models.planning.graph import LinkGraph
from syncfabric.models.planning.group_plan import GroupPlan, bound_of
from syncfabric.models.planning.least_radius import Centre, Laid, centre_of
from syncfabric.models.planning.pace import Pace
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.set_up import check_representatives
from syncfabric.models.planning.spread import CrowdedError, Wanted, spread
from syncfabric.models.planning.tree import Ints, Tree

__all__ = ["plan_groups"]


class _Shaped(NamedTuple):
    """A tree, and bounds that it does not give by itself."""

    tree: PortTree
    least: int
    btm: int | None = None


def plan_groups(
    network: MessageSpec, groups: Sequence[GroupSpec], dead: Dead = NOTHING
) -> tuple[GroupPlan, ...]:
    """Plan the groups of a network of engines around what is dead, in their order.

    With managers, groups are theirs in turn: the first is manager 0's. Each takes entries of its
    manager's share; without managers there is one share, of all entries.

    Parameters
    ----------
    network : MessageSpec
    groups : sequence of GroupSpec
        Without members on dead nodes; an empty ``planner`` is the network's default.
    dead : Dead, optional

    Raises
    ------
    PlanError
        A router has more groups than entries, members cannot reach each other, or a group has
        more routers than a manager's command has requests.
    """
    graph, router = LinkGraph.of(network, dead.links), network.shape.router
    names = [group.planner or planners_of(network)[0] for group in groups]
    managers = max(1, router.managers)
    owners = [i % managers for i in range(len(groups))]
    members = [tuple(sorted({router for router, _ in _nodes(graph, group)})) for group in groups]
    given = "port_registers" in network.model_fields_set
    registers = network.shape.entry_registers if given else MOST_REGISTERS
    room = Room(graph, router, [group.id for group in groups], owners, members, registers)
    room.check_members()
    if router.transport == "routed":
        trees = [
            _routed(graph, router, group, name, dead)
            for group, name in zip(groups, names, strict=True)
        ]
        room.check([tree.position.keys() for tree, *_ in trees])
    else:
        trees = _linked(room, groups, names)
    for group, (tree, *_) in zip(groups, trees, strict=True):
        if router.managers and len(tree) > MOST_REQUESTS:
            raise PlanError(
                f"group {group.id}: its tree has {len(tree)} routers, but a manager sets up"
                f' {MOST_REQUESTS} at most; set setup = "local" in [network]'
            )
    shares = [share_of(owner, managers, router.layout.entries) for owner in owners]
    entries = allot(
        [tree.routers for tree, *_ in trees],
        [tree.routers[tree.member_count > 0] for tree, *_ in trees],
        shares,
        len(graph),
    )
    plans = tuple(
        GroupPlan(
            id=group.id,
            op=group.op,
            planner=name,
            members=group.members,
            graph=graph,
            shape=shaped.tree,
            placement=dict(zip(shaped.tree.routers.tolist(), numbers.tolist(), strict=True)),
            bound=bound_of(shaped.tree, router),
            bound_least=shaped.least,
            bound_btm=shaped.btm,
        )
        for group, name, shaped, numbers in zip(groups, names, trees, entries, strict=True)
    )
    if network.setup == "paper":
        for plan in plans:
            check_representatives(plan)
    return plans


def _routed(
    graph: LinkGraph, router: NodeShape, group: GroupSpec, planner: str, dead: Dead
) -> _Shaped:
    """Return a tree of members, as its planner makes it, on a mesh.

    Where messages of that would come upon what is dead, it is a link tree around it, with relays.
    """
    pace = Pace.of(router)

    def whole(tree: Tree) -> PortTree | None:
        found = PortTree.routed(tree, graph.columns)
        return None if dead and dead.links & set(found.ways(graph.columns)) else found

    first = btm.build_tree(group.members)
    ours = found = whole(first)
    # A link costs 1 + registers, a node S - 1 more: in links, rounded down.
    node = (pace.stages - 1) // (1 + pace.link)
    if planner == "cs":
        found = whole(cs.build_tree(group.members))
    elif planner == "shortest":
        better = whole(shortest.improve(first, node))
        if ours is None or (better and bound_of(better, router) < bound_of(ours, router)):
            found = better
    if found is None:
        nodes = _nodes(graph, group)
        members = tuple(sorted({router for router, _ in nodes}))
        one = Wanted(group.id, members, _centre(graph, group, members))
        found = _port_tree(graph, spread(graph, [one], 1)[group.id], nodes)
    links = shortest.least_cost(first.x, first.y, node)
    least = pace.least((1 + pace.link) * links)
    return _Shaped(found, least, None if ours is None else bound_of(ours, router))


def _centre(graph: LinkGraph, group: GroupSpec, members: tuple[int, ...]) -> Centre:
    try:
        return centre_of(graph, np.array(members, dtype=np.int64))
    except PlanError as error:
        raise PlanError(f"group {group.id}: {error}") from None


def _linked(room: Room, groups: Sequence[GroupSpec], names: Sequence[str]) -> list[_Shaped]:
    """Return a link tree for each group."""
    graph, pace = room.graph, Pace.of(room.router)
    wanted = []
    for group, name, owner, members in zip(groups, names, room.owners, room.members, strict=True):
        centre = _centre(graph, group, members)
        fixed = _fixed(graph, name, np.array(members, dtype=np.int64))
        wanted.append(Wanted(group.id, members, centre, owner, fixed))
    try:
        laid = spread(graph, wanted, room.entries)
    except CrowdedError as error:
        needed = _needed(graph, wanted, room.entries)
        raise room.full(error.router, error.share, error.trees, needed) from None
    return [
        _Shaped(
            _port_tree(graph, laid[one.group], _nodes(graph, group)),
            pace.least(one.centre.radius * pace.hop),
        )
        for one, group in zip(wanted, groups, strict=True)
    ]


def _nodes(graph: LinkGraph, group: GroupSpec) -> list[tuple[int, int]]:
    return [graph.place(graph.node(member)) for member in group.members]


def _fixed(graph: LinkGraph, planner: str, members: Ints) -> Laid | None:
    """Return the tree of a planner that chooses it without regard to others."""
    if planner == "btin":
        tree = btin.build_tree(graph, members)
    elif planner == "updown":
        tree = updown.build_tree(graph, members, member_root=False)
    else:
        return None
    return Laid(tree.root, dict(tree.edges), 0)


def _port_tree(graph: LinkGraph, laid: Laid, nodes: Sequence[tuple[int, int]]) -> PortTree:
    routers = laid.routers
    parents = [laid.parent.get(router, -1) for router in routers]
    arrays = np.array(routers, dtype=np.int64), np.array(parents, dtype=np.int64)
    return PortTree.spanned(graph, *arrays, nodes)


def _needed(graph: LinkGraph, wanted: Sequence[Wanted], room: int) -> int:
    """Return entries of a share that are found to do for link trees."""
    while room <= MOST_ENTRIES:
        room *= 2
        try:
            laid = spread(graph, wanted, room)
        except CrowdedError:
            continue
        load = Counter((one.share, r) for one in wanted for r in laid[one.group].routers)
        return max(load.values())
    return room
