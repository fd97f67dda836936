"""A whole static network as Verilog: the node once, the loader, and a top of many."""

from collections.abc import Iterator

from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.config import RouteLoader
from syncfabric.rtl.static.node import DIRECTIONS, StaticNode, observe_bits
from syncfabric.sim.assemble.top import (
    LinkWires,
    Shown,
    config_of_top,
    config_ports,
    join_config_answers,
)
from syncfabric.sim.assemble.verilog import ModuleWriter, converted, part, zero

__all__ = [
    "LOADER",
    "MODULES",
    "NODE",
    "link_wires",
    "local_wires",
    "modules_verilog",
    "process_ports",
    "shown_links",
    "targets",
    "top_ports",
    "top_verilog",
]

NODE, LOADER = MODULES = ("static_node", "static_loader")
"""The modules of a node, all of them the same, and of the loader, of which there is one."""

_PROCESS = (("arrive", "input"), ("released", "output"), ("ready", "output"), ("done", "output"))
_SOFTWARE = (
    ("hold", "input"),
    ("send_valid", "input"),
    ("send_flit", "input"),
    ("send_ready", "output"),
    ("recv_valid", "output"),
    ("recv_flit", "output"),
    ("recv_take", "input"),
)


def process_ports(spec: StaticSpec) -> Iterator[tuple[str, str, int]]:
    """Yield direction, name and bits a node of what the nodes' processes are joined to."""
    for name, direction in _PROCESS + _SOFTWARE:
        yield direction, name, spec.flit_bits if name.endswith("_flit") else 1


def top_ports(spec: StaticSpec) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the top's ports; None is a single wire, no vector."""
    for name in ("clk", "rst"):
        yield "input", name, None
    for direction, name, width in process_ports(spec):
        yield direction, name, len(spec.topology.nodes) * width
    yield from config_of_top(spec)


def modules_verilog(spec: StaticSpec) -> str:
    """Return the Verilog of node and loader, and all that they are made of."""
    return f"{converted(StaticNode, NODE, spec)}\n{converted(RouteLoader, LOADER, spec)}"


def targets(spec: StaticSpec) -> list[tuple[str, int]]:
    """Return each node's instance in the top, and the width of its ``observe``."""
    return [(f"node_{x}_{y}", observe_bits(spec)) for x, y in spec.topology.nodes]


def link_wires(spec: StaticSpec) -> LinkWires:
    """Return the wires of a link between two switches."""
    return LinkWires(valid=1, flit=spec.flit_bits, credit=1, flush=1)


def top_verilog(spec: StaticSpec, name: str) -> str:
    """Return the module that connects nodes and loader."""
    mesh, layout = spec.topology, spec.layout
    top = ModuleWriter(name)
    for direction, outside, width in top_ports(spec):
        top.port(direction, outside, width)
    for node in mesh.nodes:
        for port, side in enumerate(DIRECTIONS):
            if mesh.neighbour(node, Port(port)):
                for wire, bits in link_wires(spec).items():
                    top.wire(f"{_link(node, side)}_{wire}", bits)
        for wire, bits in local_wires(spec):
            top.wire(f"{_link(node, wire)}", bits)
    for wire in ("route_shift", "route_strobe"):
        top.wire(wire)
    top.wire("route_chain", len(mesh.nodes) + 1)
    join_config_answers(top, layout.loader + 1)
    route = {"route__shift": "route_shift", "route__strobe": "route_strobe"}
    loader = dict(config_ports(layout.loader))
    loader |= route | {"clk": "clk", "rst": "rst", "route_in": part("route_chain", 0, 1)}
    top.instance(LOADER, "loader", loader)
    for i, node in enumerate(mesh.nodes):
        ports: dict[str, str | None] = {
            "clk": "clk",
            "rst": "rst",
            "index": f"{layout.target_bits}'d{i}",
            **route,
            "route_in": part("route_chain", i, 1),
            "route_out": part("route_chain", i + 1, 1),
            **dict(_link_ports(spec, node)),
            **{f"port__{n}": part(n, i, bits) for _, n, bits in process_ports(spec)},
            **dict(config_ports(i)),
            **{wire: _link(node, wire) for wire, _ in local_wires(spec)},
            "observe": "",
        }
        top.instance(NODE, f"node_{node[0]}_{node[1]}", ports)
    return top.text()


def _link(node: Node, name: str) -> str:
    """Return how the wires of a link begin, or a wire of a node's own links."""
    return f"link_{node[0]}_{node[1]}_{name}"


def local_wires(spec: StaticSpec) -> Iterator[tuple[str, int]]:
    """Yield what a node shows of the links between its switch and its core, and the bits."""
    for link in ("eject", "inject"):
        yield from ((f"{link}_valid", 1), (f"{link}_flit", spec.flit_bits), (f"{link}_credit", 1))


def _link_ports(spec: StaticSpec, node: Node) -> Iterator[tuple[str, str]]:
    """Yield the connections of a node's four links; at the rim 0 comes in."""
    for port, side in enumerate(DIRECTIONS):
        neighbour = spec.topology.neighbour(node, Port(port))
        opposite = DIRECTIONS[Port(port).opposite]
        for wire, width in link_wires(spec).items():
            incoming, outgoing = f"{side}_in__{wire}", f"{side}_out__{wire}"
            if neighbour:
                yield incoming, f"{_link(neighbour, opposite)}_{wire}"
                yield outgoing, f"{_link(node, side)}_{wire}"
            elif wire == "flush":  # what no neighbour flushes is empty from reset on
                yield incoming, "rst"
                yield outgoing, ""
            else:
                back = wire == "credit"
                yield incoming, "" if back else zero(width)
                yield outgoing, zero(width) if back else ""


def shown_links(spec: StaticSpec, top: str) -> Iterator[Shown | None]:
    """Yield what is on each link, by its number, of the instance ``top``; None: no such link."""
    for node in spec.topology.nodes:
        for port, side in enumerate(DIRECTIONS):
            there = spec.topology.neighbour(node, Port(port)) is not None
            yield _shown(f"{top}.{_link(node, side)}") if there else None
        yield _shown(f"{top}.{_link(node, 'eject')}")
    for node in spec.topology.nodes:
        yield _shown(f"{top}.{_link(node, 'inject')}")


def _shown(link: str) -> Shown:
    return Shown(valid=f"{link}_valid", credit=f"{link}_credit", flit=f"{link}_flit")
