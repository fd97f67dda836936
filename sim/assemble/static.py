"""A whole static network as Verilog: each module once, and a top of many."""

from collections.abc import Iterator

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.config import RouteLoader
from syncfabric.rtl.static.node import StaticCore, StaticNode, link_names, observe_bits
from syncfabric.rtl.static.switch import StaticSwitch
from syncfabric.sim.assemble.top import (
    LinkWires,
    Shown,
    config_of_top,
    config_ports,
    join_config_answers,
)
from syncfabric.sim.assemble.verilog import ModuleWriter, converted, merged, part, zero

__all__ = [
    "LOADER",
    "NODE",
    "SWITCH",
    "link_wires",
    "local_wires",
    "module_names",
    "modules_verilog",
    "process_ports",
    "shown_links",
    "targets",
    "top_ports",
    "top_verilog",
]

NODE, SWITCH, LOADER = "static_node", "static_switch", "static_loader"
"""The modules of a node, of a switch outside nodes, and of the loader, of which there is one."""

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


def module_names(spec: StaticSpec) -> tuple[str, ...]:
    """Return the names of the modules that the top places."""
    return (NODE, LOADER) if spec.graph.own else (SWITCH, NODE, LOADER)


def modules_verilog(spec: StaticSpec) -> str:
    """Return the Verilog of these modules, and all that they are made of."""
    made = [converted(RouteLoader, LOADER, spec)]
    if spec.graph.own:
        return merged(converted(StaticNode, NODE, spec), *made)
    return merged(converted(StaticSwitch, SWITCH, spec), converted(StaticCore, NODE, spec), *made)


def targets(spec: StaticSpec) -> list[tuple[str, int]]:
    """Return each node's instance in the top, and the width of its ``observe``."""
    return [(f"node_{_tag(spec, i)}", observe_bits(spec)) for i in range(spec.layout.nodes)]


def link_wires(spec: StaticSpec) -> LinkWires:
    """Return the wires of a link between two switches."""
    return LinkWires(valid=1, flit=spec.flit_bits, credit=1, flush=1)


def top_verilog(spec: StaticSpec, name: str) -> str:
    """Return the module that connects switches, nodes and loader."""
    graph, layout = spec.graph, spec.layout
    top = ModuleWriter(name)
    for direction, outside, width in top_ports(spec):
        top.port(direction, outside, width)
    for switch in range(layout.switches):
        for port, side in enumerate(link_names(spec)):
            if graph.across(switch, port) or graph.node_at(switch, port) is not None:
                for wire, bits in link_wires(spec).items():
                    top.wire(f"{_link(spec, switch, side)}_{wire}", bits)
        for wire, bits in local_wires(spec) if graph.own else ():
            top.wire(f"{_link(spec, switch, wire)}", bits)
    for node in range(0 if graph.own else layout.nodes):
        for wire, bits in local_wires(spec):
            if wire.startswith("inject"):
                top.wire(f"node_{node}_{wire}", bits)
    for wire in ("route_shift", "route_strobe"):
        top.wire(wire)
    top.wire("route_chain", layout.switches + 1)
    join_config_answers(top, layout.loader + 1)
    route = {"route__shift": "route_shift", "route__strobe": "route_strobe"}
    loader = dict(config_ports(layout.loader))
    loader |= route | {"clk": "clk", "rst": "rst", "route_in": part("route_chain", 0, 1)}
    top.instance(LOADER, "loader", loader)
    for i in range(layout.switches):
        joined: dict[str, str | None] = {
            **route,
            "route_in": part("route_chain", i, 1),
            "route_out": part("route_chain", i + 1, 1),
            **dict(_link_ports(spec, i)),
        }
        if graph.own:
            own = _process(spec, i), {w: _link(spec, i, w) for w, _ in local_wires(spec)}
            ports = _placed(spec, i) | joined | own[0] | own[1] | {"observe": ""}
            top.instance(NODE, f"node_{_tag(spec, i)}", ports)
        else:
            unseen = dict.fromkeys(("overflow", *(f"number_{p}" for p in layout.links)), "")
            joined |= {"clk": "clk", "rst": "rst", "node_ports": node_ports(spec, i)}
            top.instance(SWITCH, f"switch_{i}", joined | unseen)
    for i, (at, port) in enumerate(() if graph.own else graph.nodes):
        out = _link(spec, at, link_names(spec)[port])
        ends = {f"eject__{wire}": f"{out}_{wire}" for wire in link_wires(spec)}
        ends |= {wire.replace("_", "__"): f"node_{i}_{wire}" for wire in _INJECT}
        ports = _placed(spec, i) | ends | _process(spec, i) | {"observe": ""}
        top.instance(NODE, f"node_{i}", ports)
    seen = (_link(spec, i, w) for i in range(layout.switches) for w, _ in local_wires(spec))
    unread = [*(seen if graph.own else ()), part("route_chain", layout.switches, 1)]
    top.lines(f"  wire unused = &{{1'b0, {', '.join(unread)}}};")
    return top.text()


_INJECT = ("inject_valid", "inject_flit", "inject_credit")


def _placed(spec: StaticSpec, node: int) -> dict[str, str | None]:
    index = f"{spec.layout.target_bits}'d{node}"
    return {"clk": "clk", "rst": "rst", "index": index}


def _process(spec: StaticSpec, node: int) -> dict[str, str | None]:
    """Return the connections of a node with its process and the config port."""
    ports = {f"port__{n}": part(n, node, bits) for _, n, bits in process_ports(spec)}
    return {**ports, **dict(config_ports(node))}


def node_ports(spec: StaticSpec, switch: int) -> str:
    """Return which ports of a switch outside nodes lead to nodes, as a Verilog constant."""
    mask = sum(1 << port for at, port in spec.graph.nodes if at == switch)
    return f"{spec.layout.ports}'d{mask}"


def _tag(spec: StaticSpec, switch: int) -> str:
    """Return what the names of a switch's instance and links have of it."""
    x, y = spec.graph.member(switch) if spec.graph.columns else (switch, None)
    return f"{x}" if y is None else f"{x}_{y}"


def _link(spec: StaticSpec, switch: int, name: str) -> str:
    """Return how the wires of a link begin, or a wire of a node's own links."""
    return f"link_{_tag(spec, switch)}_{name}"


def local_wires(spec: StaticSpec) -> Iterator[tuple[str, int]]:
    """Yield what a node shows of the links between its switch and its core, and the bits."""
    for link in ("eject", "inject"):
        yield from ((f"{link}_valid", 1), (f"{link}_flit", spec.flit_bits), (f"{link}_credit", 1))


def _link_ports(spec: StaticSpec, switch: int) -> Iterator[tuple[str, str]]:
    """Yield the connections of a switch's links; where nothing is joined 0 comes in."""
    names = link_names(spec)
    for port, side in enumerate(names):
        far, node = spec.graph.across(switch, port), spec.graph.node_at(switch, port)
        for wire, width in link_wires(spec).items():
            incoming, outgoing = f"{side}_in__{wire}", f"{side}_out__{wire}"
            if far:
                yield incoming, f"{_link(spec, far[0], names[far[1]])}_{wire}"
                yield outgoing, f"{_link(spec, switch, side)}_{wire}"
            elif wire == "flush":  # what no neighbour flushes is empty from reset on
                yield incoming, "rst"
                yield outgoing, "" if node is None else f"{_link(spec, switch, side)}_{wire}"
            elif node is not None:
                yield incoming, f"node_{node}_inject_{wire}"
                yield outgoing, f"{_link(spec, switch, side)}_{wire}"
            else:
                back = wire == "credit"
                yield incoming, "" if back else zero(width)
                yield outgoing, zero(width) if back else ""


def shown_links(spec: StaticSpec, top: str) -> Iterator[Shown | None]:
    """Yield what is on each link, by its number, of the instance ``top``; None: no such link."""
    graph = spec.graph
    for switch in range(graph.switches):
        for port, side in enumerate(link_names(spec)):
            there = graph.across(switch, port) or graph.node_at(switch, port) is not None
            yield _shown(f"{top}.{_link(spec, switch, side)}") if there else None
        if graph.own:
            yield _shown(f"{top}.{_link(spec, switch, 'eject')}")
    for node in range(len(graph.nodes)):
        link = _link(spec, node, "inject") if graph.own else f"node_{node}_inject"
        yield _shown(f"{top}.{link}")


def _shown(link: str) -> Shown:
    return Shown(valid=f"{link}_valid", credit=f"{link}_credit", flit=f"{link}_flit")
