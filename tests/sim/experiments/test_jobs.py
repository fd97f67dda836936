"""Jobs: done, kept on disk, and carried out side by side."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from syncfabric.models.errors import OutputError, PlanError, ToolError
from syncfabric.sim.experiments import jobs as module
from syncfabric.sim.experiments.jobs import Kept, Pool, Tally, key_of, pool
from tests.programs import start
from tests.sim.experiments import jobs


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a cache of its own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(folder))
    return folder


def keep(**results: str) -> Path:
    store = Kept(jobs.square)
    for key, text in results.items():
        store.add(key, text)
    store.close()
    return store.path


def test_what_is_kept_is_there_again(cache: Path) -> None:
    path = keep(a="1", b='{"x": [1.5, "y z"]}')
    assert path.parent == cache / "results"
    assert Kept(jobs.square).results == {"a": "1", "b": '{"x": [1.5, "y z"]}'}


def test_functions_and_arguments_are_distinguished() -> None:
    keep(a="1")
    assert Kept(jobs.pair).results == {}
    keys = {key_of(job) for job in ((1, 2), (1, "2"), (12,), (1, [2]), (1, 2.0), (2, 1))}
    assert len(keys) == 6
    assert key_of(((1, 2),)) == key_of(([1, 2],))


def test_other_sources_have_other_results(monkeypatch: pytest.MonkeyPatch) -> None:
    keep(a="1")
    monkeypatch.setattr(module, "sources", lambda: "changed")
    assert Kept(jobs.square).results == {}


def test_sources_are_those_of_every_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = module.sources()
    files = {"models": "a.py", "rtl": "b.py", "sim": "deep/c.v"}
    for name, file in files.items():
        (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name / file).write_text("1")
    monkeypatch.setattr(module, "files", lambda package: tmp_path / package.rpartition(".")[2])
    seen = {before, module.sources.__wrapped__()}
    for name, file in files.items():
        (tmp_path / name / file).write_text("2")
        seen.add(module.sources.__wrapped__())
    monkeypatch.setattr(module, "version", lambda library: "another")
    seen.add(module.sources.__wrapped__())
    assert len(seen) == 6


@pytest.mark.parametrize("cut", range(2, 18, 3))
def test_a_line_cut_short_is_as_if_it_were_not_there(cut: int) -> None:
    path = keep(a="1", b="[2, 3]")
    path.write_bytes(path.read_bytes()[:-cut])
    assert Kept(jobs.square).results == {"a": "1"}
    keep(c="4")
    assert Kept(jobs.square).results == {"a": "1", "c": "4"}


@pytest.mark.parametrize("place", [1, 5, 10, 11, 12])
def test_a_damaged_line_is_as_if_it_were_not_there(place: int) -> None:
    path = keep(a="1", b="2")
    data = bytearray(path.read_bytes())
    data[place] ^= 0x04
    path.write_bytes(data)
    assert Kept(jobs.square).results == {"b": "2"}


def test_what_is_no_text_at_all_is_as_if_it_were_not_there() -> None:
    path = keep(a="1")
    path.write_bytes(path.read_bytes() + b"\xff\xfe\x00 \n" * 100 + b"\xff")
    assert Kept(jobs.square).results == {"a": "1"}
    keep(b="2")
    assert Kept(jobs.square).results == {"a": "1", "b": "2"}


def test_fresh_leaves_aside_what_is_there_and_new_results_take_its_place() -> None:
    keep(a="1", b="2")
    store = Kept(jobs.square, fresh=True)
    assert store.results == {}
    store.add("a", "7")
    store.close()
    assert Kept(jobs.square).results == {"a": "7", "b": "2"}


def test_two_at_once_do_not_harm_each_other() -> None:
    one, two = Kept(jobs.square), Kept(jobs.square)
    for number in range(10):
        one.add(f"a{number}", "1")
        two.add(f"b{number}", "2")
    assert len(Kept(jobs.square).results) == 20


def test_old_files_go_when_there_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    old = keep(a="1")
    monkeypatch.setattr(module, "sources", lambda: "changed")
    monkeypatch.setattr(module, "RESULTS_BYTES", 0)
    new = keep(a="1")
    assert not old.exists()
    assert new.exists()


def test_a_cache_that_cannot_be_used_is_one_line(cache: Path) -> None:
    cache.write_text("")
    store = Kept(jobs.square, fresh=True)
    with pytest.raises(OutputError, match=r"cache folder .* cannot be used: .*; set SYNCFABRIC_"):
        store.add("a", "1")


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
def test_a_process_that_dies_is_reported(one: Pool) -> None:
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
        one.alone(jobs.lonely, (1,), tally, stopped, progress=said.append, stop=lambda: True)
    assert (tally.jobs, tally.done) == (1, 0)
    for _ in range(2):
        found = one.alone(
            jobs.lonely, (1,), tally, lambda: None, progress=said.append, stop=lambda: False
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
    leader = start(script)
    assert leader.stdout is not None
    pids = list(map(int, leader.stdout.readline().split()))
    leader.kill()
    leader.communicate()
    assert pids
    all_end(pids)


def all_end(pids: list[int]) -> None:
    """Wait until these processes have ended."""
    end = time.monotonic() + 60
    while any(map(is_alive, pids)):
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    """Return whether a process is more than an entry that has not been reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
