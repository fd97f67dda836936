"""Area and speed of a design: Yosys, then nextpnr with several seeds, kept by content."""

import json
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from syncfabric.fpga.devices import Device, effort_for
from syncfabric.fpga.netlist import Design, chained_netlist, netlist_of
from syncfabric.fpga.tools import Tool, find_tool
from syncfabric.models.cache import fingerprint
from syncfabric.models.errors import SpecError
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.simulators.cache import Cache
from syncfabric.sim.simulators.process import run_tool

CARRY_LUTS, RAM_LUTS = 2, 6
"""LUT4s that a CCU2C and a DPR16X4 of an ECP5 take the place of."""

# A block's ports are wires inside a chip, however many.
_UNPINNED: dict[str, tuple[str, ...]] = {
    "ecp5": ("--out-of-context",),
    "ice40": ("--pcf-allow-unconstrained",),
}


@dataclass(frozen=True)
class Area:
    """Cells of a design.

    Parameters
    ----------
    lut4 : int
        LUT4s; each distributed RAM counts as 6, each two bits of a carry chain as 2.
    ff : int
        Flip-flops.
    block_ram, distributed_ram : int
        Block RAMs; distributed RAMs of 16 x 4 bits.
    gates : int
        Gates of one or two inputs, and multiplexers of two, where there are no LUTs.
    """

    lut4: int
    ff: int
    block_ram: int
    distributed_ram: int
    gates: int = 0

    @classmethod
    def of(cls, cells: Mapping[str, int], around: int) -> "Area":
        """Count Yosys's cells, less the registers around the block."""

        def count(*names: str) -> int:
            return sum(number for cell, number in cells.items() if cell.startswith(names))

        ram = count("TRELLIS_DPR16X4")
        luts = count("LUT4", "SB_LUT4") + CARRY_LUTS * count("CCU2C") + RAM_LUTS * ram
        flip_flops = count("$_DFF", "$_SDFF")
        registers = count("TRELLIS_FF", "SB_DFF") + flip_flops - around
        block_ram = count("DP16KD", "PDPW16KD", "SB_RAM", "SB_SPRAM")
        return cls(luts, registers, block_ram, ram, count("$_") - flip_flops)


@dataclass(frozen=True)
class SynthResult:
    """Area, and speed over all seeds.

    Parameters
    ----------
    design, device : str
    aim : {"area", "speed"}
        What synthesis went for.
    area : Area
    fmax : tuple of float
        Megahertz, of each seed; empty where nothing was placed.
    critical_path : tuple of str
        Blocks that the median seed's critical path goes through, in order.
    tools : tuple of str
        Versions.
    """

    design: str
    device: str
    aim: str
    area: Area
    fmax: tuple[float, ...]
    critical_path: tuple[str, ...]
    tools: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "design": self.design,
            "device": self.device,
            "aim": self.aim,
            **asdict(self.area),
            "fmax_mhz": {
                "min": min(self.fmax),
                "median": statistics.median(self.fmax),
                "max": max(self.fmax),
            }
            if self.fmax
            else None,
            "critical_path": list(self.critical_path),
            "tools": list(self.tools),
        }


def synthesize(
    design: Design,
    device: Device,
    *,
    frequency: float = 100.0,
    seeds: Sequence[int] = (1, 2, 3),
    progress: Progress = silent,
) -> SynthResult:
    """Synthesize, place and route a design for its own paths.

    A block is placed out of context, without pins. A whole network on an ECP5 is not: its clock
    needs the device's global net.

    Parameters
    ----------
    design : Design
    device : Device
    frequency : float
        Megahertz that nextpnr aims at.
    seeds : sequence of int
        Placements that are tried; with none, and of gates, there is area alone.
    progress : Progress

    Raises
    ------
    SpecError
        The frequency is not above 0.
    ToolError
        A program is missing, or it failed: the device may be too small.
    """
    if frequency <= 0:
        raise SpecError(f"freq must be above 0 MHz, not {frequency:g}")
    if device.family == "gates":
        seeds = ()
    tools = [find_tool("yosys")]
    tools += [find_tool(f"nextpnr-{device.family}")] if seeds else []
    steps = 1 + len(seeds)
    progress("synthesize", 0, steps)
    netlist = netlist_of(design, device, tools[0])
    progress("synthesize", 1, steps)
    area = Area.of(json.loads((netlist / "cells.json").read_text()), design.around)
    options = _UNPINNED.get(device.family, ())
    if seeds and design.chained and device.family == "ecp5":
        netlist = chained_netlist(netlist, design.top, tools[0])
        options = ("--lpf-allow-unconstrained",)
    options += effort_for(device, area.lut4)
    reports = []
    for done, seed in enumerate(seeds, 2):
        folder = place(device, tools[1:], options, netlist, frequency, seed)
        reports.append(json.loads((folder / "report.json").read_text()))
        progress("synthesize", done, steps)
    speeds = [speed_of(report) for report in reports]
    path = _blocks(reports[speeds.index(statistics.median_low(speeds))]) if speeds else ()
    return SynthResult(
        design=design.name,
        device=device.name,
        aim=device.aim,
        area=area,
        fmax=tuple(round(speed, 1) for speed in speeds),
        critical_path=tuple(path),
        tools=tuple(tool.version for tool in tools),
    )


def place(
    device: Device,
    tools: Sequence[Tool],
    options: Sequence[str],
    netlist: Path,
    frequency: float,
    seed: int,
    pins: str = "",
) -> Path:
    """Return the folder of a placement, kept by content: nextpnr's report, ``report.json``.

    Parameters
    ----------
    device : Device
    tools : sequence of Tool
        nextpnr; for a board also Yosys before it, whose version counts, and ecppack after it, which
        packs what reaches the clock: ``board.bit``.
    options : sequence of str
        Of nextpnr, beside the device's.
    netlist : path
        Folder of ``netlist.json``.
    frequency : float
        Megahertz that nextpnr aims at.
    seed : int
    pins : str, optional
        A board's constraint file.

    Raises
    ------
    ToolError
        A program failed: the device may be too small.
    """
    placer, packer = tools[len(tools) > 1], tools[-1] if len(tools) > 1 else None

    def run(tool: Tool, scratch: Path, *asked: str) -> None:
        command = [tool.program, *asked]
        log = scratch / "log"
        run_tool(Path(tool.program).name, command, log, folder=scratch, environment=os.environ)

    def make(scratch: Path, result: Path) -> None:
        (scratch / "netlist.json").write_bytes((netlist / "netlist.json").read_bytes())
        asked = ["--json", "netlist.json", "--report", "report.json", "--seed", str(seed)]
        asked += ["--freq", f"{frequency:g}", "--timing-allow-fail", "--quiet", *options]
        if packer:
            (scratch / "board.lpf").write_text(pins)
            asked += ["--lpf", "board.lpf", "--textcfg", "board.config"]
        run(placer, scratch, *device.options, *asked)
        report = scratch / "report.json"
        if packer and speed_of(json.loads(report.read_text())) >= frequency:
            run(packer, scratch, "--input", "board.config", "--bit", "board.bit")
            (scratch / "board.bit").rename(result / "board.bit")
        report.rename(result / "report.json")

    settings = {
        "tools": [tool.version for tool in tools],
        "options": [*device.options, *options],
        "netlist": netlist.name,
        "pins": pins,
        "frequency": frequency,
        "seed": seed,
    }
    return Cache().get(fingerprint(settings, ()), make)[0]


def speed_of(report: Mapping[str, Any]) -> float:
    """Return the clock of nextpnr's report, in MHz."""
    return min(float(clock["achieved"]) for clock in report["fmax"].values())


def _blocks(report: Mapping[str, Any]) -> list[str]:
    """Return the blocks on the critical path, by the names of its nets."""
    blocks: list[str] = []
    for path in report["critical_paths"]:
        if path["from"].split()[-1] != path["to"].split()[-1]:
            continue
        for step in path["path"]:
            net = step.get("net", "")
            block = net.removeprefix("block.").rpartition(".")[0]
            if block and not block.startswith("$") and (not blocks or blocks[-1] != block):
                blocks.append(block)
        break
    return blocks
