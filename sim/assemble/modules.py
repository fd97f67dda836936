# amaranth: UnusedElaboratable=no
"""The modules of a network of collective engines as Verilog, and the wires of their links."""

import functools

from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.shape import NodeShape
from syncfabric.rtl.planes.interface import NodeInterface
from syncfabric.rtl.planes.node import Node, NodeApart
from syncfabric.rtl.transport.config_chain import ChainEnd, ConfigTap
from syncfabric.rtl.transport.link import LinkRegisters
from syncfabric.sim.assemble.gates import GATE_VERILOG
from syncfabric.sim.assemble.verilog import converted, placed, ports_of

ROUTER, INTERFACE, REGISTERS, END, TAP = (
    *("router_node", "node_interface"),
    *("link_registers", "config_end", "config_tap"),
)
"""Modules of a network."""

_WIRES = {
    "packets__message_valid": "sync_valid",
    "packets__message_credit": "sync_credit",
    "packets__message_rest": "rest",
    "messages__valid": "sync_valid",
    "messages__message": "sync",
    "messages__check": "sync_check",
    "slots__valid": "slots_valid",
    "slots__words": "slots",
    "streams__valid": "stream_valid",
    "streams__word": "stream",
    "streams__fault": "stream_fault",
    "streams__credit": "stream_credit",
    "streams__sent": "stream_sent",
    "streams__freed": "stream_freed",
}
"""What wires of a link are called in a network, where it is not the name behind ``packets__``."""


def node_of(shape: NodeShape, *headers: int) -> Node:
    """Return a router, which on a mesh is a node, too; of a network with these managers."""
    return Node(shape, headers)


def node_apart(shape: NodeShape, *headers: int) -> Node:
    """Return the same router, whose packets have a clock domain of their own."""
    return NodeApart(shape, headers)


def interface_of(shape: NodeShape, registers: int, *headers: int) -> NodeInterface:
    """Return the interface of a node that is none of the routers."""
    return NodeInterface(shape, registers, headers)


def router_verilog(shape: NetworkShape) -> str:
    """Return the Verilog of a router and all that it is made of, a designer's own unit too."""
    text = converted(node_of, ROUTER, _router_shape(shape), *shape.manager_headers)
    unit = shape.router.offload
    more = [unit.verilog] if unit else []
    more += [GATE_VERILOG] if shape.router.clock_enables else []
    return "\n".join([text, *more])


def may_be_apart(shape: NetworkShape) -> bool:
    """Return whether packets and barriers can have clocks of their own, which stand at rest.

    As with clock enables: where it is known of every register what it is at rest.
    """
    router = shape.router
    known = not (router.managers or router.check_bits or router.wires or router.clock_enables)
    own = router.channels and not router.shared and router.transport == "link"
    return bool(known and own)


def apart_verilog(shape: NetworkShape) -> str:
    """Return the Verilog of a router whose packets have a clock domain of their own."""
    return converted(node_apart, ROUTER, _router_shape(shape), *shape.manager_headers)


def interface_verilog(shape: NetworkShape) -> str:
    """Return the Verilog of a node interface and all that it is made of."""
    headers = shape.manager_headers
    return converted(interface_of, INTERFACE, shape.router, shape.entry_registers, *headers)


def registers_verilog(shape: NetworkShape) -> str:
    """Return the Verilog of a stage of registers of links."""
    headers = shape.manager_headers
    return converted(_registers, REGISTERS, _router_shape(shape), shape.stage, *headers)


def end_verilog() -> str:
    """Return the Verilog of the config chain's end."""
    return converted(ChainEnd, END)


def tap_verilog() -> str:
    """Return the Verilog of a tap in the config chain."""
    return converted(ConfigTap, TAP)


@functools.cache
def entry_memory(shape: NetworkShape) -> str:
    """Return where a router's module has the memories of its engine's entries."""
    places = placed(router_verilog(shape), ROUTER)
    return next(".".join(path) for path, part in places if part.startswith("entry_memory"))


def _registers(shape: NodeShape, registers: int, *headers: int) -> LinkRegisters:
    return LinkRegisters(node_of(shape, *headers).link, registers)


@functools.cache
def link_ports(shape: NetworkShape) -> tuple[tuple[str, bool, int], ...]:
    """Return the wires of a link as its modules name them, whether they run back, and widths."""
    ports = ports_of(router_verilog(shape), ROUTER).items()
    link = "out_0__"
    return tuple((name.removeprefix(link), *p) for name, p in ports if name.startswith(link))


def _router_shape(shape: NetworkShape) -> NodeShape:
    """Return what a router is built for, its node's port with it."""
    registers = 0 if shape.interfaces else shape.entry_registers
    return shape.router.model_copy(update={"registers": registers})


def wire_of(port: str) -> str:
    """Return what the wire of a link's port is called in the network."""
    return _WIRES.get(port, port.partition("__")[2])
