"""Runs of paper EVO's experiments: seeds, time, and what counts as a success."""

import json
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.clock import Found
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.sim.experiments.papers import evo
from syncfabric.sim.experiments.papers import evo_runs as runs
from syncfabric.sim.experiments.papers.evo_runs import (
    TIMES,
    Entry,
    Method,
    detours,
    make_runs,
    shortest,
    straightened,
    task_from,
    task_json,
    why,
)
from tests.sim.experiments.papers.test_evo import ring_oas, work_of

RIGHT = (
    (Transfer((0, 1), (0, 1)), Transfer((0, 3), (0, 3))),
    (Transfer((0, 2), (0, 1, 2)),),
)


def test_an_entry_says_how_often_and_what_is_left() -> None:
    entry = Entry(4, (10, 30), (0.1, 0.2), 1)
    assert (entry.rate, entry.mean) == (50, 20)
    assert entry.note(60) == "below the paper; the best of the others left 1 conflict"
    assert entry.note(50) == "the best of the others left 1 conflict"
    none = Entry(2, (), (), 7)
    assert (none.rate, none.mean) == (0, None)
    assert Entry(2, (1, 1), (0, 0), None).note(100) == ""


@pytest.mark.parametrize("method", ["hgsa", "mboa"])
def test_runs_have_a_seed_each_and_only_schedules_count(
    monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    asked = []

    def solve(by: str, task: Task, steps: int, *, seed: int, time_limit: float, **_: Any) -> Found:
        assert by == method
        asked.append((steps, seed, time_limit))
        found = RIGHT if seed % 2 else None
        return Found(found, 0 if found else seed, 100 * seed, seconds=0.5 * seed)

    monkeypatch.setattr(runs, "solve", solve)
    work = work_of("evo-table2", runs=3, seed=5, time_limit=2.5)
    entry = make_runs(work, method, ring_oas(), 2)
    assert asked == [(2, 5, 2.5), (2, 6, 2.5), (2, 7, 2.5)]
    assert entry == Entry(3, (500, 700), (2.5, 3.5), 6, wanted=3)


@pytest.mark.parametrize("method", ["hgsa", "mboa"])
def test_an_entry_ends_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    def solve(*_: object, **__: object) -> Found:
        return Found(None, 3, 100, seconds=2.0)

    monkeypatch.setattr(runs, "solve", solve)
    entry = make_runs(work_of("evo-table2", runs=9, time_limit=1.0), method, ring_oas(), 2)
    assert TIMES == 5
    assert entry == Entry(3, (), (), 3, wanted=9)
    assert entry.note(60).startswith("below the paper; 3 of 9 runs, then its time was over; ")


def test_a_run_that_needs_longer_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def solve(*_: object, time_limit: float, **__: object) -> Found:
        asked.append(time_limit)
        return Found(None, 1, 100, seconds=80.0)

    monkeypatch.setattr(runs, "solve", solve)
    entry = make_runs(
        work_of("evo-table2", runs=9, time_limit=5.0), "mboa", evo.task("AAS", 32), 16
    )
    assert asked == [150.0, 150.0]
    assert (entry.runs, entry.wanted) == (2, 9)


def test_a_wrong_schedule_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = ((*RIGHT[0], *RIGHT[1]),)
    found = Found(wrong, 0, 1)
    monkeypatch.setattr(runs, "solve", lambda *_, **__: found)
    with pytest.raises(AssertionError, match="a schedule that is wrong"):
        make_runs(work_of("evo-table2", runs=1), "hgsa", ring_oas(), 1)


@pytest.mark.parametrize("count", [1, 2])
def test_a_run_that_the_user_ends_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    asked = []

    def solve(*_: object, **__: object) -> Found:
        asked.append(True)
        return Found(None, 3, 1)

    monkeypatch.setattr(runs, "solve", solve)
    work = work_of("evo-table2", runs=count, stop=lambda: bool(asked))
    with pytest.raises(KeyboardInterrupt):
        make_runs(work, "hgsa", ring_oas(), 2)
    assert len(asked) == 1


def test_auto_receives_the_limit_and_the_seed() -> None:
    work = work_of("evo-table3", seed=9, time_limit=2.0)
    reported: list[str] = []
    work.progress = reported.append
    found = shortest(work, ring_oas(), "a ring")
    assert found.steps == 2
    assert found.why.startswith("optimal: node 0 must inject 3 messages, 2 a step")
    assert (found.bound, found.argument) == (2, "node 0 must inject 3 messages, 2 a step")
    assert found.schedule is not None
    assert check(found.schedule).right
    assert reported[0] == "a ring: auto"
    unproved = replace(search(ring_oas()), certificate=None, seconds=TIMES * work.time_limit)
    assert why(unproved) == "not proved optimal in 10 s: at least 2 are needed"


def test_as_few_longer_paths_as_can_be() -> None:
    mesh = named("mesh-3x3")
    task = Task(mesh, collective("OAS", mesh, (1,)), Rules(), 2)
    schedule = search(task).schedule
    assert schedule is not None
    straight = straightened(work_of("evo-fig7", time_limit=20.0), task, schedule)
    assert check(straight).right
    assert len(straight.steps) == len(schedule.steps)
    assert detours(straight) <= detours(schedule)
    longer = [t for t in chain(*straight.steps) if len(t.path) - 1 > mesh.to_go(t.path[-1])[1]]
    assert len(longer) == detours(straight)


@pytest.mark.nightly
def test_both_methods_reach_table_2_on_the_smallest_cube(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = work_of("evo-table2", runs=2, time_limit=60.0)
    monkeypatch.setattr(evo, "SIZES", (8,))
    evo.table2.function(work)
    rates = [claim for claim in work.claims if claim.claim.endswith("%")]
    assert [claim.ours for claim in rates] == [100] * 4


def test_what_is_found_is_the_same_after_json() -> None:
    for task in (ring_oas(), evo.task("AAB", 8), replace(ring_oas(), extra=1)):
        made = json.loads(json.dumps(task_json(task)))
        assert task_from(made) == task
