"""The tiles of a static network: switches and nodes, in one or apart, and the loader of routes."""

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.config import RouteLoader
from syncfabric.rtl.static.switch import StaticSwitch
from syncfabric.sim.assemble.static import (
    LOADER,
    NODE,
    SWITCH,
    link_wires,
    local_wires,
    modules,
    process_ports,
    targets,
    unseen_ports,
)
from syncfabric.sim.assemble.verilog import converted, merged
from syncfabric.sim.fabric.tile import Ports, config_ports, end_ports, join_config, start_tile

TILE, SWITCH_TILE, LOADER_TILE = "tile", "switch_tile", "loader_tile"

_ROUTE = ("shift", "strobe")


def _sides(spec: StaticSpec) -> list[str]:
    return [f"{side}_{end}" for side in spec.link_names for end in ("in", "out")]


def _switch_ports(spec: StaticSpec) -> Ports:
    """Return the ports of a switch: its links, and the chain of routes."""
    ports: Ports = {}
    for side in _sides(spec):
        ports |= end_ports(spec, side, comes_in=side.endswith("_in"))
    ports |= {f"route_{name}": ("input", 1) for name in (*_ROUTE, "in")}
    return {**ports, "route_out": ("output", 1)}


def tile_ports(spec: StaticSpec) -> Ports:
    """Return direction and width of the ports of a node's tile, without ``clk`` and ``rst``."""
    ports: Ports = {"index": ("input", spec.layout.target_bits)}
    ports |= {name: (direction, width) for direction, name, width in process_ports(spec)}
    ports |= config_ports(spec)
    ports["observe"] = ("output", targets(spec)[0][1])
    if spec.graph.own:
        ports |= _switch_ports(spec)
        return ports | {name: ("output", width) for name, width in local_wires(spec)}
    ports |= end_ports(spec, "eject", comes_in=True)
    inject = end_ports(spec, "inject", comes_in=False)
    return ports | {name: port for name, port in inject.items() if name != "inject_flush"}


def loader_ports(spec: StaticSpec) -> Ports:
    """Return direction and width of the loader's ports; its ``observe`` is always 0."""
    route = {f"route_{name}": ("output", 1) for name in (*_ROUTE, "in")}
    return {**config_ports(spec), **route, "observe": ("output", 1)}


def tiles(spec: StaticSpec) -> dict[str, str]:
    """Return the Verilog of each tile and all that it is made of, by the tile's name."""
    top = start_tile(TILE, tile_ports(spec))
    top.instance(NODE, "node", joined_node(spec))
    parts = modules(spec)
    made = {
        TILE: merged(converted(parts[NODE], NODE, spec), top.text()),
        LOADER_TILE: loader_tile(spec),
    }
    return made | ({SWITCH_TILE: switch_tile(spec)} if SWITCH in parts else {})


def joined_node(spec: StaticSpec) -> dict[str, str | None]:
    """Return the connections of a node with the tile's ports."""
    node = {**_config(spec), "index": "index", "observe": "observe"}
    node |= {f"port__{name}": name for _, name, _ in process_ports(spec)}
    if spec.graph.own:
        return node | _joined_switch(spec) | {name: name for name, _ in local_wires(spec)}
    names = (name for name in tile_ports(spec) if name.startswith(("eject_", "inject_")))
    node |= {name.replace("_", "__"): name for name in names}
    return node | {"eject__flush": "eject_flush | rst"}


def _joined_switch(spec: StaticSpec) -> dict[str, str | None]:
    """Return the connections of a switch with the tile's ports."""
    made: dict[str, str | None] = {"clk": "clk", "rst": "rst", "route_out": "route_out"}
    made |= _route()
    made |= {
        f"{side}__{wire}": f"{side}_{wire}" for side in _sides(spec) for wire in link_wires(spec)
    }
    for side in spec.link_names:  # in reset all links are flushed, those of the edge too
        made[f"{side}_in__flush"] = f"{side}_in_flush | rst"
    return made


def switch_tile(spec: StaticSpec) -> str:
    """Return a switch outside nodes; no config port, but the silent one that all tiles have."""
    silent, layout = config_ports(spec), spec.layout
    ports: Ports = {**silent, "node_ports": ("input", layout.ports), "observe": ("output", 1)}
    top = start_tile(SWITCH_TILE, ports | _switch_ports(spec))
    for name, (direction, width) in silent.items():
        if direction == "output":
            top.assign(name, f"{width}'d0")
    top.assign("observe", "1'd0")
    joined = {**_joined_switch(spec), **unseen_ports(spec), "node_ports": "node_ports"}
    top.instance(SWITCH, "switch", joined)
    return f"{converted(StaticSwitch, SWITCH, spec)}\n{top.text()}"


def loader_tile(spec: StaticSpec) -> str:
    """Return the loader, with names of ports that C++ can spell."""
    loader = start_tile(LOADER_TILE, loader_ports(spec))
    loader.assign("observe", "1'd0")
    loader.instance(LOADER, "loader", {**_config(spec), **_route()})
    return f"{converted(RouteLoader, LOADER, spec)}\n{loader.text()}"


def _config(spec: StaticSpec) -> dict[str, str | None]:
    """Return the connections that node and loader have alike."""
    return {"clk": "clk", "rst": "rst", **join_config(spec)}


def _route() -> dict[str, str | None]:
    """Return the connections that switch and loader have alike."""
    return {"route_in": "route_in", **{f"route__{name}": f"route_{name}" for name in _ROUTE}}
