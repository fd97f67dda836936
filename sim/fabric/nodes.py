"""The tiles of a network of engines: a router, a node interface, the registers of a link."""

import re
from functools import cache

from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.gates import gated
from syncfabric.sim.assemble.modules import (
    INTERFACE,
    REGISTERS,
    ROUTER,
    apart_verilog,
    end_verilog,
    interface_verilog,
    link_ports,
    may_be_apart,
    registers_verilog,
    router_verilog,
    wire_of,
)
from syncfabric.sim.assemble.nodes import CHAIN, FREED, constants_of_router
from syncfabric.sim.assemble.parts import parts_of
from syncfabric.sim.assemble.verilog import ModuleWriter, merged, modules_of, placed, ports_of, zero
from syncfabric.sim.fabric.tile import (
    Ports,
    config_ports,
    end_ports,
    own_ports,
    process_ports,
    start_tile,
)

PARTS = ("packets", "barriers")
ROUTER_TILE, NODE_TILE, REGISTERS_TILE = "router_tile", "node_tile", "registers_tile"


def tiles(spec: MessageSpec, *, queue: int, waves: bool = False) -> dict[str, str]:
    """Return the Verilog of each tile and all that it is made of, by the tile's name.

    Without a waveform to draw, clocks of packets and of barriers are apart where they can be.
    """
    shape, apart = spec.shape, not waves and may_be_apart(spec.shape)
    traffic = [each.verilog(queue) for each in parts_of(spec)]
    at_router = [] if shape.interfaces else traffic
    made = {ROUTER_TILE: merged(*at_router, router_tile(spec, apart=apart))}
    if shape.interfaces:
        made[NODE_TILE] = merged(interface_verilog(shape), *traffic, _node_tile(spec))
    if shape.stage:
        made[REGISTERS_TILE] = registers_tile(spec)
    return made


def router_tile(spec: MessageSpec, *, apart: bool = False) -> str:
    """Return the Verilog of a router's tile; on a mesh with a process and its packets.

    With clocks apart each has an output that shows whether it may stand (sim/fabric/evaluate.h).
    """
    shape = spec.shape
    fixed = constants_of_router(spec, 0)
    ports: Ports = {name: ("input", width) for name, (width, _) in fixed.items()}
    if not shape.interfaces:
        ports |= process_ports(spec)
    links: dict[str, str | None] = {name: name for name in fixed}
    links |= dict.fromkeys(FREED, "")
    for p in range(shape.router.links):
        for end in ("in", "out"):
            ports |= end_ports(spec, f"{end}_{p}", comes_in=end == "in")
            links |= joined_link(spec, f"{end}_{p}", f"{end}_{p}")
    if apart:
        ports |= {f"{part}_clk": ("input", 1) for part in PARTS}
        ports |= {f"{part}_active": ("output", 1) for part in PARTS}
        links |= {"clk": "barriers_clk", "clk_en": "barriers_active"}
        links |= {"packets_clk": "packets_clk", "packets_clk_en": "packets_active"}
    inner = (apart_verilog if apart else router_verilog)(shape)
    placed = counters(spec, ROUTER, inner)
    text = _tile(spec, ROUTER_TILE, ROUTER, ports, links, placed, process=not shape.interfaces)
    return f"{inner}\n{text}"


def _node_tile(spec: MessageSpec) -> str:
    ports = process_ports(spec)
    ports |= end_ports(spec, "up", comes_in=False)
    ports |= end_ports(spec, "down", comes_in=True)
    links = {**joined_link(spec, "out_0", "up"), **joined_link(spec, "in_0", "down")}
    placed = counters(spec, INTERFACE)
    return _tile(spec, NODE_TILE, INTERFACE, ports, links, placed, process=True)


def joined_link(spec: MessageSpec, port: str, name: str) -> dict[str, str | None]:
    """Return the connections of a link's end."""
    return {f"{port}__{wire}": f"{name}_{wire_of(wire)}" for wire, _, _ in link_ports(spec.shape)}


def _tile(
    spec: MessageSpec,
    name: str,
    module: str,
    ports: Ports,
    joined: dict[str, str | None],
    placed: list[tuple[str, str]],
    *,
    process: bool,
) -> str:
    """Return a tile with a target of the config chain, and with traffic if it has a process."""
    top = begin_tile(spec, name, ports)
    inside = dict(joined)
    if process:
        inside |= {port: port for port in own_ports(spec) if port != "index"}
        for each in parts_of(spec):
            inside |= each.place_in_tile(top, shown=name != NODE_TILE)
    if module == ROUTER and (gate := gated(top, spec, "node")):
        inside |= gate
        top.port("output", "clocked", 64)
        top.lines("  reg [63:0] edges;\n  always @(posedge node_clk) edges <= rst ? 0 : edges + 1;")
        top.assign("clocked", "edges")
    place_node(top, module, inside)
    places = [place for _, place in placed] or [zero(COUNTER_BITS)]
    top.port("output", "counted", COUNTER_BITS * len(places))
    top.assign("counted", f"{{{', '.join(reversed(places))}}}")
    return f"{end_verilog()}\n{top.text()}"


def begin_tile(spec: MessageSpec, name: str, ports: Ports) -> ModuleWriter:
    """Return a tile with a target of the config chain, which is not placed yet."""
    top = start_tile(name, {**_chain_ports(spec), **ports})
    _join_chain(top)
    return top


def place_node(
    top: ModuleWriter, module: str, joined: dict[str, str | None], host: str = "inner"
) -> None:
    """Place the target; the chain comes to it by the wires named ``host``."""
    inside: dict[str, str | None] = {"clk": "clk", "reset": "rst", "index": "target"}
    inside |= {f"host__{wire}": f"{host}_{wire}" for wire in CHAIN}
    inside |= {f"next__{wire}": f"further_{wire}" for wire in CHAIN}
    top.instance(module, "node", inside | joined)


def counters(spec: MessageSpec, module: str, text: str = "") -> list[tuple[str, str]]:
    """Return the counters of a router or a node interface: name, and where a tile has it."""
    text = text or (router_verilog if module == ROUTER else interface_verilog)(spec.shape)
    modules = modules_of(text).items()
    count = {part for part, code in modules if {"events", "count"} <= ports_of(code, part).keys()}
    return [
        (_counter_name(path), f"node.{'.'.join(path)}.count")
        for path, part in placed(text, module)
        if part in count
    ]


def _counter_name(parts: tuple[str, ...]) -> str:
    """Return the name of a counter, as `sim.drive.targets` has it."""
    name = re.sub(r"(_counter)?(_\d+)?$", "", parts[-1])
    if name == "refused":
        return "engine REFUSED_COMMAND" if "engine" in parts else "port REFUSED_ARRIVE"
    if name.startswith("manager_"):
        return f"manager {name.removeprefix('manager_').upper()}"
    return f"{'engine' if 'engine' in parts else 'router'} {name.upper()}"


def _chain_ports(spec: MessageSpec) -> Ports:
    """Return the ports of the config chain, and those by which the first target is its host's."""
    ports: Ports = {
        "target": ("input", 16),
        "first": ("input", 1),
        "last_target": ("input", 1),
    }
    ports |= config_ports(spec) | {"config_node": ("input", 16)}
    for wire, width in CHAIN.items():
        away = wire.startswith("request")
        ports[f"host_{wire}"] = ("input" if away else "output", width)
        ports[f"next_{wire}"] = ("output" if away else "input", width)
    return {**ports, "observe": ("output", 1)}


def _join_chain(top: ModuleWriter) -> None:
    """Let the chain begin at the config port of the first target, and end behind the last."""
    for wire, width in CHAIN.items():
        for end in ("inner", "further", "ended"):
            top.wire(f"{end}_{wire}", width)
    top.lines("""
  assign observe = 1'd0;
  assign inner_request_valid = first ? config_valid : host_request_valid;
  assign inner_request = first ? {config_data, config_address, config_write, config_node}
                               : host_request;
  assign config_ready = first & inner_answer_valid;
  assign config_error = first & inner_answer_error;
  assign config_rdata = first ? inner_answer_rdata : 32'd0;
  assign host_answer_valid = inner_answer_valid;
  assign host_answer_error = inner_answer_error;
  assign host_answer_rdata = inner_answer_rdata;
  assign next_request_valid = further_request_valid & ~last_target;
  assign next_request = further_request;
  assign ended_request_valid = further_request_valid & last_target;
  assign ended_request = further_request;
  assign further_answer_valid = last_target ? ended_answer_valid : next_answer_valid;
  assign further_answer_error = last_target ? ended_answer_error : next_answer_error;
  assign further_answer_rdata = last_target ? ended_answer_rdata : next_answer_rdata;""")
    ends = {f"host__{wire}": f"ended_{wire}" for wire in CHAIN}
    top.instance("config_end", "config_end", {"clk": "clk", "rst": "rst", **ends})


def registers_tile(spec: MessageSpec) -> str:
    """Return the Verilog of a link's registers; their config port, as all tiles have, is silent."""
    silent = config_ports(spec)
    ports = {**silent, "observe": ("output", 1)}
    ports |= end_ports(spec, "near", comes_in=True)
    ports |= end_ports(spec, "far", comes_in=False)
    top = start_tile(REGISTERS_TILE, ports)
    for name, (direction, width) in silent.items():
        if direction == "output":
            top.assign(name, f"{width}'d0")
    top.assign("observe", "1'd0")
    ends = {**joined_link(spec, "near", "near"), **joined_link(spec, "far", "far")}
    top.instance(REGISTERS, "registers", {"clk": "clk", **ends})
    return f"{registers_verilog(spec.shape)}\n{top.text()}"


@cache
def counter_names(spec: MessageSpec) -> list[list[str]]:
    """Return the names of each target's counters, as `Fabric.counted` has them from bit 0 up."""
    shape = spec.shape
    routers = [[name for name, _ in counters(spec, ROUTER)]] * shape.routers
    if not shape.interfaces:
        return routers
    return [[name for name, _ in counters(spec, INTERFACE)]] * len(shape.nodes) + routers
