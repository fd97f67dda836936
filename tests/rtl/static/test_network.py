"""Whole networks under random stimuli, against the golden model."""

from pathlib import Path

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.drive.backends import build_bench
from syncfabric.sim.simulators import find_simulator, run_cocotb

NETWORKS = {
    "2x2, one place": StaticSpec(
        kind="static", width=2, height=2, switch_buffer=1, core_buffer=1, injection_buffer=1
    ),
    "3x2": StaticSpec(
        kind="static", width=3, height=2, flit_bits=3, switch_buffer=3, injection_buffer=1
    ),
    "watched": StaticSpec(kind="static", width=2, height=2, watchdog=6),
}


@pytest.mark.long_under("verilator")
@pytest.mark.parametrize(
    "name",
    [
        "2x2, one place",
        *(pytest.param(name, marks=pytest.mark.long) for name in ("3x2", "watched")),
    ],
)
def test_every_line_is_the_models(simulator: str, name: str, tmp_path: Path) -> None:
    built = build_bench(NETWORKS[name], simulator)
    run_cocotb(
        find_simulator(simulator),
        built,
        "tests.rtl.static.bench_network",
        folder=tmp_path,
        env={"STATIC_NETWORK": NETWORKS[name].model_dump_json()},
        plusargs=[f"+{file}={tmp_path / file}.txt" for file in ("script", "probe", "report")],
        seconds=300,
    )
