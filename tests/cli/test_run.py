"""``syncfabric run``: what it says and its exit codes; the run itself is tested in tests/sim."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from syncfabric import Network
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive import run as drive
from syncfabric.sim.progress import Progress
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import (
    ChannelLoad,
    GroupResult,
    Mismatch,
    RunResult,
    Seconds,
    TrafficResult,
    results_schema,
)
from syncfabric.sim.spread import Spread
from tests.built import built
from tests.cli.conftest import Call


@pytest.fixture
def outcome(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the run; what the test puts in here changes its result."""
    changes: dict[str, Any] = {}

    def run(plan: BarrierPlan, asked: RunRequest, progress: Progress) -> RunResult:
        for step in ("build", "simulate"):
            progress(step, 0, 1)
            progress(step, 1, 1)
        groups = tuple(
            GroupResult.of(
                group,
                episodes=asked.episodes,
                latency=Spread(10, 11.0, 12),
                model_latency=Spread(10, 11.0, 12),
            )
            for group in plan.groups
        )
        result = RunResult(
            network=plan.spec.name,
            simulator=asked.sim,
            cycles=1000,
            seconds=Seconds(1.0, 2.0),
            verdict="match",
            mismatches=(),
            groups=groups,
            traffic=TrafficResult(asked.background, asked.background, None),
            seed=asked.seed,
            episodes=asked.episodes,
            loads=(ChannelLoad((0, 0), "east", 0.5),) if asked.heat else None,
        )
        return replace(result, **changes)

    monkeypatch.setattr(drive, "run", run)
    return changes


@pytest.mark.usefixtures("outcome")
def test_a_match_is_a_table_and_code_0(call: Call) -> None:
    result = call("run", "fig1", "--sim", "model")
    assert result.exit_code == 0
    row = next(line for line in result.stdout.splitlines() if " 10 / 11 / 12 " in line)
    assert row.split() == ["1", "14", "2", "9", *2 * ["10", "/", "11", "/", "12"], "28"]


@pytest.mark.usefixtures("outcome")
def test_the_model_alone_is_checked_and_matches_nothing(call: Call) -> None:
    result = call("run", "fig1", "--sim", "model")
    assert result.exit_code == 0
    assert (
        "\nchecked: all rules hold; nothing was compared with the golden model; " in result.stdout
    )
    assert "match" not in result.stdout
    assert (
        json.loads(call("run", "fig1", "--sim", "model", "--json").stdout)["verdict"] == "checked"
    )
    compared = call("run", "fig1", "--sim", "verilator")
    assert "\nmatch: hardware and golden model agree in every cycle; " in compared.stdout


def test_print_gives_the_command_lines_tables(call: Call) -> None:
    network = Network.load("fig1")
    assert f"{network.plan()}\n" == call("plan", "fig1").stdout.rstrip("\n") + "\n"
    result = network.run("model", 3)
    text = call("run", "fig1", "--sim", "model", "--episodes", 3).stdout
    seconds = r"[\d.]+ s to (build|run)"
    assert re.sub(seconds, "", f"{result}\n") == re.sub(seconds, "", text)
    assert repr(result).startswith("RunResult(network=")


@pytest.mark.usefixtures("outcome")
def test_json_keeps_to_its_schema(call: Call) -> None:
    result = call("run", "fig1", "--sim", "model", "--seed", 5, "--json")
    shown = json.loads(result.stdout)
    Draft202012Validator(results_schema()).validate(shown)
    assert shown["groups"][0]["root"] == [4, 4]
    assert shown["groups"][0]["bound_links"] == 9
    assert shown["repeat"] == (
        "syncfabric run fig1 --sim model --episodes 100 --seed 5 --background 0.0"
    )


@pytest.mark.usefixtures("outcome")
@pytest.mark.parametrize(
    "words", ["fig1 {}", "fig1 {} --jitter 0", "churn-mesh {}", "churn-mesh {} --churn 12"]
)
def test_the_command_that_repeats_a_run(call: Call, words: str) -> None:
    asked = "syncfabric run " + words.format("--sim model --episodes 3 --seed 1 --background 0.0")
    assert json.loads(call(*asked.split()[1:], "--json").stdout)["repeat"] == asked


def test_groups_that_come_and_go_are_printed(call: Call) -> None:
    result = call("run", "churn-cluster", "--sim", "model", "--episodes", "2", "--churn", "3")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    (first,) = (n for n, line in enumerate(lines) if line.startswith("churn: 3 instances, "))
    assert re.fullmatch(
        r"set-up: \d+ / [\d.]+ / \d+ cycles, \d+ / [\d.]+ / \d+ packets \(min / median / max\)",
        lines[first + 1],
    )
    assert lines[first + 2].startswith("tear-down: ")
    assert re.fullmatch(
        r"group 1: \d+ / [\d.]+ / \d+ cycles with churn, \d+ / [\d.]+ / \d+ before; bound 13",
        lines[first + 3],
    )


def test_a_mismatch_says_where_and_is_code_1(call: Call, outcome: dict[str, Any]) -> None:
    places = tuple(Mismatch(812 + i, (3, 4), "release[1]", 1, 0) for i in range(7))
    outcome.update(verdict="mismatch", mismatches=places)
    result = call("run", "fig1", "--sim", "model")
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    start = lines.index("mismatch: not all is as it must be")
    assert lines[start + 1] == "  cycle 812, node (3, 4), release[1]: hardware 1, model 0"
    assert lines[start + 6 :] == [
        "  and 2 more",
        "repeat it with: syncfabric run fig1 --sim model --episodes 100 --seed 1 --background 0.0",
    ]


def test_a_hang_is_code_1(call: Call, outcome: dict[str, Any]) -> None:
    outcome.update(verdict="hang", reason="group 1 waits for 3 members since cycle 90")
    result = call("run", "fig1", "--sim", "model", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["verdict"] == "hang"
    assert "hang: group 1 waits for 3 members since cycle 90\n" in result.stderr


def test_saturation_is_said_and_no_error(call: Call, outcome: dict[str, Any]) -> None:
    full = (ChannelLoad((3, 3), "east", 0.99),)
    outcome["traffic"] = TrafficResult(1.0, 0.3, None, saturated=True, full_channels=full)
    result = call("run", "fig1", "--sim", "model")
    assert result.exit_code == 0
    assert "full channels (flits a cycle): (3, 3) east 0.99" in result.stdout


@pytest.mark.usefixtures("outcome")
def test_all_that_was_asked_for_is_written(call: Call, here: Path) -> None:
    result = call("run", "demo", "--sim", "model", "-o", "out", "--heat", "heat.svg", "--json")
    names = set(built("demo"))
    names |= {f"demo_group{i}.{kind}" for i in (1, 2, 3) for kind in ("svg", "png")}
    assert {path.name for path in (here / "out").iterdir()} == names
    assert "nan" not in (here / "heat.svg").read_text()
    written = json.loads(result.stdout)["files"]
    assert set(written) == {f"out/{name}" for name in names} | {"heat.svg"}
    assert all((here / name).exists() for name in written)
