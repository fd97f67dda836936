"""A whole irregular network as Verilog: switch and node interface once, and a top of many."""

from collections.abc import Iterator

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.guard.shape import guard_shape
from syncfabric.rtl.irregular.node import NodeInterface
from syncfabric.rtl.irregular.ports import NODE_PORTS, observe_bits
from syncfabric.rtl.irregular.switch import IrregularSwitch
from syncfabric.sim.assemble.converted import converted
from syncfabric.sim.assemble.top import (
    LinkWires,
    Shown,
    config_ports,
    join_config_answers,
    node_ports,
    start_top,
)
from syncfabric.sim.assemble.verilog import zero

__all__ = [
    "MODULES",
    "NODE",
    "SWITCH",
    "dateline_bits",
    "link_wires",
    "modules_verilog",
    "shown_links",
    "shown_wires",
    "targets",
    "top_verilog",
]

SWITCH, NODE = MODULES = ("irregular_switch", "irregular_node")
"""The modules of a switch and of a node interface; all of each are the same module."""


def modules_verilog(spec: IrregularSpec) -> str:
    """Return the Verilog of the switch, of the node interface, and all that they are made of."""
    return "\n".join(
        (converted(IrregularSwitch, SWITCH, spec), converted(NodeInterface, NODE, spec))
    )


def targets(spec: IrregularSpec) -> list[tuple[str, int]]:
    """Return each target's instance in the top, and the width of its ``observe``: nodes first."""
    node, switch = observe_bits(spec, NODE_PORTS, node=True), observe_bits(spec, spec.ports)
    nodes = [(f"node_{i}", node) for i in range(len(spec.nodes))]
    return nodes + [(f"switch_{s}", switch) for s in range(spec.switches)]


def link_wires(spec: IrregularSpec) -> LinkWires:
    """Return the wires of a link, between two switches or a switch and a node interface."""
    wires, channels = LinkWires(), spec.link_channels
    if channels:
        wires |= {"valid": channels, "flit": spec.layout.flit.width, "credit": channels}
    if spec.has_messages:
        wires["sync_valid"] = 1
    if spec.buffered:
        wires["sync_credit"] = 1
    if spec.wire_plane:
        wires["wires"] = spec.wire_plane.link.width
    shape = guard_shape(spec)
    return wires.with_guards(shape.wires if shape else {})


def _routes(spec: IrregularSpec) -> list[int]:
    """Return each switch's row of the routing table as one word, destination 0 in the low bits."""
    from syncfabric.models.planning.updown import routing_tables  # planning takes long to import

    bits = spec.layout.port_bits
    return [
        sum(max(port, 0) << bits * to for to, port in enumerate(row))
        for row in routing_tables(spec)
    ]


def dateline_bits(spec: IrregularSpec) -> list[int]:
    """Return each switch's ports with a dateline, a bit a port."""
    words = [0] * spec.switches
    for switch, port in spec.datelines:
        words[switch] |= 1 << port
    return words


def top_verilog(spec: IrregularSpec, name: str) -> str:
    """Return the module that connects switches and node interfaces."""
    layout, count = spec.layout, len(spec.nodes)
    top = start_top(spec, name)
    for link in filter(None, _numbered(spec)):
        for wire, width in link_wires(spec).items():
            top.wire(f"{link}_{wire}", width)
    join_config_answers(top, count + spec.switches)
    for s, (row, datelines) in enumerate(zip(_routes(spec), dateline_bits(spec), strict=True)):
        ports: dict[str, str | None] = {
            "clk": "clk",
            "rst": "rst",
            "number": f"{layout.switch_bits}'d{s}",
            "target": f"{layout.target_bits}'d{count + s}",
            "routes": f"{spec.switches * layout.port_bits}'h{row:x}",
            "dateline": f"{spec.ports}'d{datelines}",
            **dict(_switch_links(spec, s)),
            **dict(config_ports(count + s)),
            "observe": "",
        }
        top.instance(SWITCH, f"switch_{s}", ports)
    for i, place in enumerate(spec.nodes):
        wires = link_wires(spec)
        ports = {
            "clk": "clk",
            "rst": "rst",
            "target": f"{layout.target_bits}'d{i}",
            "start": "start",
            **{f"uplink__{wire}": f"uplink_{i}_{wire}" for wire in wires},
            **{f"downlink__{wire}": f"{_link(*place)}_{wire}" for wire in wires},
            **dict(node_ports(spec, i)),
        }
        top.instance(NODE, f"node_{i}", ports)
    return top.text()


def _link(switch: int, port: int) -> str:
    """Return how the wires of a switch's output begin."""
    return f"link_{switch}_{port}"


def _comes_in(spec: IrregularSpec, switch: int, port: int) -> str | None:
    """Return how the wires of a switch's input begin; None if nothing is joined to it."""
    node = spec.topology.node_at(switch, port)
    if node is not None:
        return f"uplink_{node}"
    across = spec.topology.across(switch, port)
    return None if across is None else _link(*across)


def _switch_links(spec: IrregularSpec, switch: int) -> Iterator[tuple[str, str]]:
    """Yield the connections of a switch's ports; where nothing is joined, 0 comes in."""
    wires = link_wires(spec)
    for port in range(spec.ports):
        comes_in = _comes_in(spec, switch, port)
        for wire, width in wires.items():
            if comes_in is not None:
                yield f"in_{port}__{wire}", f"{comes_in}_{wire}"
                yield f"out_{port}__{wire}", f"{_link(switch, port)}_{wire}"
            else:
                back = wire in wires.back
                yield f"in_{port}__{wire}", "" if back else zero(width)
                yield f"out_{port}__{wire}", zero(width) if back else ""


def shown_links(spec: IrregularSpec, top: str) -> Iterator[Shown | None]:
    """Yield what is on each link, by its number, of the instance ``top``; None: no such link."""
    wires = link_wires(spec).keys() - {"wires"}
    for link in _numbered(spec):
        shown = {wire: f"{top}.{link}_{wire}" for wire in wires}
        if spec.has_messages:
            shown.setdefault("sync_credit", zero(1))
        yield Shown(**shown) if link else None


def shown_wires(spec: IrregularSpec, top: str) -> Iterator[str | None]:
    """Yield the barrier wires of each of their links, by its number; None: no such link."""
    for link in _numbered(spec):
        yield f"{top}.{link}_wires" if link else None


def _numbered(spec: IrregularSpec) -> Iterator[str | None]:
    """Yield how the wires of each link begin, by its number; None: no such link."""
    for switch in range(spec.switches):
        for port in range(spec.ports):
            joined = _comes_in(spec, switch, port) is not None
            yield _link(switch, port) if joined else None
    for i in range(len(spec.nodes)):
        yield f"uplink_{i}"
