"""A whole mesh as Verilog: the router once, and a top that places it at every node."""

from collections.abc import Iterator

from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.unit import observe_bits
from syncfabric.rtl.guard.shape import guard_shape
from syncfabric.rtl.mesh.node import mesh_node
from syncfabric.sim.assemble.converted import converted
from syncfabric.sim.assemble.top import (
    LinkWires,
    Shown,
    join_config_answers,
    node_ports,
    start_top,
)
from syncfabric.sim.assemble.verilog import part, zero

__all__ = [
    "MODULES",
    "NETWORK_PORTS",
    "ROUTER",
    "link_wires",
    "modules_verilog",
    "shown_links",
    "shown_wires",
    "targets",
    "top_verilog",
]

ROUTER = "mesh_node"
"""The module of a node; every node of a mesh is the same module."""

MODULES = (ROUTER,)

NETWORK_PORTS = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
"""The ports that lead to other routers."""


def modules_verilog(spec: MeshSpec) -> str:
    """Return the Verilog of the router and all that it is made of."""
    return converted(mesh_node, ROUTER, spec)


def targets(spec: MeshSpec) -> list[tuple[str, int]]:
    """Return each router's instance in the top, and the width of its ``observe``."""
    return [(f"node_{x}_{y}", observe_bits(spec)) for x, y in spec.mesh.nodes]


def link_wires(spec: MeshSpec) -> LinkWires:
    """Return the wires of a link between two routers."""
    wires, channels = LinkWires(), spec.link_channels
    if channels:
        wires |= {"valid": channels, "flit": spec.layout.flit.width, "credit": channels}
    if spec.has_messages:
        wires |= {"sync_valid": 2, "sync_credit": 2}
    if spec.sync_links == "own":
        wires["sync"] = spec.layout.sync.width
    if spec.wire_plane:
        wires["wires"] = spec.wire_plane.link.width
    shape = guard_shape(spec)
    return wires.with_guards(shape.wires if shape else {})


def top_verilog(spec: MeshSpec, name: str) -> str:
    """Return the module that connects the routers."""
    mesh = spec.mesh
    top = start_top(spec, name)
    for node in mesh.nodes:
        for port in NETWORK_PORTS:
            if mesh.neighbour(node, port):
                for wire, width in link_wires(spec).items():
                    top.wire(f"{_link(node, port)}_{wire}", width)
    join_config_answers(top, len(mesh.nodes))
    for node in mesh.nodes:
        x, y = node
        ports: dict[str, str | None] = {
            "clk": "clk",
            "rst": "rst",
            "x": f"{spec.layout.x_bits}'d{x}",
            "y": f"{spec.layout.y_bits}'d{y}",
            "index": f"{spec.layout.node_bits}'d{mesh.index(node)}",
            "start": "start",
            **dict(_link_ports(spec, node)),
            **dict(node_ports(spec, mesh.index(node))),
        }
        top.instance(ROUTER, f"node_{x}_{y}", ports)
    return top.text()


def _link(node: Node, port: Port) -> str:
    """Return how the wires of a router's output begin."""
    return f"link_{node[0]}_{node[1]}_{port.name.lower()}"


def _link_ports(spec: MeshSpec, node: Node) -> Iterator[tuple[str, str]]:
    """Yield the connections of a router's four ports; at the rim 0 comes in, and 1 by `empty`."""
    wires = link_wires(spec)
    for port in NETWORK_PORTS:
        side = port.name.lower()
        neighbour = spec.mesh.neighbour(node, port)
        for wire, width in wires.items():
            incoming, outgoing = f"{side}_in__{wire}", f"{side}_out__{wire}"
            if neighbour:
                yield incoming, f"{_link(neighbour, port.opposite)}_{wire}"
                yield outgoing, f"{_link(node, port)}_{wire}"
            else:
                back = wire in wires.back
                nobody = f"{{{width}{{1'd1}}}}" if wire == "empty" else zero(width)
                yield incoming, "" if back else zero(width)
                yield outgoing, nobody if back else ""


def shown_links(spec: MeshSpec, top: str) -> Iterator[Shown | None]:
    """Yield what is on each link, by its number, of the instance ``top``; None: no such link."""
    names = link_wires(spec).keys() - {"wires"}
    for i, node in enumerate(spec.mesh.nodes):
        for port in NETWORK_PORTS:
            there = spec.mesh.neighbour(node, port) is not None
            link = f"{top}.{_link(node, port)}"
            yield Shown(**{name: f"{link}_{name}" for name in names}) if there else None
        yield _local(spec, "eject", i)
    for i in range(len(spec.mesh.nodes)):
        yield _local(spec, "inject", i)


def _local(spec: MeshSpec, name: str, i: int) -> Shown | None:
    """Return what is on a node's own link, which knows no synchronization and no set-up packets."""
    if not spec.channels:
        return None
    width = spec.managed + 2 * spec.has_messages
    above = zero(width) if width else ""
    return Shown(
        valid=part(f"{name}_valid", i, spec.channels),
        sync_valid=above,
        credit=part(f"{name}_credit", i, spec.channels),
        sync_credit=above,
        flit=part(f"{name}_flit", i, spec.layout.flit.width),
    )


def shown_wires(spec: MeshSpec, top: str) -> Iterator[str | None]:
    """Yield the barrier wires of each of their links, by its number; None: no such link."""
    for node in spec.mesh.nodes:
        for port in NETWORK_PORTS:
            there = spec.mesh.neighbour(node, port) is not None
            yield f"{top}.{_link(node, port)}_wires" if there else None
