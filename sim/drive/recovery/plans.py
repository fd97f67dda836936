"""What a death or a move hits, the fences around it, and the plan afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.errors import PlanError, SpecError, about
from syncfabric.models.layout.engine import ADDRESS_BITS
from syncfabric.models.layout.network import RouterWord, Target
from syncfabric.models.networks.dead import Dead, check_together, linked
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import (
    AnySpec,
    GroupSpec,
    MessageSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, StaticGroupPlan, make_plan
from syncfabric.models.planning.plan_static import plan_static
from syncfabric.sim.drive.recovery.story import Move, Story

__all__ = ["check_story", "dead_links", "fences", "groups_hit", "moved", "plan_after"]

FENCE = Target.ROUTER << ADDRESS_BITS | RouterWord.FENCE
Write = tuple[int, int, int]


def dead_links(network: AnySpec, dead: Dead) -> list[int]:
    """Return the directed links that die, as numbered on the wires."""
    if isinstance(network, StaticSpec):
        return sorted(len(Port) * router + port for router, port in dead.links)
    shape = network.shape
    ports = shape.router.links + shape.router.own
    links = [ports * router + port for router, port in dead.links]
    ends = shape.nodes if shape.interfaces else ()
    links += [ports * shape.routers + i for i, place in enumerate(ends) if place in dead.links]
    return sorted(links)


def fences(network: MessageSpec, dead: Dead) -> list[Write]:
    """Return the writes that close dead links at the routers that live (F7)."""
    words: dict[int, int] = {}
    for router, port in sorted(dead.links):
        if router not in dead.routers:
            words[router] = words.get(router, 0) | 1 << port
    return [(network.shape.target_of(router), FENCE, word) for router, word in words.items()]


def groups_hit(plan: BarrierPlan, dead: Dead) -> list[int]:
    """Return the groups of which a member, or what barriers go through, is dead."""
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        return [g.id for g in plan.static_groups if _way_is_hit(network, g, dead)]
    return [group.id for group in plan.engine_groups if _tree_is_hit(network, group, dead)]


def _tree_is_hit(network: MessageSpec, group: GroupPlan, dead: Dead) -> bool:
    """Return whether a member, a router or a link of a group's tree is dead."""
    if any(network.topology.index(member) in dead.nodes for member in group.members):
        return True
    tree = group.shape
    ends = zip(tree.routers.tolist(), tree.parent_port.tolist(), strict=True)
    return any(router in dead.routers or (router, up) in dead.links for router, up in ends)


def _way_is_hit(network: StaticSpec, group: StaticGroupPlan, dead: Dead) -> bool:
    """Return whether a ring or tree takes a dead link, or has a dead member."""
    index = network.topology.index
    if any(index(member) in dead.nodes for member in group.members):
        return True
    return group.way is not None and not dead.numbers.isdisjoint(group.way.links(network.topology))


def moved(spec: NetworkSpec, moves: Sequence[Move]) -> NetworkSpec:
    """Return a network whose groups have moved members.

    Raises
    ------
    SpecError
        There is no such group, member or node, or the node is in the group already.
    """
    groups = {group.id: group for group in spec.groups}
    for move in moves:
        name = f"--move {move.group}:{_text(move.start)}-{_text(move.end)}"
        group = groups.get(move.group)
        if group is None:
            raise SpecError(f"{name}: there is no group {move.group}; its groups: {_ids(groups)}")
        if move.start not in group.members:
            raise SpecError(f"{name}: {move.start} is no member of group {move.group}; name one")
        if not spec.network.topology.contains(move.end):
            raise SpecError(f"{name}: there is no node {move.end}; name a node of the network")
        if move.end in group.members:
            raise SpecError(f"{name}: {move.end} is a member already; name another node")
        members = tuple(move.end if m == move.start else m for m in group.members)
        groups[move.group] = GroupSpec(
            id=group.id, members=members, planner=group.planner, op=group.op
        )
    return spec.model_copy(update={"groups": tuple(groups.values())})


def _text(place: tuple[int, int]) -> str:
    return f"{place[0]},{place[1]}"


def _ids(groups: dict[int, GroupSpec]) -> str:
    return ", ".join(map(str, groups)) or "none"


def plan_after(plan: BarrierPlan, story: Story) -> BarrierPlan:
    """Return the plan of all groups after a story; those that are not hit keep their ways.

    Raises
    ------
    PlanError
        A group that is hit finds no way, or no entries.
    SpecError
        A move makes no sense.
    """
    spec = moved(plan.spec, story.moves)
    if isinstance(spec.network, StaticSpec):
        return _plan_static(plan, spec, spec.network, story)
    return _plan_around(plan, spec, spec.network, story)


def _plan_around(
    plan: BarrierPlan, spec: NetworkSpec, network: MessageSpec, story: Story
) -> BarrierPlan:
    """Plan the groups that are hit, or that move, in entries that the others leave."""
    router, free = network.shape.router, FreeEntries(network.shape)
    around = make_plan(spec, story.dead)
    old = {group.id: group for group in plan.engine_groups}
    anew = {move.group for move in story.moves} | {*groups_hit(plan, story.dead)}
    for gid in old.keys() - anew:
        free.hold(old[gid])
    groups = []
    for group in around.engine_groups:
        placed: GroupPlan | None = old[group.id]
        if group.id in anew:
            owner = owner_of(old[group.id].placement.values(), router)
            placed = free.take(group, owner)
        if placed is None:
            raise PlanError(
                f"group {group.id}: its routers have no entries left beside the groups that stay; "
                f"set groups = {2 * router.groups} in [network]"
            )
        groups.append(placed)
    return BarrierPlan(around.spec, tuple(groups), story.dead, around.left_out)


def _plan_static(
    plan: BarrierPlan, spec: NetworkSpec, network: StaticSpec, story: Story
) -> BarrierPlan:
    """Lay the groups that are hit anew, beside the others' ways."""
    living, left_out = story.dead.alive(network.topology, spec.groups)
    check_together(network.topology, linked(network.topology, story.dead), story.dead, living)
    changed = {move.group for move in story.moves} | {*groups_hit(plan, story.dead)}
    kept = {group.id: group for group in plan.static_groups if group.id not in changed}
    ways = [group.way for group in kept.values() if group.way is not None]
    taken = [link for way in ways for link in way.links(network.topology)]
    anew = [group for group in living if group.id not in kept]
    laid = {group.id: group for group in plan_static(network, anew, story.dead, taken)}
    spec = spec.model_copy(update={"groups": living})
    groups = tuple(kept.get(group.id) or laid[group.id] for group in living)
    return BarrierPlan(spec, groups, story.dead, left_out)


def check_story(plan: BarrierPlan, story: Story) -> None:
    """Refuse networks on which a recovery cannot be run.

    Raises
    ------
    SpecError
        With the key that stands in the way.
    """
    with about(plan.spec.source):
        _check_network(plan.spec.network, story)


def _check_network(network: AnySpec, story: Story) -> None:
    if isinstance(network, StaticSpec):
        return
    if network.wires:
        raise SpecError(
            f"network: a recovery is run on groups whose barriers are messages, not with wires = "
            f"{network.wires}; remove it"
        )
    if story.dead and not network.guarded:
        raise SpecError(
            "network: dead links can be closed only where links have checks, not with check_bits = "
            f"{network.check_bits}: packets would wait for {story.dead} for ever; set "
            "check_bits = 8 in [network]"
        )
