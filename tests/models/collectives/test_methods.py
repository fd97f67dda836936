"""Every kind of task is solved by every method that can, and the checker says so."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from syncfabric.models.collectives.clock import Found
from syncfabric.models.collectives.mboa.solve import Parameters
from syncfabric.models.collectives.methods import solve as solve_by
from syncfabric.models.collectives.symmetry import translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError
from tests.models.collectives.tasks import (
    ONE,
    STORE,
    STRICT,
    STRICT_1,
    TASKS,
    assert_right,
    task,
)

exact, hgsa, mboa = (partial(solve_by, name) for name in ("exact", "hgsa", "mboa"))

METHODS: dict[str, Callable[..., Found]] = {"e": exact, "h": partial(hgsa, islands=1), "m": mboa}
SEARCHES = pytest.mark.parametrize("solve", METHODS.values(), ids=["exact", "hgsa", "mboa"])


@pytest.mark.parametrize(
    ("method", "name"), [(m, name) for name, (_, _, who) in TASKS.items() for m in who]
)
def test_a_schedule_is_found_and_right(method: str, name: str) -> None:
    asked, steps, _ = TASKS[name]
    found = METHODS[method](asked, steps, seed=1, time_limit=30)
    assert found.conflicts == 0
    assert_right(asked, found.steps, steps)


@pytest.mark.parametrize(
    ("asked", "steps", "group"),
    [
        (task("hypercube-32", "AAS"), 16, 32),
        (task("hypercube-32", "AAS"), 16, 8),
        (task("hypercube-64", "AAB", STORE), 11, 64),
        (task("torus-4x4", "AAB", ONE), 15, 16),
        (task("torus-4x4", "AAB", STRICT_1), 15, 8),
        (task("octagon-8", "AAS"), 4, 4),
    ],
    ids=["AAS", "AAS, 8", "AAB", "one port", "strict", "Octagon"],
)
def test_with_symmetry_the_images_are_scheduled_too(asked: Task, steps: int, group: int) -> None:
    symmetry = next(s for s in translations(asked.topology) if s.size == group)
    found = hgsa(asked, steps, seed=1, time_limit=20, islands=1, symmetry=symmetry)
    assert_right(asked, found.steps)


def test_mboa_with_a_symmetry() -> None:
    asked = task("hypercube-32", "AAS")
    found = mboa(asked, 16, time_limit=20, symmetry=translations(asked.topology)[0])
    assert_right(asked, found.steps)


@pytest.mark.parametrize(
    ("asked", "steps"),
    [
        (task("octagon-8", "AAS"), 3),
        (task("mesh-3x3", "AAS"), 5),
        (task("mesh-4x4", "OAS", senders=[1]), 5),
        (task("ring-8", "OAS", STORE), 3),
        (task("hypercube-16", "OAB"), 1),
        (task("coated-mesh-2x2", "OAB", STRICT_1), 2),
        (task("mesh-3x3", "AAB", STRICT), 9),
        (task("ring-5", "AAB"), 1),
        (TASKS["MNS, optimal"][0], 9),
    ],
)
def test_one_step_fewer_is_infeasible(asked: Task, steps: int) -> None:
    found = exact(asked, steps, time_limit=30)
    assert found.infeasible
    assert found.steps is None
    assert found.conflicts > 0


@pytest.mark.parametrize("solve", [METHODS["h"], mboa], ids=["hgsa", "mboa"])
def test_what_the_task_forbids_is_never_found(solve: Callable[..., Found]) -> None:
    # 7 messages must come through one port.
    found = solve(task("hypercube-8", "AAS", ONE), 6, time_limit=0.2)
    assert found.steps is None
    assert found.conflicts > 0
    assert not found.infeasible
    assert found.evaluations > 1000
    assert found.seconds < 5


@SEARCHES
def test_the_same_seed_gives_the_same_schedule(solve: Callable[..., Found]) -> None:
    asked = task("octagon-bridged-15", "OAB")
    first, again = (solve(asked, 3, seed=7, time_limit=30) for _ in range(2))
    assert (first.steps, first.evaluations) == (again.steps, again.evaluations)
    assert first.steps is not None


@SEARCHES
def test_it_reports_and_stops(solve: Callable[..., Found]) -> None:
    asked = task("mesh-4x4", "AAS", ONE)
    reports: list[Found] = []
    found = solve(asked, 15, progress=reports.append, stop=lambda: bool(reports), time_limit=60)
    assert found.steps is None
    assert found.seconds < 20
    assert 0 < found.conflicts <= reports[-1].conflicts <= 240


@pytest.mark.parametrize(
    ("solve", "asked", "steps", "text"),
    [
        (hgsa, task("ring-5", "AAS", STORE), 5, "for the method exact"),
        (hgsa, task("ring-5", "AAB", STORE, 1), 5, "by any with 4 hops more"),
        (hgsa, task("ring-5", "AAR"), 5, "schedule the task that it reverses"),
        (hgsa, task("ring-5", "AAB"), 0, "steps must be 1 or more, not 0"),
        (mboa, task("ring-8", "AOG"), 8, "schedule the task that it reverses"),
        (mboa, task("ring-8", "OAS", STORE), 8, "cannot do scatter with store and forward"),
        (mboa, task("ring-8", "OAS"), 0, "steps must be 1 or more"),
        (
            partial(exact, symmetric=False),
            task("torus-16x16", "AAS"),
            512,
            "exact: alltoall on torus-16x16 in 512 steps is too large",
        ),
    ],
)
def test_what_it_cannot_do_is_refused(solve: Any, asked: Task, steps: int, text: str) -> None:
    with pytest.raises(SpecError, match=text):
        solve(asked, steps)


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        ({"population": 0}, "population must be 1 or more"),
        ({"mutation": 1.5}, "mutation must be 0 to 1"),
        ({"children": 0}, "children must be 1 or more"),
        ({"leaves": -1}, "must be 0 or more, not -"),
    ],
)
def test_parameters_of_mboa_are_refused(chosen: dict[str, Any], text: str) -> None:
    with pytest.raises(SpecError, match=text):
        Parameters(**chosen)


def test_a_symmetry_of_another_task_is_refused() -> None:
    asked = task("hypercube-8", "OAB")
    with pytest.raises(SpecError, match="changes who sends"):
        hgsa(asked, 2, symmetry=translations(asked.topology)[0])


def test_a_symmetry_that_leaves_no_path_is_refused() -> None:
    asked = task("ring-8", "AAS")  # a path of two hops meets its own images
    with pytest.raises(SpecError, match="no path for one step on which its images do not meet"):
        hgsa(asked, 20, symmetry=translations(asked.topology)[0])


def test_mboa_ends_after_so_many_chromosomes() -> None:
    reports: list[Found] = []
    found = mboa(task("octagon-8", "AAS"), 3, progress=reports.append, most=2000)
    assert found.steps is None
    assert 2000 < found.evaluations == reports[-1].evaluations < 400_000


@pytest.mark.parametrize(
    ("nodes", "seconds"),
    [
        pytest.param(16, 120, marks=pytest.mark.nightly),
        pytest.param(32, 3600, marks=pytest.mark.campaign),
    ],
)
def test_mboa_finds_larger_complete_exchanges(nodes: int, seconds: int) -> None:
    asked = task(f"hypercube-{nodes}", "AAS")
    found = mboa(asked, nodes // 2, seed=1, time_limit=seconds, most=600_000_000)
    assert_right(asked, found.steps)
