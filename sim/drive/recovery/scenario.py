"""What happens in a recovery: what dies or moves, the plan afterwards, and link isolation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from syncfabric.models.errors import PlanError, SpecError, about
from syncfabric.models.layout.words import RouterWord, config_address
from syncfabric.models.networks.dead import NOTHING, Dead, check_together
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import AnySpec, MessageSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.plan_static import plan_static
from syncfabric.sim.assemble.links import links_of

FENCE = config_address(RouterWord.FENCE)


class Move(NamedTuple):
    """A member of a group goes to another node."""

    group: int
    start: Node
    end: Node


@dataclass(frozen=True)
class RecoveryScenario:
    """One recovery.

    Parameters
    ----------
    dead : Dead
        What dies; or nothing.
    moves : tuple of Move
        Members that move, if nothing dies.
    at : int
        Cycles from the first arrivals until that happens.
    timeout : int
        Cycles that a member waits for its release, until software takes its group for broken.
    episodes : int
        Barriers of each group before that happens, at least, and after the recovery.
    jitter : int
        Cycles from a member's release to its next arrival, at most.
    seed : int
        Of arrivals and data.
    limit : int
        Cycles after which the run is given up.
    """

    dead: Dead = NOTHING
    moves: tuple[Move, ...] = ()
    at: int = 400
    timeout: int = 500
    episodes: int = 10
    jitter: int = 16
    seed: int = 1
    limit: int = 200_000


def dead_links(network: AnySpec, dead: Dead) -> list[int]:
    """Return the directed links that die, as numbered on the wires."""
    links, graph = links_of(network), network.topology.graph
    outputs = links.inject[0] // len(graph)
    found = {outputs * router + port for router, port in dead.links}
    found |= {n for n in links.inject if not graph.own and links.ends[n] in dead.links}
    return sorted(found)


def fences(network: MessageSpec, dead: Dead) -> list[tuple[int, int, int]]:
    """Return the writes that close dead links at the routers that are alive (F7)."""
    words: dict[int, int] = {}
    for router, port in sorted(dead.links):
        if router not in dead.routers:
            words[router] = words.get(router, 0) | 1 << port
    return [(network.shape.target_of(router), FENCE, word) for router, word in words.items()]


def groups_hit(plan: BarrierPlan, dead: Dead) -> list[int]:
    """Return the groups of which a member, or what barriers go through, is dead."""
    network, topology = plan.spec.network, plan.spec.network.topology

    def is_hit(group: GroupPlan) -> bool:
        if any(topology.index(member) in dead.nodes for member in group.members):
            return True
        if isinstance(network, StaticSpec):
            return not dead.links.isdisjoint(group.route.outputs)
        tree = group.tree
        ends = zip(tree.routers.tolist(), tree.parent_port.tolist(), strict=True)
        return any(router in dead.routers or (router, up) in dead.links for router, up in ends)

    return [group.id for group in plan.groups if is_hit(group)]


def _moved(spec: NetworkSpec, moves: Sequence[Move]) -> NetworkSpec:
    """Return a network whose groups have moved members.

    Raises
    ------
    SpecError
        There is no such group, member or node, or the node is in the group already.
    """
    groups = {group.id: group for group in spec.groups}
    for move in moves:
        (a, b), (c, d) = move.start, move.end
        name = f"--move {move.group}:{a},{b}-{c},{d}"
        group = groups.get(move.group)
        if group is None:
            ids = ", ".join(map(str, groups)) or "none"
            raise SpecError(f"{name}: there is no group {move.group}; its groups: {ids}")
        if move.start not in group.members:
            raise SpecError(f"{name}: {move.start} is no member of group {move.group}; name one")
        if not spec.network.topology.contains(move.end):
            raise SpecError(f"{name}: there is no node {move.end}; name a node of the network")
        if move.end in group.members:
            raise SpecError(f"{name}: {move.end} is a member already; name another node")
        members = tuple(move.end if m == move.start else m for m in group.members)
        groups[move.group] = group.model_copy(update={"members": members})
    return spec.model_copy(update={"groups": tuple(groups.values())})


def plan_after(plan: BarrierPlan, scenario: RecoveryScenario) -> BarrierPlan:
    """Return the plan of all groups after a recovery; those that are not hit keep their routes.

    Raises
    ------
    PlanError
        A group that is hit finds no route, or no entries.
    SpecError
        A move makes no sense.
    """
    spec = _moved(plan.spec, scenario.moves)
    changed = {move.group for move in scenario.moves} | {*groups_hit(plan, scenario.dead)}
    kept = {group.id: group for group in plan.groups if group.id not in changed}
    if isinstance(spec.network, StaticSpec):
        return _plan_static(spec, spec.network, scenario.dead, kept)
    network, free = spec.network, FreeEntries(spec.network.shape)
    router, around = network.shape.router, make_plan(spec, scenario.dead)
    old = {group.id: group for group in plan.engine_groups}
    for gid in kept:
        free.hold(old[gid])
    groups = []
    for group in around.engine_groups:
        placed: GroupPlan | None = old[group.id]
        if group.id in changed:
            placed = free.take(group, owner_of(old[group.id].placement.values(), router))
        if placed is None:
            raise PlanError(
                f"group {group.id}: its routers have no entries left beside the groups that stay; "
                f"set groups = {2 * router.groups} in [network]"
            )
        groups.append(placed)
    return BarrierPlan(around.spec, tuple(groups), scenario.dead, around.left_out)


def _plan_static(
    spec: NetworkSpec, network: StaticSpec, dead: Dead, kept: Mapping[int, GroupPlan]
) -> BarrierPlan:
    """Plan the groups that are hit, beside the routes of those that are kept."""
    topology = network.topology
    alive, left_out = dead.alive(topology, spec.groups)
    check_together(topology, dead, alive)
    taken = [link for group in kept.values() for link in group.route.outputs]
    new = plan_static(network, [group for group in alive if group.id not in kept], dead, taken)
    planned = {**{group.id: group for group in new}, **kept}
    groups = tuple(planned[group.id] for group in alive)
    return BarrierPlan(spec.model_copy(update={"groups": alive}), groups, dead, left_out)


def check_scenario(plan: BarrierPlan, scenario: RecoveryScenario) -> None:
    """Refuse networks on which a recovery cannot be run.

    Raises
    ------
    SpecError
        With the key that must change.
    """
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        return
    with about(plan.spec.source):
        if network.wires:
            raise SpecError(
                "network: a recovery is run on groups whose barriers are messages, not with wires "
                f"= {network.wires}; remove it"
            )
        if scenario.dead and not network.guarded:
            raise SpecError(
                "network: dead links can be closed only where links have checks, not with "
                f"check_bits = {network.check_bits}: packets to {scenario.dead} would wait "
                "without end; set check_bits = 8 in [network]"
            )
