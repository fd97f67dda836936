"""A whole mesh as Verilog: the router once, and a top that places it at every node."""

from collections.abc import Iterator

from syncfabric.models.messages import CONFIG_ADDRESS_BITS, COUNTER_BITS, STATUS, Counter
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.node import MeshNode
from syncfabric.sim.assemble.verilog import ModuleWriter, convert, part, quote, zero

__all__ = [
    "NETWORK_PORTS",
    "ROUTER",
    "LinkWires",
    "link_wires",
    "node_bits",
    "observe_bits",
    "router_verilog",
    "top_ports",
    "top_verilog",
    "verilog",
]

ROUTER = "mesh_node"
"""The module of a node; every node of a mesh is the same module."""

NETWORK_PORTS = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
"""The ports that lead to other routers."""


def verilog(spec: MeshSpec, name: str) -> str:
    """Return one Verilog file for a network: its router and its top.

    Parameters
    ----------
    spec : MeshSpec
        The network.
    name : str
        Name of the top module. Its ports: ``docs/ports.md``.
    """
    title = (
        f"// {name}: a {spec.width}x{spec.height} mesh with hardware barriers, "
        "made by Syncfabric.\n"
    )
    return f"{title}\n{router_verilog(spec)}\n{top_verilog(spec, name)}"


def router_verilog(spec: MeshSpec) -> str:
    """Return the Verilog of the router and all that it is made of."""
    return convert(MeshNode(spec), ROUTER)


def node_bits(spec: MeshSpec) -> int:
    """Return the bits of a node's index."""
    return max(1, (spec.width * spec.height - 1).bit_length())


def observe_bits(spec: MeshSpec) -> int:
    """Return the width of a router's ``observe``: registers, then event counters."""
    counters = len(Counter) * COUNTER_BITS
    return spec.barrier_registers * (STATUS.width + 2 * spec.data_bits) + counters


class LinkWires(dict[str, int]):
    """Width of each bundle of wires of a link between routers, by name; ``back`` runs against."""

    back = frozenset({"credit", "sync_credit"})


def link_wires(spec: MeshSpec) -> LinkWires:
    """Return the wires of a link between two routers."""
    wires = LinkWires(
        valid=spec.channels,
        sync_valid=2,
        flit=spec.layout.flit.width,
        credit=spec.channels,
        sync_credit=2,
    )
    if spec.sync_links == "own":
        wires["sync"] = spec.layout.sync.width
    return wires


def top_verilog(spec: MeshSpec, name: str) -> str:
    """Return the module that connects the routers."""
    mesh = spec.mesh
    count = len(mesh.nodes)
    top = ModuleWriter(name)
    for direction, outside, bits in top_ports(spec):
        top.port(direction, outside, bits)
    for node in mesh.nodes:
        for port in NETWORK_PORTS:
            if mesh.neighbour(node, port):
                for wire, width in link_wires(spec).items():
                    top.wire(f"{_link(node, port)}_{wire}", width)
    for answer, width in (("ready", 1), ("error", 1), ("rdata", 32)):
        top.wire(f"all_{answer}", count * width)
        terms = (part(f"all_{answer}", i, width) for i in range(count))
        top.assign(f"config_{answer}", " |\n    ".join(terms))
    for node in mesh.nodes:
        x, y = node
        ports: dict[str, str | None] = {
            "clk": "clk",
            "rst": "rst",
            "x": f"{spec.layout.x_bits}'d{x}",
            "y": f"{spec.layout.y_bits}'d{y}",
            "index": f"{node_bits(spec)}'d{mesh.index(node)}",
            "start": "start",
            **dict(_link_ports(spec, node)),
            **dict(_node_ports(spec, mesh.index(node))),
        }
        top.instance(ROUTER, f"node_{x}_{y}", ports)
    return top.text()


def _link(node: Node, port: Port) -> str:
    """Return how the wires of a router's output begin."""
    return f"link_{node[0]}_{node[1]}_{port.name.lower()}"


def top_ports(spec: MeshSpec) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the top's ports; None is a single wire, no vector."""
    count, registers = spec.width * spec.height, spec.barrier_registers
    data, flit = spec.data_bits, spec.layout.flit.width
    for name in ("clk", "rst", "start"):
        yield "input", name, None
    yield "input", "arrive", count * registers
    yield "input", "data", count * registers * data
    yield "output", "released", count * registers
    yield "output", "result", count * registers * data
    yield "output", "ready", count * registers
    yield "output", "done", count * registers
    yield "input", "config_valid", None
    yield "input", "config_node", node_bits(spec)
    yield "input", "config_address", CONFIG_ADDRESS_BITS
    yield "input", "config_write", None
    yield "input", "config_data", 32
    yield "output", "config_ready", None
    yield "output", "config_error", None
    yield "output", "config_rdata", 32
    if spec.spill:
        yield "input", "spill_arrive_valid", count
        yield "input", "spill_arrive_gid", count * 8
        yield "input", "spill_arrive_data", count * data
        yield "output", "spill_arrive_ready", count
        yield "output", "spill_release_valid", count
        yield "output", "spill_release_gid", count * 8
        yield "output", "spill_release_result", count * data
    yield "input", "inject_valid", count * spec.channels
    yield "input", "inject_flit", count * flit
    yield "output", "inject_credit", count * spec.channels
    yield "output", "eject_valid", count * spec.channels
    yield "output", "eject_flit", count * flit
    yield "input", "eject_credit", count * spec.channels


def _link_ports(spec: MeshSpec, node: Node) -> Iterator[tuple[str, str]]:
    """Yield the connections of a router's four network ports; at the rim 0 comes in."""
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
                yield incoming, "" if back else zero(width)
                yield outgoing, zero(width) if back else ""


def _node_ports(spec: MeshSpec, i: int) -> Iterator[tuple[str, str | None]]:
    """Yield the connections of a router to the top's ports."""
    registers, data = spec.barrier_registers, spec.data_bits
    for name, width in (
        ("arrive", registers),
        ("data", registers * data),
        ("released", registers),
        ("result", registers * data),
        ("ready", registers),
        ("done", registers),
    ):
        yield name, part(name, i, width) if width else None
    for name in ("valid", "node", "address", "write", "data"):
        yield f"config__{name}", quote(f"config_{name}")
    for name, width in (("ready", 1), ("error", 1), ("rdata", 32)):
        yield f"config__{name}", part(f"all_{name}", i, width)
    if spec.spill:
        for name, width in (
            ("arrive__valid", 1),
            ("arrive__gid", 8),
            ("arrive__data", data),
            ("arrive__ready", 1),
            ("release__valid", 1),
            ("release__gid", 8),
            ("release__result", data),
        ):
            top = f"spill_{name.replace('__', '_')}"
            yield f"spill_{name}", part(top, i, width) if width else None
    flit = spec.layout.flit.width
    for local, top in (("local_in", "inject"), ("local_out", "eject")):
        yield f"{local}__valid", part(f"{top}_valid", i, spec.channels)
        yield f"{local}__flit", part(f"{top}_flit", i, flit)
        yield f"{local}__credit", part(f"{top}_credit", i, spec.channels)
    yield "observe", ""
