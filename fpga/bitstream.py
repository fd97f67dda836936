"""A network on a board: synthesized, placed with the board's pins, and packed into a bitstream."""

import json
import math
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from syncfabric.fpga.boards.board import Board, constraints, wrapper_verilog
from syncfabric.fpga.boards.pll import Pll, find_pll
from syncfabric.fpga.devices import Device, device_named, effort_for
from syncfabric.fpga.netlist import Design, netlist_of
from syncfabric.fpga.synth import Area, place, speed_of
from syncfabric.fpga.tools import find_tool
from syncfabric.models.errors import SpecError, check_range
from syncfabric.rtl.traffic.source import queue_widths
from syncfabric.sim.assemble.board import (
    BOARD_QUEUE,
    board_top,
    board_verilog,
    has_packets,
    repeated_modules,
)
from syncfabric.sim.assemble.host import host_shape
from syncfabric.sim.assemble.verilog import NETWORK, named
from syncfabric.sim.front import Front
from syncfabric.sim.network import Network
from syncfabric.sim.output import Content
from syncfabric.sim.products import register_files
from syncfabric.sim.progress import Progress, silent, stage

BAUD = 1_000_000
_BAUD_NEAR = 0.02
"""Part by which a UART may miss its rate; half a bit in the ten of a byte is 0.05 for both ends."""
_RAM_WORDS, _RAM_BITS = 512, 36
"""Of a block RAM, at its widest."""


@dataclass(frozen=True)
class BoardBuild:
    """What a bitstream is to be made of.

    Parameters
    ----------
    network : Network
    board : Board
    freq : float, optional
        Clock of the network, in MHz; by default the board's.
    baud : int
        Bits a second on the UART's lines.
    meters : int, 0 to 16
        Groups that can be measured at the same time.
    fast : bool
        Go for speed; it takes area.

    Raises
    ------
    SpecError
        The PLL cannot make the clock, the clock is too slow for the UART or does not give its rate,
        or the network is too large for the board.
    """

    network: Network
    board: Board
    freq: float | None = None
    baud: int = BAUD
    meters: int = 1
    fast: bool = False

    def __post_init__(self) -> None:
        board, network = self.board, self.network.spec.network
        if self.baud <= 0:
            raise SpecError(f"baud must be above 0, not {self.baud}")
        per_bit = self.pll.clock * 1e6 / self.baud
        if abs(per_bit / max(4, round(per_bit)) - 1) > _BAUD_NEAR:
            nearest = self.pll.clock * 1e6 / max(4, round(per_bit))
            raise SpecError(
                f"baud = {self.baud}: a clock of {self.pll.clock:g} MHz does not give it; "
                f"the nearest is {nearest:.0f}"
            )
        nodes = host_shape(network, self.front.meters).nodes
        if has_packets(network):
            width, _ = queue_widths(network)
            rams = -(-width // _RAM_BITS) * -(-BOARD_QUEUE // _RAM_WORDS)
            most = self.device.block_rams // rams
            if nodes > most:
                raise SpecError(
                    f"nodes = {nodes}: {board.name} has block RAM for sources at {most}; "
                    "choose a smaller network"
                )

    @cached_property
    def pll(self) -> Pll:
        """What makes the network's clock."""
        return find_pll(self.board.reference, self.board.clock if self.freq is None else self.freq)

    @property
    def bit_cycles(self) -> int:
        """Cycles of a bit on the UART's lines."""
        return round(self.pll.clock * 1e6 / self.baud)

    @property
    def front(self) -> Front:
        """What software talks to."""
        return Front("uart", meters=self.meters, bit_cycles=self.bit_cycles)

    @property
    def device(self) -> Device:
        """The board's device, and how it is synthesized for."""
        return device_named(self.board.device, fast=self.fast)

    def design(self) -> Design:
        """Return all that goes onto the device, as Verilog.

        Raises
        ------
        SpecError
            The network is too large for a host.
        DeadlockError
            Its channels could wait for each other in a cycle.
        """
        self.network.check()
        spec = self.network.spec
        inside = named(board_verilog(spec.network, NETWORK, self.front), spec.module)
        name = f"{spec.module}-{self.board.name}"
        top = name.replace("-", "_")
        wrapper = wrapper_verilog(self.board, self.pll, top, board_top(spec.module))
        repeated = tuple(f"{spec.module}_{module}" for module in repeated_modules(spec.network))
        return Design(name, f"{inside}\n{wrapper}", repeated=repeated)


@dataclass(frozen=True)
class Bitstream:
    """What came out.

    Parameters
    ----------
    build : BoardBuild
    design : Design
    area : Area
        Of all that is on the device.
    reached : float
        Clock at which it works, in MHz.
    seed : int
        Of the placement that this is of.
    tools : tuple of str
        Versions.
    bits : bytes, optional
        The bitstream; none if the clock that was asked for is not reached.
    """

    build: BoardBuild
    design: Design
    area: Area
    reached: float
    seed: int
    tools: tuple[str, ...]
    bits: bytes | None

    @property
    def possible(self) -> int:
        """The clock to ask for instead, in whole MHz."""
        return math.floor(self.reached)

    def to_json(self) -> dict[str, Any]:
        """Return what is known of it as JSON values."""
        build = self.build
        return {
            "network": build.network.name,
            "board": build.board.name,
            "device": build.device.name,
            "aim": build.device.aim,
            **asdict(self.area),
            "lut4_of_device": build.device.luts,
            "block_ram_of_device": build.device.block_rams,
            "clock_mhz": build.pll.clock,
            "reached_mhz": round(self.reached, 2),
            "met": self.bits is not None,
            "baud": build.baud,
            "bit_cycles": build.bit_cycles,
            "meters": build.meters,
            "seed": self.seed,
            "tools": list(self.tools),
        }

    def files(self) -> dict[str, Content]:
        """Return what is written for a user, by name; only of a bitstream that there is."""
        assert self.bits is not None
        name = self.build.network.name
        return {
            f"{name}.bit": self.bits,
            f"{name}_board.v": self.design.verilog,
            f"{name}.lpf": constraints(self.build.board),
            f"{name}.json": json.dumps(self.to_json(), indent=1) + "\n",
            **register_files(self.build.network.spec, self.build.front),
        }


def make_bitstream(build: BoardBuild, *, seeds: int = 1, progress: Progress = silent) -> Bitstream:
    """Synthesize, place and pack; placements are tried until one reaches the clock.

    Parameters
    ----------
    build : BoardBuild
    seeds : int, >= 1
        Placements that are tried at most; the fastest counts.
    progress : Progress

    Raises
    ------
    SpecError
        There is no seed; the network is too large for a host, or for the device.
    ToolError
        A program is missing, or it failed.
    """
    check_range("seeds", seeds, 1)
    tools = [find_tool(name) for name in ("yosys", "nextpnr-ecp5", "ecppack")]
    with stage(progress, "emit"):
        design = build.design()
    steps = 2
    progress("synthesize", 0, steps)
    netlist = netlist_of(design, build.device, tools[0])
    area = Area.of(json.loads((netlist / "cells.json").read_text()), 0)
    _check_area(build, area)
    progress("synthesize", 1, steps)
    effort, pins = effort_for(build.device, area.lut4), constraints(build.board)
    best: tuple[float, int, Path] | None = None
    for seed in range(1, seeds + 1):
        folder = place(build.device, tools, effort, netlist, build.pll.clock, seed, pins)
        reached = speed_of(json.loads((folder / "report.json").read_text()))
        best = max(best or (0.0, 0, folder), (reached, seed, folder))
        if (folder / "board.bit").exists():
            break
    assert best
    reached, seed, folder = best
    progress("synthesize", steps, steps)
    bits = folder / "board.bit"
    return Bitstream(
        build,
        design,
        area,
        reached,
        seed,
        tuple(tool.version for tool in tools),
        bits.read_bytes() if bits.exists() else None,
    )


def _check_area(build: BoardBuild, area: Area) -> None:
    device, name = build.device, build.network.name
    for what, used, there in (
        ("LUT4s", area.lut4, device.luts),
        ("block RAMs", area.block_ram, device.block_rams),
    ):
        if used > there:
            raise SpecError(
                f"{name} takes {used:,} {what}, and {build.board.name} has {there:,}: choose a "
                "network with fewer nodes, or with less in a node"
            )
