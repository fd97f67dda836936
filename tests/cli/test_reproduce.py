"""``syncfabric reproduce``."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Experiment, Parameter, Work
from tests.cli.conftest import Call
from tests.programs import run, start
from tests.sim.experiments import jobs


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


def test_what_is_kept_is_printed(call: Call) -> None:
    assert call("reproduce", "toy").stderr == ""
    result = call("reproduce", "toy", "--set", "most=5")
    assert result.stderr == "toy: 3 of 5 jobs kept from before; --fresh does them again\n"
    assert call("reproduce", "toy", "--fresh").stderr == ""


def test_ctrl_c_in_a_job_keeps_those_that_are_done(call: Call) -> None:
    result = call("reproduce", "interrupted", "--json")
    assert result.exit_code == 130
    assert [row["ours"] for row in json.loads(result.stdout)["rows"]] == [0, 1, 2]
    errors = "interrupted: 3 of 6 jobs are kept: the same command goes on\n"
    assert result.stderr == errors + "interrupted\n"
    result = call("reproduce", "interrupted", "--json")
    assert [row["ours"] for row in json.loads(result.stdout)["rows"]] == [0, 1, 2]
    assert result.stderr.startswith("interrupted: 3 of 6 jobs kept from before; ")


PROGRAM = """
from syncfabric.sim.experiments import choice
from syncfabric.sim.experiments.frame import Experiment
from tests.sim.experiments import jobs
for name in ("ranks", "failing", "stuck"):
    choice.EXPERIMENTS[name] = Experiment(name, "a toy", "no paper", getattr(jobs, name))
from syncfabric.cli import main
main()
"""


@pytest.fixture(autouse=True)
def _cache(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(here / "cache"))


def reproduce(
    ranks: int, *words: str, program: tuple[str, ...] = ("-c", PROGRAM)
) -> subprocess.CompletedProcess[str]:
    return run(*program, "reproduce", *words, ranks=ranks)


@pytest.mark.nightly
def test_other_ranks_work_and_the_first_one_prints(here: Path) -> None:
    done = reproduce(3, "ranks", "--json", "-o", "out")
    assert done.returncode == 0
    (line,) = done.stdout.splitlines()
    assert [row["ours"] for row in json.loads(line)["rows"]] == [2, "no"]
    assert [errors.partition(" ")[0] for errors in done.stderr.splitlines()] == ["wrote"] * 3
    assert (here / "out" / "ranks.csv").exists()


@pytest.mark.nightly
def test_a_job_that_fails_ends_all_ranks_with_one_line() -> None:
    done = reproduce(3, "failing")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: rank ")
    assert " of 3: wrong failed: ZeroDivisionError: division by zero (jobs.py:" in line


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nosuch",), 'error: reproduce: unknown experiment "nosuch"; '),
        (("ranks", "--seeds", "many"), "error: invalid value for '--seeds'"),
    ],
)
def test_one_rank_prints_what_is_wrong(words: tuple[str, ...], said: str) -> None:
    done = reproduce(3, *words)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(said)


@pytest.mark.nightly
def test_ctrl_c_ends_all_ranks_with_what_they_have() -> None:
    process = start("-c", PROGRAM, "reproduce", "stuck", "--json", ranks=3)
    assert process.stderr is not None
    while "2 of 6 jobs done" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert len(json.loads(out[out.index("{") :])["rows"]) == 2
    assert "Traceback" not in errors
    assert "stuck: 2 of 6 jobs are kept: the same command goes on" in errors


@pytest.mark.nightly
def test_ranks_and_processes_find_the_same(here: Path) -> None:
    module = ("-m", "syncfabric")
    words = ("adapt-fig7", "--seeds", "24", "--json", "-o")
    alone = reproduce(0, *words, "alone", "--fresh", program=module)
    ranks = reproduce(4, *words, "ranks", "--fresh", program=module)
    assert alone.returncode == ranks.returncode == 0
    assert alone.stdout == ranks.stdout != ""
    for name in ("adapt-fig7.csv", "adapt-fig7-series.csv"):
        assert (here / "alone" / name).read_text() == (here / "ranks" / name).read_text()
