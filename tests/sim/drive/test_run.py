"""The main job: every simulator gives the same result, and what goes wrong is reported."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import Write, image_writes
from syncfabric.sim.drive.backends import run_bench
from syncfabric.sim.drive.engine_driver import ByChain
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.fabric import build
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import RunResult, Seconds
from syncfabric.sim.simulators.base import Design
from syncfabric.sim.simulators.icarus import Icarus
from tests.sim.drive.churn.networks import grid, plan_with
from tests.sim.drive.networks import members, mesh, plan_of
from tests.sim.drive.test_backends import CLUSTERS, NETWORKS

DEFAULT = NETWORKS["default"]
NODES = DEFAULT.topology.nodes
PLAN = plan_of(DEFAULT, members(3, *NODES), members(8, (0, 0), (4, 4), (1, 3)))
SMALL = plan_of(mesh(2, 2), members(1, (0, 0), (1, 1)))


def less_the_simulator(result: RunResult) -> RunResult:
    return replace(result, simulator="", seconds=Seconds(0, 0))


CLUSTER = plan_of(
    CLUSTERS["irregular, default"], members(3, *CLUSTERS["irregular, default"].topology.nodes)
)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("plan", "links"),
    [
        pytest.param(PLAN, 4 * 5 * 4 + 2 * 25, id="mesh"),
        pytest.param(CLUSTER, 2 * 17 + 2 * 24, id="irregular"),
    ],
)
def test_hardware_on_tiles_gives_the_models_result(plan: BarrierPlan, links: int) -> None:
    model, tiles = (
        run(plan, RunRequest(sim=sim, episodes=6, background=0.2, seed=9, heat=Path("heat.svg")))
        for sim in ("model", "verilator")
    )
    assert tiles.simulator == "verilator"
    assert less_the_simulator(tiles) == less_the_simulator(model)
    assert tiles.verdict == "match"
    assert tiles.loads is not None
    assert len(tiles.loads) == links


def test_a_long_set_up_is_no_hang() -> None:
    plan = plan_of(
        mesh(64, 64), members(3, *[(x, y) for x in range(0, 64, 8) for y in (0, 32, 63)])
    )
    result = run(plan, RunRequest(sim="model", episodes=1))
    assert result.verdict == "match"
    assert result.cycles > Scenario.limit


@pytest.mark.icarus
def test_icarus_gives_it_too_and_leaves_log_and_waveform(tmp_path: Path) -> None:
    model = run(SMALL, RunRequest(sim="model", episodes=5))
    reported: list[tuple[str, int, int]] = []
    seen = run(
        SMALL,
        RunRequest(
            sim="icarus", episodes=5, waves=True, log=tmp_path / "log.csv", output=tmp_path / "new"
        ),
        lambda step, done, of: reported.append((step, done, of)),
    )
    files = [str(tmp_path / "log.csv"), str(tmp_path / "new" / "net.vcd")]
    assert less_the_simulator(seen) == replace(less_the_simulator(model), files=tuple(files))
    assert all(Path(file).stat().st_size > 100 for file in files)
    rows = list(csv.DictReader((tmp_path / "log.csv").open()))
    # The tree has two links, and the root receives of all members before it releases any.
    episode = ["reduce"] * 2 + ["distribute"] * 2
    assert [row["kind"] for row in rows] == ["go"] * 2 + episode * 5
    assert reported[:2] == [("build", 0, 1), ("build", 1, 1)]
    assert reported[-1] == ("simulate", 5, 5)


HALF_KNOWN = """
module bench;
  reg [4095:0] name;
  integer file;
  reg [31:0] some;
  initial begin
    if ($value$plusargs("probe=%s", name)) file = $fopen(name, "w");
    if ($value$plusargs("report=%s", name)) file = $fopen(name, "w");
    some = 10;
    $fwrite(file, "%0h %0h", some, some + 1);
    some[4] = 1'bx;
    $fwrite(file, " %0h %0h\\n", some, some + 1);
    $finish;
  end
endmodule
"""


@pytest.mark.icarus
def test_counts_with_unknown_bits_are_distinguished(tmp_path: Path) -> None:
    source = tmp_path / "bench.v"
    source.write_text(HALF_KNOWN)
    built = Icarus.find().build(Design(top="bench", sources=[source]))
    assert run_bench(built, "", 1) == ([], [[10, 11, -1, -1]], [])


def test_saturation_is_reported_with_the_fullest_channels() -> None:
    result = run(PLAN, RunRequest(sim="model", episodes=40, background=1.0))
    assert result.traffic.saturated
    loads = [channel.load for channel in result.traffic.full_channels]
    assert len(loads) == 8
    assert loads == sorted(loads, reverse=True)
    assert result.loads is None
    assert not run(PLAN, RunRequest(sim="model", episodes=40, background=0.1)).traffic.saturated


def test_other_hardware_is_a_mismatch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "build_fabric", lambda spec, waves: build_fabric(DEFAULT))
    result = run(
        plan_of(mesh(5, 5, engine_stages=3), members(8, (0, 0), (4, 4), (1, 3))),
        RunRequest(episodes=3),
    )
    assert result.verdict == "mismatch"
    first = result.mismatches[0]
    # Another build of a router answers otherwise than the model of the one asked for.
    assert result.reason == f"first difference in cycle {first.cycle}: {first.signal}"
    assert first.signal == "config_error, config_rdata"
    assert first.hardware != first.model


def test_what_never_ends_is_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_go(*arguments: Any) -> list[Write]:
        return list(image_writes(*arguments))

    monkeypatch.setattr(ByChain, "writes", staticmethod(without_go))
    result = run(SMALL, RunRequest(sim="model", episodes=3))
    assert (result.verdict, result.mismatches) == ("hang", ())
    assert result.reason == "nothing moves any more; unfinished groups: 1"
    assert result.groups[0].latency is None


def test_churn_is_summed_up_beside_what_it_costs() -> None:
    plan = plan_with(grid())
    reported: list[tuple[str, int, int]] = []
    result = run(
        plan, RunRequest(sim="model", episodes=5, churn=20), lambda *step: reported.append(step)
    )
    assert result.verdict == "match"
    churn = result.churn
    assert churn is not None
    assert churn.instances == 20
    assert churn.killed > 0
    assert churn.set_up_packets is not None
    assert churn.set_up_packets.min >= 2  # a request and a reply a router
    assert churn.tear_down_packets is not None
    assert [cost.id for cost in churn.costs] == [7, 9]
    for cost, group in zip(churn.costs, result.groups, strict=True):
        assert group.episodes > 5
        assert cost.bound == group.bound
        assert cost.quiet is not None
        assert cost.churning is not None
        assert group.latency is not None
        assert group.latency.max == max(cost.quiet.max, cost.churning.max)
    assert reported[-1] == ("simulate", 30, 30)
    assert run(plan, RunRequest(sim="model", episodes=5)).churn is None


def test_with_jitter_each_member_in_turn_is_late_alone() -> None:
    """All others have long come, so only the path of the farthest counts."""
    alone = plan_of(DEFAULT, members(3, *NODES))
    result = run(alone, RunRequest(sim="model", episodes=50, jitter=300))
    assert result.verdict == "match"
    assert result.cycles > 50 * 300
    (group,) = result.groups
    assert group.latency is not None
    assert group.latency.max == 2 * 4 + 3  # four links in each direction, and E11
    again = run(alone, RunRequest(sim="model", episodes=50, jitter=300, seed=5))
    assert again.groups == result.groups
