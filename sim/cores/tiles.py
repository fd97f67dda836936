"""A many-core system in parts, for Verilator: each distinct tile once, linked in C++.

So that building takes the same time however many cores there are. No wire that begins in a tile
depends on one that comes in by a link in the same cycle, so links can be carried over before any
tile goes on.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import MeshSpec, StaticSpec
from syncfabric.rtl.cores.config_share import ConfigShare
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.cores.tile import CoreTile
from syncfabric.rtl.static.node import DIRECTIONS, StaticNode
from syncfabric.sim.assemble import nodes, static
from syncfabric.sim.assemble.converted import converted
from syncfabric.sim.assemble.cores import PACKETS, ask_bits
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.assemble.top import config_of_top
from syncfabric.sim.assemble.verilog import ModuleWriter, zero
from syncfabric.sim.cores.core_in_tile import CORE, core_ports, place_core
from syncfabric.sim.cores.network_tiles import core_tile, further_tiles, joined, links
from syncfabric.sim.fabric import tile
from syncfabric.sim.fabric.nodes import joined_link
from syncfabric.sim.fabric.static import LOADER_TILE, loader_tile

__all__ = ["SHARE_TILE", "TILE", "constants", "joins", "system_tiles"]

TILE, SHARE_TILE = "tile", "share_tile"
_PLAIN = "plain_"
"""How the links of the mesh beside a static network begin."""


def system_tiles(shape: TileShape) -> dict[str, str]:
    """Return the Verilog of each tile and all that it is made of, by its name.

    The tile with the core, whose own Verilog stands aside, is the first.
    """
    spec = shape.barriers
    if not isinstance(spec, StaticSpec):
        return {TILE: core_tile(shape, spec, TILE), **further_tiles(spec)}
    tiles = {TILE: _static_tile(shape, spec), SHARE_TILE: _share_tile(shape)}
    return {**tiles, LOADER_TILE: loader_tile(spec)}


def _static_tile(shape: TileShape, spec: StaticSpec) -> str:
    """Return a core with its node of a static network, and that of the mesh beside it."""
    beside = shape.beside
    assert beside is not None
    top = tile.start_tile(TILE, _ports(shape, spec, beside))
    place_core(top, shape)
    top.instance(static.NODE, "node", _static_node(spec))
    _place_mesh(top, beside)
    modules = [converted(StaticNode, static.NODE, spec), nodes.router_verilog(beside.shape)]
    return "\n".join([*modules, converted(CoreTile, CORE, shape), top.text()])


def _sides() -> tuple[str, ...]:
    return tuple(f"{side}_{way}" for side in DIRECTIONS for way in ("in", "out"))


def _ports(shape: TileShape, spec: StaticSpec, beside: MeshSpec) -> tile.Ports:
    """Return the ports of the tile with the core, but for ``clk`` and ``rst``."""
    fixed = nodes.constants_of_router(beside, 0)
    ports: tile.Ports = {
        **core_ports(shape),
        "index": ("input", spec.layout.target_bits),
        "ask_ready": ("input", 1),
        "ask_error": ("input", 1),
        "ask_rdata": ("input", 32),
        **{f"ask_{name}": ("output", bits) for name, bits in ask_bits(shape).items()},
        **tile.config_ports(spec),
        **{f"route_{name}": ("input", 1) for name in ("shift", "strobe", "in")},
        "route_out": ("output", 1),
        **{name: ("input", width) for name, (width, _) in fixed.items()},
    }
    for side in _sides():
        ports |= tile.link_ports(spec, side, comes_in=side.endswith("_in"))
    for p in range(beside.shape.router.links):
        for way in ("in", "out"):
            ports |= tile.link_ports(beside, f"{_PLAIN}{way}_{p}", comes_in=way == "in")
    return ports


def _static_node(spec: StaticSpec) -> dict[str, str | None]:
    node: dict[str, str | None] = {"clk": "clk", "rst": "rst", "index": "index", "observe": ""}
    node |= {f"route__{name}": f"route_{name}" for name in ("shift", "strobe")}
    node |= {"route_in": "route_in", "route_out": "route_out", **tile.join_config()}
    node |= {f"port__{name}": name for _, name, _ in static.process_ports(spec)}
    node |= {"port__hold": "1'd0"} | dict.fromkeys(
        (name for name, _ in static.local_wires(spec)), ""
    )
    node |= {f"{side}__{wire}": f"{side}_{wire}" for side in _sides() for wire in link_wires(spec)}
    for side in DIRECTIONS:  # in reset all links are flushed, those of the rim too
        node[f"{side}_in__flush"] = f"{side}_in_flush | rst"
    return node


def _place_mesh(top: ModuleWriter, spec: MeshSpec) -> None:
    """Place a node of the mesh of packets: its engine and its config port are nobody's."""
    node: dict[str, str | None] = {"clk": "clk", "rst": "1'd0", "reset": "rst", "index": "16'd0"}
    registers, chain = spec.port_registers, nodes.CHAIN
    node |= dict.fromkeys(("arrive", "last"), zero(registers))
    node |= dict.fromkeys(("released", "ready", "done", "broken", *nodes.FREED), "")
    for wire, width in chain.items():
        asks = wire.startswith("request")
        node[f"host__{wire}"] = zero(width) if asks else ""
        node[f"next__{wire}"] = "" if asks else zero(width)
    node |= {name: name for name in nodes.constants_of_router(spec, 0)}
    node |= {f"{way}__{wire}": f"{way}_{wire}" for way, wire in PACKETS}
    for p in range(spec.shape.router.links):
        for way in ("in", "out"):
            node |= joined_link(spec, f"{way}_{p}", f"{_PLAIN}{way}_{p}")
    top.instance(nodes.ROUTER, "packets_node", node)


def constants(shape: TileShape) -> Iterator[str]:
    """Yield what tells each tile of a static network who it is."""
    assert shape.beside is not None
    for i in range(len(shape.barriers.topology.nodes)):
        yield f"tiles[{i}]->index = {i};"
        for name, (_, value) in nodes.constants_of_router(shape.beside, i).items():
            yield f"tiles[{i}]->{name} = {value};"


def joins(shape: TileShape, spec: StaticSpec) -> Iterator[str]:
    """Yield what carries over the links of a static network, and of the mesh beside it."""
    assert shape.beside is not None
    yield from _grid(spec, spec.topology)
    yield from links(shape.beside, _PLAIN)


def _grid(spec: StaticSpec, mesh: Mesh) -> Iterator[str]:
    """Yield the links of a grid, both ways."""
    for i, node in enumerate(mesh.nodes):
        for port in (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH):
            other = mesh.neighbour(node, port)
            if other is not None:
                begin = f"tiles[{i}]->{port.name.lower()}_out"
                end = f"tiles[{mesh.index(other)}]->{port.opposite.name.lower()}_in"
                yield joined(spec, begin, end)


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
    for direction, name, width in config_of_top(shape.barriers.layout.target_bits):
        outside = "output" if direction == "input" else "input"
        top.port(outside, name, width)
        ports[name.replace("config_", "port__")] = name
    top.instance("core_config", "share", ports)
    return f"{converted(ConfigShare, 'core_config', shape)}\n{top.text()}"
