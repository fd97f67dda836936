"""Paper EVO's experiments."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.clock import Found
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.claim import Claim
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers import evo
from syncfabric.sim.experiments.papers import evo_runs as runs
from syncfabric.sim.experiments.papers.evo_runs import (
    TIMES,
    Entry,
    Method,
    Shortest,
    detours,
    make_runs,
    shortest,
    straightened,
    task_from,
    task_json,
    why,
)


def work_of(name: str, **options: Any) -> Work:
    return Work(EXPERIMENTS[name], **options)


def row(work: Work, claim: str) -> Claim:
    (found,) = (row for row in work.claims if row.claim == claim)
    return found


def ring_oas() -> Task:
    ring = named("ring-4")
    return Task(ring, collective("OAS", ring))


RIGHT = (
    (Transfer((0, 1), (0, 1)), Transfer((0, 3), (0, 3))),
    (Transfer((0, 2), (0, 1, 2)),),
)


def test_table_4_is_right_as_printed() -> None:
    work = work_of("evo-table4")
    work.experiment.function(work)
    assert row(work, "pairs served").ours == 56
    assert row(work, "conflicts that the checker finds").ours == 0
    assert row(work, "lower bound of steps").ours == 4
    assert row(work, "optimal").ours == "yes"
    assert work.drawing is not None


def test_defects_of_a_printed_schedule_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = evo.TABLE_4
    monkeypatch.setattr(evo, "TABLE_4", (first.replace("073", "012"), *others))
    work = work_of("evo-table4")
    evo.table4.function(work)
    assert row(work, "pairs served").ours == 55
    defects = [claim.ours for claim in work.claims if claim.claim == "defect"]
    assert len(defects) == row(work, "conflicts that the checker finds").ours != 0
    assert any("node 3 never gets the message of node 0" in str(defect) for defect in defects)
    assert row(work, "optimal").ours == "no"


@pytest.mark.parametrize("kind", evo.TABLE_2)
@pytest.mark.parametrize("size", [8, 16, 32])
def test_bounds_of_table_2_are_the_papers(kind: str, size: int) -> None:
    assert lower_bounds(evo.task(kind, size))[0].value == evo.TABLE_2[kind][1][size][0]


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

    def solve(task: Task, steps: int, *, seed: int, time_limit: float, **_: Any) -> Found:
        asked.append((steps, seed, time_limit))
        found = RIGHT if seed % 2 else None
        return Found(found, 0 if found else seed, 100 * seed, 0.5 * seed)

    monkeypatch.setattr(runs, "load_method", lambda name: {method: solve}[name])
    work = work_of("evo-table2", runs=3, seed=5, time_limit=2.5)
    entry = make_runs(work, method, ring_oas(), 2)
    assert asked == [(2, 5, 2.5), (2, 6, 2.5), (2, 7, 2.5)]
    assert entry == Entry(3, (500, 700), (2.5, 3.5), 6, wanted=3)


@pytest.mark.parametrize("method", ["hgsa", "mboa"])
def test_an_entry_ends_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    def solve(*_: object, **__: object) -> Found:
        return Found(None, 3, 100, 2.0)

    monkeypatch.setattr(runs, "load_method", lambda name: solve)
    entry = make_runs(work_of("evo-table2", runs=9, time_limit=1.0), method, ring_oas(), 2)
    assert TIMES == 5
    assert entry == Entry(3, (), (), 3, wanted=9)
    assert entry.note(60).startswith("below the paper; 3 of 9 runs, then its time was over; ")


def test_a_run_that_needs_longer_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def solve(*_: object, time_limit: float, **__: object) -> Found:
        asked.append(time_limit)
        return Found(None, 1, 100, 80.0)

    monkeypatch.setattr(runs, "load_method", lambda name: solve)
    entry = make_runs(
        work_of("evo-table2", runs=9, time_limit=5.0), "mboa", evo.task("AAS", 32), 16
    )
    assert asked == [150.0, 150.0]
    assert (entry.runs, entry.wanted) == (2, 9)


def test_a_wrong_schedule_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = ((*RIGHT[0], *RIGHT[1]),)
    found = Found(wrong, 0, 1, 0.0)
    monkeypatch.setattr(runs, "load_method", lambda name: lambda *_, **__: found)
    with pytest.raises(AssertionError, match="a schedule that is wrong"):
        make_runs(work_of("evo-table2", runs=1), "hgsa", ring_oas(), 1)


@pytest.mark.parametrize("count", [1, 2])
def test_a_run_that_the_user_ends_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    asked = []

    def solve(*_: object, **__: object) -> Found:
        asked.append(True)
        return Found(None, 3, 1, 0.0)

    monkeypatch.setattr(runs, "load_method", lambda name: solve)
    work = work_of("evo-table2", runs=count, stop=lambda: bool(asked))
    with pytest.raises(KeyboardInterrupt):
        make_runs(work, "hgsa", ring_oas(), 2)
    assert len(asked) == 1


def given(results: dict[tuple[str, str], Entry]) -> Callable[[Work, Method, Task, int], Entry]:
    """What hands out entries by method and topology."""
    return lambda work, method, task, steps: results[method, task.topology.name]


def test_rates_of_table_2_stand_beside_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    results = {
        ("mboa", "hypercube-64"): Entry(10, (), (), 2),
        ("hgsa", "hypercube-64"): Entry(10, (5,) * 9, (1.0,) * 9, 1),
    }
    monkeypatch.setattr(evo, "make_runs", given(results))
    work = work_of("evo-table2", time_limit=5.0)
    monkeypatch.setattr(evo, "SIZES", (64,))
    evo.table2.function(work)
    missed = row(work, "OAB on hypercube-64, MBOA: runs that reach it, %")
    assert (missed.paper, missed.ours) == (70, 0)
    assert missed.note.startswith("below the paper; ")
    footnote = row(work, "OAB on hypercube-64, HGSA: runs that reach it, %")
    assert (footnote.paper, footnote.ours) == (100, 90)
    above = row(work, "AAB on hypercube-64, HGSA: runs that reach it, %")
    assert (above.paper, above.ours) == (80, 90)
    assert "below" not in above.note
    found = row(work, "AAS on hypercube-64, auto: steps")
    assert (found.paper, found.ours) == (None, 32)
    assert found.note.startswith("optimal: ")
    assert not any("AAB on hypercube-64, auto" in claim.claim for claim in work.claims)
    assert work.series["OAS MBOA, paper"] == [(64, 90)]
    assert work.series["AAB HGSA, ours"] == [(64, 90)]


def test_evaluations_are_means_of_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    results = {
        ("hgsa", "hypercube-8"): Entry(4, (10, 20), (0.5, 2.0), 3),
        ("hgsa", "hypercube-16"): Entry(4, (30, 60), (0.25, 1.0), 3),
        ("hgsa", "hypercube-32"): Entry(4, (), (), 3),
    }
    monkeypatch.setattr(evo, "make_runs", given(results))
    work = work_of("evo-fig9")
    monkeypatch.setattr(evo, "FIG_9", (8, 16, 32))
    evo.fig9.function(work)
    assert work.series == {"AAB by HGSA": [(8, 15), (16, 45)]}
    assert row(work, "AAB by HGSA on hypercube-32: mean evaluations").ours is None
    assert row(work, "AAB by HGSA: every doubling takes more evaluations").ours == "yes"
    assert row(work, "AAB by HGSA: times more evaluations a doubling, at most").ours == 3
    assert row(work, "AAB by HGSA: time of a run").ours == "0.25 s to 2 s"
    work = work_of("evo-fig9")
    results["hgsa", "hypercube-32"] = Entry(1, (40,), (1.0,), None)
    monkeypatch.setattr(evo, "FIG_9", (8, 16, 32))
    evo.fig9.function(work)
    assert row(work, "AAB by HGSA: every doubling takes more evaluations").ours == "no"


def test_auto_is_told_the_limit_and_the_seed() -> None:
    work = work_of("evo-table3", seed=9, time_limit=2.0)
    told: list[str] = []
    work.told = told.append
    found = shortest(work, ring_oas(), "a ring")
    assert found.steps == 2
    assert found.why.startswith("optimal: node 0 must inject 3 messages, 2 a step")
    assert (found.bound, found.argument) == (2, "node 0 must inject 3 messages, 2 a step")
    assert found.schedule is not None
    assert check(found.schedule).right
    assert told[0] == "a ring: auto"
    unproved = replace(search(ring_oas()), certificate=None, seconds=TIMES * work.time_limit)
    assert why(unproved) == "not proved optimal in 10 s: at least 2 are needed"


def test_tables_3_and_5_have_the_specified_sets() -> None:
    octagon = named("fat-octagon-16")
    routers = [octagon.successors[node][0] for node in evo.EIGHT]
    counts = [routers.count(router) for router in dict.fromkeys(routers)]
    assert counts == [1, 2, 2, 2, 1]
    assert sorted((*evo.EIGHT, *evo.OTHERS)) == list(evo.ALL)
    assert [name for name, *_ in evo.TABLE_3] == ["mesh-4x4", "mesh-4x4", "coated-mesh-4x4"]


def test_table_3_takes_the_best_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shortest(work_of("evo-table3"), ring_oas(), "a ring")
    lengths = iter([16, 24, 24, 18])
    monkeypatch.setattr(evo, "shortest", lambda *_: found._replace(steps=next(lengths)))
    monkeypatch.setattr(evo, "TABLE_3", (("mesh-4x4", 1, (17, 60), (17, 60)),))
    entries = {("hgsa", "mesh-4x4"): Entry(1, (5,), (1.0,), None)}
    monkeypatch.setattr(evo, "make_runs", given(entries))
    entries["mboa", "mesh-4x4"] = entries["hgsa", "mesh-4x4"]
    work = work_of("evo-table3")
    evo.table3.function(work)
    assert row(work, "AAB on mesh-4x4, 1 port: steps").ours == 16
    best = row(work, "AAS on mesh-4x4, 1 port: steps")
    assert (best.ours, best.note[:22]) == (17, "by MBOA, not by auto; ")
    assert row(work, "AAB on mesh-4x4, 1 port, each copy counting: steps").ours == 24
    entries["mboa", "mesh-4x4"] = Entry(1, (), (), 3)
    lengths = iter([16, 18, 18])
    work = work_of("evo-table3")
    evo.table3.function(work)
    assert row(work, "AAS on mesh-4x4, 1 port: steps").ours == 18


def test_table_5_states_bounds_and_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evo, "TABLE_5", {"8 to the other 8": {"MNS": (8, 10)}})
    work = work_of("evo-table5", time_limit=10.0)
    evo.table5.function(work)
    bound = row(work, "MNS, 8 to the other 8: lower bound, steps")
    assert (bound.paper, bound.ours) == (8, 10)
    assert bound.note.startswith("more than the paper's: ")
    assert row(work, "MNS, 8 to the other 8: steps").ours == 10


def test_table_5_names_every_kind_of_every_group(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "8 to the same 8"
    monkeypatch.setattr(evo, "TABLE_5", {name: evo.TABLE_5[name]})
    monkeypatch.setattr(evo, "shortest", lambda *_: Shortest(7, 7, "", 7, "", None))
    work = work_of("evo-table5")
    evo.table5.function(work)
    rows = ("lower bound, steps", "steps", "paths of 1 hop more allowed: steps")
    found = [
        claim.claim.replace(f", {name}, ", ": ").replace(f", {name}", "") for claim in work.claims
    ]
    assert found == [f"{kind}: {row}" for kind in ("MNB", "MNS") for row in rows]
    longer = row(work, f"MNS, {name}, paths of 1 hop more allowed: steps")
    assert (longer.paper, longer.ours) == (7, 7)


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
def test_fig_7_needs_one_longer_path() -> None:
    work = work_of("evo-fig7", time_limit=60.0)
    work.experiment.function(work)
    what = "OAS from an edge node, non-minimal paths"
    assert row(work, f"{what}: steps").ours == 5
    assert row(work, f"{what}: messages in every step, at least").ours == 3
    assert row(work, f"{what}: messages on a longer path").ours == 1
    assert row(work, f"{what}: minimal ones alone need more steps").ours == "yes"
    assert row(work, "OAS from a corner, minimal paths: steps").ours == 8
    assert row(work, "OAS from an edge node, minimal paths: steps").ours == 6
    assert row(work, "OAS from an inner node, minimal paths: steps").ours == 4


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
