"""The tiles of an irregular network: a switch, and a node interface with all that is behind it."""

from collections.abc import Iterable

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.node import NodeInterface
from syncfabric.rtl.irregular.switch import IrregularSwitch
from syncfabric.sim.assemble.converted import converted
from syncfabric.sim.assemble.irregular import NODE, SWITCH, dateline_bits, link_wires, targets
from syncfabric.sim.assemble.traffic import traffic_verilog
from syncfabric.sim.fabric import tile

__all__ = [
    "NODE_TILE",
    "SWITCH_TILE",
    "definitions",
    "node_ports",
    "switch_ports",
    "switch_tile",
    "tiles",
]

NODE_TILE, SWITCH_TILE = "node_tile", "switch_tile"


def switch_ports(spec: IrregularSpec) -> tile.Ports:
    """Return direction and width of a switch tile's ports, but for ``clk`` and ``rst``."""
    layout = spec.layout
    ports = {
        "number": ("input", layout.switch_bits),
        "target": ("input", layout.target_bits),
        "routes": ("input", spec.switches * layout.port_bits),
        "dateline": ("input", spec.ports),
        **tile.config_ports(spec),
        "observe": ("output", targets(spec)[-1][1]),
    }
    for p in range(spec.ports):
        ports |= tile.link_ports(spec, f"in_{p}", comes_in=True)
        ports |= tile.link_ports(spec, f"out_{p}", comes_in=False)
    return ports


def node_ports(spec: IrregularSpec) -> tile.Ports:
    """Return direction and width of a node tile's ports, but for ``clk`` and ``rst``."""
    return {
        "target": ("input", spec.layout.target_bits),
        **tile.process_ports(spec),
        **tile.config_ports(spec),
        "observe": ("output", targets(spec)[0][1]),
        **tile.link_ports(spec, "uplink", comes_in=False),
        **tile.link_ports(spec, "downlink", comes_in=True),
    }


def tiles(spec: IrregularSpec, *, queue: int) -> dict[str, str]:
    """Return the Verilog of each tile and all that it is made of, by the tile's name."""
    wires = link_wires(spec)
    top = tile.start_tile(NODE_TILE, node_ports(spec))
    for local in ("inject", "eject") if spec.channels else ():
        for wire in ("valid", "credit"):
            top.wire(f"{local}_{wire}", spec.channels)
        top.wire(f"{local}_flit", wires["flit"])
    node: dict[str, str | None] = {"target": "target", **tile.join_node(spec)}
    node |= {
        f"{link}__{wire}": f"{link}_{wire}" for link in ("uplink", "downlink") for wire in wires
    }
    top.instance(NODE, "node", node)
    parts = [converted(NodeInterface, NODE, spec)]
    if spec.channels:
        tile.place_traffic(top)
        parts.append(traffic_verilog(spec, queue))
    return {SWITCH_TILE: switch_tile(spec), NODE_TILE: "\n".join([*parts, top.text()])}


def switch_tile(spec: IrregularSpec) -> str:
    """Return a switch, with names of ports that C++ can spell."""
    top = tile.start_tile(SWITCH_TILE, switch_ports(spec))
    names = ("clk", "rst", "number", "target", "routes", "dateline", "observe")
    switch: dict[str, str | None] = {**dict(zip(names, names, strict=True)), **tile.join_config()}
    for wire in link_wires(spec):
        for p in range(spec.ports):
            switch |= {f"{way}_{p}__{wire}": f"{way}_{p}_{wire}" for way in ("in", "out")}
    top.instance(SWITCH, "switch", switch)
    return f"{converted(IrregularSwitch, SWITCH, spec)}\n{top.text()}"


def definitions(spec: IrregularSpec) -> list[str]:
    """Return what ``irregular.cpp`` must know of a network, as lines of C++."""
    from syncfabric.models.planning.updown import routing_tables  # planning takes long to import

    network, k = spec.topology, spec.ports
    ends = [network.across(s, p) for s in range(spec.switches) for p in range(k)]
    across = [-1 if end is None else k * end[0] + end[1] for end in ends]
    rows = ",\n".join(_list(max(port, 0) for port in row) for row in routing_tables(spec))
    ports = ", ".join(f"PORT_END(t, way##_{p})" for p in range(k))
    return [
        f"constexpr int SWITCHES = {spec.switches}, PORTS = {k};",
        f"constexpr int PORT_BITS = {spec.layout.port_bits};",
        f"constexpr int ACROSS[] = {_list(across)};",
        f"constexpr int PLACES[] = {_list(k * switch + port for switch, port in spec.nodes)};",
        f"constexpr uint8_t ROUTES[SWITCHES][SWITCHES] = {{{rows}}};",
        f"constexpr int DATELINES[] = {_list(dateline_bits(spec))};",
        f"#define PORT_ENDS(t, way) {ports}",
    ]


def _list(numbers: Iterable[int]) -> str:
    return f"{{{', '.join(map(str, numbers))}}}"
