"""The files of a network: Verilog, plan, register images, C header, pictures."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.c_header import c_header
from syncfabric.models.planning.images import registers_json
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.requests import manager_writes_json
from syncfabric.sim.front import Front
from syncfabric.sim.output import write_file
from syncfabric.sim.progress import Progress
from syncfabric.sim.request import RunRequest
from syncfabric.sim.reserved import check_module_name
from syncfabric.sim.results import RunResult

__all__ = ["draw_run", "network_files", "network_verilog"]


def network_verilog(spec: NetworkSpec, front: Front | None = None) -> str:
    """Return the Verilog of a network, its top named like the network; with a front that comes on.

    Raises
    ------
    SpecError
        The network's name cannot be that of a Verilog module, or it is too large for a front.
    """
    from syncfabric.sim.assemble.network import module_names, verilog

    names = frozenset(module_names(spec.network))
    if front is None:
        check_module_name(spec.module, names)
        return verilog(spec.network, spec.module)
    from syncfabric.sim.assemble.host import host_verilog

    check_module_name(spec.module, names | {front.module})
    host = host_verilog(spec.network, spec.module, front)
    return f"{verilog(spec.network, spec.module)}\n{host}"


def network_files(plan: BarrierPlan, front: Front | None = None) -> dict[str, str]:
    """Return the files of a build by their names."""
    spec, registers = plan.spec, registers_json(plan)
    if spec.network.managed:
        registers["writes"] = manager_writes_json(plan)
    return {
        f"{spec.name}.v": network_verilog(spec, front),
        "plan.json": _lines(plan.to_json()),
        "registers.json": _lines(registers),
        f"{spec.name}_registers.h": c_header(spec),
    }


def draw_run(
    plan: BarrierPlan, result: RunResult, request: RunRequest, progress: Progress
) -> Iterator[Path]:
    """Draw what a run was asked for: trees into its folder, the load of channels; yield files."""
    from syncfabric.sim.draw import can_draw, check_picture, group_figure, heat_figure, picture

    name, network = plan.spec.name, plan.spec.network
    folder, heat = request.output, request.heat
    groups = plan.groups if folder and can_draw(network) else ()
    total, done = 2 * len(groups) + (heat is not None), 0
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
