"""Every kind of task is solved, and the checker says so."""

import pytest

from syncfabric.models.collectives.annealing.solve import solve
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.schedule import Rules, Schedule, Task
from syncfabric.models.collectives.symmetry import translations
from syncfabric.models.errors import SpecError
from tests.models.collectives.annealing.tasks import STORE, TASKS, task


@pytest.mark.parametrize(("asked", "steps"), TASKS.values(), ids=TASKS)
def test_a_schedule_is_found_and_right(asked: Task, steps: int) -> None:
    found = solve(asked, steps, seed=1, time_limit=20, islands=1)
    assert found.steps is not None
    assert found.conflicts == 0
    assert len(found.steps) == steps
    report = check(Schedule(asked.topology, asked.collective, asked.rules, found.steps))
    assert report.conflicts == ()
    assert report.detour <= asked.extra


@pytest.mark.parametrize(
    ("asked", "steps", "group"),
    [
        (task("hypercube-32", "AAS"), 16, 32),
        (task("hypercube-32", "AAS"), 16, 8),
        (task("hypercube-64", "AAB", STORE), 11, 64),
        (task("torus-4x4", "AAB", Rules(1)), 15, 16),
        (task("torus-4x4", "AAB", Rules(1, "strict")), 15, 8),
        (task("octagon-8", "AAS"), 4, 4),
    ],
    ids=["AAS", "AAS, 8", "AAB", "one port", "strict", "Octagon"],
)
def test_with_symmetry_the_images_are_scheduled_too(asked: Task, steps: int, group: int) -> None:
    symmetry = next(s for s in translations(asked.topology) if s.size == group)
    found = solve(asked, steps, seed=1, time_limit=20, islands=1, symmetry=symmetry)
    assert found.steps is not None
    report = check(Schedule(asked.topology, asked.collective, asked.rules, found.steps))
    assert report.conflicts == ()


def test_what_the_task_forbids_is_never_found() -> None:
    # 7 messages must come through one port.
    found = solve(task("hypercube-8", "AAS", Rules(1)), 6, time_limit=0.2, islands=1)
    assert found.steps is None
    assert found.conflicts > 0
    assert not found.infeasible
    assert found.evaluations > 1000


@pytest.mark.parametrize(
    ("asked", "steps", "text"),
    [
        (task("ring-5", "AAS", STORE), 5, "for the method exact"),
        (task("ring-5", "AAB", STORE, 1), 5, "by any with 4 hops more"),
        (task("ring-5", "AAR"), 5, "schedule the task that it reverses"),
        (task("ring-5", "AAB"), 0, "steps must be 1 or more, not 0"),
    ],
    ids=["scatter", "detours", "reversal", "no steps"],
)
def test_what_it_cannot_do_is_refused(asked: Task, steps: int, text: str) -> None:
    with pytest.raises(SpecError, match=text):
        solve(asked, steps)


def test_a_symmetry_of_another_task_is_refused() -> None:
    asked = task("hypercube-8", "OAB")
    with pytest.raises(SpecError, match="changes who sends"):
        solve(asked, 2, symmetry=translations(asked.topology)[0])


def test_a_symmetry_that_leaves_no_path_is_refused() -> None:
    asked = task("ring-8", "AAS")  # a path of two hops meets its own images
    with pytest.raises(SpecError, match="no path for one step on which its images do not meet"):
        solve(asked, 20, symmetry=translations(asked.topology)[0])
