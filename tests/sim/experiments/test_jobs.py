"""Jobs on all processors: their order, that none is lost, and that a run goes on."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from syncfabric.models.errors import PlanError, ToolError
from syncfabric.sim.experiments import jobs as module
from syncfabric.sim.experiments.jobs import Pool, Tally, pool
from tests.sim.experiments import jobs


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all work be enough to start processes."""
    monkeypatch.setattr(module, "FEW", -1.0)


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Give a folder for what ``noted`` leaves."""
    folder = tmp_path / "marks"
    folder.mkdir()
    return folder


@contextmanager
def started(fresh: bool = False) -> Iterator[Pool]:
    with pool(fresh=fresh) as made:
        assert made is not None
        yield made


@pytest.fixture
def one() -> Iterator[Pool]:
    """Give a pool for one test."""
    with started() as made:
        yield made


def whole(made: Pool, function: Callable[..., object], *arguments: tuple[object, ...]) -> Tally:
    tally = Tally()
    list(made.map(function, arguments, tally, lambda: None))
    return tally


def until(tally: Tally, jobs: int) -> Callable[[], None]:
    """Ask to stop when so many jobs are done."""

    def check() -> None:
        if tally.done >= jobs:
            raise KeyboardInterrupt

    return check


def test_few_jobs_are_done_here(one: Pool) -> None:
    tally = Tally()
    found = list(one.map(jobs.pair, [(n,) for n in range(50)], tally, lambda: None))
    assert found == [[n, os.getpid()] for n in range(50)]
    assert tally == Tally(jobs=50, done=50, kept=0)
    assert one.executor is None


@pytest.mark.parametrize(
    ("seconds", "left", "few"), [(0.0, 9, True), (1.9, 9, True), (2.1, 9, False), (9.0, 1, True)]
)
def test_processes_are_for_much_work(seconds: float, left: int, few: bool) -> None:
    made = Pool()
    made.seconds = seconds
    assert made.few(left) is few
    assert not made.few(0)


@pytest.mark.usefixtures("many")
def test_processes_keep_the_order_and_every_job(one: Pool) -> None:
    tally = Tally()
    wanted = [(n, 12) for n in range(12)]
    found = list(one.map(jobs.slower_first, wanted, tally, lambda: None))
    assert found == list(range(12))
    pids = [pid for _, pid in one.map(jobs.pair, [(n,) for n in range(3000)], tally, lambda: None)]
    assert tally == Tally(jobs=3012, done=3012, kept=0)
    assert os.getpid() not in pids
    assert len(set(pids)) == len(os.sched_getaffinity(0))


def test_no_job_is_done_twice(one: Pool, marks: Path) -> None:
    first = whole(one, jobs.noted, *((n, str(marks)) for n in range(3)))
    assert (first.kept, jobs.done(marks)) == (0, [0, 1, 2])
    with started() as again:
        tally = whole(again, jobs.noted, *((n, str(marks)) for n in range(5)))
    assert tally == Tally(jobs=5, done=5, kept=3)
    assert jobs.done(marks) == [0, 1, 2, 3, 4]
    with started(fresh=True) as again:
        tally = whole(again, jobs.noted, *((n, str(marks)) for n in range(2)))
    assert tally.kept == 0
    assert jobs.done(marks) == [0, 0, 1, 1, 2, 3, 4]


@pytest.mark.parametrize("here", [True, False])
def test_a_run_that_is_interrupted_goes_on(
    marks: Path, here: bool, request: pytest.FixtureRequest
) -> None:
    if not here:
        request.getfixturevalue("many")
    wanted = [(n, str(marks)) for n in range(40)]
    tally = Tally()
    with started() as first, pytest.raises(KeyboardInterrupt):
        list(first.map(jobs.noted, wanted, tally, until(tally, 5)))
    assert 5 <= tally.done < 40
    with started() as second:
        again = Tally()
        assert list(second.map(jobs.noted, wanted, again, lambda: None)) == list(range(40))
    assert (again.kept, again.done) == (tally.done, 40)


@pytest.mark.usefixtures("many")
def test_a_job_that_takes_long_is_broken_off() -> None:
    tally, wanted = Tally(), [(0,), (0,), *((n,) for n in range(1, 5))]
    with pytest.raises(KeyboardInterrupt), started() as made:
        list(made.map(jobs.endless, wanted, tally, until(tally, 2)))
    assert tally.done == 2


@pytest.mark.usefixtures("many")
def test_what_a_job_has_started_ends_with_it(marks: Path) -> None:
    def check() -> None:
        if list(marks.iterdir()):
            raise KeyboardInterrupt

    wanted = [(number, str(marks)) for number in (0, 1, 2)]
    with pytest.raises(KeyboardInterrupt), started() as made:
        list(made.map(jobs.starts, wanted, Tally(), check))
    all_end([int(mark.name) for mark in marks.iterdir()])


def test_ctrl_c_breaks_off_a_job_here(one: Pool) -> None:
    before, tally = signal.getsignal(signal.SIGINT), Tally()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(one.map(jobs.pressed, [(n,) for n in range(6)], tally, lambda: None))
    assert time.monotonic() - begin < 10
    assert tally == Tally(jobs=6, done=3)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("here", [True, False])
def test_what_a_job_raises_is_raised_here(
    one: Pool, here: bool, request: pytest.FixtureRequest
) -> None:
    if not here:
        request.getfixturevalue("many")
    with pytest.raises(ZeroDivisionError):
        whole(one, jobs.wrong, (2,), (1,), (0,))
    with pytest.raises(PlanError, match=r"^job 7 cannot be planned$"):
        whole(one, jobs.refused, (7,), (7,), (7,))


@pytest.mark.usefixtures("many")
def test_a_process_that_dies_is_told_of(one: Pool) -> None:
    whole(one, jobs.square, *((n,) for n in range(5)))
    with pytest.raises(ToolError, match=r"^a process that worked for this command has died"):
        whole(one, jobs.dies, (1,), (2,))


@pytest.mark.usefixtures("many")
def test_what_others_have_done_is_kept_when_a_job_fails(one: Pool, marks: Path) -> None:
    wanted = [(n, str(marks)) for n in range(6)]
    found = one.map(jobs.noted, wanted, Tally(), lambda: None)
    assert next(found) == 0
    while len(jobs.done(marks)) < 4:
        time.sleep(0.01)
    time.sleep(0.2)
    found.close()  # type: ignore[attr-defined]
    assert whole(one, jobs.noted, *wanted).kept >= 4


def test_a_job_alone_is_kept_but_not_if_the_user_stops_it(one: Pool) -> None:
    tally, said = Tally(), list[str]()

    def stopped() -> None:
        if said:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one.alone(jobs.lonely, (1,), tally, stopped, told=said.append, stop=lambda: True)
    assert (tally.jobs, tally.done) == (1, 0)
    for _ in range(2):
        found = one.alone(
            jobs.lonely, (1,), tally, lambda: None, told=said.append, stop=lambda: False
        )
        assert found == [1, False]
    assert said == ["number 1", "number 1"]
    assert tally == Tally(jobs=3, done=2, kept=1)


LEADER = """
import multiprocessing, sys
from syncfabric.sim.experiments import jobs as module
from syncfabric.sim.experiments.jobs import Tally, pool
from tests.sim.experiments import jobs

def check():
    children = multiprocessing.active_children()
    if children:
        print(*(child.pid for child in children), flush=True)

if __name__ == "__main__":
    module.FEW = -1.0
    with pool() as made:
        list(made.map(jobs.endless, [(0,), (0,), (1,), (2,), (3,), (4,)], Tally(), check))
"""


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "leader.py"
    script.write_text(LEADER)
    path = os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))
    leader = subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert leader.stdout is not None
    pids = list(map(int, leader.stdout.readline().split()))
    leader.kill()
    leader.communicate()
    assert pids
    all_end(pids)


def all_end(pids: list[int]) -> None:
    """Wait until these processes have ended."""
    end = time.monotonic() + 60
    while any(map(lives, pids)):
        assert time.monotonic() < end
        time.sleep(0.05)


def lives(pid: int) -> bool:
    """Tell whether a process is more than an entry that nobody has asked for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
