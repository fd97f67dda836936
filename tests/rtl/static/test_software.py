"""Software on the core ports of a whole network."""

from pathlib import Path

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.simulators import Design, find_simulator
from tests.cocotb_runs import build_cocotb, run_cocotb


@pytest.mark.parametrize("side", [2, pytest.param(3, marks=pytest.mark.nightly)])
def test_algorithm_1(simulator: str, side: int, tmp_path: Path) -> None:
    source = tmp_path / "network.v"
    source.write_text(verilog(StaticSpec(kind="static", width=side, height=side), "network"))
    tool = find_simulator(simulator)
    built = build_cocotb(tool, Design("network", [source], no_inline=("static_node",)))
    run_cocotb(
        tool,
        built,
        "tests.rtl.static.bench_software",
        folder=tmp_path / "run",
        env={"STATIC_SIDE": str(side)},
        seconds=300,
    )
