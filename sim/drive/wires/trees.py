"""Trees of groups on barrier wires, by the numbers of links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.planning.plan import BarrierPlan, WireGroupPlan

__all__ = ["Unit", "outputs_of", "units_of"]

LINKS = int(Port.LOCAL)
"""Links of a mesh router."""


@dataclass(frozen=True)
class Unit:
    """One slot of a group's tree.

    Parameters
    ----------
    group : int
        Place of the group in the plan.
    slot : int
    target : int
        Whose slot it is, numbered as on the config port.
    up : int or None
        Number of the link to the parent; None at the root.
    down : int or None
        Number of the link from the parent.
    kids : tuple of (int, int)
        Of every child but the process: its target, and the number of the link to it.
    member : int or None
        Which member arrives here.
    """

    group: int
    slot: int
    target: int
    up: int | None
    down: int | None
    kids: tuple[tuple[int, int], ...]
    member: int | None


def outputs_of(network: RegisterSpec) -> list[list[int]]:
    """Return the numbers of every target's links, by port; those of no link included."""
    topology = network.topology
    if isinstance(topology, Mesh):
        return [[*range(LINKS * i, LINKS * (i + 1))] for i in range(len(topology.nodes))]
    ports, first = topology.ports, topology.ports * topology.switches
    nodes = [[first + i] for i in range(len(topology.nodes))]
    return nodes + [[*range(ports * s, ports * (s + 1))] for s in range(topology.switches)]


def units_of(plan: BarrierPlan) -> Iterator[Unit]:
    """Yield every slot of every group on wires."""
    network = plan.spec.register_network
    outputs = outputs_of(network)
    for number, group in enumerate(plan.groups):
        if isinstance(group, WireGroupPlan):
            yield from _units(network, outputs, number, group)


def _units(
    network: RegisterSpec, outputs: list[list[int]], number: int, group: WireGroupPlan
) -> Iterator[Unit]:
    members = {network.topology.index(node): i for i, node in enumerate(group.members)}
    kids: dict[int, list[tuple[int, int]]] = {}
    down: dict[int, int] = {}
    images = [(image.target, image.register) for image in group.images()]
    for target, register in images:
        for port in register.children:
            if port < len(outputs[target]):
                kid = _at(network, target, port)
                down[kid] = outputs[target][port]
                kids.setdefault(target, []).append((kid, down[kid]))
    for target, register in images:
        up = None if register.parent is None else outputs[target][register.parent]
        below = tuple(kids.get(target, ()))
        yield Unit(number, group.slot, target, up, down.get(target), below, members.get(target))


def _at(network: RegisterSpec, target: int, port: int) -> int:
    """Return the target at the other end of a link that there is."""
    topology = network.topology
    if isinstance(topology, Mesh):
        near = topology.neighbour(topology.node(target), Port(port))
        assert near is not None
        return topology.index(near)
    nodes, switch = len(topology.nodes), target - len(topology.nodes)
    if switch < 0:
        return nodes + topology.nodes[target][0]
    node, across = topology.node_at(switch, port), topology.across(switch, port)
    if node is not None:
        return node
    assert across is not None
    return nodes + across[0]
