"""The tile of a mesh: a router, with its packet source and packet sink."""

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.assemble.mesh import (
    NETWORK_PORTS,
    ROUTER,
    link_wires,
    modules_verilog,
    targets,
)
from syncfabric.sim.assemble.traffic import traffic_verilog
from syncfabric.sim.fabric import tile

__all__ = ["TILE", "definitions", "tile_ports", "tiles"]

TILE = "tile"

_SIDES = tuple(f"{port.name.lower()}_{way}" for port in NETWORK_PORTS for way in ("in", "out"))


def tile_ports(spec: MeshSpec) -> tile.Ports:
    """Return direction and width of each of the tile's ports, but for ``clk`` and ``rst``."""
    layout = spec.layout
    ports = {"x": ("input", layout.x_bits), "y": ("input", layout.y_bits)}
    ports |= tile.process_ports(spec) | tile.config_ports(spec)
    ports["observe"] = ("output", targets(spec)[0][1])
    for side in _SIDES:
        ports |= tile.link_ports(spec, side, comes_in=side.endswith("_in"))
    for local in ("inject", "eject") if spec.channels else ():
        ports[f"{local}_valid"] = ("output", spec.channels)
        ports[f"{local}_credit"] = ("output", spec.channels)
        ports[f"{local}_flit"] = ("output", layout.flit.width)
    return ports


def tiles(spec: MeshSpec, *, queue: int) -> dict[str, str]:
    """Return the Verilog of a tile and all that it is made of, by the tile's name."""
    top = tile.start_tile(TILE, tile_ports(spec))
    node: dict[str, str | None] = {"x": "x", "y": "y", "index": "index", **tile.join_node(spec)}
    node |= {f"{side}__{wire}": f"{side}_{wire}" for side in _SIDES for wire in link_wires(spec)}
    top.instance(ROUTER, "node", node)
    parts = [modules_verilog(spec)]
    if spec.channels:
        tile.place_traffic(top)
        parts.append(traffic_verilog(spec, queue))
    return {TILE: "\n".join([*parts, top.text()])}


def definitions(spec: MeshSpec) -> list[str]:
    """Return what ``mesh.cpp`` must know of a network, as lines of C++."""
    return [f"constexpr int WIDTH = {spec.width}, HEIGHT = {spec.height};"]
