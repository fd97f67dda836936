"""What a recovery on a network of engines is about: dead links, who is hit, and plans around."""

from __future__ import annotations

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.layout.engine import ADDRESS_BITS
from syncfabric.models.layout.node import RouterWord, Target
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import EngineSpec, NetworkSpec
from syncfabric.models.planning.links.entries import owner_of
from syncfabric.models.planning.links.free import FreeEntries
from syncfabric.models.planning.plan import BarrierPlan, EngineGroupPlan, make_plan
from syncfabric.sim.drive.recovery.story import Story

__all__ = ["check_engines", "dead_links", "fences", "is_hit", "plan_around"]

FENCE = Target.ROUTER << ADDRESS_BITS | RouterWord.FENCE
Write = tuple[int, int, int]


def dead_links(network: EngineSpec, dead: Dead) -> list[int]:
    """Return the directed links that die, as numbered on the wires."""
    shape = network.shape
    ports = shape.router.links + shape.router.own
    links = [ports * router + port for router, port in dead.links]
    ends = shape.nodes if shape.interfaces else ()
    links += [ports * shape.routers + i for i, place in enumerate(ends) if place in dead.links]
    return sorted(links)


def fences(network: EngineSpec, dead: Dead) -> list[Write]:
    """Return the writes that close dead links at the routers that live (F7)."""
    words: dict[int, int] = {}
    for router, port in sorted(dead.links):
        if router not in dead.routers:
            words[router] = words.get(router, 0) | 1 << port
    return [(network.shape.target_of(router), FENCE, word) for router, word in words.items()]


def is_hit(network: EngineSpec, group: EngineGroupPlan, dead: Dead) -> bool:
    """Return whether a member, a router or a link of a group's tree is dead."""
    if any(network.topology.index(member) in dead.nodes for member in group.members):
        return True
    tree = group.shape
    ends = zip(tree.routers.tolist(), tree.parent_port.tolist(), strict=True)
    return any(router in dead.routers or (router, up) in dead.links for router, up in ends)


def plan_around(plan: BarrierPlan, spec: NetworkSpec, story: Story) -> BarrierPlan:
    """Plan the groups that are hit, or that move, in entries that the others leave.

    Parameters
    ----------
    plan : BarrierPlan
        What they begin with.
    spec : NetworkSpec
        With members where they have moved to.
    story : Story

    Raises
    ------
    PlanError
        A group finds no way or no entries.
    """
    network = spec.network
    assert isinstance(network, EngineSpec)
    router, free = network.shape.router, FreeEntries(network.shape)
    around, movers = make_plan(spec, story.dead), {move.group for move in story.moves}
    old = {group.id: group for group in plan.engine_groups}
    anew = {
        gid for gid, group in old.items() if gid in movers or is_hit(network, group, story.dead)
    }
    for gid in old.keys() - anew:
        free.hold(old[gid])
    groups = []
    for group in around.engine_groups:
        placed: EngineGroupPlan | None = old[group.id]
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


def check_engines(network: EngineSpec, story: Story) -> None:
    """Refuse a network on which a recovery cannot be run.

    Raises
    ------
    SpecError
        With the key that stands in the way.
    """
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
