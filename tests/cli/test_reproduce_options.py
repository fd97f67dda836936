"""``syncfabric reproduce``: what can be set, and what is kept."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Experiment, Parameter, Work
from tests.cli.conftest import Call
from tests.sim.experiments import jobs

MOST = Parameter("most", 3, 1, 9, "how many squares")
FEWER = Parameter("most", 2, 1, 4, "how many squares")
SCALE = Parameter("scale", 1.5, 0, 10, "what they are multiplied by, ns")
TOYS = (
    Experiment("toy", "squares", "no paper", jobs.toy, parameters=(MOST, SCALE), rtl=True),
    Experiment("toy-2", "squares", "no paper", jobs.toy, parameters=(FEWER, SCALE)),
    Experiment("interrupted", "a toy", "no paper", jobs.interrupted),
)


@pytest.fixture(autouse=True)
def _toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path / "cache"))
    for toy in TOYS:
        monkeypatch.setitem(EXPERIMENTS, toy.name, toy)


def series(result: Any) -> list[list[list[float]]]:
    return [json.loads(line)["series"]["squares"] for line in result.stdout.splitlines()]


def test_parameters_are_set(call: Call) -> None:
    assert series(call("reproduce", "toy", "--json")) == [[[0, 0], [1, 1.5], [2, 6.0]]]
    result = call("reproduce", "toy", "--set", "most=2", "--set", "scale=4", "--json")
    assert series(result) == [[[0, 0], [1, 4.0]]]
    result = call("reproduce", "toy", "evo-table4", "toy-2", "--set", "most=1", "--json")
    assert result.exit_code == 0
    assert [len(json.loads(line)["series"]) for line in result.stdout.splitlines()] == [1, 0, 1]
    text = call("reproduce", "toy", "--set", "scale=4", "--rtl", "--clock", 250).stdout
    assert text.splitlines()[-3] == "scale = 4.0; hardware at 250 MHz"


def test_the_hardware_is_asked_only_where_there_is_some(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool, float]] = []

    def note(work: Work) -> None:
        seen.append((work.experiment.name, work.rtl, work.clock_mhz))

    for toy in TOYS[:2]:
        monkeypatch.setitem(EXPERIMENTS, toy.name, replace(toy, function=note))
    call("reproduce", "toy", "toy-2", "--rtl")
    call("reproduce", "toy", "--rtl", "--clock", 50)
    assert seen == [("toy", True, 100), ("toy-2", False, 100), ("toy", True, 50)]


def test_parameters_are_listed(call: Call) -> None:
    text = call("reproduce", "--list").stdout
    (line,) = (line for line in text.splitlines() if line.startswith("toy-2") and "scale" in line)
    assert re.split(" {2,}", line.rstrip()) == ["toy-2", "scale", SCALE.words, "1.5", "0", "10"]
    found = {e["name"]: e for e in json.loads(call("reproduce", "--list", "--json").stdout)}
    assert found["toy"]["rtl"] is True
    assert found["toy"]["parameters"][0] == {
        "name": "most",
        "value": 3,
        "least": 1,
        "most": 9,
        "words": "how many squares",
    }


def test_what_is_kept_is_told(call: Call) -> None:
    assert call("reproduce", "toy").stderr == ""
    result = call("reproduce", "toy", "--set", "most=5")
    assert result.stderr == "toy: 3 of 5 jobs kept from before; --fresh does them again\n"
    assert call("reproduce", "toy", "--fresh").stderr == ""


def test_ctrl_c_in_a_job_keeps_those_that_are_done(call: Call) -> None:
    result = call("reproduce", "interrupted", "--json")
    assert result.exit_code == 130
    assert [row["ours"] for row in json.loads(result.stdout)["rows"]] == [0, 1, 2]
    told = "interrupted: 3 of 6 jobs are kept: the same command goes on\n"
    assert result.stderr == told + "interrupted\n"
    result = call("reproduce", "interrupted", "--json")
    assert [row["ours"] for row in json.loads(result.stdout)["rows"]] == [0, 1, 2]
    assert result.stderr.startswith("interrupted: 3 of 6 jobs kept from before; ")
