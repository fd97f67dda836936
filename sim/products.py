"""The files of a network: Verilog, plan, registers, headers, test bench, core file, pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from syncfabric.models.errors import SpecError
from syncfabric.models.messages import Op
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import members, registers_json, set_up_entries
from syncfabric.models.register_map.c_header import c_header
from syncfabric.models.register_map.c_programs import host_header, setup_header
from syncfabric.models.register_map.rdl import config_map, host_map, rdl
from syncfabric.sim.core_file import core_file, keys_and_values
from syncfabric.sim.front import Front
from syncfabric.sim.output import write_file
from syncfabric.sim.progress import Progress
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import RunResult
from syncfabric.sim.words import kind_words

__all__ = [
    "MACRO",
    "check_parts",
    "check_prefix",
    "draw_run",
    "network_files",
    "network_verilog",
    "register_files",
    "setup_hex",
    "user_bench",
]


MACRO = "router"
"""What of a network can be a macro."""


def check_prefix(prefix: str) -> None:
    """Refuse a prefix that is no identifier of Verilog and C; an empty one stands for the default.

    Raises
    ------
    SpecError
        With the reason.
    """
    if prefix and not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", prefix):
        raise SpecError(
            f"prefix = {prefix!r} must be letters, digits and _, a letter first, as in my_mesh"
        )


def check_parts(*, split: bool, macro: str) -> None:
    """Refuse ways to divide a network into files that there are not.

    Raises
    ------
    SpecError
        With the reason.
    """
    if macro not in ("", MACRO):
        raise SpecError(f"macro = {macro!r}: only a {MACRO} can be one")
    if split and macro:
        raise SpecError("split: with a macro the files are its and the top's; leave one out")


def network_verilog(spec: NetworkSpec, front: Front | None = None, prefix: str = "") -> str:
    """Return the Verilog of a network, its top named like the network; with a front that comes on.

    The names of all other modules begin with the prefix, by default the network's name.

    Raises
    ------
    SpecError
        The network is too large for a front, or the prefix makes two modules of one name.
    """
    from syncfabric.sim.assemble.host import host_verilog
    from syncfabric.sim.assemble.network import verilog
    from syncfabric.sim.assemble.verilog import NETWORK, named

    check_prefix(prefix)
    text, tops = verilog(spec.network, NETWORK), [spec.module]
    if front is not None:
        text += f"\n{host_verilog(spec.network, NETWORK, front)}"
        tops.append(_host_top(spec, front))
    head = (
        f"// {spec.name}: {kind_words(spec.network)} with hardware barriers, by Syncfabric.\n"
        f"// Top: {' inside '.join(tops)}. All other modules begin with {prefix or spec.module}_.\n"
        f"// Ports are in Syncfabric's docs/ports.md; {spec.name}_tb.v shows how they are used.\n"
    )
    return f"{head}\n{named(text, spec.module, prefix)}"


def network_files(
    plan: BarrierPlan,
    front: Front | None = None,
    prefix: str = "",
    *,
    split: bool = False,
    macro: str = "",
    sva: bool = False,
) -> dict[str, str]:
    """Return the files of a build by their names."""
    from syncfabric.sim.assemble.network import constant_inputs, module_names
    from syncfabric.sim.chip_files import bender, constraints, file_list, in_files

    spec = plan.spec
    maps = register_files(spec, front, prefix)
    if plan.groups:
        axi = front is not None and front.kind == "axi"
        maps[f"{spec.name}_setup.h"] = setup_header(plan, prefix, axi=axi)
        maps[f"{spec.name}_setup.hex"] = setup_hex(plan)
        maps[f"{spec.name}_tb.v"] = user_bench(plan)
    top = spec.module if front is None else _host_top(spec, front)
    about = f"{spec.network.topology} with hardware barriers"
    headers = [name for name in maps if name.endswith(".h")]
    others = [name for name in maps if name not in headers]
    text = network_verilog(spec, front, prefix)
    module = f"{prefix or spec.module}_{module_names(spec.network)[0]}" if macro else ""
    verilog = in_files(text, spec.name, top, split=split, macro=module)
    sdc = {f"{spec.name}.sdc": constraints(text, top)}
    if macro:
        sdc[f"{module}.sdc"] = constraints(text, module, constant_inputs(spec.network))
    watched = {}
    if sva:
        from syncfabric.sim.assertions import assertions

        watched[f"{spec.name}_sva.sv"] = assertions(plan, prefix)
    files = list(verilog)
    core = core_file(
        "network",
        spec.name,
        top,
        about,
        spec.network,
        files=files,
        headers=headers,
        others=[*others, *sdc, *watched],
    )
    return {
        **verilog,
        f"{spec.name}_plan.json": _lines(plan.to_json()),
        f"{spec.name}_registers.json": _lines(registers_json(plan)),
        **maps,
        **sdc,
        **watched,
        f"{spec.name}.core": core,
        f"{spec.name}.f": file_list(files),
        f"{spec.name}.bender.yml": bender(top, files),
    }


def register_files(
    spec: NetworkSpec, front: Front | None = None, prefix: str = ""
) -> dict[str, str]:
    """Return the registers of config port and front for software, as C headers and SystemRDL."""
    headers = {f"{spec.name}_registers.h": c_header(spec, prefix)}
    maps = {f"{spec.name}.rdl": rdl(config_map(spec), _made("config port", spec))}
    if front is not None:
        from syncfabric.sim.assemble.host import host_shape

        top, name = _host_top(spec, front), f"{spec.name}_{front.kind}"
        shape = host_shape(spec.network, front.meters)
        headers[f"{name}.h"] = host_header(
            shape, top, driver=front.kind == "axi", prefix=prefix or spec.module
        )
        maps[f"{name}.rdl"] = rdl(host_map(shape, top), _made("host", spec))
    return headers | maps


def _host_top(spec: NetworkSpec, front: Front) -> str:
    return f"{spec.module}_{front.kind}"


def _made(of: str, spec: NetworkSpec) -> str:
    """Return the first line of a register map."""
    keys = keys_and_values(spec.network)
    return f"Registers of the {of} of {spec.name} ({keys}). Generated by Syncfabric."


def draw_run(
    plan: BarrierPlan, result: RunResult, request: RunRequest, progress: Progress
) -> Iterator[Path]:
    """Draw what a run was asked for: trees into its folder, channels, streams; yield files."""
    from syncfabric.sim.draw import (
        can_draw,
        check_picture,
        group_figure,
        heat_figure,
        picture,
        stream_figure,
    )

    name, network = plan.spec.name, plan.spec.network
    folder, heat = request.output, request.heat
    groups = plan.groups if folder and can_draw(network) else ()
    total, done = 2 * len(groups) + sum(file is not None for file in (heat, request.draw)), 0
    for group in groups:
        for kind in ("svg", "png"):
            progress("draw", done, total)
            path = (folder or Path()) / f"{name}_group{group.id}.{kind}"
            yield write_file(path, picture(group_figure(plan, group), kind))
            done += 1
    if heat is not None:
        progress("draw", done, total)
        line = f"{result.cycles:,} cycles"
        if not isinstance(network, StaticSpec):
            line += f" · background {result.traffic.offered:g}"
        figure = heat_figure(
            network, result.loads or (), title=f"{name} · load of channels", line=line
        )
        yield write_file(heat, picture(figure, check_picture(heat, network)))
    if request.draw is not None and result.streams:
        progress("draw", total - 1, total)
        figure = stream_figure(plan, result.streams)
        yield write_file(request.draw, picture(figure, check_picture(request.draw, network)))
    if total:
        progress("draw", total, total)


def _lines(value: dict[str, Any]) -> str:
    """Write an object as JSON, with a line for each field and for each entry of a list."""
    fields = []
    for name, content in value.items():
        text = json.dumps(content)
        if isinstance(content, list) and content:
            entries = ",\n".join(f"  {json.dumps(entry)}" for entry in content)
            text = f"[\n{entries}\n ]"
        fields.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


_EPISODES, _LEAST_LATE, _LATE_IN_MEMORY, _LEAST_LIMIT = 4, 50, 500, 20_000
_USED = ("clk", "rst", "arrive", "data", "released", "result", "ready", "config_")
_HEX = """\
// Set-up of {}, for $readmemh. Generated by Syncfabric. 72 bits an entry:
// KIND (4) TARGET (24) ADDRESS (12) VALUE (32); each begins when the one before is done.
// KIND 0: write VALUE to the config port. KIND 1: read until the word, masked by the upper
// half of VALUE, is the lower half. At last raise start, where there is one.
"""


def setup_hex(plan: BarrierPlan) -> str:
    """Return all entries that set a plan's groups up, a line of 72 bits each, for $readmemh."""
    lines = (f"{k:x}_{t:06x}_{a:03x}_{v:08x}\n" for k, t, a, v in set_up_entries(plan))
    return _HEX.format(plan.spec.name) + "".join(lines)


def user_bench(plan: BarrierPlan) -> str:
    """Return a bench ``NAME_tb`` of a plan with at least one group, in Verilog-2005."""
    from syncfabric.sim.assemble.network import reset_cycles, top_ports

    spec, network = plan.spec, plan.spec.network
    data = network.data_bits
    registers, nodes = network.port_registers, len(network.topology.nodes)
    bits, masks, lines = nodes * registers, dict.fromkeys((g.id for g in plan.groups), 0), []
    for gid, node, place in members(plan):
        masks[gid] |= 1 << node * registers + place
    for g, group in enumerate(plan.groups):
        ones = Op[group.op.upper()].identity(1)
        lines.append(f"    members[{g}] = {bits}'h{masks[group.id]:x}; ones[{g}] = {ones};")
    late = max(_LEAST_LATE, *(2 * (group.bound or _LATE_IN_MEMORY) for group in plan.groups))
    declared, connected = _ports(top_ports(network))
    values: dict[str, object] = {
        "RESET": 2 * reset_cycles(network),
        "NAME": spec.name,
        "WORDS": kind_words(network),
        "RESULTS": ", with its data as the result" if data else "",
        "MODULE": spec.module,
        "TOP": f"{spec.module}_tb",
        "EPISODES": _EPISODES,
        "LATE": min(late, network.watchdog // 2) if network.watchdog else late,
        "LIMIT": max(_LEAST_LIMIT, 20 * late, 50 * nodes),
        "NODES": nodes,
        "REGISTERS": registers,
        "GROUPS": len(plan.groups),
        "ENTRIES": len(set_up_entries(plan)),
        "DATA": data,
        "MEMBERS": "\n".join(lines),
        "PORTS": "\n".join(declared),
        "CONNECTED": ",\n".join(connected),
    }
    text = files("syncfabric.sim").joinpath("user_bench.v").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^@data\|(.*\n)", lambda line: line[1] if data else "", text)
    return re.sub(r"@([A-Z]+)@", lambda mark: str(values[mark[1]]), text)


def _ports(ports: Iterable[tuple[str, str, int | None]]) -> tuple[list[str], list[str]]:
    """Return declarations of what the bench drives or looks at, and the network's connections."""
    from syncfabric.sim.assemble.verilog import zero
    from syncfabric.sim.emit.naming import plain

    declared, connected = [], []
    for way, name, width in ports:
        if width == 0:
            continue
        used = name.startswith(_USED)
        wire = "operands[PORTS*DATA-1:0]" if name == "data" else name if used else ""
        if used and name not in ("clk", "rst", "data"):
            kind, first = ("reg", " = 0") if way == "input" else ("wire", "")
            vector = "" if width is None else f"[{width - 1}:0] "
            declared.append(f"  {kind} {vector}{name}{first};")
        tied = zero(width or 1) if way == "input" else ""
        connected.append(f"    .{plain(name)}({wire or tied})")
    return declared, connected
