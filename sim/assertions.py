"""Assertions of a network in SystemVerilog, to be bound to its modules."""

import re
from collections.abc import Iterator, Mapping
from functools import singledispatch
from importlib.resources import files
from typing import Any

from syncfabric.models.layout.network import Place
from syncfabric.models.networks.spec import MessageSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import Epochs, group_images
from syncfabric.models.planning.set_up_writes import members
from syncfabric.sim.assemble.network import link_probes, link_wires, module_names, modules_verilog
from syncfabric.sim.assemble.verilog import ports_of

_CLOCKS = {"clk": "clk", "rst": "reset"}
_UNFRAMED = {"HEAD": 0, "TAIL": 0, "FRAMED": 0}


def assertions(plan: BarrierPlan, prefix: str = "") -> str:
    """Return the assertions of a network, with what binds them.

    Links of routers, ports of nodes, packets through the network, and the plan's groups with the
    messages of their trees are watched.

    Parameters
    ----------
    plan : BarrierPlan
    prefix : str, optional
        What the names of the network's modules begin with; by default its name.
    """
    spec = plan.spec
    begin = prefix or spec.module
    text = files("syncfabric.sim").joinpath("sva.sv").read_text(encoding="utf-8")
    text = text.replace("@NAME@", spec.name).replace("@PREFIX@", begin)
    network = spec.network
    top = [*_groups(plan), *_packets(network), *_edges(network, plan)]
    binds = [*_links(network, begin)]
    binds += [f"bind {spec.module} {begin}_{watcher}" for watcher in top]
    return "\n".join([text, *binds]) + "\n"


def _instance(
    what: str, name: str, numbers: Mapping[str, int | str], ports: Mapping[str, str]
) -> str:
    """Return the instance of a watcher."""
    given = ", ".join(f".{key}({value})" for key, value in numbers.items())
    joined = ", ".join(f".{port}({value})" for port, value in ports.items())
    return f"{what}_sva #({given}) {name} ({joined});"


@singledispatch
def _links(spec: Any, begin: str) -> Iterator[str]:
    """Yield what watches the links and the process's port of routers and node interfaces."""
    text = modules_verilog(spec)
    for module in module_names(spec)[: 1 + spec.shape.interfaces]:
        ports = {name: width for name, (_, width) in ports_of(text, module).items()}
        watchers = [w for name in ports for w in _link(spec, name.removesuffix("__valid"), ports)]
        if "arrive" in ports:
            count = ports["arrive"]
            data = ports["result"] // count if "result" in ports else 0
            joined = {name: name for name in ("arrive", "ready", "released", "done", "broken")}
            joined["result"] = "result" if data else "1'b0"
            numbers = {"R": count, "D": data}
            watchers.append(_instance("port", "sva_port", numbers, _CLOCKS | joined))
        yield from (f"bind {begin}_{module} {begin}_{watcher}" for watcher in watchers)


def _link(spec: MessageSpec, link: str, ports: Mapping[str, int]) -> Iterator[str]:
    """Yield what watches a link, by the name before ``__valid``; nothing if there is none."""
    router, name, valid = spec.shape.router, f"sva_{link}", f"{link}__valid"
    # Guards send again what is lost, and end packets by other means.
    plain = int(not router.check_bits)
    if valid in ports and f"{link}__credit" in ports:
        stream = router.stream if link.endswith("streams") else None
        layout, depth = spec.layout.flit, router.buffer_flits
        if stream:
            layout, depth = stream.word, stream.places
        carried = f"{link}__{'word' if stream else 'flit'}"
        numbers: dict[str, int | str] = {"CHANNELS": ports[valid], "WIDTH": ports[carried]}
        numbers |= {name.upper(): layout.offsets[name] for name in ("head", "tail")}
        numbers |= {"DEPTH": depth, "CREDITS": plain, "FRAMED": plain}
        others = [f"(|{p})" for p in ports if re.fullmatch(rf"{link}__\w+_valid", p)]
        joined = {"valid": valid, "flit": carried, "credit": f"{link}__credit"}
        joined["shared"] = " | ".join(others) or "1'b0"
        yield _instance("link", name, numbers, _CLOCKS | joined)
        if spec.managed and plain and not stream and ports[valid] > spec.channels:
            numbers = {"WIDTH": ports[carried], "TAIL": layout.offsets["tail"]}
            numbers["REPLY"] = spec.shape.header.offsets["reply"]
            joined = {"valid": f"{valid}[{spec.channels}]", "flit": carried}
            yield _instance("set_up", f"{name}_set_up", numbers, _CLOCKS | joined)
    own = link.endswith("messages") and valid in ports
    valid = valid if own else f"{link}__message_valid"
    if valid not in ports:
        return
    wires = [f"{link}__message"] if own else [f"{link}__message_rest", f"{link}__flit"]
    wires = [wire for wire in wires if wire in ports]
    message = f"{{{', '.join(wires)}}}"
    layout = router.layout.link_message
    numbers = {"WIRES": sum(ports[wire] for wire in wires), "WIDTH": layout.width}
    numbers |= {name.upper(): layout.offsets[name] for name in ("kind", "data")}
    joined = {"valid": f"|{valid}", "message": message}
    yield _instance("message", f"{name}_m", numbers | {"D": spec.data_bits}, _CLOCKS | joined)
    if plain and (credit := f"{link}__message_credit") in ports:
        numbers = {"CHANNELS": ports[valid], "WIDTH": numbers["WIRES"], "DEPTH": 1, **_UNFRAMED}
        joined = {"valid": valid, "flit": message, "credit": credit, "shared": "1'b0"}
        yield _instance("link", f"{name}_lanes", numbers, _CLOCKS | joined)


def _packets(spec: Any) -> Iterator[str]:
    """Yield what watches packets through the network; guards may lose some."""
    if not spec.channels or spec.shape.router.check_bits:
        return
    shape, flit = spec.shape, spec.layout.flit
    bits = shape.header.offsets.get("reply", 0)
    heads = sum(shape.header_of(place) << bits * i for i, place in enumerate(shape.nodes))
    numbers: dict[str, int | str] = {"N": len(shape.nodes), "C": spec.channels}
    numbers |= {"WIDTH": flit.width, "F": spec.flit_bits, "H": bits}
    numbers |= {name.upper(): flit.offsets[name] for name in ("head", "tail")}
    if bits:
        numbers["HEADS"] = f"{bits * len(shape.nodes)}'h{heads:x}"
    joined = {f"{end}_{wire}" for end in ("inject", "eject") for wire in ("valid", "flit")}
    ports = {"clk": "clk", "rst": "rst", **{name: name for name in sorted(joined)}}
    yield _instance("packets", "sva_packets", numbers, ports)


@singledispatch
def _edges(spec: Any, plan: BarrierPlan) -> Iterator[str]:
    """Yield what watches messages between parents and children of engines.

    Routed messages pass other routers; groups of slots have wires.
    """
    shape, epochs = spec.shape, Epochs()
    layout = shape.router.layout
    if layout.routed:
        return
    links = [*link_probes(spec, "top")]
    outputs = shape.router.links + (not shape.interfaces)
    widths = link_wires(spec)
    wires = widths.get("sync") or widths["flit"] + widths.get("rest", 0)
    for group in plan.engine_groups:
        images = group_images(group, layout, epochs) if group.slot_register is None else ()
        for image in images:
            fields = layout.image.unpack(image.word)
            for port in range(shape.router.links):
                if not fields["children"] >> port & 1:
                    continue
                here: Place = (image.router, port)
                up, parent = shape.routers * outputs + shape.node_at.get(here, 0), image.entry
                if here in shape.ends:
                    router, far = shape.ends[here]
                    up = router * outputs + far
                numbers = {"WIRES": wires, "ENTRIES": layout.entry_bits, "UP_ENTRY": parent}
                numbers["DOWN_ENTRY"] = fields[f"entry_{port}"]
                ports = {"clk": "clk", "rst": "rst"}
                for end, number in (("up", up), ("down", image.router * outputs + port)):
                    probe = links[number]
                    assert probe, number
                    words = {f"{end}_valid": probe.sync_valid, end: probe.sync or probe.flit}
                    ports |= {name: word.replace("top.", "") for name, word in words.items()}
                name = f"sva_group_{group.id}_router_{image.router}_{port}"
                yield _instance("edge", name, numbers, ports)
        epochs.set_up(group)


@_edges.register
@_links.register
def _(spec: StaticSpec, what: object) -> Iterator[str]:
    """Yield nothing: links of static networks have no frames, and their groups no messages."""
    return iter(())


def _groups(plan: BarrierPlan) -> Iterator[str]:
    """Yield what watches each group of the plan, at the network's ports."""
    registers = plan.spec.network.port_registers
    bits: dict[int, list[int]] = {}
    for gid, node, place in members(plan):
        bits.setdefault(gid, []).append(node * registers + place)
    for gid, places in bits.items():
        ports = {"clk": "clk", "rst": "rst"}
        for name in ("arrive", "ready", "released", "broken"):
            ports[name] = f"{{{', '.join(f'{name}[{bit}]' for bit in reversed(places))}}}"
        if not plan.spec.network.ends_groups:
            ports["broken"] = f"{len(places)}'d0"
        yield _instance("group", f"sva_group_{gid}", {"M": len(places)}, ports)
