"""Blocks that can be synthesized by name: what is in each, and its parameters."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from amaranth.lib import wiring

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.shape import EngineShape, NodeShape
from syncfabric.models.layout.streams import StreamLayout
from syncfabric.models.networks.kinds import MeshNodeShape
from syncfabric.models.networks.spec import MeshSpec, StaticSpec
from syncfabric.models.networks.table import Table
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.cores.tile import CoreTile, observed
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.lifecycle.shape import set_up_shape
from syncfabric.rtl.lifecycle.sink import Sink
from syncfabric.rtl.planes.interface import NodeInterface
from syncfabric.rtl.planes.node import Node, collective, router
from syncfabric.rtl.slots.plane import SlotPlane
from syncfabric.rtl.static.agents import RingAgent, TreeAgent
from syncfabric.rtl.static.node import StaticNode
from syncfabric.rtl.static.switch import StaticSwitch
from syncfabric.rtl.streams.operators import Operator
from syncfabric.rtl.streams.plane import StreamPlane
from syncfabric.sim.assemble.verilog import convert
from syncfabric.sim.cores.picorv32 import picorv32_file


@dataclass(frozen=True)
class Block:
    """A part of the hardware, with the parameters that its figure is for.

    Parameters
    ----------
    about : str
        What is in it, in a few words.
    make : callable
        Returns the component for a network's parameters.
    network : callable
        Returns these; keys of ``[network]`` that are given to it replace the block's own.
    open : frozenset of str
        Outputs that only benches look at.
    beside : callable
        Returns Verilog that comes from elsewhere, and the component needs.
    """

    about: str
    make: Callable[[Any], wiring.Component]
    network: Callable[..., Table]
    open: frozenset[str] = frozenset({"observe"})
    beside: Callable[[], str] = lambda: ""

    def verilog(self, component: wiring.Component, module: str) -> str:
        """Return a component as Verilog, with what stands beside it."""
        return convert(component, module) + self.beside()


def _cores(mesh: MeshSpec) -> TileShape:
    """Return what a tile of a mesh with a core at each node is built for."""
    return TileShape(cores=len(mesh.topology.nodes), memory_kib=32, barriers=mesh)


def _packets_and_acks(**options: Any) -> MeshSpec:
    return MeshSpec(**{"kind": "mesh", "width": 8, "height": 8, "channels": 2, **options})


def _static(**options: Any) -> StaticSpec:
    return StaticSpec(**{"kind": "static", "width": 8, "height": 8, **options})


def _engine(about: str, **options: Any) -> Block:
    """Return an engine between links; its parameters are numbers, no network."""
    return Block(
        about,
        lambda shape: Engine(shape.layout, **shape.options),
        lambda **given: EngineShape(**{**options, **given}),
        frozenset(),
    )


def _collective(about: str, **options: Any) -> Block:
    """Return a mesh router of packets with its engine."""
    plain = {"watchdog": 64, "counters": False, "read_back": False}
    return Block(
        about,
        collective,
        lambda **given: MeshNodeShape(**{**plain, **options, **given}),
        frozenset({"overflows", "corrupt", "lost"}),
    )


def _headers(shape: NodeShape) -> tuple[int, ...]:
    """Return headers of managers, which are in the first row of a mesh, or at the first routers."""
    return tuple(i | 1 << shape.header.offsets["reply"] for i in range(shape.managers))


def _mesh_node(about: str, make: Callable[[MeshNodeShape], wiring.Component]) -> Block:
    """Return a node of a mesh with set-up by packets, or a part of it."""
    options: dict[str, Any] = {"watchdog": 64, "managers": 1, "registers": 4}
    return Block(
        about,
        make,
        lambda **given: MeshNodeShape(**{**options, **given}),
        frozenset(),
    )


def _local_node(about: str, kind: type[NodeShape] = MeshNodeShape, **options: Any) -> Block:
    """Return a node, of a mesh by default, without managers."""
    plain = {"watchdog": 64, "counters": False, "read_back": False, "registers": 4}
    return Block(about, Node, lambda **given: kind(**{**plain, **options, **given}), frozenset())


def _sink(shape: MeshNodeShape) -> wiring.Component:
    set_up = set_up_shape(shape, _headers(shape))
    if set_up is None:
        raise SpecError("managers must be 1 to 4 in a set-up sink, not 0")
    return Sink(set_up)


def _stream(shape: MeshNodeShape) -> StreamLayout:
    if shape.stream is None:
        raise SpecError("streams must be 1, 2 or 4 in a part of streams, not 0")
    return shape.stream


def _operator(shape: MeshNodeShape) -> wiring.Component:
    layout = _stream(shape)
    latencies = layout.operator_latency, layout.offload_latency
    return Operator(layout.bits, layout.operations, *latencies)


def _streams(
    about: str, make: Callable[[MeshNodeShape], wiring.Component], *operations: str
) -> Block:
    """Return streams of a mesh node with these operators, or a part of them."""
    options: dict[str, Any] = {"wires": 4, "streams": 1, "stream_operations": operations}
    return Block(
        about,
        make,
        lambda **given: MeshNodeShape(**{**options, **given}),
        frozenset({"overflows"}),
    )


_EIGHT_LINKS: dict[str, Any] = {
    "links": 8,
    "own": False,
    "data_bits": 6,
    "operations": "bitwise",
    "watchdog": 64,
    "counters": False,
    "read_back": False,
}
"""An engine of a switch without a process of its own; nodes are at the ends of links."""

_TORUS: dict[str, Any] = {
    **{"links": 4, "routing": "dimension", "sides": (8, 8), "wraps": True},
    **{"channels": 2, "datelines": True},
}
"""A router of a torus of 8x8."""

_ADAPTIVE: dict[str, Any] = {"links": 4, "routing": "adaptive", "sides": (8, 8), "channels": 2}
"""A router of a mesh of 8x8."""

_IRREGULAR: dict[str, Any] = {"links": 8, "own": False, "routing": "table", "routers": 9}
"""A router of an irregular network."""

_LOCAL = [f"{link}_{wire}" for link in ("eject", "inject") for wire in ("valid", "flit", "credit")]


def _picorv32() -> str:
    """Return the core's Verilog, without a timescale, as no other module has one; lint is off."""
    text = picorv32_file().read_text(encoding="utf-8")
    rules = ("BLKSEQ", "GENUNNAMED", "UNUSEDSIGNAL")
    off = "".join(f"/* verilator lint_off {rule} */\n" for rule in rules)
    return off + re.sub(r"^`timescale .*\n", "", text, flags=re.MULTILINE)


BLOCKS: dict[str, Block] = {
    "static-switch": Block(
        "Switch of a static network: 1-bit flits, two flits a buffer, no counters",
        StaticSwitch,
        _static,
        frozenset({"overflow", *(f"number_{port}" for port in range(5))}),
    ),
    "reflex-ring-agent": Block(
        "Barrier agent of a static network's ring: member or root, two flits in the core's buffer",
        lambda spec: RingAgent(spec.core_buffer),
        _static,
        frozenset({"left", "owed", "back"}),
    ),
    "reflex-tree-agent": Block(
        "Barrier agent of a static network's tree: member or root, up to 63 flits an episode",
        lambda spec: TreeAgent(6),
        _static,
        frozenset({"left", "go"}),
    ),
    "static-node": Block(
        "Node of a static network: switch, core port with both agents, config port, counters",
        StaticNode,
        _static,
        frozenset({"observe", *_LOCAL}),
    ),
    "core-tile": Block(
        "Tile of a many-core system: PicoRV32 core, 32 KiB memory, network interface, barrier port",
        lambda spec: CoreTile(_cores(spec)),
        _packets_and_acks,
        frozenset(observed()),
        _picorv32,
    ),
    "slots": Block(
        "Barrier wires beside an engine of a mesh: 4 links, 4 slots without data, config port",
        lambda shape: SlotPlane(shape.slots, shape.watchdog, reports=False),
        lambda **given: MeshNodeShape(**{"wires": 4, **given}),
        frozenset({"unexpected"}),
    ),
    "streams": _streams(
        "Streams beside an engine of a mesh: 5 ports, a channel of 32 bits, tree of integer adders",
        lambda shape: StreamPlane(_stream(shape)),
        "add",
    ),
    "stream-operator": _streams(
        "Operator of streams: 32 bits, integers of 8, 16 and 32 bits", _operator, "integer"
    ),
    "stream-operator-bf16": _streams(
        "Operator of streams: 32 bits, two numbers in bf16", _operator, "bf16"
    ),
    "stream-operator-fp32": _streams(
        "Operator of streams: 32 bits, a number in fp32", _operator, "fp32"
    ),
    "mesh-node": _local_node("Mesh node set up by the config chain: 16 groups without data"),
    "mesh-node-wires": _local_node("Node as mesh-node, with a slot of barrier wires", wires=1),
    "mesh-node-streams": _local_node(
        "Node as mesh-node-wires, with a stream of 32 bits, tree of integer adders, AXI4-Stream",
        wires=1,
        streams=1,
    ),
    "torus-node": _local_node(
        "Node as mesh-node, of a torus of 8x8, with two channels of packets", NodeShape, **_TORUS
    ),
    "router-torus": Block(
        "Router as router-xy, of a torus of 8x8, with two channels and datelines",
        router,
        lambda **given: NodeShape(**{**_TORUS, **given}),
    ),
    "router-adaptive": Block(
        "Router as router-xy, of a mesh of 8x8, with two channels and adaptive routing",
        router,
        lambda **given: NodeShape(**{**_ADAPTIVE, **given}),
    ),
    "mesh-node-streams-shared": _local_node(
        "Node as mesh-node-streams, whose streams are on the links of packets",
        wires=1,
        streams=1,
        stream_links="shared",
    ),
    "router-xy": Block(
        "Router of packets for any ports, here X-Y: 5 ports, 32-bit flits, buffers of 4",
        router,
        MeshNodeShape,
    ),
    "router-engine": _collective(
        "Router as router-xy, with a collective engine: 16 groups, no data, watchdog, own links"
    ),
    "router-engine-two": _collective(
        "Router as router-engine, with two cycles a router", engine_stages=2
    ),
    "router-engine-shared": _collective(
        "Router as router-engine, with messages on the packets' links", message_links="shared"
    ),
    "router-engine-routed": _collective(
        "Router as router-engine, with messages that are routed from member to member",
        transport="routed",
    ),
    "router-engine-full": _collective(
        "Router as router-engine, with 4 data bits, all operations, counters and read-back",
        **{"data_bits": 4, "operations": "all", "counters": True, "read_back": True},
    ),
    "router-engine-guarded": _collective(
        "Router as router-engine, with 8 check bits at links, two cycles a router", check_bits=8
    ),
    "router-engine-256": _collective(
        "Router as router-engine, with 256 groups in block RAM", groups=256
    ),
    "sink": _mesh_node("Set-up sink of a mesh router: 16 groups without data, one manager", _sink),
    "manager-node": _mesh_node(
        "Mesh node with set-up: router, engine without data, sink, manager, 4 registers, counters",
        lambda shape: Node(shape, _headers(shape)),
    ),
    "node-interface": Block(
        "Node interface of an irregular network: own message links, 4 registers, no manager",
        lambda shape: NodeInterface(shape, 4, _headers(shape)),
        lambda **given: NodeShape(**{**_IRREGULAR, **given}),
        frozenset(),
    ),
    "engine-4": _engine(
        "Collective engine of a mesh router alone: 16 groups, no data, watchdog; no counters",
        **{"links": 4, "watchdog": 64, "counters": False, "read_back": False},
    ),
    "engine-8": _engine(
        "Collective engine of 8 links alone: 16 groups, 6 data bits, watchdog; no counters",
        **_EIGHT_LINKS,
    ),
    "engine-8-shared": _engine(
        "Engine as engine-8, for links that packets share", **_EIGHT_LINKS, message_links="shared"
    ),
    "engine-8-full": _engine(
        "Engine as engine-8, with counters and read-back",
        **{**_EIGHT_LINKS, "counters": True, "read_back": True},
    ),
}
"""By name.

Routers and engines have no counters but where they say so.
"""


def block_network(name: str, options: Mapping[str, object] | None = None) -> Table:
    """Return the parameters of a block.

    Parameters
    ----------
    name : str
        One of ``BLOCKS``.
    options : mapping, optional
        Keys of ``[network]`` in place of the block's own.

    Raises
    ------
    SpecError
        There is no such key, or its value is not allowed.
    """
    options = options or {}
    if "kind" in options:
        raise SpecError(f"set: kind is fixed in {name}; take another block (synth --list)")
    return BLOCKS[name].network(**options)
