"""``syncfabric reproduce``."""

import json
import os
import re
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Work
from tests.cli.conftest import Call


def test_a_table_of_claims(call: Call) -> None:
    result = call("reproduce", "evo-table4")
    assert result.exit_code == 0
    title, heads, _, first, *_ = result.stdout.splitlines()
    assert title.startswith("evo-table4: the printed AAS schedule of the Octagon, checked (paper")
    assert heads.split() == ["claim", "paper", "ours", "ratio", "verdict"]
    assert first.split() == ["steps", "4", "4", "1", "holds,", "by", "formula"]
    assert result.stdout.splitlines()[-1] == (
        "claims of the papers: 8; hold: 7 (2 by formula); partly: 1; "
        "do not hold: 0; no result: 0; rows of ours alone: 0"
    )


def test_json_is_one_object_a_line(call: Call) -> None:
    result = call("reproduce", "evo-table4", "evo-table4", "--json")
    (line,) = result.stdout.splitlines()
    found = json.loads(line)
    assert list(found) == ["name", "rows", "series"]
    assert found["name"] == "evo-table4"
    keys = ["claim", "paper", "ours", "ratio", "verdict", "by_formula"]
    assert all(list(row) == keys for row in found["rows"])
    assert list(found["rows"][0].values()) == ["steps", 4, 4, 1.0, "holds", True]
    assert found["series"] == {}


def test_files_are_written(call: Call, here: Path) -> None:
    result = call("reproduce", "evo-table4", "-o", "out/deep")
    assert result.exit_code == 0
    names = sorted(path.name for path in (here / "out" / "deep").iterdir())
    assert names == ["evo-table4.csv", "evo-table4.png", "evo-table4.svg"]
    assert "wrote out/deep/evo-table4.csv" in result.stderr


def test_the_list(call: Call) -> None:
    text = call("reproduce", "--list").stdout
    assert all(name in text for name in EXPERIMENTS)
    found = {
        entry["name"]: entry for entry in json.loads(call("reproduce", "--list", "--json").stdout)
    }
    assert list(found) == list(EXPERIMENTS)
    assert found["evo-table2"]["runs"] == 10
    assert found["evo-table3"]["runs"] == 20
    assert found["evo-table4"]["time_limit"] is None


def test_the_page_has_every_option(call: Call) -> None:
    page = (Path(__file__).parents[2] / "docs" / "reproduce.md").read_text()
    told = set(re.findall(r"--[a-z][a-z-]+", page))
    offered = set(re.findall(r"--[a-z][a-z-]+", call("reproduce", "--help").stdout)) - {"--help"}
    assert told == offered


def instead(monkeypatch: pytest.MonkeyPatch, name: str, function: Callable[[Work], None]) -> None:
    """Let an experiment run another function."""
    monkeypatch.setitem(EXPERIMENTS, name, replace(EXPERIMENTS[name], function=function))


def test_options_reach_the_experiment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[list[int], float]] = []
    instead(
        monkeypatch, "evo-table2", lambda work: seen.append((list(work.seeds), work.time_limit))
    )
    call("reproduce", "evo-table2", "--seeds", 2, "--seed", 5, "--time-limit", 1.5)
    result = call("reproduce", "evo-table2")
    limit = EXPERIMENTS["evo-table2"].time_limit
    assert seen == [([5, 6], 1.5), (list(range(1, 11)), limit)]
    assert f"10 runs of an entry, seeds from 1; a run is cut off after {limit:g} s" in result.stdout


def interrupted(work: Work) -> None:
    work.claim("before", 1, 1)
    os.kill(os.getpid(), signal.SIGINT)
    work.claim("after", 1, 1)


def test_ctrl_c_keeps_what_is_done(call: Call, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, "evo-table4", interrupted)
    result = call("reproduce", "evo-table4", "evo-fig7", "--json", "-o", "out")
    assert result.exit_code == 130
    (line,) = result.stdout.splitlines()
    assert [row["claim"] for row in json.loads(line)["rows"]] == ["before"]
    assert (here / "out" / "evo-table4.csv").read_text().splitlines()[1:] == [
        "before,1,1,1.0,holds,"
    ]
    assert not (here / "out" / "evo-fig7.csv").exists()
    result = call("reproduce", "evo-table4")
    assert "; interrupted, so not whole" in result.stdout.splitlines()[0]
