"""A many-core system in parts, for Verilator: each distinct tile once, linked in C++.

So that building takes the same time however many cores there are. No wire that begins in a tile
depends on one that comes in by a link in the same cycle, so links can be carried over before any
tile goes on.
"""

from collections.abc import Iterator
from functools import singledispatch
from itertools import product
from typing import Any

from syncfabric.models.networks.spec import AnySpec, MeshSpec, MessageSpec, StaticSpec
from syncfabric.rtl.cores.barrier_port import port_members
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.cores.system_words import ConfigShare, flit_members
from syncfabric.rtl.cores.tile import CoreTile, observed
from syncfabric.rtl.static.node import StaticNode
from syncfabric.sim.assemble import modules, nodes, static
from syncfabric.sim.assemble.cores import PACKETS, ask_bits, stream_pin, stream_wires
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.assemble.top import config_of_top
from syncfabric.sim.assemble.verilog import ModuleWriter, converted, merged, zero
from syncfabric.sim.fabric import static as static_tiles
from syncfabric.sim.fabric import tile
from syncfabric.sim.fabric.nodes import (
    REGISTERS_TILE,
    ROUTER_TILE,
    begin_tile,
    joined_link,
    place_node,
    registers_tile,
    router_tile,
)

TILE, SHARE_TILE, CORE = "tile", "share_tile", "core_tile"
_End = tuple[str, str, bool]
"""An end of a link of a node, its name at the tile, and whether it comes in."""

_PLAIN = "plain_"
"""How the links of the mesh beside a static network begin."""


def system_tiles(shape: TileShape) -> dict[str, str]:
    """Return the Verilog of each tile and all that it is made of, by its name.

    The tile with the core, whose own Verilog stands aside, is the first.
    """
    return _tiles(shape.barriers, shape)


@singledispatch
def _tiles(spec: Any, shape: TileShape) -> dict[str, str]:
    network = spec.shape
    further = (
        (ROUTER_TILE, router_tile, network.interfaces),
        (REGISTERS_TILE, registers_tile, network.stage),
    )
    beside = {name: make(spec) for name, make, there in further if there}
    return {TILE: _engine_tile(shape, spec), **beside}


@_tiles.register
def _(spec: StaticSpec, shape: TileShape) -> dict[str, str]:
    tiles = {TILE: _static_tile(shape, spec), SHARE_TILE: _share_tile(shape)}
    return {**tiles, static_tiles.LOADER_TILE: static_tiles.loader_tile(spec)}


def definitions(shape: TileShape) -> Iterator[str]:
    """Yield for the preprocessor of C++: which further tiles there are, constants, and links."""
    there, constants, joins = _linked(shape.barriers, shape)
    yield from there
    for name, lines in (("SET_UP_TILES", constants), ("CARRY_LINKS", joins)):
        yield "\n".join([f"#define {name} \\", *(f"    {line} \\" for line in lines), ""])


@singledispatch
def _linked(spec: Any, shape: TileShape) -> tuple[list[str], Iterator[str], Iterator[str]]:
    there = ["#define HAS_TAPS", *["#define HAS_ROUTERS"] * spec.shape.interfaces]
    if spec.shape.stage:
        there.append(f"#define REGISTERED {sum(map(spec.shape.stages_of, spec.shape.ends))}")
    return there, _constants(spec), _joins(spec)


@_linked.register
def _(spec: StaticSpec, shape: TileShape) -> tuple[list[str], Iterator[str], Iterator[str]]:
    return ["#define HAS_LOADER"], _static_constants(shape), _static_joins(shape, spec)


def _core_ports(shape: TileShape) -> tile.Ports:
    """Return the ports of a core, and of what loads and watches it."""
    return {
        "number": ("input", shape.core_bits),
        "run": ("input", 1),
        "cycle": ("input", 64),
        "barrier_low": ("input", 32),
        "barrier_high": ("input", 32),
        "load_valid": ("input", 1),
        "load_all": ("input", 1),
        "load_core": ("input", shape.core_bits),
        "load_address": ("input", (shape.memory_words - 1).bit_length()),
        "load_data": ("input", 32),
        **{name: ("output", bits) for name, bits in observed().items()},
        "arrive": ("output", shape.registers),
        "released": ("output", shape.registers),
    }


def _place_core(top: ModuleWriter, shape: TileShape) -> None:
    """Place the core; its wires to the node are named like its ports."""
    packets = shape.packets
    widths = {"valid": packets.channels, "credit": packets.channels}
    widths["flit"] = packets.layout.flit.width
    for end, wire in PACKETS:
        top.wire(f"{end}_{wire}", widths[wire])
    for name, bits in stream_wires(shape):
        top.wire(name, bits)
    members = port_members(shape) | flit_members(shape)
    for name, member in members.items():
        if name not in ("arrive", "released"):
            top.wire(name, int(member.shape))  # no bits: no wire
    ports: dict[str, str | None] = {name: name for name in ("clk", "rst", *_core_ports(shape))}
    ports |= {name: name for name, member in members.items() if member.shape}
    asks = (*ask_bits(shape), "ready", "error", "rdata")
    ports |= {f"config__{name}": f"ask_{name}" for name in asks}
    ports |= {f"{end}__{wire}": f"{end}_{wire}" for end, wire in PACKETS}
    ports |= {stream_pin(wire): wire for wire, _ in stream_wires(shape)}
    top.instance(CORE, "core", ports)


def _engine_tile(shape: TileShape, spec: MessageSpec) -> str:
    """Return a core, the tap before its node, and the node: on a mesh the router, too."""
    module, text, fixed, ends = _node_of(spec)
    if spec.managed:
        fixed |= {"manager": (1, 0), "manager_index": (2, 0)}
    ports = _core_ports(shape) | {port: ("input", width) for port, (width, _) in fixed.items()}
    inside: dict[str, str | None] = {port: port for port in fixed}
    for end, side, comes_in in ends:
        ports |= tile.end_ports(spec, side, comes_in=comes_in)
        inside |= joined_link(spec, end, side)
    top = begin_tile(spec, TILE, ports)
    _place_tap(top)
    _place_core(top, shape)
    inside |= {port: port for port, member in port_members(shape).items() if member.shape}
    inside |= {f"{end}__{wire}": f"{end}_{wire}" for end, wire in PACKETS}
    inside |= {stream_pin(wire): wire for wire, _ in stream_wires(shape)}
    if module == modules.ROUTER:
        inside |= dict.fromkeys(nodes.FREED, "")
    place_node(top, module, inside, host="tapped")
    parts = [text, modules.end_verilog(), modules.tap_verilog(), converted(CoreTile, CORE, shape)]
    return merged(*parts, top.text())


def _node_of(spec: MessageSpec) -> tuple[str, str, dict[str, tuple[int, int]], list[_End]]:
    """Return the module of the node beside a core, its text, constants, and ends of links."""
    net = spec.shape
    if net.interfaces:
        ends = [("out_0", "up", False), ("in_0", "down", True)]
        return modules.INTERFACE, modules.interface_verilog(net), {}, ends
    both = product(range(net.router.links), ("in", "out"))
    ends = [(f"{end}_{p}", f"{end}_{p}", end == "in") for p, end in both]
    fixed = nodes.constants_of_router(spec, 0)
    return modules.ROUTER, modules.router_verilog(net), fixed, ends


def _place_tap(top: ModuleWriter) -> None:
    ports: dict[str, str | None] = {name: name for name in ("clk", "rst", "run")}
    for _, name, width in nodes.TAPPED:
        top.wire(f"ask_{name}", width)
        ports[name] = f"ask_{name}"
    for wire, width in nodes.CHAIN.items():
        top.wire(f"tapped_{wire}", width)
        ports |= {f"host__{wire}": f"inner_{wire}", f"node__{wire}": f"tapped_{wire}"}
    top.instance(modules.TAP, "tap", {**ports, "index": "target"})


def _static_tile(shape: TileShape, spec: StaticSpec) -> str:
    """Return a core with its node of a static network, and that of the mesh beside it."""
    beside = shape.beside
    assert beside is not None
    fixed = nodes.constants_of_router(beside, 0)
    inner = {"observe"} | {name for _, name, _ in static.process_ports(spec)}
    inner |= {name for name, _ in static.local_wires(spec)}
    outer = static_tiles.tile_ports(spec)
    ports: tile.Ports = {
        **_core_ports(shape),
        **{name: ("input", bits) for name, bits in (("ask_ready", 1), ("ask_error", 1))},
        "ask_rdata": ("input", 32),
        **{f"ask_{name}": ("output", bits) for name, bits in ask_bits(shape).items()},
        **{name: port for name, port in outer.items() if name not in inner},
        **{name: ("input", width) for name, (width, _) in fixed.items()},
    }
    for p in range(beside.shape.router.links):
        for end in ("in", "out"):
            ports |= tile.end_ports(beside, f"{_PLAIN}{end}_{p}", comes_in=end == "in")
    top = tile.start_tile(TILE, ports)
    _place_core(top, shape)
    node = static_tiles.joined_node(spec) | {"observe": "", "port__hold": "1'd0"}
    node |= dict.fromkeys((name for name, _ in static.local_wires(spec)), "")
    top.instance(static.NODE, "node", node)
    _place_mesh(top, beside)
    parts = [converted(StaticNode, static.NODE, spec), modules.router_verilog(beside.shape)]
    return merged(*parts, converted(CoreTile, CORE, shape), top.text())


def _place_mesh(top: ModuleWriter, spec: MeshSpec) -> None:
    """Place a node of the mesh of packets, with engine and config port unused."""
    node: dict[str, str | None] = {"clk": "clk", "reset": "rst", "index": "16'd0"}
    registers, chain = spec.port_registers, nodes.CHAIN
    node |= dict.fromkeys(("arrive", "last"), zero(registers))
    node |= dict.fromkeys(("released", "ready", "done", "broken", *nodes.FREED), "")
    for wire, width in chain.items():
        asks = wire.startswith("request")
        node[f"host__{wire}"] = zero(width) if asks else ""
        node[f"next__{wire}"] = "" if asks else zero(width)
    node |= {name: name for name in nodes.constants_of_router(spec, 0)}
    node |= {f"{end}__{wire}": f"{end}_{wire}" for end, wire in PACKETS}
    for p in range(spec.shape.router.links):
        for end in ("in", "out"):
            node |= joined_link(spec, f"{end}_{p}", f"{_PLAIN}{end}_{p}")
    top.instance(modules.ROUTER, "packets_node", node)


def _share_tile(shape: TileShape) -> str:
    """Return what gives the cores the config port, with names of ports that C++ can spell."""
    top = ModuleWriter(SHARE_TILE)
    ports: dict[str, str | None] = {}
    for clock in ("clk", "rst"):
        top.port("input", clock)
        ports[clock] = clock
    for name, bits in ask_bits(shape).items():
        top.port("input", name, shape.cores * bits)
        ports[name] = name
    top.port("output", "ready", shape.cores)
    ports["ready"] = "ready"
    for direction, name, width in config_of_top(shape.barriers):
        outside = "output" if direction == "input" else "input"
        top.port(outside, name, width)
        ports[name.replace("config_", "port__")] = name
    top.instance("core_config", "share", ports)
    return f"{converted(ConfigShare, 'core_config', shape)}\n{top.text()}"


def _target(spec: MessageSpec, target: int) -> str:
    """Return a target's tile as C++ has it."""
    count = len(spec.shape.nodes)
    return f"tiles[{target}]" if target < count else f"switches[{target - count}]"


def _constants(spec: MessageSpec) -> Iterator[str]:
    """Yield what sets the constant inputs of each tile."""
    shape = spec.shape
    for target in range(shape.targets):
        here = _target(spec, target)
        yield f"{here}->target = {target}, {here}->first = {int(target == 0)};"
        yield f"{here}->last_target = {int(target == shape.targets - 1)};"
    routes = nodes.routes_of(spec)
    for router in range(shape.routers):
        here = _target(spec, shape.target_of(router))
        for name, (width, value) in nodes.constants_of_router(spec, router).items():
            if name != "routes":
                yield f"{here}->{name} = {value};"
                continue
            bits = width // shape.routers
            for to, port in enumerate(routes[router]):
                yield f"put({here}->routes, {to * bits}, {bits}, {port});"
    for manager, node in enumerate(shape.managers):
        yield f"tiles[{node}]->manager = 1, tiles[{node}]->manager_index = {manager};"


def _joins(spec: MessageSpec) -> Iterator[str]:
    """Yield what carries over the config chain, and all links."""
    shape = spec.shape
    for target in range(shape.targets - 1):
        near, far = _target(spec, target), _target(spec, target + 1)
        for wire in nodes.CHAIN:
            ends = f"{far}->host_{wire}", f"{near}->next_{wire}"
            to, of = ends if wire.startswith("request") else ends[::-1]
            yield f"{to} = {of};"
    yield from _links(spec)


def _links(spec: MessageSpec, prefix: str = "") -> Iterator[str]:
    """Yield what carries over all links, whose names at the tiles begin with ``prefix``."""
    shape = spec.shape
    registers = 0
    for (router, port), (other, there) in shape.ends.items():
        begin = f"{_target(spec, shape.target_of(router))}->{prefix}out_{port}"
        end = f"{_target(spec, shape.target_of(other))}->{prefix}in_{there}"
        for _ in range(shape.stages_of((router, port))):
            yield _joined(spec, begin, f"registers[{registers}]->near")
            begin = f"registers[{registers}]->far"
            registers += 1
        yield _joined(spec, begin, end)
    for node, (router, port) in enumerate(shape.nodes) if shape.interfaces else ():
        here = _target(spec, shape.target_of(router))
        yield _joined(spec, f"{here}->out_{port}", f"tiles[{node}]->down")
        yield _joined(spec, f"tiles[{node}]->up", f"{here}->in_{port}")


def _joined(spec: AnySpec, begin: str, end: str) -> str:
    """Return what carries a link's wires over: forward, and those against it back."""
    wires = link_wires(spec)
    ends = ((f"{end}_{wire}", f"{begin}_{wire}", wire in wires.back) for wire in wires)
    return " ".join(f"{b} = {a};" if back else f"{a} = {b};" for a, b, back in ends)


def _static_constants(shape: TileShape) -> Iterator[str]:
    """Yield the same of a static network."""
    assert shape.beside is not None
    for i in range(len(shape.barriers.topology.nodes)):
        yield f"tiles[{i}]->index = {i};"
        for name, (_, value) in nodes.constants_of_router(shape.beside, i).items():
            yield f"tiles[{i}]->{name} = {value};"


def _static_joins(shape: TileShape, spec: StaticSpec) -> Iterator[str]:
    """Yield what carries over the links of a static network, and of the mesh beside it."""
    assert shape.beside is not None
    names = spec.link_names
    for i in range(spec.layout.switches):
        for port, name in enumerate(names):
            if far := spec.graph.across(i, port):
                end = f"tiles[{far[0]}]->{names[far[1]]}_in"
                yield _joined(spec, f"tiles[{i}]->{name}_out", end)
    yield from _links(shape.beside, _PLAIN)
