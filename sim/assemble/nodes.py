"""A network of collective engines as Verilog: the top that places its modules and joins them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from syncfabric.models.layout.network import NetworkShape, Place
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec
from syncfabric.rtl.transport.config_chain import NODE_BITS
from syncfabric.sim.assemble.gates import gated
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.modules import (
    END,
    INTERFACE,
    REGISTERS,
    ROUTER,
    TAP,
    end_verilog,
    interface_verilog,
    link_ports,
    registers_verilog,
    router_verilog,
    wire_of,
)
from syncfabric.sim.assemble.parts import parts_of
from syncfabric.sim.assemble.top import LinkProbe, LinkWires, config_of_top
from syncfabric.sim.assemble.verilog import ModuleWriter, merged, part, zero

PROCESS = ("arrive", "data", "last", "released", "result", "ready", "done", "broken")
"""Ports of a node that its process has, except packets."""

CHAIN = {
    **{"request_valid": 1, "request": 16 + 1 + 8 + 32},
    **{"answer_valid": 1, "answer_error": 1, "answer_rdata": 32},
}
"""Wires of the config chain, from the host's side, and their bits."""

TAPPED = (
    *(("input", "valid", 1), ("input", "write", 1), ("input", "address", 8), ("input", "data", 32)),
    *(("output", "ready", 1), ("output", "error", 1), ("output", "rdata", 32)),
)
"""Ports of a tap that its process has: direction, name and width."""

FREED = ("freed_valid", "freed_entry", "freed_epoch")
"""Ports of a router that nothing of the network reads."""


def link_wires(spec: MessageSpec) -> LinkWires:
    """Return the wires of a link between routers, and of one to a node interface."""
    return LinkWires({wire_of(name): width for name, _, width in link_ports(spec.shape)})


def registers(spec: MessageSpec) -> int:
    """Return how many registers the longest link has."""
    return spec.shape.router.most_registers


def targets(spec: MessageSpec) -> list[tuple[str, int]]:
    """Return the places with an ``observe``: engines have none."""
    return []


def module_names(spec: MessageSpec) -> tuple[str, ...]:
    """Return the modules that stand in the network again and again."""
    there = {ROUTER: 1, INTERFACE: spec.shape.interfaces, REGISTERS: spec.shape.stage}
    return tuple(name for name, number in there.items() if number)


def modules_verilog(spec: MessageSpec) -> str:
    """Return the Verilog of all modules but the top."""
    shape = spec.shape
    texts = [router_verilog(shape), end_verilog()]
    texts += [interface_verilog(shape)] if shape.interfaces else []
    texts += [registers_verilog(shape)] if shape.stage else []
    return merged(*texts)


def top_ports(spec: MessageSpec, *, taps: bool = False) -> Iterator[tuple[str, str, int | None]]:
    """Yield direction, name and width of the top's ports; None is a single wire, no vector."""
    shape = spec.shape
    nodes = len(shape.nodes)
    ports = nodes * shape.registers
    yield "input", "clk", None
    yield "input", "rst", None
    for name in PROCESS:
        width = ports * (spec.data_bits if name in ("data", "result") else 1)
        yield "input" if name in ("arrive", "data", "last") else "output", name, width
    yield from config_of_top(spec)
    for each in parts_of(spec):
        yield from ((direction, name, nodes * width) for name, direction, width in each.ports())
    if taps:
        yield "input", "run", None
        yield from ((direction, f"ask_{name}", nodes * width) for direction, name, width in TAPPED)


def routes_of(spec: MessageSpec) -> list[list[int]]:
    """Return each router's row of the routing table: the port for each router, 0 for itself."""
    from syncfabric.models.planning.updown import routing_tables  # planning takes long to import

    if not isinstance(spec, IrregularSpec) or spec.shape.router.routing != "table":
        return []
    return [[max(port, 0) for port in row] for row in routing_tables(spec)]


def constants_of_router(spec: MessageSpec, router: int) -> dict[str, tuple[int, int]]:
    """Return width and value of the constant inputs of a router's module, except ``index``.

    The value of ``routes`` is 0 here: see ``routes_of``.
    """
    shape, links = spec.shape, spec.shape.router.links
    widths = {field.name: field.width for field in shape.header.fields}
    inputs: dict[str, tuple[int, int]] = {}
    if spec.channels and (grid := shape.router.grid):
        place = zip(grid.names, grid.place(router), strict=True)
        inputs |= {name: (widths[name], here) for name, here in place}
    if shape.managers or "router" in widths:
        inputs["number"] = max(1, (shape.routers - 1).bit_length()), router
    if "router" in widths:
        inputs["routes"] = shape.routers * widths["port"], 0
    most = shape.router.most_registers
    if shape.router.check_bits and most:
        delays = {port: shape.delay_of.get((router, port), most) for port in range(links)}
        delays |= {port: 0 for at, port in shape.nodes if at == router and port < links}
        bits = most.bit_length()
        word = sum(delay << bits * port for port, delay in delays.items())
        inputs["delays"] = bits * links, word
    if shape.router.datelines:
        word = sum(1 << port for at, port in shape.datelines if at == router)
        inputs["dateline"] = shape.router.ports, word
    return inputs


def constant_inputs(spec: MessageSpec) -> tuple[str, ...]:
    """Return the constant inputs of a router's module."""
    return tuple(name for name, _ in _constants(spec, spec.shape.target_of(0), routes_of(spec)))


def _constants(
    spec: MessageSpec, target: int, routes: list[list[int]]
) -> Iterator[tuple[str, str]]:
    """Yield what is constant at the inputs of a target's module, as Verilog."""
    shape = spec.shape
    yield "index", f"16'd{target}"
    router = target - shape.target_of(0)
    if router >= 0:
        for name, (width, value) in constants_of_router(spec, router).items():
            if name == "routes":
                bits = width // shape.routers
                value = sum(port << bits * to for to, port in enumerate(routes[router]))
            yield name, f"{width}'h{value:x}"
    if shape.managers and target < len(shape.nodes):
        manager = shape.managers.index(target) if target in shape.managers else None
        yield "manager", f"1'd{int(manager is not None)}"
        yield "manager_index", f"2'd{manager or 0}"


def link_name(router: int, port: int) -> str:
    """Return how the wires of a router's output begin."""
    return f"link_{router}_{port}"


def top_verilog(spec: MessageSpec, name: str, *, taps: bool = False) -> str:
    """Return the module that places and joins them.

    Parameters
    ----------
    spec : MessageSpec
    name : str
    taps : bool
        There is a tap before each node, which its process has from ``run`` on.
    """
    shape = spec.shape
    top = ModuleWriter(name)
    for direction, outside, bits in top_ports(spec, taps=taps):
        top.port(direction, outside, bits)
    wires = link_ports(shape)
    for link in _links(shape):
        for port, _, width in wires:
            top.wire(f"{link}_{wire_of(port)}", width)
    for end in (end for link in shape.links for end in link):
        _register(top, shape, end, wires)
    _join_chain(top, spec)
    routes = routes_of(spec)
    for target in range(shape.targets):
        inputs: dict[str, str | None] = {"clk": "clk", "reset": "rst"}
        inputs |= dict(_constants(spec, target, routes)) | _chain_of(spec, target)
        router = target - shape.target_of(0)
        if router >= 0:
            inputs |= _links_of(shape, router, wires)
            inputs |= dict.fromkeys(FREED, "") | gated(top, spec, f"router_{router}")
        if target < len(shape.nodes):
            inputs |= _process(spec, target)
            if taps:
                inputs |= _tap(top, target)
        if router < 0:
            place = shape.nodes[target]
            for port, _, _ in wires:
                inputs[f"out_0__{port}"] = f"uplink_{target}_{wire_of(port)}"
                inputs[f"in_0__{port}"] = f"{link_name(*place)}_{wire_of(port)}"
        module = ROUTER if router >= 0 else INTERFACE
        top.instance(module, f"node_{target}" if router < 0 else f"router_{router}", inputs)
    if (used := spec.layout.target_bits) < NODE_BITS:
        idle = (f"chain_{i}_request[{NODE_BITS - 1}:{used}]" for i in range(shape.targets))
        top.lines(f"  wire unused = &{{1'b0, {', '.join(idle)}}};")
    return top.text()


def _links(shape: NetworkShape) -> Iterator[str]:
    """Yield how the wires of each link begin."""
    for end in shape.ends:
        yield link_name(*end)
    for i, place in enumerate(shape.nodes) if shape.interfaces else ():
        yield link_name(*place)
        yield f"uplink_{i}"


def _far_name(shape: NetworkShape, end: Place) -> str:
    """Return how the wires at the far end of a router's output begin."""
    return "far_" * (shape.stages_of(end) > 0) + link_name(*end)


def _register(
    top: ModuleWriter, shape: NetworkShape, end: Place, wires: Sequence[tuple[str, bool, int]]
) -> None:
    """Place the registers of a link, stage by stage from the end that sends."""
    count, near = shape.stages_of(end), link_name(*end)
    for stage in range(count):
        far = f"{link_name(*end)}_{stage}" if stage < count - 1 else _far_name(shape, end)
        for port, _, width in wires:
            top.wire(f"{far}_{wire_of(port)}", width)
        ends = {f"near__{port}": f"{near}_{wire_of(port)}" for port, _, _ in wires}
        ends |= {f"far__{port}": f"{far}_{wire_of(port)}" for port, _, _ in wires}
        name = f"registers_{link_name(*end)}" + (f"_{stage}" if count > 1 else "")
        top.instance(REGISTERS, name, {"clk": "clk", **ends})
        near = far


def _links_of(
    shape: NetworkShape, router: int, wires: Iterable[tuple[str, bool, int]]
) -> Iterator[tuple[str, str]]:
    """Yield the connections of a router's links; at a port without a link 0 comes in (N1.6)."""
    for p in range(shape.router.links):
        place = (router, p)
        comes = None
        if place in shape.ends:
            comes = _far_name(shape, shape.ends[place])
        elif shape.interfaces and place in shape.node_at:
            comes = f"uplink_{shape.node_at[place]}"
        for port, back, width in wires:
            wire = wire_of(port)
            if comes is not None:
                yield f"in_{p}__{port}", f"{comes}_{wire}"
                yield f"out_{p}__{port}", f"{link_name(*place)}_{wire}"
            else:
                none = f"{{{width}{{1'd1}}}}" if wire == "empty" else zero(width)
                yield f"in_{p}__{port}", "" if back else zero(width)
                yield f"out_{p}__{port}", none if back else ""


def _process(spec: MessageSpec, node: int) -> Iterator[tuple[str, str]]:
    """Yield the connections of a node's process."""
    registers, data = spec.port_registers, spec.data_bits
    for name in PROCESS:
        width = registers * (data if name in ("data", "result") else 1)
        if width:
            yield name, part(name, node, width)
    for each in reversed(parts_of(spec)):
        for name, width in each.wires():
            port, _, wire = name.rpartition("_")
            yield f"{port}__{wire}", part(name, node, width)


def _chain_of(spec: MessageSpec, target: int) -> dict[str, str | None]:
    """Return the connections of a target to the chain; of the node's 16 bits, those in use."""
    ends = {f"host__{wire}": f"chain_{target}_{wire}" for wire in CHAIN}
    request, used = ends["host__request"], spec.layout.target_bits
    if used < NODE_BITS:
        parts = f"{request}[56:16]", zero(NODE_BITS - used), f"{request}[{used - 1}:0]"
        ends["host__request"] = f"{{{', '.join(parts)}}}"
    further = {f"next__{wire}": f"chain_{target + 1}_{wire}" for wire in CHAIN}
    return {**ends, **further}


def _tap(top: ModuleWriter, node: int) -> dict[str, str]:
    """Place the tap before a node; return how the node is joined to it."""
    inside = {f"host__{wire}": f"tapped_{node}_{wire}" for wire in CHAIN}
    for wire, width in CHAIN.items():
        top.wire(f"tapped_{node}_{wire}", width)
    ports: dict[str, str | None] = {"clk": "clk", "rst": "rst", "run": "run"}
    ports |= {name: part(f"ask_{name}", node, width) for _, name, width in TAPPED}
    ports |= {f"host__{wire}": f"chain_{node}_{wire}" for wire in CHAIN}
    ports |= {f"node__{wire}": f"tapped_{node}_{wire}" for wire in CHAIN}
    top.instance(TAP, f"tap_{node}", {**ports, "index": f"16'd{node}"})
    return inside


def _join_chain(top: ModuleWriter, spec: MessageSpec) -> None:
    """Declare the chain's wires, join its host to the config port, and end it."""
    for i in range(spec.shape.targets + 1):
        for wire, width in CHAIN.items():
            top.wire(f"chain_{i}_{wire}", width)
    node = f"{{{zero(16 - spec.layout.target_bits)}, config_node}}"
    node = "config_node" if spec.layout.target_bits == 16 else node
    top.assign("chain_0_request_valid", "config_valid")
    top.assign("chain_0_request", f"{{config_data, config_address, config_write, {node}}}")
    for outside, wire in zip(("ready", "error", "rdata"), list(CHAIN)[2:], strict=True):
        top.assign(f"config_{outside}", f"chain_0_{wire}")
    last = {f"host__{wire}": f"chain_{spec.shape.targets}_{wire}" for wire in CHAIN}
    top.instance(END, "config_end", {"clk": "clk", "rst": "rst", **last})


def link_probes(spec: MessageSpec, top: str) -> Iterator[LinkProbe | None]:
    """Yield what is on each link, by its number, of the instance ``top``; None: no such link.

    Output p of router r is link r * P + p, P its ports that are links or nodes; then come the
    nodes' links into the network. What goes by a link with registers is shown where it begins, and
    what comes back where it ends.
    """
    shape = spec.shape
    names = link_wires(spec)
    for r in range(shape.routers):
        for p in range(shape.router.links):
            if (r, p) in shape.ends:
                yield _probe(names, top, link_name(r, p), _far_name(shape, (r, p)))
            elif shape.interfaces and (r, p) in shape.node_at:
                yield _probe(names, top, link_name(r, p))
            else:
                yield None
        if not shape.interfaces:
            yield _local(spec, "eject", r)
    for i in range(len(shape.nodes)):
        yield _probe(names, top, f"uplink_{i}") if shape.interfaces else _local(spec, "inject", i)


def _probe(names: Mapping[str, int], top: str, link: str, far: str = "") -> LinkProbe:
    back = LinkWires.back
    wires = {name: f"{top}.{(far or link) if name in back else link}_{name}" for name in names}
    if "sync_credit" not in wires:
        wires["sync_credit"] = zero(names["sync_valid"])
    wires.pop("sequence", None)  # its check bits are shown
    if "slots" in wires:
        wires["slots_credit"] = zero(names["slots_valid"])
    if wires.pop("stream_sent", None):  # counts and check bits are not shown
        del wires["stream_freed"]
        wires["stream_credit"] = zero(names["stream_valid"])
    if "stream_valid" in wires and "stream" not in wires:  # on the wires of flits
        parts = wires.pop("stream_rest", ""), wires["flit"]
        wires["stream"] = f"{{{', '.join(filter(None, parts))}}}"
    if rest := wires.pop("rest", None):
        wires["flit"] = f"{{{rest}, {wires['flit']}}}"
    return LinkProbe(**wires)


def _local(spec: MessageSpec, name: str, i: int) -> LinkProbe | None:
    """Return what is on a node's own link, which has packets of processes alone."""
    if not spec.channels:
        return None
    above = zero(links_of(spec).width - spec.channels)
    return LinkProbe(
        valid=part(f"{name}_valid", i, spec.channels),
        sync_valid=above,
        credit=part(f"{name}_credit", i, spec.channels),
        sync_credit=above,
        flit=part(f"{name}_flit", i, spec.layout.flit.width),
    )
