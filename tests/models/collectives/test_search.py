"""Bounds, constructions and methods behind one call."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

import pytest

from syncfabric.models.collectives import methods
from syncfabric.models.collectives import search as searching
from syncfabric.models.collectives.bounds import bounds_in_time, lower_bounds
from syncfabric.models.collectives.certificate import Solver, verify
from syncfabric.models.collectives.clock import (
    Clock,
    Found,
    TimeUpError,
    seconds_left,
    tick,
)
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.methods import Method, known
from syncfabric.models.collectives.record import Result, Standing
from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.collectives.topology import Topology, full_duplex
from syncfabric.models.collectives.verdict import examine
from syncfabric.models.errors import PlanError, SpecError
from tests.models.collectives.tasks import task as task_of

STRICT = Rules(1, "strict", "store-and-forward")


def assert_whole(task: Task, result: Result, steps: int) -> None:
    """It is right, has its certificate, and is what the result says."""
    assert result.schedule is not None
    assert len(result.schedule.steps) == result.steps == steps
    assert result.conflicts == 0
    verdict = examine(result.schedule)
    assert verdict.right
    assert result.schedule.certificate == result.certificate
    if result.optimal:
        assert result.certificate is not None
        assert result.certificate.value == steps
        assert verdict.optimal or isinstance(result.certificate.argument, Solver)
    proved = [bound.value for bound in result.bounds if bound.argument.kind != "paper"]
    assert proved == sorted(proved, reverse=True)


@pytest.mark.parametrize(
    ("name", "kind", "steps", "by"),
    [
        ("hypercube-32", "AAS", 16, "construction"),
        ("torus-8x8", "AAB", 16, "construction"),
        ("octagon-8", "AAR", 3, "construction"),
        ("octagon-8", "OAB", 2, "first fit"),
        ("octagon-8", "AOG", 3, "construction"),
        ("octagon-8", "AOR", 2, "first fit"),
        ("octagon-8", "AAS", 4, "construction"),
    ],
)
def test_auto_meets_the_bound(name: str, kind: str, steps: int, by: str) -> None:
    task = task_of(name, kind)
    result = search(task, time_limit=30)
    assert_whole(task, result, steps)
    assert result.optimal
    assert result.method == by


def test_a_proof_by_the_solver_makes_a_certificate() -> None:
    task = task_of("octagon-8", "OAB", STRICT)
    result = search(task, "exact", time_limit=60)
    assert_whole(task, result, 4)
    assert result.optimal
    assert result.certificate is not None
    said = result.certificate.argument
    assert isinstance(said, Solver)
    assert said.solver.startswith("CP-SAT ")
    assert "INFEASIBLE with 3 steps" in said.proof
    assert result.bounds[0] == result.certificate


def test_paths_that_are_longer() -> None:
    mesh = named("mesh-4x4")
    minimal = Task(mesh, collective("OAS", mesh, [1]))
    assert_whole(minimal, search(minimal), 6)
    longer = replace(minimal, extra=2)
    assert_whole(longer, search(longer), 5)


def test_steps_below_the_bound_are_refused() -> None:
    with pytest.raises(PlanError, match=r"steps: 3 is below the lower bound 4: .*16 messages must"):
        search(task_of("octagon-8", "AAS"), steps=3)
    with pytest.raises(PlanError, match="below the lower bound 4"):
        search(task_of("torus-4x4", "AAB"), "exact", steps=0)


def test_what_else_is_refused() -> None:
    task = task_of("octagon-8", "AAS")
    with pytest.raises(SpecError, match='method: unknown "exakt"; did you mean'):
        search(task, "exakt")
    with pytest.raises(SpecError, match="time limit: it must be above 0 seconds, not 0"):
        search(task, time_limit=0)
    lonely = collective("MNS", task.topology, [1], [1])
    with pytest.raises(PlanError, match="nothing to send"):
        search(replace(task, collective=lonely))
    foreign = replace(task, topology=Topology("line", 2, 0, full_duplex([(0, 1)])))
    with pytest.raises(SpecError, match="not in topology line"):
        search(foreign)


def test_as_many_steps_as_asked_for() -> None:
    task = task_of("octagon-8", "AAS")
    result = search(task, steps=6)
    assert result.schedule is not None
    assert 4 <= len(result.schedule.steps) <= 6
    assert result.optimal == (len(result.schedule.steps) == 4)
    assert_whole(task, search(task, "exact", steps=4), 4)


def test_no_schedule_with_so_few_steps_is_no_error() -> None:
    result = search(task_of("octagon-8", "OAB", STRICT), "exact", steps=3)
    assert result.schedule is None
    assert result.steps == 3
    assert not result.optimal
    assert result.conflicts > 0
    assert result.bounds[0].value == 4


def test_the_same_seed_gives_the_same_schedule() -> None:
    task = task_of("mesh-3x3", "AAS")
    assert search(task, seed=3).schedule == search(task, seed=3).schedule


def test_it_ends_when_stopped_with_the_best() -> None:
    task = task_of("mesh-5x5", "AAB", STRICT)
    begun = time.monotonic()
    result = search(task, "auto", time_limit=60, stop=lambda: time.monotonic() - begun > 1)
    assert time.monotonic() - begun < 20
    assert result.schedule is not None
    assert examine(result.schedule).right
    assert not result.optimal


def test_the_time_limit_is_kept() -> None:
    begun = time.monotonic()
    result = search(task_of("mesh-5x5", "AAB", STRICT), "exact", steps=28, time_limit=0.5)
    assert time.monotonic() - begun < 10
    assert result.schedule is None


class Fake:
    """A method that solves tasks from so many steps on, slowly down to it."""

    def __init__(self, least: int) -> None:
        self.least, self.asked = least, list[int]()

    def __call__(self, _: Method, task: Task, steps: int, *__: Any, **___: Any) -> Iterator[Found]:
        for number in range(1, 1000):
            self.asked.append(steps)
            if steps < self.least:
                time.sleep(0.05)
                yield Found(None, 3, 100 * number, 100.0 * number)
                continue
            # Node 0 scatters on a star, of which it is the middle, a message a step.
            made = tuple((Transfer((0, t), (0, t)),) for _, t in task.collective.pairs)
            yield Found(made[:steps] if steps >= len(made) else made, 0, 100 * number, 1.0)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    made = Fake(7)
    monkeypatch.setattr(Method, "run", lambda *words, **more: made(*words, **more))
    return made


def test_from_above_down_to_what_is_found(fake: Fake) -> None:
    task = task_of("star-8", "OAS")
    heard: list[Standing] = []
    result = search(task, "hgsa", time_limit=1, progress=heard.append)
    assert_whole(task, result, 7)
    assert not result.optimal
    assert result.bounds[0].value == 1
    # Up until something is found, then between, then one below the best as long as there is time.
    assert fake.asked[:6] == [1, 2, 4, 8, 5, 6]
    assert set(fake.asked[6:]) == {6}
    assert heard[-1].best == 7
    assert heard[-1].method == "hgsa"
    assert heard[-1].bound == 1
    assert heard[-1].evaluations == 100 * len(fake.asked)
    assert result.evaluations == 100 * len(fake.asked)


def test_what_no_method_can_do_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Iterator[Found]:
        raise SpecError("too large")
        yield

    whole = Method.run
    monkeypatch.setattr(
        Method, "run", lambda one, *args, **more: (whole if one.at_once else refuse)(one, *args)
    )
    result = search(task_of("fat-octagon-16", "AAS", STRICT), time_limit=60)
    assert result.method == "first fit"
    assert result.seconds < 30
    with pytest.raises(SpecError, match="too large"):
        search(task_of("mesh-4x4", "AAS", Rules(1)), "hgsa")


def test_nothing_found_reports_the_conflicts_left(fake: Fake) -> None:
    result = search(task_of("star-8", "OAS"), "mboa", steps=6, time_limit=0.2)
    assert result.schedule is None
    assert result.conflicts == 3


def test_a_wrong_schedule_never_leaves(fake: Fake) -> None:
    # One port, two nodes that send: the middle passes on what it has not got.
    fake.least = 0
    with pytest.raises(AssertionError, match="hgsa made a schedule that is wrong"):
        search(task_of("ring-8", "OAS"), "hgsa", time_limit=1)


def test_a_method_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = {
        name: one if one.at_once or name == "exact" else replace(one, place="nowhere:solve")
        for name, one in known().items()
    }
    monkeypatch.setattr(methods, "known", lambda **_: nowhere)
    monkeypatch.setattr(searching, "known", lambda **_: nowhere)
    task = task_of("octagon-8", "AAS")
    with pytest.raises(SpecError, match="method hgsa: it needs"):
        search(task, "hgsa")
    assert search(task).optimal  # without them


def test_a_large_broadcast_ends_at_the_limit_with_a_schedule() -> None:
    """Paths, models, bounds: whatever takes long asks the clock."""
    begun = time.monotonic()
    result = search(task_of("hypercube-512", "OAB"), time_limit=2)
    assert time.monotonic() - begun < 12
    assert result.schedule is not None
    assert examine(result.schedule).right
    assert result.bounds[0].value == 3


def test_a_request_during_first_fit_leaves_a_schedule() -> None:
    begun, asked = time.monotonic(), itertools.count()
    task = task_of("hypercube-512", "OAB")
    result = search(task, time_limit=600, stop=lambda: next(asked) > 1000)
    assert time.monotonic() - begun < 8
    assert result.method == "first fit in haste"
    assert result.schedule is not None
    assert len(result.schedule.steps) == 9
    assert examine(result.schedule).right


def test_bounds_that_are_cut_off_are_named_and_the_others_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = task_of("mesh-5x5", "AAS")
    whole = {bound.argument.kind: bound for bound in lower_bounds(task)}
    monkeypatch.setattr("syncfabric.models.collectives.search._BOUNDS_SHARE", 0.0)
    result = search(task, steps=400, time_limit=60)
    assert result.cut_off == ("cut", "load", "paper")
    assert [bound.argument.kind for bound in result.bounds] == ["distance", "ports"]
    assert all(bound == whole[bound.argument.kind] for bound in result.bounds)
    assert all(verify(task, bound) is None for bound in result.bounds)
    assert result.schedule is not None


def test_without_a_search_nothing_is_cut_off() -> None:
    with pytest.raises(TimeUpError), Clock(60, lambda: True).rules():
        tick()
    tick()
    assert seconds_left() == inf
    with Clock(60, lambda: True).rules(heeds=False):
        tick()
        assert 50 < seconds_left() < 60
    assert bounds_in_time(task_of("ring-8", "AAS"))[1] == ()
