"""Assertions of a network in SystemVerilog, to be bound to its modules."""

import re
from collections.abc import Iterator
from importlib.resources import files

from syncfabric.models.networks.spec import MessageSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import members
from syncfabric.sim.assemble.network import module_names, modules_verilog
from syncfabric.sim.assemble.verilog import ports_of

__all__ = ["assertions"]


def assertions(plan: BarrierPlan, prefix: str = "") -> str:
    """Return the assertions of a network, with what binds them.

    Links of routers, ports of nodes, and the plan's groups are watched.

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
    binds = [] if isinstance(network, StaticSpec) else [*_links(network, begin)]
    return "\n".join([text, *binds, *_groups(plan, begin)]) + "\n"


def _bind(to: str, what: str, name: str, numbers: dict[str, int], ports: dict[str, str]) -> str:
    """Return what places a watcher in each instance of a module."""
    given = ", ".join(f".{key}({value})" for key, value in numbers.items())
    joined = ", ".join(f".{port}({value})" for port, value in ports.items())
    return f"bind {to} {what} #({given}) {name} ({joined});"


def _links(spec: MessageSpec, begin: str) -> Iterator[str]:
    """Yield what watches the links and the process's port of routers and node interfaces."""
    text, router = modules_verilog(spec), spec.shape.router
    # Guards send again what is lost, and end packets by other means.
    plain = int(not router.check_bits)
    for module in module_names(spec)[: 1 + spec.shape.interfaces]:
        ports = ports_of(text, module)
        clocks = {"clk": "clk", "rst": "reset"}
        for link in [name.removesuffix("__valid") for name in ports if name.endswith("__valid")]:
            if f"{link}__credit" not in ports or link in ("inject", "eject"):
                continue
            stream = router.stream if link.endswith("streams") else None
            layout, depth = spec.layout.flit, router.buffer_flits
            if stream:
                layout, depth = stream.word, stream.places
            carried = f"{link}__{'word' if stream else 'flit'}"
            numbers = {"CHANNELS": ports[f"{link}__valid"][1], "WIDTH": ports[carried][1]}
            numbers |= {name.upper(): layout.offsets[name] for name in ("head", "tail")}
            numbers |= {"DEPTH": depth, "CREDITS": plain, "FRAMED": plain}
            others = [f"(|{p})" for p in ports if re.fullmatch(rf"{link}__\w+_valid", p)]
            joined = {"valid": f"{link}__valid", "flit": carried, "credit": f"{link}__credit"}
            joined["shared"] = " | ".join(others) or "1'b0"
            to, what = f"{begin}_{module}", f"{begin}_link_sva"
            yield _bind(to, what, f"sva_{link}", numbers, clocks | joined)
        if "arrive" in ports:
            count = ports["arrive"][1]
            data = ports["result"][1] // count if "result" in ports else 0
            joined = {name: name for name in ("arrive", "ready", "released", "done", "broken")}
            joined["result"] = "result" if data else "1'b0"
            to, what, numbers = f"{begin}_{module}", f"{begin}_port_sva", {"R": count, "D": data}
            yield _bind(to, what, "sva_port", numbers, clocks | joined)


def _groups(plan: BarrierPlan, begin: str) -> Iterator[str]:
    """Yield what watches each group of the plan, at the network's ports."""
    registers = plan.spec.network.port_registers
    bits: dict[int, list[int]] = {}
    for gid, node, place in members(plan):
        bits.setdefault(gid, []).append(node * registers + place)
    static = isinstance(plan.spec.network, StaticSpec)
    for gid, places in bits.items():
        ports = {"clk": "clk", "rst": "rst"}
        for name in ("arrive", "ready", "released", "broken"):
            ports[name] = f"{{{', '.join(f'{name}[{bit}]' for bit in reversed(places))}}}"
        if static:
            ports["broken"] = f"{len(places)}'d0"
        to, what, numbers = plan.spec.module, f"{begin}_group_sva", {"M": len(places)}
        yield _bind(to, what, f"sva_group_{gid}", numbers, ports)
