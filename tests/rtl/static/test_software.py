"""Software on the core ports of a whole network."""

import dataclasses
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.simulators import Design, Verilator, find_simulator, run_cocotb


@pytest.mark.parametrize("side", [2, pytest.param(3, marks=pytest.mark.long)])
def test_algorithm_1(simulator: str, side: int, tmp_path: Path) -> None:
    source = tmp_path / "network.v"
    source.write_text(verilog(StaticSpec(kind="static", width=side, height=side), "network"))
    tool = find_simulator(simulator)
    if isinstance(tool, Verilator):  # it is compiled in more time than it runs
        tool = dataclasses.replace(tool, opt_fast="-O0", opt_library="-O0")
    built = tool.build(Design("network", [source], no_inline=("static_node",)))
    run_cocotb(
        tool,
        built,
        "tests.rtl.static.bench_software",
        folder=tmp_path / "run",
        env={"STATIC_SIDE": str(side)},
        seconds=300,
    )
