"""Blocks that can be synthesized by name, and whole networks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from amaranth.lib import wiring

from syncfabric.fpga.harness import Registered
from syncfabric.fpga.synth import Design
from syncfabric.models.networks.spec import AnySpec, IrregularSpec, MeshSpec, StaticSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.unit import BarrierUnit as MeshUnit
from syncfabric.rtl.irregular.barrier_unit import BarrierUnit as SwitchUnit
from syncfabric.rtl.irregular.switch import IrregularSwitch
from syncfabric.rtl.mesh.node import mesh_node
from syncfabric.rtl.mesh.packets import PacketRouter
from syncfabric.rtl.static.node import StaticNode
from syncfabric.rtl.static.ring_agent import RingAgent
from syncfabric.rtl.static.switch import StaticSwitch
from syncfabric.rtl.static.tree_agent import TreeAgent
from syncfabric.rtl.wires.plane import SlotPlane
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.assemble.verilog import convert

__all__ = ["BLOCKS", "Block", "block_design", "network_design"]


@dataclass(frozen=True)
class Block:
    """A part of the hardware, with the parameters that its figure is for.

    Parameters
    ----------
    about : str
        What is in it, in a few words.
    make : callable
        Returns the component.
    open : frozenset of str
        Outputs that only benches look at.
    """

    about: str
    make: Callable[[], wiring.Component]
    open: frozenset[str] = frozenset({"observe"})


def _mesh(**options: object) -> MeshSpec:
    return MeshSpec.model_validate({"kind": "mesh", "width": 8, "height": 8, **options})


def _switches(**options: object) -> IrregularSpec:
    """Return a network of nine 8-port switches in a row, with a node at each."""
    links = [[[s, 7], [s + 1, 6]] for s in range(8)]
    nodes = [[s, 0] for s in range(9)]
    network = {"kind": "irregular", "ports": 8, "switches": 9, "links": links, "nodes": nodes}
    return IrregularSpec.model_validate({**network, "setup": "local", **options})


def _static(**options: object) -> StaticSpec:
    return StaticSpec.model_validate({"kind": "static", "width": 8, "height": 8, **options})


def _wires(about: str, links: int, *, process: bool, **options: Any) -> Block:
    """Return four slots without data, or others by ``options``; the harness holds their images."""
    plane = WirePlane(**{"slots": 4, "data_bits": 0, **options})
    same = [] if plane.shared else [f"out_{p}" for p in range(1, links)]
    return Block(
        about,
        lambda: SlotPlane(plane, links, process=process),
        frozenset({"turns", "status", "refused", "gathered", "results", *same}),
    )


_LOCAL = [f"{link}_{wire}" for link in ("eject", "inject") for wire in ("valid", "flit", "credit")]

BLOCKS: dict[str, Block] = {
    "mesh-router": Block(
        "5 ports, 32-bit flits in 4-flit buffers, 4 registers without data; no counters",
        lambda: mesh_node(_mesh(buffer_flits=4, data_bits=0), counted=False),
    ),
    "mesh-router-counters": Block(
        "the same with counters",
        lambda: mesh_node(_mesh(buffer_flits=4, data_bits=0)),
    ),
    "mesh-router-data": Block(
        "mesh-router with 4 data bits",
        lambda: mesh_node(_mesh(buffer_flits=4), counted=False),
    ),
    "mesh-router-spill": Block(
        "the same with spill",
        lambda: mesh_node(_mesh(buffer_flits=4, spill=True), counted=False),
    ),
    "mesh-router-shipped": Block(
        "all defaults: 8-flit buffers, 4 registers, 4 data bits, counters",
        lambda: mesh_node(_mesh()),
    ),
    "mesh-router-plain": Block(
        "5 ports, 32-bit flits in 4-flit buffers; no barriers, no config port",
        lambda: PacketRouter(_mesh(buffer_flits=4, data_bits=0, sync="wires")),
    ),
    "mesh-router-wires": Block(
        "the same with barrier wires of 4 slots without data and their config port; no counters",
        lambda: mesh_node(_mesh(buffer_flits=4, data_bits=0, sync="wires"), counted=False),
    ),
    "mesh-router-wires-counters": Block(
        "the same with counters",
        lambda: mesh_node(_mesh(buffer_flits=4, data_bits=0, sync="wires")),
    ),
    "mesh-router-wires-shipped": Block(
        "all defaults: 8-flit buffers, 4 slots, 4 data bits, counters",
        lambda: mesh_node(_mesh(sync="wires")),
    ),
    "mesh-barrier": Block(
        "the barrier unit alone: 4 registers, 4 data bits",
        lambda: MeshUnit(_mesh(buffer_flits=4)),
    ),
    "mesh-barrier-spill": Block(
        "the same with spill",
        lambda: MeshUnit(_mesh(buffer_flits=4, spill=True)),
    ),
    "irregular-sync-8": Block(
        "8 ports, sync plane alone: 4 registers, 6 data bits, two cycles a hop",
        lambda: SwitchUnit(_switches()),
    ),
    "irregular-switch-8": Block(
        "the whole 8-port switch, one-flit buffers",
        lambda: IrregularSwitch(_switches()),
    ),
    "irregular-switch-8-wires": Block(
        "the same with barrier wires of 4 slots, 6 data bits, in place of messages",
        lambda: IrregularSwitch(_switches(sync="wires")),
    ),
    "static-switch": Block(
        "1-bit flits, two places a buffer; no counters",
        lambda: StaticSwitch(_static()),
        frozenset({"overflow", *(f"number_{port}" for port in range(5))}),
    ),
    "reflex-ring-agent": Block(
        "member or root of a ring, two places in the core's buffer",
        lambda: RingAgent(_static().core_buffer),
        frozenset({"left", "owed", "back"}),
    ),
    "reflex-tree-agent": Block(
        "member or root of a tree of up to 63 flits an episode",
        lambda: TreeAgent(6),
        frozenset({"left", "go"}),
    ),
    "static-node": Block(
        "switch, core with both agents, config port, counters",
        lambda: StaticNode(_static()),
        frozenset({"observe", *_LOCAL}),
    ),
    "mesh-wires": _wires(
        "barrier wires of 4 links and a process: 4 slots without data", 4, process=True
    ),
    "mesh-wires-data": _wires("the same with 4 data bits", 4, process=True, data_bits=4),
    "mesh-wires-shared": _wires("one wire a direction", 4, process=True, shared=True),
    "mesh-wires-parity": _wires("two wires, and parity", 4, process=True, parity=True),
    "mesh-wires-16": _wires("16 slots without data", 4, process=True, slots=16),
    "irregular-wires-8": _wires("of 8 links, 4 slots without data", 8, process=False),
}
"""By name.

A config port is in all of the mesh and irregular ones but ``mesh-router-plain`` and the slots of
wires alone. Routers of a mesh have no counters but where they say so; barrier units and switches
have them.
"""


def block_design(name: str) -> Design:
    """Return a block between registers, as Verilog.

    Parameters
    ----------
    name : str
        One of ``BLOCKS``.
    """
    block = BLOCKS[name]
    harness = Registered(block.make(), open=block.open)
    return Design(name, convert(harness, name.replace("-", "_")), harness.bits)


def network_design(network: AnySpec, name: str) -> Design:
    """Return a whole network, as Verilog; its ports are not put between registers."""
    return Design(name, verilog(network, name.replace("-", "_")))
