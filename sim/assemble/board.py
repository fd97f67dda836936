"""The top of a board: a network, traffic and streams at its nodes, and a host behind a UART.

A board and its simulation have the same one; clock, reset and pins come from outside.
"""

from typing import TypeGuard

from amaranth import Shape

from syncfabric.models.networks.spec import AnySpec, MessageSpec
from syncfabric.rtl.host.ports import TrafficSignature
from syncfabric.rtl.host.status_leds import StatusLeds
from syncfabric.rtl.traffic.queue import put_flit
from syncfabric.rtl.traffic.sink import TrafficTotals
from syncfabric.sim.assemble.host import host_module, host_shape, place_host
from syncfabric.sim.assemble.network import module_names, top_ports, verilog
from syncfabric.sim.assemble.parts import parts_of
from syncfabric.sim.assemble.streams import (
    CONTROL,
    axis_wires,
    counts_of,
    place_streams,
    streams_verilog,
)
from syncfabric.sim.assemble.traffic import (
    OF_SOURCE,
    place_traffic,
    traffic_verilog,
)
from syncfabric.sim.assemble.verilog import ModuleWriter, converted, merged, part, zero
from syncfabric.sim.front import Front

BOARD_PORTS = {"clk": "input", "rst": "input", "rx": "input", "tx": "output", "leds": "output"}
"""Direction of the top's ports; ``leds`` has eight bits (`StatusLeds`), the others one."""

BOARD_QUEUE = 512
"""Packets that can wait at a source: what block RAM holds without more of it."""

SHOWN_COUNTS = ("packets", "checksum", "first", "last")
"""What the host shows of a sink of streams."""
_LIGHTS, _TOTALS = "board_lights", "traffic_totals"
_LEDS = 8
_COUNTS = {"created": "created", "lost": "overflow", "received": "packets", "wrong": "errors"}
"""What the host calls a count, and what source or sink calls it."""


def board_top(name: str) -> str:
    """Return the name of the top module."""
    return f"{name}_board"


def has_packets(spec: AnySpec) -> TypeGuard[MessageSpec]:
    """Return whether a network takes ordinary packets: there is traffic then."""
    return spec.channels > 0


def has_streams(spec: AnySpec) -> TypeGuard[MessageSpec]:
    """Return whether a network has streams."""
    return spec.streams > 0


def repeated_modules(spec: AnySpec, *, queue: int = BOARD_QUEUE) -> tuple[str, ...]:
    """Return the modules that stand at many nodes."""
    return sum((each.modules(queue) for each in parts_of(spec)), module_names(spec))


def board_verilog(spec: AnySpec, name: str, front: Front, *, queue: int = BOARD_QUEUE) -> str:
    """Return one Verilog file: network, host, traffic, streams, and the top ``NAME_board``.

    Where the network takes packets there is a source and a sink at every node, and where it has
    streams there is one of these; what goes to no host is never asked for.

    Parameters
    ----------
    spec : AnySpec
        The network.
    name : str
        Name of the network's module; another than those of the modules inside.
    front : Front
        A UART.
    queue : int
        Packets that can wait at a source; a power of two. What does not fit is counted.

    Raises
    ------
    SpecError
        The network is too large for a host.
    """
    packets = has_packets(spec)
    shape = host_shape(spec, front.meters, traffic=packets, streams=spec.streams)
    modules = [host_module(front, shape), converted(StatusLeds, _LIGHTS)]
    top = ModuleWriter(board_top(name))
    for port, direction in BOARD_PORTS.items():
        top.port(direction, port, _LEDS if port == "leds" else None)
    clocks: dict[str, str | None] = {"clk": "clk", "rst": "rst"}
    host = {**clocks, "rx": "rx", "tx": "tx", "irq": "irq"}
    top.wire("irq")
    if parts_of(spec):
        top.lines("  reg [31:0] cycle = 0;\n  always @(posedge clk) cycle <= rst ? 0 : cycle + 1;")
    lights = dict.fromkeys(("sends", "lost", "wrong"), zero(1))
    if has_packets(spec):
        modules.append(traffic_verilog(spec, queue, software=False))
        modules.append(converted(TrafficTotals, _TOTALS, shape.nodes))
        host |= _traffic(top, spec)
        lights = {"sends": "traffic_enable", "lost": "|traffic_lost", "wrong": "|traffic_wrong"}
    if has_streams(spec):
        modules.append(streams_verilog(spec.shape.router))
        host |= _streams(top, spec)
    joined = ("inject_", "eject_") * packets + ("s_axis_", "m_axis_") * bool(spec.streams)
    network = clocks | place_host(top, spec, front, shape, host)
    for direction, port, width in top_ports(spec):
        if port not in network and width != 0:
            outside = zero(width or 1) if direction == "input" else ""
            network[port] = port if port.startswith(joined) else outside
    top.instance(name, "network", network)
    ports = {"started": "1'd1", "released": "|net_released", "irq": "irq", "talks": "~rx | ~tx"}
    top.instance(_LIGHTS, "lights", {**clocks, **ports, **lights, "leds": "leds"})
    return merged(verilog(spec, name), *modules, top.text())


def _streams(top: ModuleWriter, spec: MessageSpec) -> dict[str, str | None]:
    """Place sources and sinks of streams; return the host's ports to them."""
    layout = spec.stream
    assert layout
    nodes, counts = len(spec.topology.nodes), counts_of(layout)
    ports = {"cycle": "cycle", "put": "stream_put", "command": "stream_command"}
    top.wire("stream_put", nodes)
    top.wire("stream_command", CONTROL["stream_command"])
    for name in SHOWN_COUNTS:
        ports[name] = f"stream_{name}"
        top.wire(ports[name], nodes * counts[ports[name]])
    wires = dict(axis_wires(layout))
    for name, width in wires.items():
        top.wire(name, nodes * width)
    for i in range(nodes):
        own = {name: part(name, i, width) for name, width in wires.items()}
        shown = {
            name: part(name, i, width) for name, width in counts.items() if name in ports.values()
        }
        own |= {**dict.fromkeys((*counts, "stream_taken", "stream_data"), ""), **shown}
        own |= {name: zero(width) for name, width in CONTROL.items()}
        own |= {"stream_put": part("stream_put", i, 1), "stream_command": "stream_command"}
        place_streams(top, spec.shape.router, own, f"_{i}")
    return {f"stream__{name}": wire for name, wire in ports.items()}


def _traffic(top: ModuleWriter, spec: MessageSpec) -> dict[str, str | None]:
    """Place sources, sinks and what adds up their counts; return the host's ports to them."""
    nodes = len(spec.topology.nodes)
    for _, port, width in top_ports(spec):
        if port.startswith(("inject_", "eject_")):
            top.wire(port, width)
    members = TrafficSignature().members
    for wire, member in members.items():
        bits = Shape.cast(member.shape).width
        top.wire(f"traffic_{wire}", None if bits == 1 else bits)
    for name in _COUNTS:
        top.wire(f"seen_{name}", nodes)
    # A reset of thousands of flip-flops takes long over the device: it goes from node to node.
    for i in range(nodes):
        before = f"rst_{i - 1}" if i else "rst"
        top.lines(f"  reg rst_{i} = 1;\n  always @(posedge clk) rst_{i} <= {before};")
        for name in _COUNTS:
            top.wire(f"{name}_{i}", 32)
            top.assign(part(f"seen_{name}", i, 1), f"{name}_{i}[0]")
    top.wire("seen_latency", 32 * nodes)
    totals = {f"seen_{name}": f"seen_{name}" for name in (*_COUNTS, "latency")}
    totals |= {name: f"traffic_{name}" for name in (*_COUNTS, "latency")}
    clocked = {"clk": "clk", "rst": "rst"}
    top.instance(_TOTALS, "totals", {**clocked, "clear": "traffic_load", **totals})

    def source(i: int) -> dict[str, str]:
        control = {name: f"traffic_{name}" for name in ("load", "seed", "enable", "rate")}
        put = {"put__valid": "1'd0", "put__flit": zero(put_flit(spec.flit_bits).size)}
        counts = {of: f"{name}_{i}" for name, of in _COUNTS.items() if of in OF_SOURCE}
        return {"rst": f"rst_{i}", **control, **put, **counts, "sent": ""}

    def sink(i: int) -> dict[str, str]:
        counts = {of: f"{name}_{i}" for name, of in _COUNTS.items() if of not in OF_SOURCE}
        latency = part("seen_latency", i, 32)
        open_ = {"flits": "", "latency_sum": ""}
        ports = {"rst": f"rst_{i}", "clear": "traffic_load", **counts}
        return {**ports, "latency_max": latency, **open_}

    place_traffic(top, spec, source, sink)
    return {f"traffic__{name}": f"traffic_{name}" for name in members}
