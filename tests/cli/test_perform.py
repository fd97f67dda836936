"""``syncfabric perform``."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from syncfabric.models.collectives.files import save_schedule
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules
from syncfabric.models.errors import how_to_install
from tests.cli.conftest import Call
from tests.models.collectives.right_schedules import fat_multicast
from tests.programs import run
from tests.sim.ranks.made import one_of

LONG = pytest.mark.nightly


def perform(ranks: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    return run("-m", "syncfabric", "perform", *arguments, ranks=ranks)


def test_ranks_are_started_and_named(tmp_path: Path) -> None:
    save_schedule(one_of("AAS", "ring-3", Rules()), tmp_path / "s.json")
    asked = ("--ranks", "3", "--bytes", "100", "--repeat", "3")
    done = perform(0, tmp_path / "s.json", *asked)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line[:11].strip() for line in lines] == [
        "alltoall (A",
        "ranks",
        "messages",
        "schedule",
        "library",
        "verdict",
    ]
    assert lines[1].startswith("ranks      3 on ")
    assert lines[2] == "messages   6 in 1 step, 100 bytes each"
    assert lines[4].endswith(" at best by Alltoall")
    assert lines[5] == "verdict    all 7,500 bytes right, on every rank"


@LONG
def test_as_json(tmp_path: Path) -> None:
    save_schedule(one_of("OAB", "ring-3", Rules()), tmp_path / "s.json")
    done = perform(3, tmp_path / "s.json", "--json", "--repeat", 4)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["collective"], found["right"]) == ("broadcast", True)
    assert found["checked_bytes"] == 24576
    for way in ("schedule", "library"):
        times = found[way]
        assert len(times["seconds"]) == 4
        assert 0 < times["min"] == min(times["seconds"]) <= times["median"]


def wrong(folder: Path) -> str:
    right = one_of("OAB", "ring-3", Rules())
    steps = [[transfer for transfer in step if transfer.message[1] != 2] for step in right.steps]
    schedule = Schedule.of(right.topology, right.collective, right.rules, steps)
    save_schedule(schedule, folder / "s.json")
    return "the schedule is wrong: node 2 never gets the message of node 0"


def malformed(folder: Path) -> str:
    values = one_of("OAB", "ring-3", Rules()).to_json()
    values["steps"][0][0]["path"] = [0, 7]
    (folder / "s.json").write_text(json.dumps(values))
    return "schedule: steps[0][0].path: topology ring-3 has no channel [0, 7]"


def too_few(folder: Path) -> str:
    save_schedule(fat_multicast(), folder / "s.json")
    return (
        "the schedule is for the 16 nodes of fat-octagon-16, but 3 ranks were started; "
        "use mpiexec -n 16, or --ranks 16"
    )


def missing(folder: Path) -> str:
    return "no such file; check the path"


@pytest.mark.parametrize(
    "case", [wrong, *(pytest.param(case, marks=LONG) for case in (malformed, too_few, missing))]
)
def test_bad_input_is_one_line_and_code_2(tmp_path: Path, case: Callable[[Path], str]) -> None:
    said = case(tmp_path)
    done = perform(3, tmp_path / "s.json")
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        f"error: {tmp_path}/s.json: {said}\n",
    )


def test_a_mistake_in_the_options_is_one_line_of_all_ranks(tmp_path: Path) -> None:
    done = perform(2, tmp_path / "s.json", "--bytes", "none")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_without_mpi4py_it_says_what_to_install(
    call: Call, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    result = call("perform", "s.json")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: mpi4py and an MPI library are needed for ranks; install it in the checkout with: "
        ".venv/bin/pip install -e '.[mpi]'\n"
    )


def test_without_mpiexec_it_says_what_to_install(
    call: Call, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(here / "python"))
    monkeypatch.setenv("PATH", str(here))
    result = call("perform", "s.json", "--ranks", 4)
    assert result.exit_code == 2
    assert result.stderr == f"error: mpiexec is not there; {how_to_install('mpi')}\n"
