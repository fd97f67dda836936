"""The tiles of a static network: a switch with its node, and the loader of the routes."""

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.config import RouteLoader
from syncfabric.rtl.static.node import DIRECTIONS, StaticNode
from syncfabric.sim.assemble.static import (
    LOADER,
    NODE,
    link_wires,
    local_wires,
    process_ports,
    targets,
)
from syncfabric.sim.assemble.verilog import converted
from syncfabric.sim.fabric.tile import Ports, config_ports, end_ports, join_config, start_tile

__all__ = [
    "LOADER_TILE",
    "TILE",
    "joined_node",
    "loader_ports",
    "loader_tile",
    "tile_ports",
    "tiles",
]

TILE, LOADER_TILE = "tile", "loader_tile"

_SIDES = tuple(f"{side}_{way}" for side in DIRECTIONS for way in ("in", "out"))
_ROUTE = ("shift", "strobe")


def tile_ports(spec: StaticSpec) -> Ports:
    """Return direction and width of each of the tile's ports, but for ``clk`` and ``rst``."""
    ports: Ports = {"index": ("input", spec.layout.target_bits)}
    ports |= {name: (direction, width) for direction, name, width in process_ports(spec)}
    ports |= config_ports(spec)
    ports["observe"] = ("output", targets(spec)[0][1])
    for side in _SIDES:
        ports |= end_ports(spec, side, comes_in=side.endswith("_in"))
    ports |= {name: ("output", width) for name, width in local_wires(spec)}
    ports |= {f"route_{name}": ("input", 1) for name in (*_ROUTE, "in")}
    return {**ports, "route_out": ("output", 1)}


def loader_ports(spec: StaticSpec) -> Ports:
    """Return direction and width of the loader's ports; its ``observe`` is always 0."""
    route = {f"route_{name}": ("output", 1) for name in (*_ROUTE, "in")}
    return {**config_ports(spec), **route, "observe": ("output", 1)}


def tiles(spec: StaticSpec) -> dict[str, str]:
    """Return the Verilog of each tile and all that it is made of, by the tile's name."""
    top = start_tile(TILE, tile_ports(spec))
    top.instance(NODE, "node", joined_node(spec))
    return {
        TILE: f"{converted(StaticNode, NODE, spec)}\n{top.text()}",
        LOADER_TILE: loader_tile(spec),
    }


def joined_node(spec: StaticSpec) -> dict[str, str | None]:
    """Return the connections of a node with the tile's ports."""
    node = {**_shared(spec), "index": "index", "route_out": "route_out", "observe": "observe"}
    node |= {f"port__{name}": name for _, name, _ in process_ports(spec)}
    node |= {name: name for name, _ in local_wires(spec)}
    node |= {f"{side}__{wire}": f"{side}_{wire}" for side in _SIDES for wire in link_wires(spec)}
    for side in DIRECTIONS:  # in reset all links are flushed, those of the rim too
        node[f"{side}_in__flush"] = f"{side}_in_flush | rst"
    return node


def loader_tile(spec: StaticSpec) -> str:
    """Return the loader, with names of ports that C++ can spell."""
    loader = start_tile(LOADER_TILE, loader_ports(spec))
    loader.assign("observe", "1'd0")
    loader.instance(LOADER, "loader", _shared(spec))
    return f"{converted(RouteLoader, LOADER, spec)}\n{loader.text()}"


def _shared(spec: StaticSpec) -> dict[str, str | None]:
    """Return the connections that node and loader have alike."""
    route = {f"route__{name}": f"route_{name}" for name in _ROUTE}
    return {"clk": "clk", "rst": "rst", "route_in": "route_in", **route, **join_config(spec)}
