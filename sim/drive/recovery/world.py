"""Where a recovery's dead links are: numbers of the wires, fences, and who is hit."""

from __future__ import annotations

from syncfabric.models.layout.engine import ADDRESS_BITS
from syncfabric.models.layout.node import RouterWord, Target
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import AnySpec, MessageSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, StaticGroupPlan

__all__ = ["dead_links", "fences", "groups_hit"]

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
