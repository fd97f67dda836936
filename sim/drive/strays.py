"""Registers of a group that nobody else knows: their messages are strays."""

from __future__ import annotations

import random
from collections.abc import Iterator

from syncfabric.models.messages import CONTROL, NODE_WORD, TREE, RegisterWord, SwitchWord
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.planning.plan import BarrierPlan, IrregularGroupPlan
from syncfabric.models.planning.switch_tree import PROCESS_PORT, UPLINK_PORT
from syncfabric.sim.drive.wires.trees import units_of

__all__ = ["STRAY_GID", "mesh_stray", "switch_stray", "wire_stray"]

STRAY_GID = 255
"""A group that no node but the senders of strays knows; networks for this leave it free."""

SIDES = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)

Write = tuple[int, int, RegisterWord | SwitchWord, int]
"""Target, register, word and value."""


def mesh_stray(network: MeshSpec, rng: random.Random, node: int, register: int) -> Iterator[Write]:
    """Yield what makes a leaf under another node, which is drawn."""
    parents = [other for other in range(len(network.mesh.nodes)) if other != node]
    x, y = network.mesh.node(rng.choice(parents))
    turn = rng.getrandbits(1)
    yield node, register, RegisterWord.PARENT, NODE_WORD.pack({"x": x, "y": y})
    control = CONTROL.pack({"valid": 1, "turn": turn, "gid": STRAY_GID})
    yield node, register, RegisterWord.CONTROL, control


def switch_stray(
    plan: BarrierPlan, rng: random.Random, node: int, register: int, *, first: bool
) -> Iterator[Write]:
    """Yield what makes a leaf at a node interface, whose message the switch does not know.

    Unless ``first`` is false, or the switch has no register or no link to spare, the switch knows
    the leaf, and the switch that it takes for its parent knows nothing.
    """
    network = plan.spec.network
    assert isinstance(network, IrregularSpec)
    yield from _image(node, register, UPLINK_PORT, PROCESS_PORT)
    switch, port = network.topology.node(node)
    taken = {
        group.switch_places[switch]
        for group in plan.groups
        if isinstance(group, IrregularGroupPlan) and switch in group.switch_places
    }
    free = [number for number in range(network.message_registers) if number not in taken]
    joined = [p for p in range(network.ports) if network.topology.across(switch, p)]
    if first and free and joined:
        target = len(network.nodes) + switch
        yield from _image(target, rng.choice(free), rng.choice(joined), port)


def wire_stray(
    plan: BarrierPlan, rng: random.Random, node: int, register: int
) -> Iterator[Write] | None:
    """Return what makes a slot under a unit that has a group there, and knows nothing of it.

    Nobody arrives there: as soon as that group's pulse comes, and it does on separate wires, for
    they are driven on all links, the slot is broken. None if no unit beside it has a group there.
    """
    network = plan.spec.register_network
    slot = register - network.first_slot
    busy = {unit.target for unit in units_of(plan) if unit.slot == slot}
    if isinstance(network, IrregularSpec):
        switch, _ = network.topology.node(node)
        known = len(network.nodes) + switch in busy
        return _image(node, register, UPLINK_PORT, PROCESS_PORT) if known else None
    mesh = network.mesh
    near = ((port, mesh.neighbour(mesh.node(node), port)) for port in SIDES)
    parents = [port for port, other in near if other and mesh.index(other) in busy]
    return _image(node, register, rng.choice(parents), Port.LOCAL) if parents else None


def _image(target: int, register: int, parent: int, child: int) -> Iterator[Write]:
    """Yield the words of a register with one child."""
    tree = TREE.pack({"parent": parent, "children": 1 << child})
    yield target, register, SwitchWord.TREE, tree
    control = CONTROL.pack({"valid": 1, "gid": STRAY_GID})
    yield target, register, SwitchWord.CONTROL, control
