"""A whole static network as Verilog: each module once, and a top of many."""

from collections.abc import Iterator
from typing import TypeAlias

from amaranth.lib import wiring

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.config import RouteLoader
from syncfabric.rtl.static.node import StaticCore, StaticNode
from syncfabric.rtl.static.switch import StaticSwitch
from syncfabric.sim.assemble.top import (
    LinkProbe,
    LinkWires,
    config_of_top,
    config_ports,
    join_config_answers,
)
from syncfabric.sim.assemble.verilog import ModuleWriter, converted, merged, part, zero

Joined: TypeAlias = dict[str, str | None]

NODE, SWITCH, LOADER = "static_node", "static_switch", "static_loader"
"""The modules of a node, of a switch outside nodes, and of the loader, of which there is one."""

_NODES: dict[bool, dict[str, type[wiring.Component]]] = {
    True: {NODE: StaticNode},
    False: {SWITCH: StaticSwitch, NODE: StaticCore},
}
_CONSTANT = {True: "index", False: "node_ports"}
"""By whether nodes contain their switches: the modules of both, and the first one's constant."""

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


def top_ports(spec: StaticSpec, *, taps: bool = False) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the top's ports; None is a single wire, no vector."""
    for name in ("clk", "rst"):
        yield "input", name, None
    for direction, name, width in process_ports(spec):
        yield direction, name, len(spec.topology.nodes) * width
    yield from config_of_top(spec)


def modules(spec: StaticSpec) -> dict[str, type[wiring.Component]]:
    """Return the component of each module that the top places; a node can contain its switch."""
    return {**_NODES[spec.graph.own], LOADER: RouteLoader}


def module_names(spec: StaticSpec) -> tuple[str, ...]:
    """Return the names of the modules that the top places."""
    return tuple(modules(spec))


def modules_verilog(spec: StaticSpec) -> str:
    """Return the Verilog of these modules and their submodules."""
    return merged(*(converted(part, name, spec) for name, part in modules(spec).items()))


def targets(spec: StaticSpec) -> list[tuple[str, int]]:
    """Return each node's instance in the top, and the width of its ``observe``."""
    return [(f"node_{_tag(spec, i)}", spec.observe.width) for i in range(spec.layout.nodes)]


def constant_inputs(spec: StaticSpec) -> tuple[str, ...]:
    """Return the inputs of the first of these modules that are tied to constants."""
    return (_CONSTANT[spec.graph.own],)


def registers(spec: StaticSpec) -> int:
    """Return how many registers the longest link has: none."""
    return 0


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
        for port, side in enumerate(spec.link_names):
            if graph.across(switch, port) or graph.node_at(switch, port) is not None:
                for wire, bits in link_wires(spec).items():
                    top.wire(f"{_link(spec, switch, side)}_{wire}", bits)
        for wire, bits in local_wires(spec) if graph.own else ():
            top.wire(_local(spec, switch, wire), bits)
    for node in range(0 if graph.own else layout.nodes):
        for wire, bits in local_wires(spec):
            if wire in _INJECT:
                top.wire(_local(spec, node, wire), bits)
    for wire in ("route_shift", "route_strobe"):
        top.wire(wire)
    top.wire("route_chain", layout.switches + 1)
    join_config_answers(top, layout.loader + 1)
    loader = dict(config_ports(layout.loader))
    loader |= _ROUTE | {"clk": "clk", "rst": "rst", "route_in": part("route_chain", 0, 1)}
    top.instance(LOADER, "loader", loader)
    for module, instance, joined in _whole_nodes(spec) if graph.own else _parted_nodes(spec):
        top.instance(module, instance, joined)
    seen = (_local(spec, i, w) for i in range(layout.switches) for w, _ in local_wires(spec))
    unread = [*(seen if graph.own else ()), part("route_chain", layout.switches, 1)]
    top.lines(f"  wire unused = &{{1'b0, {', '.join(unread)}}};")
    return top.text()


_INJECT = ("inject_valid", "inject_flit", "inject_credit")
_ROUTE = {"route__shift": "route_shift", "route__strobe": "route_strobe"}


def _whole_nodes(spec: StaticSpec) -> Iterator[tuple[str, str, Joined]]:
    """Yield module, instance and connections of nodes that contain their switches."""
    for i in range(spec.layout.switches):
        local = {wire: _local(spec, i, wire) for wire, _ in local_wires(spec)}
        joined = _placed(spec, i) | _switch(spec, i) | _process(spec, i) | local
        yield NODE, f"node_{_tag(spec, i)}", joined | {"observe": ""}


def _parted_nodes(spec: StaticSpec) -> Iterator[tuple[str, str, Joined]]:
    """Yield module, instance and connections of switches, then of the nodes at their ports."""
    for i in range(spec.layout.switches):
        own: Joined = {"clk": "clk", "rst": "rst", "node_ports": node_ports(spec, i)}
        yield SWITCH, f"switch_{i}", _switch(spec, i) | own | unseen_ports(spec)
    for i, (at, port) in enumerate(spec.graph.nodes):
        out = _link(spec, at, spec.link_names[port])
        ends: Joined = {f"eject__{wire}": f"{out}_{wire}" for wire in link_wires(spec)}
        ends |= {wire.replace("_", "__"): _local(spec, i, wire) for wire in _INJECT}
        yield NODE, f"node_{i}", _placed(spec, i) | ends | _process(spec, i) | {"observe": ""}


def _switch(spec: StaticSpec, switch: int) -> Joined:
    """Return the connections of a switch with the chain of routes and its neighbours."""
    chain = {"route_in": switch, "route_out": switch + 1}
    parts = {name: part("route_chain", at, 1) for name, at in chain.items()}
    return {**_ROUTE, **parts, **dict(_link_ports(spec, switch))}


def unseen_ports(spec: StaticSpec) -> Joined:
    """Return the outputs of a switch that stay open outside a node, which observes them."""
    return dict.fromkeys(("overflow", *(f"number_{port}" for port in spec.layout.links)), "")


def _placed(spec: StaticSpec, node: int) -> Joined:
    index = f"{spec.layout.target_bits}'d{node}"
    return {"clk": "clk", "rst": "rst", "index": index}


def _process(spec: StaticSpec, node: int) -> Joined:
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
    """Return how the names of a link's wires begin."""
    return f"link_{_tag(spec, switch)}_{name}"


def _local(spec: StaticSpec, node: int, name: str) -> str:
    """Return the name of a wire between a node and its switch, or how such names begin."""
    return _link(spec, node, name) if spec.graph.own else f"node_{node}_{name}"


def local_wires(spec: StaticSpec) -> Iterator[tuple[str, int]]:
    """Yield what a node shows of the links between its switch and its core, and the bits."""
    for link in ("eject", "inject"):
        yield from ((f"{link}_valid", 1), (f"{link}_flit", spec.flit_bits), (f"{link}_credit", 1))


def _link_ports(spec: StaticSpec, switch: int) -> Iterator[tuple[str, str]]:
    """Yield the connections of a switch's links; where nothing is joined 0 comes in."""
    names = spec.link_names
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
                yield incoming, _local(spec, node, f"inject_{wire}")
                yield outgoing, f"{_link(spec, switch, side)}_{wire}"
            else:
                back = wire == "credit"
                yield incoming, "" if back else zero(width)
                yield outgoing, zero(width) if back else ""


def link_probes(spec: StaticSpec, top: str) -> Iterator[LinkProbe | None]:
    """Yield what is on each link, by its number, of the instance ``top``; None: no such link."""
    graph = spec.graph
    for switch in range(graph.switches):
        for port, side in enumerate(spec.link_names):
            there = graph.across(switch, port) or graph.node_at(switch, port) is not None
            yield _probe(f"{top}.{_link(spec, switch, side)}") if there else None
        if graph.own:
            yield _probe(f"{top}.{_local(spec, switch, 'eject')}")
    for node in range(len(graph.nodes)):
        yield _probe(f"{top}.{_local(spec, node, 'inject')}")


def _probe(link: str) -> LinkProbe:
    return LinkProbe(valid=f"{link}_valid", credit=f"{link}_credit", flit=f"{link}_flit")
