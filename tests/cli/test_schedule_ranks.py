"""``mpiexec -n 2 syncfabric schedule``: an island on each rank, and nothing else is another."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from syncfabric.models.collectives.files import load_schedule
from syncfabric.models.collectives.verdict import examine

MPIEXEC = str(Path(sys.executable).with_name("mpiexec"))
PROGRAM = """
from syncfabric.cli import main
from syncfabric.models.collectives.annealing import solve
solve.EPOCH = 20_000
main()
"""
TASK = ("schedule", "mesh-4x4", "AAS", "--ports", "1", "--method", "hgsa", "--steps", "17")
HARD = ("schedule", "mesh-5x5", "AAS", "--ports", "1", "--method", "hgsa", "--steps", "30")


def start(*words: str, ranks: int = 1) -> subprocess.Popen[str]:
    before = [MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        [*before, sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(*words: str, ranks: int = 1) -> tuple[int, str, str]:
    process = start(*words, ranks=ranks)
    out, told = process.communicate(timeout=600)
    return process.returncode, out, told


@pytest.mark.nightly
def test_ranks_write_the_file_that_processes_write(here: Path) -> None:
    code, out, _ = run(*TASK, "-o", "ranks.json", "--json", ranks=2)
    assert code == 0
    alone, lone, _ = run(*TASK, "--islands", "2", "-o", "alone.json", "--json")
    assert alone == 0
    assert (here / "ranks.json").read_text() == (here / "alone.json").read_text()
    assert json.loads(out)["evaluations"] == json.loads(lone)["evaluations"] > 20_000
    assert examine(load_schedule(here / "ranks.json")).right


@pytest.mark.nightly
def test_ranks_go_on_from_a_checkpoint(here: Path) -> None:
    words = (*HARD, "--checkpoint", "c", "--json")
    code, out, _ = run(*words, "--time-limit", "0.5", ranks=2)
    assert code == 1
    first = json.loads(out)
    code, out, _ = run(*words, "--time-limit", str(first["seconds"] + 2), ranks=2)
    assert code == 1
    second = json.loads(out)
    assert second["evaluations"] > first["evaluations"]
    # Two processes take it up as well, one does not.
    code, out, _ = run(*words, "--time-limit", str(second["seconds"] + 2), "--islands", "2")
    assert code == 1
    assert json.loads(out)["evaluations"] > second["evaluations"]
    code, out, told = run(*words, "--islands", "1")
    assert (code, out) == (2, "")
    assert told.splitlines()[-1].startswith("error: c: this checkpoint is of another run; ")


@pytest.mark.nightly
def test_ctrl_c_ends_all_ranks_with_what_they_have(here: Path) -> None:
    process = start(*HARD, "--checkpoint", "c", "--time-limit", "600", "--json", ranks=2)
    assert process.stderr is not None
    while "hgsa: 30 steps, " not in process.stderr.readline():
        pass
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=120)
    assert process.returncode == 1  # it has no schedule
    assert json.loads(out[out.index("{") :])["found"] is False
    assert "Traceback" not in told
    assert (here / "c").exists()


@pytest.mark.nightly
def test_one_rank_tells_what_is_wrong() -> None:
    code, out, told = run("schedule", "octagon-9", "AAS", ranks=2)
    assert (code, out) == (2, "")
    (line,) = (line for line in told.splitlines() if line.startswith("error: "))
    assert line.startswith('error: topology: size of "octagon-9" must be a multiple of 4')
