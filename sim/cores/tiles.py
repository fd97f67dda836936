"""A many-core system in parts, for Verilator: each distinct tile once, linked in C++.

So that building takes the same time however many cores there are. No wire that begins in a tile
depends on one that comes in by a link in the same cycle, so links can be carried over before any
tile goes on.
"""

from __future__ import annotations

from syncfabric.models.networks.spec import (
    AnySpec,
    EngineSpec,
    IrregularSpec,
    MeshSpec,
    StaticSpec,
    of_registers,
)
from syncfabric.rtl.cores.config_share import ConfigShare
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.cores.tile import CoreTile
from syncfabric.rtl.irregular.node import NodeInterface
from syncfabric.rtl.static.node import DIRECTIONS, StaticNode
from syncfabric.sim.assemble import irregular, mesh, static
from syncfabric.sim.assemble.converted import converted
from syncfabric.sim.assemble.cores import PACKETS, ask_bits
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.assemble.top import config_of_top
from syncfabric.sim.assemble.verilog import ModuleWriter, zero
from syncfabric.sim.cores.core_in_tile import CORE, core_ports, place_core
from syncfabric.sim.cores.engine_tiles import core_tile, further_tiles
from syncfabric.sim.fabric import tile
from syncfabric.sim.fabric.irregular import SWITCH_TILE, switch_tile
from syncfabric.sim.fabric.static import LOADER_TILE, loader_tile

__all__ = ["PLAIN", "SHARE_TILE", "TILE", "system_tiles"]

TILE, SHARE_TILE = "tile", "share_tile"
PLAIN = "plain_"
"""How the links of the mesh beside a static network begin."""


def system_tiles(shape: TileShape) -> dict[str, str]:
    """Return the Verilog of each tile and all that it is made of, by its name.

    The tile with the core, whose own Verilog stands aside, is the first.
    """
    if isinstance(shape.barriers, EngineSpec):
        first = core_tile(shape, shape.barriers, TILE)
        return {TILE: first, **further_tiles(shape.barriers)}
    spec = of_registers(shape.barriers)
    tiles = {TILE: _core_tile(shape), SHARE_TILE: _share_tile(shape)}
    if isinstance(spec, IrregularSpec):
        tiles[SWITCH_TILE] = switch_tile(spec)
    if isinstance(spec, StaticSpec):
        tiles[LOADER_TILE] = loader_tile(spec)
    return tiles


def _core_tile(shape: TileShape) -> str:
    """Return a core with its node of the network, or of both networks."""
    spec = of_registers(shape.barriers)
    top = tile.start_tile(TILE, _ports(shape))
    place_core(top, shape)
    if isinstance(spec, StaticSpec):
        assert shape.beside is not None
        top.instance(static.NODE, "node", _static_node(spec))
        _place_mesh(top, shape.beside, PLAIN)
        modules = [converted(StaticNode, static.NODE, spec), mesh.modules_verilog(shape.beside)]
    elif isinstance(spec, IrregularSpec):
        node: dict[str, str | None] = {"target": "index", **_message_node(top, spec)}
        node |= _links(spec, ("uplink", "downlink"), "")
        top.instance(irregular.NODE, "node", node)
        modules = [converted(NodeInterface, irregular.NODE, spec)]
    else:
        _place_mesh(top, spec, "")
        modules = [mesh.modules_verilog(spec)]
    return "\n".join([*modules, converted(CoreTile, CORE, shape), top.text()])


def _sides() -> tuple[str, ...]:
    return tuple(f"{side}_{way}" for side in DIRECTIONS for way in ("in", "out"))


def _ports(shape: TileShape) -> tile.Ports:
    """Return the ports of the tile with the core, but for ``clk`` and ``rst``."""
    spec = of_registers(shape.barriers)
    ports: tile.Ports = {
        **core_ports(shape),
        "index": ("input", spec.layout.target_bits),
        "ask_ready": ("input", 1),
        "ask_error": ("input", 1),
        "ask_rdata": ("input", 32),
        **{f"ask_{name}": ("output", bits) for name, bits in ask_bits(shape).items()},
        **tile.config_ports(spec),
    }
    if not isinstance(spec, StaticSpec) and spec.managed:
        ports |= {"manager": ("input", 1), "manager_index": ("input", 2)}
    if isinstance(spec, StaticSpec):
        ports |= {f"route_{name}": ("input", 1) for name in ("shift", "strobe", "in")}
        ports["route_out"] = ("output", 1)
    if isinstance(spec, IrregularSpec):
        ports |= tile.link_ports(spec, "uplink", comes_in=False)
        return ports | tile.link_ports(spec, "downlink", comes_in=True)
    grids: list[tuple[AnySpec, str]] = [(spec, "")]
    if shape.beside is not None:
        grids.append((shape.beside, PLAIN))
    for network, prefix in grids:
        if isinstance(network, MeshSpec):
            for axis, bits in (("x", network.layout.x_bits), ("y", network.layout.y_bits)):
                ports[axis] = ("input", bits)
        for side in _sides():
            ports |= tile.link_ports(network, f"{prefix}{side}", comes_in=side.endswith("_in"))
    return ports


def _static_node(spec: StaticSpec) -> dict[str, str | None]:
    node: dict[str, str | None] = {"clk": "clk", "rst": "rst", "index": "index", "observe": ""}
    node |= {f"route__{name}": f"route_{name}" for name in ("shift", "strobe")}
    node |= {"route_in": "route_in", "route_out": "route_out", **tile.join_config()}
    node |= {f"port__{name}": name for _, name, _ in static.process_ports(spec)}
    node |= {"port__hold": "1'd0"} | dict.fromkeys(
        (name for name, _ in static.local_wires(spec)), ""
    )
    node |= _links(spec, _sides(), "")
    for side in DIRECTIONS:  # in reset all links are flushed, those of the rim too
        node[f"{side}_in__flush"] = f"{side}_in_flush | rst"
    return node


def _place_mesh(top: ModuleWriter, spec: MeshSpec, prefix: str) -> None:
    """Place a mesh's node; with a prefix it carries packets alone."""
    node: dict[str, str | None] = {"x": "x", "y": "y", "index": "index"}
    if prefix:
        registers = spec.port_registers
        node |= {"clk": "clk", "rst": "rst", "start": zero(1), "arrive": zero(registers)}
        node |= dict.fromkeys(("released", "ready", "done", "broken", "observe"), "")
        for direction, name, width in config_of_top(spec.layout.target_bits):
            port = name.replace("_", "__", 1)
            node[port] = zero(width or 1) if direction == "input" else ""
        node |= _local_links()
    else:
        node |= _message_node(top, spec)
    node |= _links(spec, _sides(), prefix)
    top.instance(mesh.ROUTER, f"{prefix}node", node)


def _local_links() -> dict[str, str]:
    ways = {"inject": "local_in", "eject": "local_out"}
    return {f"{ways[way]}__{wire}": f"{way}_{wire}" for way, wire in PACKETS}


def _message_node(top: ModuleWriter, spec: MeshSpec | IrregularSpec) -> dict[str, str | None]:
    """Return a node's connections to its core and the config port."""
    node: dict[str, str | None] = {**tile.join_node(spec), "ready": "ready", "done": "done"}
    node |= {"observe": "", **(_local_links() if spec.channels else {})}
    return node


def _links(spec: AnySpec, sides: tuple[str, ...], prefix: str) -> dict[str, str | None]:
    return {
        f"{side}__{wire}": f"{prefix}{side}_{wire}" for side in sides for wire in link_wires(spec)
    }


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
