"""The groups of a network of engines, each by its planner: in entries, or in slots of wires.

Source of the slots: docs/microarchitecture-wires.md, X1 and X6.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import gcd
from typing import NamedTuple, TypeAlias

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.layout.network import MOST_REGISTERS
from syncfabric.models.layout.setup import MOST_REQUESTS, owners_of, share_of
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.slots import WIRE_PLANNER
from syncfabric.models.networks.dead import NOTHING, Dead
from syncfabric.models.networks.irregular import Ints, Irregular, Link, Place
from syncfabric.models.networks.spec import GroupSpec, MessageSpec
from syncfabric.models.planning import btm, shortest, updown
from syncfabric.models.planning.btm import Tree
from syncfabric.models.planning.entries import MOST_ENTRIES, Capacity, allot
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.least_radius import centre_of
from syncfabric.models.planning.pace import Pace, on_wires, stream_bound
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.set_up import check_representatives
from syncfabric.models.planning.spread import CrowdedError, Wanted, spread
from syncfabric.models.plugins import plugins

Planner: TypeAlias = Callable[[Irregular, Ints], Ints]
"""A planner of another package, an entry point of ``syncfabric.planners``. From the graph of q
routers and the members' routers, ascending, to the parent of every router, int64, shape (q,): a
neighbour's number, or -1 at the root and where it does not matter."""


class Stretched(NamedTuple):
    """A graph in which every path has as many links as it takes, in units.

    Attributes
    ----------
    graph : Irregular
        The network's routers, and after them those between the pieces of a link.
    unit : int
        Cycles of each of its links.
    """

    graph: Irregular
    unit: int


def stretched(network: Irregular, hop: int) -> Stretched:
    """Cut links so that all pieces take the same number of cycles.

    Parameters
    ----------
    network : Irregular
    hop : int, >= 1
        Cycles of a link without extra registers, from router to router.
    """
    unit = gcd(hop, *network.extra)
    if not any(network.extra):
        return Stretched(network, hop)
    links: list[Link] = []
    routers = len(network)
    for (begin, end), more in zip(network.links, network.extra, strict=True):
        for _ in range((hop + more) // unit - 1):
            links.append((begin, (routers, 0)))
            begin = routers, 1
            routers += 1
        links.append((begin, end))
    return Stretched(
        replace(network, switches=routers, links=tuple(links), extra=(), whole=network), unit
    )


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
    graph, router = network.topology.graph.without(dead.links), network.shape.router
    names = [group.planner or network.planners[0] for group in groups]
    managers = max(1, router.managers)
    owners = [i % managers for i in range(len(groups))]
    members = [_routers(graph, group) for group in groups]
    given = "port_registers" in network.model_fields_set
    registers = network.shape.entry_registers if given else MOST_REGISTERS
    capacity = Capacity(graph, router, [group.id for group in groups], owners, members, registers)
    capacity.check_members()
    if router.transport == "routed":
        trees = [
            _routed(graph, router, group, name, dead)
            for group, name in zip(groups, names, strict=True)
        ]
        capacity.check([tree.position.keys() for tree, *_ in trees])
    else:
        trees = _linked(capacity, groups, names)
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
            shape=shaped.tree,
            bound=Pace.of(router).bound(shaped.tree),
            bound_least=shaped.least,
            bound_btm=shaped.btm,
            placement=dict(zip(shaped.tree.routers.tolist(), numbers.tolist(), strict=True)),
        )
        for group, name, shaped, numbers in zip(groups, names, trees, entries, strict=True)
    )
    if network.setup == "paper":
        for plan in plans:
            check_representatives(plan)
    return plans


def _routed(
    graph: Irregular, router: NodeShape, group: GroupSpec, planner: str, dead: Dead
) -> _Shaped:
    """Return a tree of members, as its planner makes it, on a grid.

    Where messages of that would come upon what is dead, it is a link tree around it, with relays.
    """
    pace = Pace.of(router)

    def whole(tree: Tree) -> PortTree | None:
        found = PortTree.routed(tree, graph)
        return None if dead and dead.links & set(found.path_links()) else found

    grid = graph.grid
    assert grid
    members: Sequence[Sequence[int]] = group.members
    if not graph.columns:
        members = [grid.place(graph.number(member)) for member in group.members]
    first = btm.build_tree(members, grid)
    ours = found = whole(first)
    # A link costs 1 + registers, a node S - 1 more: in links, rounded down.
    node = (pace.stages - 1) // (1 + pace.link)
    if planner == "cs":
        found = whole(btm.cs_tree(group.members))
    elif planner == "shortest":
        better = whole(shortest.improve(first, node))
        if ours is None or (better and pace.bound(better) < pace.bound(ours)):
            found = better
    links = shortest.least_cost(first.places, grid, node)
    least = pace.least((1 + pace.link) * links)
    btm_bound = None if ours is None else pace.bound(ours)
    return _Shaped(found or least_tree(graph, group), least, btm_bound)


def _linked(capacity: Capacity, groups: Sequence[GroupSpec], names: Sequence[str]) -> list[_Shaped]:
    """Return a link tree for each group."""
    pace = Pace.of(capacity.router)
    graph, unit = stretched(capacity.graph, pace.hop)
    wanted = [
        _wanted(graph, group, owner, name)
        for group, name, owner in zip(groups, names, capacity.owners, strict=True)
    ]
    try:
        laid = spread(graph, wanted, capacity.entries)
    except CrowdedError as error:
        needed = _needed(graph, wanted, capacity.entries)
        raise capacity.full(error.router, error.share, error.trees, needed) from None
    return [
        _Shaped(
            laid[one.group].serving(_nodes(graph, group)),
            pace.least(one.centre.radius * unit),
        )
        for one, group in zip(wanted, groups, strict=True)
    ]


def _wanted(graph: Irregular, group: GroupSpec, owner: int = 0, planner: str = "") -> Wanted:
    """Return a group to be laid; two planners choose its tree without regard to others."""
    members = _routers(graph, group)
    routers = np.array(members, dtype=np.int64)
    try:
        centre = centre_of(graph, routers)
    except PlanError as error:
        raise PlanError(f"group {group.id}: {error}") from None
    whole = graph.whole or graph
    fixed = None
    if build := {"btin": updown.btin_tree, "updown": updown.updown_tree}.get(planner):
        fixed = build(whole, routers)
    elif added := plugins("syncfabric.planners", Callable).get(planner):
        subject = f'group {group.id}: planner "{planner}"'
        fixed = _checked(whole, routers, added(whole, routers), subject)
    return Wanted(group.id, members, centre, owner, fixed)


def _checked(graph: Irregular, members: Ints, parents: Ints, subject: str) -> PortTree:
    """Return the tree of another package's planner, if it is one.

    Raises
    ------
    PlanError
        It is none: it has other numbers than routers', a link that the network has not, two roots,
        or a cycle.
    """
    parents, size = np.asarray(parents), len(graph)
    if parents.shape != (size,) or parents.dtype.kind not in "iu":
        raise PlanError(f"{subject}: it must return {size} whole numbers, a parent for each router")
    if np.any((parents < -1) | (parents >= size)):
        raise PlanError(f"{subject}: parents must be -1 to {size - 1}")
    links = set(zip(graph.owner.tolist(), graph.neighbour.tolist(), strict=True))
    roots = set()
    for member in members.tolist():
        path = [member]
        while (parent := int(parents[path[-1]])) >= 0:
            if (path[-1], parent) not in links:
                raise PlanError(f"{subject}: router {path[-1]} has no link to its parent {parent}")
            if len(path) == size:
                raise PlanError(f"{subject}: router {member} does not lead to a root")
            path.append(parent)
        roots.add(path[-1])
    if len(roots) > 1:
        raise PlanError(f"{subject}: its members have {len(roots)} roots, {sorted(roots)[:2]}, …")
    return PortTree.pruned(graph, parents.astype(np.int64), members)


def _nodes(graph: Irregular, group: GroupSpec) -> list[Place]:
    return [graph.node(graph.number(member)) for member in group.members]


def _routers(graph: Irregular, group: GroupSpec) -> tuple[int, ...]:
    return tuple(sorted({router for router, _ in _nodes(graph, group)}))


def _needed(graph: Irregular, wanted: Sequence[Wanted], capacity: int) -> int:
    """Return entries of a share that are found to do for link trees."""
    while capacity <= MOST_ENTRIES:
        capacity *= 2
        try:
            laid = spread(graph, wanted, capacity)
        except CrowdedError:
            continue
        load = Counter((one.share, r) for one in wanted for r in laid[one.group].routers.tolist())
        return max(load.values())
    return capacity


def least_tree(graph: Irregular, group: GroupSpec, hop: int = 1) -> PortTree:
    """Return a link tree of least radius, for a group alone.

    Parameters
    ----------
    graph : Irregular
    group : GroupSpec
    hop : int
        Cycles of a link without extra registers.

    Raises
    ------
    PlanError
        Its members cannot reach each other.
    """
    graph, _ = stretched(graph, hop)
    (tree,) = spread(graph, [_wanted(graph, group)], 1).values()
    return tree.serving(_nodes(graph, group))


def plan_on_wires(
    network: MessageSpec, groups: Sequence[GroupSpec], dead: Dead = NOTHING
) -> tuple[tuple[GroupPlan, ...], list[GroupSpec]]:
    """Plan the groups that go on wires, in their order; return those left over, too.

    A group takes the lowest slot that is free at all routers of its tree of least radius, or, if
    there is none, the lowest in which a longer tree fits between those that are taken.
    Those with streams come first, and take slots of these; others take such slots last.
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
        Members cannot reach each other, or a group finds no channel for its stream.
    """
    router = network.shape.router
    first, managers = router.layout.entries, max(1, router.managers)
    owners = owners_of(managers, first, router.wires)
    taken: list[set[int]] = [set() for _ in range(router.wires)]
    plans: list[GroupPlan] = []
    left = []
    for group in sorted(groups, key=lambda group: not group.stream):
        if group.planner != WIRE_PLANNER:
            continue
        turn = len(plans) % managers
        mine = [s for s in range(router.wires) if owners.get(first + s) == turn]
        streams = [s for s in mine if s < router.streams]
        order = streams if group.stream else [s for s in mine if s not in streams] + streams
        plan = _place(network, group, order, taken, dead)
        if plan is None and group.stream:
            more = f"set streams above {router.streams}, 4 at most, or " * (router.streams < 4)
            raise PlanError(
                f"group {group.id}: no channel is left for its stream on a tree of its own;"
                f" {more}set it up when another group has ended"
            )
        if plan is None:
            left.append(group)
        else:
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
    graph, router = network.topology.graph.without(dead.links), network.shape.router
    hop = 1 + router.link_registers
    shortest = least_tree(graph, group, hop)
    free = (s for s in slots if taken[s].isdisjoint(shortest.routers.tolist()))
    tree, slot = shortest, next(free, None)
    members = _routers(graph, group)
    for s in slots if slot is None else ():
        if taken[s].isdisjoint(members):
            ports = [end for link in graph.links for end in link if end[0] in taken[s]]
            try:
                around = network.topology.graph.without({*dead.links, *ports})
                tree = least_tree(around, group, hop)
            except PlanError:
                continue
            slot = s
            break
    if slot is None or (router.managers and len(tree) > MOST_REQUESTS):
        return None
    taken[slot].update(tree.routers.tolist())
    entry = router.layout.entries + slot
    return GroupPlan(
        id=group.id,
        op=group.op,
        planner=WIRE_PLANNER,
        members=group.members,
        shape=tree,
        bound=on_wires(router, tree),
        bound_least=on_wires(router, shortest),
        placement=dict.fromkeys(tree.routers.tolist(), entry),
        slot_register=network.shape.register_of(entry),
        stream_bound=stream_bound(router, tree) if group.stream else None,
    )
