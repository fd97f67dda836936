"""Where a recovery's links and routers are: numbers of the wires, and who is hit."""

from __future__ import annotations

from collections.abc import Iterable

from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import IrregularSpec, RegisterSpec, StaticSpec
from syncfabric.models.planning import detour
from syncfabric.models.planning.plan import (
    IrregularGroupPlan,
    MessageGroupPlan,
    StaticGroupPlan,
)

__all__ = [
    "dead_links",
    "dead_outputs",
    "fence_words",
    "is_hit",
    "target_of",
    "way_is_hit",
]


def dead_links(network: RegisterSpec, dead: Dead) -> list[int]:
    """Return the directed links that die, as numbered on the wires."""
    if not isinstance(network, IrregularSpec):
        return sorted(len(Port) * router + port for router, port in dead.links)
    k = network.ports
    injections = (k * network.switches + node for node in dead.nodes)
    return sorted([*(k * switch + port for switch, port in dead.links), *injections])


def fence_words(network: RegisterSpec, dead: Dead) -> dict[int, int]:
    """Return what closes dead links at the ends that live: words by number on the config port."""
    words: dict[int, int] = {}
    for router, port in dead.links:
        if router not in dead.routers:
            target = target_of(network, router)
            words[target] = words.get(target, 0) | 1 << port
    return words


def is_hit(network: RegisterSpec, group: MessageGroupPlan, dead: Dead) -> bool:
    """Return whether a group has a member, a router or a way of messages that is dead."""
    topology = network.topology
    if any(topology.index(member) in dead.nodes for member in group.members):
        return True
    if isinstance(group, IrregularGroupPlan):
        if len(group.members) == 1:
            return False
        tree = group.tree
        ends: Iterable[tuple[int, int]] = zip(
            tree.switches.tolist(), tree.up_port.tolist(), strict=True
        )
        return any(s in dead.routers or (s, port) in dead.links for s, port in ends)
    assert not isinstance(network, IrregularSpec)
    nodes = (network.mesh.index(node) for node in group.tree.nodes)
    hit = any(node in dead.routers for node in nodes)
    return hit or detour.crosses(group.tree, network, dead)


def dead_outputs(dead: Dead) -> list[int]:
    """Return the directed links of a static network that die, as numbered on the wires."""
    return sorted(len(Port) * router + port for router, port in dead.links)


def way_is_hit(network: StaticSpec, group: StaticGroupPlan, dead: Dead) -> bool:
    """Return whether a ring or tree takes a dead link, or has a dead member."""
    index = network.topology.index
    if any(index(member) in dead.nodes for member in group.members):
        return True
    return group.way is not None and not dead.numbers.isdisjoint(group.way.links(network.topology))


def target_of(network: RegisterSpec, router: int) -> int:
    """Return a router's number on the config port."""
    return router + len(network.nodes) if isinstance(network, IrregularSpec) else router
