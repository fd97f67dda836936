"""Software on the core ports of a whole network."""

from pathlib import Path

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.simulators import find_simulator
from syncfabric.sim.simulators.base import Design
from tests.cocotb_runs import build_cocotb, run_cocotb
from tests.nightly import nightly_but


@pytest.mark.nightly_under("verilator")
@pytest.mark.parametrize("side", nightly_but([2], [2, 3]))
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
