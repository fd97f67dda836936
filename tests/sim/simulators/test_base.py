"""Simulators: found, built with a cache, run, and missed with a remedy."""

import dataclasses
import re
from pathlib import Path

import pytest

from syncfabric.models.cache import cache_folder
from syncfabric.models.errors import ToolError
from syncfabric.sim.simulators import find_simulator
from syncfabric.sim.simulators.base import Design
from tests.cocotb_runs import BenchError, build_cocotb, run_cocotb
from tests.sim.counter import counter_design

BENCH = "tests.sim.bench_simulators"


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder of a cache that holds no design yet, but the usual one's library."""
    library, folder = cache_folder() / "library", tmp_path / "cache"
    library.mkdir(parents=True, exist_ok=True)
    folder.mkdir()
    (folder / "library").symlink_to(library)
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(folder))
    return folder


@pytest.mark.nightly_under("verilator")
def test_bench_reads_and_writes_ports(simulator: str, design: Design, tmp_path: Path) -> None:
    tool = find_simulator(simulator)
    built = build_cocotb(tool, design)
    env = {"STEP": str(2**39 + 5)}
    made = run_cocotb(tool, built, BENCH, folder=tmp_path / "run", env=env)
    assert made == ["counts_by_step", "wrong_on_purpose"]


@pytest.mark.nightly_under("verilator")
@pytest.mark.usefixtures("empty_cache")
def test_second_build_comes_from_the_cache(simulator: str, design: Design, tmp_path: Path) -> None:
    tool = find_simulator(simulator)
    first = build_cocotb(tool, design)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    again = build_cocotb(tool, counter_design(moved))
    assert (first.cached, again.cached) == (False, True)
    assert again.program == first.program
    assert again.seconds < 0.5
    other = build_cocotb(tool, dataclasses.replace(design, defines={"UNUSED": "1"}))
    assert (other.cached, other.program == first.program) == (False, False)


@pytest.mark.nightly_under("verilator")
def test_waveform_is_written(simulator: str, design: Design, tmp_path: Path) -> None:
    tool = find_simulator(simulator)
    built = build_cocotb(tool, dataclasses.replace(design, trace=True))
    waves = tmp_path / "out.vcd"
    run_cocotb(tool, built, BENCH, folder=tmp_path / "run", waves=waves)
    assert re.search(r"\$var \w+ +80 \S+ count", waves.read_text())


@pytest.mark.nightly_under("verilator")
def test_failing_bench_raises(simulator: str, design: Design, tmp_path: Path) -> None:
    tool = find_simulator(simulator)
    built = build_cocotb(tool, design)
    folder, env = tmp_path / "run", {"FAIL": "1"}
    with pytest.raises(BenchError) as caught:
        run_cocotb(tool, built, BENCH, folder=folder, env=env)
    first, second, *_ = str(caught.value).splitlines()
    assert first == f"bench {BENCH} failed under {simulator}:"
    assert re.match(r"^  wrong_on_purpose: .*asked to fail", second)


@pytest.mark.nightly_under("verilator")
def test_late_run_is_ended(simulator: str, design: Design, tmp_path: Path) -> None:
    tool = find_simulator(simulator)
    built = build_cocotb(tool, design)
    with pytest.raises(ToolError, match=r"^\w+ did not end within 0\.01 s; the end of "):
        run_cocotb(tool, built, BENCH, folder=tmp_path / "run", seconds=0.01)


@pytest.mark.nightly_under("verilator")
def test_refused_design_raises_and_leaves_nothing(
    simulator: str, empty_cache: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.v"
    bad.write_text("module bench(input clk; endmodule\n")
    tool = find_simulator(simulator)
    with pytest.raises(ToolError, match=r"^(Verilator|Icarus Verilog) failed with exit code \d+;"):
        build_cocotb(tool, Design("bench", [bad]))
    assert list((empty_cache / "builds").iterdir()) == []
    assert list(empty_cache.glob("new-*")) == []


def test_unknown_simulator_is_refused() -> None:
    message = r"^simulator 'modelsim' is not known; it must be one of verilator, icarus$"
    with pytest.raises(ToolError, match=message):
        find_simulator("modelsim")
