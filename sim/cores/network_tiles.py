"""A system on a network of engines in parts, for Verilator: its tiles, and how they are joined."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.networks.spec import AnySpec, MessageSpec
from syncfabric.rtl.cores.barrier_port import port_members
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.cores.tile import CoreTile
from syncfabric.sim.assemble import nodes
from syncfabric.sim.assemble.converted import converted
from syncfabric.sim.assemble.cores import PACKETS
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.assemble.verilog import ModuleWriter
from syncfabric.sim.cores.core_in_tile import CORE, core_ports, place_core
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

__all__ = [
    "constants",
    "core_tile",
    "definitions",
    "further_tiles",
    "joined",
    "joins",
    "links",
]


def core_tile(shape: TileShape, spec: MessageSpec, name: str) -> str:
    """Return a core, the tap before its node, and the node: on a mesh the router, too."""
    network = spec.shape
    fixed = {} if network.interfaces else nodes.constants_of_router(spec, 0)
    if spec.managed:
        fixed |= {"manager": (1, 0), "manager_index": (2, 0)}
    ports = core_ports(shape) | {port: ("input", width) for port, (width, _) in fixed.items()}
    inside: dict[str, str | None] = {port: port for port in fixed}
    for end, side, comes_in in _ends(spec):
        ports |= tile.link_ports(spec, side, comes_in=comes_in)
        inside |= joined_link(spec, end, side)
    top = begin_tile(spec, name, ports)
    _place_tap(top)
    place_core(top, shape)
    inside |= {port: port for port, member in port_members(shape).items() if member.shape}
    inside |= {f"{way}__{wire}": f"{way}_{wire}" for way, wire in PACKETS}
    if network.interfaces:
        module, text = nodes.INTERFACE, nodes.interface_verilog(network)
    else:
        module, text = nodes.ROUTER, nodes.router_verilog(network)
        inside |= dict.fromkeys(nodes.FREED, "")
    place_node(top, module, inside, host="tapped")
    parts = [text, nodes.end_verilog(), nodes.tap_verilog(), converted(CoreTile, CORE, shape)]
    return "\n".join([*parts, top.text()])


def _ends(spec: MessageSpec) -> Iterator[tuple[str, str, bool]]:
    """Yield the ends of links of the tile with the core: of its node, of the tile, and the way."""
    if spec.shape.interfaces:
        yield from (("out_0", "up", False), ("in_0", "down", True))
        return
    for p in range(spec.shape.router.links):
        yield from ((f"{way}_{p}", f"{way}_{p}", way == "in") for way in ("in", "out"))


def _place_tap(top: ModuleWriter) -> None:
    ports: dict[str, str | None] = {name: name for name in ("clk", "rst", "run")}
    for _, name, width in nodes.TAPPED:
        top.wire(f"ask_{name}", width)
        ports[name] = f"ask_{name}"
    for wire, width in nodes.CHAIN.items():
        top.wire(f"tapped_{wire}", width)
        ports |= {f"host__{wire}": f"inner_{wire}", f"node__{wire}": f"tapped_{wire}"}
    top.instance(nodes.TAP, "tap", {**ports, "index": "target"})


def further_tiles(spec: MessageSpec) -> dict[str, str]:
    """Return the Verilog of the tiles without a core, by name."""
    tiles = {ROUTER_TILE: router_tile(spec)} if spec.shape.interfaces else {}
    if spec.shape.router.link_registers:
        tiles[REGISTERS_TILE] = registers_tile(spec)
    return tiles


def _target(spec: MessageSpec, target: int) -> str:
    """Return a target's tile as C++ has it."""
    count = len(spec.shape.nodes)
    return f"tiles[{target}]" if target < count else f"switches[{target - count}]"


def definitions(spec: MessageSpec) -> Iterator[str]:
    """Yield which further tiles there are, for the preprocessor of C++."""
    yield "#define HAS_TAPS"
    if spec.shape.interfaces:
        yield "#define HAS_ROUTERS"
    if spec.shape.router.link_registers:
        yield f"#define REGISTERED {2 * len(spec.shape.links)}"


def constants(spec: MessageSpec) -> Iterator[str]:
    """Yield what tells each tile who it is."""
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


def joins(spec: MessageSpec) -> Iterator[str]:
    """Yield what carries over the config chain, and all links."""
    shape = spec.shape
    for target in range(shape.targets - 1):
        near, far = _target(spec, target), _target(spec, target + 1)
        for wire in nodes.CHAIN:
            ends = f"{far}->host_{wire}", f"{near}->next_{wire}"
            to, of = ends if wire.startswith("request") else ends[::-1]
            yield f"{to} = {of};"
    yield from links(spec)


def links(spec: MessageSpec, prefix: str = "") -> Iterator[str]:
    """Yield what carries over all links, whose names at the tiles begin with ``prefix``."""
    shape = spec.shape
    registers = 0
    for (router, port), (other, there) in shape.ends.items():
        begin = f"{_target(spec, shape.target_of(router))}->{prefix}out_{port}"
        end = f"{_target(spec, shape.target_of(other))}->{prefix}in_{there}"
        if shape.router.link_registers:
            yield joined(spec, begin, f"registers[{registers}]->near")
            begin = f"registers[{registers}]->far"
            registers += 1
        yield joined(spec, begin, end)
    for node, (router, port) in enumerate(shape.nodes) if shape.interfaces else ():
        here = _target(spec, shape.target_of(router))
        yield joined(spec, f"{here}->out_{port}", f"tiles[{node}]->down")
        yield joined(spec, f"tiles[{node}]->up", f"{here}->in_{port}")


def joined(spec: AnySpec, begin: str, end: str) -> str:
    """Return what carries a link's wires over: forward, and those against it back."""
    wires = link_wires(spec)
    ends = ((f"{end}_{wire}", f"{begin}_{wire}", wire in wires.back) for wire in wires)
    return " ".join(f"{b} = {a};" if back else f"{a} = {b};" for a, b, back in ends)
