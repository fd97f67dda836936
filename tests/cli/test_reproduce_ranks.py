"""``mpiexec -n 3 syncfabric reproduce``: ranks in place of processes, the same otherwise."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from syncfabric.sim.ranks.launch import mpiexec

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


def start(ranks: int, *words: object, program: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    path = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, *(program or ("-c", PROGRAM)), "reproduce", *map(str, words)]
    return subprocess.Popen(
        mpiexec(ranks, command) if ranks else command,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(
    ranks: int, *words: object, program: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    process = start(ranks, *words, program=program)
    out, told = process.communicate(timeout=600)
    return subprocess.CompletedProcess(process.args, process.returncode, out, told)


def test_other_ranks_work_and_the_first_one_prints(here: Path) -> None:
    done = run(3, "ranks", "--json", "-o", "out")
    assert done.returncode == 0
    (line,) = done.stdout.splitlines()
    assert [row["ours"] for row in json.loads(line)["rows"]] == [2, "no"]
    assert [told.partition(" ")[0] for told in done.stderr.splitlines()] == ["wrote"] * 3
    assert (here / "out" / "ranks.csv").exists()


@pytest.mark.nightly
def test_a_job_that_fails_ends_all_ranks_with_one_line() -> None:
    done = run(3, "failing")
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
def test_one_rank_tells_what_is_wrong(words: tuple[str, ...], said: str) -> None:
    done = run(3, *words)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(said)


@pytest.mark.nightly
def test_ctrl_c_ends_all_ranks_with_what_they_have() -> None:
    process = start(3, "stuck", "--json")
    assert process.stderr is not None
    while "2 of 6 jobs done" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert len(json.loads(out[out.index("{") :])["rows"]) == 2
    assert "Traceback" not in told
    assert "stuck: 2 of 6 jobs are kept: the same command goes on" in told


@pytest.mark.nightly
def test_ranks_and_processes_find_the_same(here: Path) -> None:
    module = ("-m", "syncfabric")
    words = ("adapt-fig7", "--seeds", "24", "--json", "-o")
    alone = run(0, *words, "alone", "--fresh", program=module)
    ranks = run(4, *words, "ranks", "--fresh", program=module)
    assert alone.returncode == ranks.returncode == 0
    assert alone.stdout == ranks.stdout != ""
    for name in ("adapt-fig7.csv", "adapt-fig7-series.csv"):
        assert (here / "alone" / name).read_text() == (here / "ranks" / name).read_text()
