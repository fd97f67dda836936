"""MBOA finds schedules that the checker lets pass, and the same ones again."""

from dataclasses import replace

import pytest

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.clock import Progress
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.mboa.solve import solve
from syncfabric.models.collectives.mboa.state import Parameters
from syncfabric.models.collectives.schedule import Rules, Schedule, Task
from syncfabric.models.errors import SpecError

SECONDS = 20.0
HALF = tuple(range(8))
OTHER_HALF = tuple(range(8, 16))
TRANSPOSE = [x % 4 * 4 + x // 4 for x in range(16)]


def task(topology: str, kind: str, rules: Rules | None = None, **sets: object) -> Task:
    network = named(topology)
    made = collective(kind, network, **sets)  # type: ignore[arg-type]
    return Task(network, made, rules or Rules())


TASKS: dict[str, tuple[Task, int]] = {
    "OAB": (task("ring-8", "OAB"), 2),
    "OAB, one port": (task("hypercube-16", "OAB", Rules(1, "strict")), 4),
    "OAB, one port, copies count once": (task("mesh-4x4", "OAB", Rules(1)), 3),
    "OAB behind switches": (task("fat-octagon-16", "OAB", Rules(1, "single-use")), 2),
    "OAB behind switches, strict": (task("fat-octagon-16", "OAB", Rules(1, "strict")), 4),
    "multicast": (task("coated-mesh-4x4", "multicast", receivers=(3, 5, 8, 9, 14)), 2),
    "multicast to some of two ports": (
        task("torus-4x4", "multicast", Rules(2, "strict"), senders=(5,), receivers=HALF[:5]),
        2,
    ),
    "OAS": (task("hypercube-16", "OAS"), 4),
    "OAS, two ports": (task("hypercube-16", "OAS", Rules(2)), 8),
    "AAS": (task("octagon-8", "AAS"), 4),
    "AAS, one port": (task("hypercube-8", "AAS", Rules(1)), 8),
    "MNS": (task("fat-octagon-16", "MNS", senders=HALF, receivers=OTHER_HALF), 12),
    "MNS, sets overlap": (task("mesh-3x3", "MNS", Rules(1), senders=HALF, receivers=HALF), 10),
    "permutation": (task("mesh-4x4", "permutation", targets=TRANSPOSE), 4),
    "permutation, one port": (task("torus-4x4", "permutation", Rules(1), targets=TRANSPOSE), 2),
    "longer paths": (replace(task("mesh-4x4", "OAS", senders=(1,)), extra=2), 5),
}


@pytest.mark.parametrize("name", TASKS)
def test_every_kind_of_task_is_solved_and_right(name: str) -> None:
    asked, steps = TASKS[name]
    found = solve(asked, steps, seed=1, time_limit=SECONDS)
    assert found.steps is not None
    assert len(found.steps) == steps
    assert found.conflicts == 0
    report = check(Schedule(asked.topology, asked.collective, asked.rules, found.steps))
    assert report.right, report.conflicts[0].words()
    assert report.detour <= asked.extra


def test_the_same_seed_finds_the_same() -> None:
    asked, steps = TASKS["OAS"]
    first, again, other = (solve(asked, steps, seed=seed, time_limit=SECONDS) for seed in (3, 3, 4))
    assert (first.steps, first.evaluations) == (again.steps, again.evaluations)
    assert other.steps != first.steps


def test_it_ends_after_so_many_chromosomes_and_tells() -> None:
    asked, _ = TASKS["AAS"]
    told: list[Progress] = []
    found = solve(asked, 3, told=told.append, most=2000)
    assert found.steps is None
    assert not found.infeasible
    assert (found.evaluations, told[-1].evaluations) == (2000, 2000)
    assert told[-1].conflicts == found.conflicts > 0


def test_it_ends_when_told_to() -> None:
    found = solve(TASKS["AAS"][0], 3, stop=lambda: True, time_limit=60)
    assert found.steps is None
    assert found.seconds < 10


def test_it_ends_in_time() -> None:
    found = solve(TASKS["AAS"][0], 3, time_limit=0.2)
    assert found.steps is None
    assert found.seconds < 5


def test_nothing_to_send_needs_no_search() -> None:
    still = task("ring-4", "permutation", targets=[0, 1, 2, 3])
    assert solve(still, 2).steps == ((), ())


def test_a_scatter_the_same_under_translations() -> None:
    asked = task("hypercube-32", "AAS")
    found = solve(asked, 16, time_limit=SECONDS, parameters=Parameters(translations=32))
    assert found.steps is not None
    assert check(Schedule(asked.topology, asked.collective, asked.rules, found.steps)).right


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (task("ring-8", "AAB"), "cannot do AAB"),
        (task("ring-8", "AOG"), "cannot do AOG"),
        (task("ring-8", "OAS", Rules(switching="store-and-forward")), "store and forward"),
    ],
)
def test_what_it_cannot_do(asked: Task, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        solve(asked, 8)


def test_bad_numbers() -> None:
    with pytest.raises(SpecError, match="steps must be 1 or more"):
        solve(TASKS["OAS"][0], 0)
    with pytest.raises(SpecError, match="population must be 1 or more"):
        Parameters(population=0)
    with pytest.raises(SpecError, match="mutation must be 0 to 1"):
        Parameters(mutation=1.5)
    with pytest.raises(SpecError, match="no translations of mesh-2x3"):
        solve(task("mesh-2x3", "OAS"), 9, parameters=Parameters(translations=4))


@pytest.mark.long
def test_a_larger_complete_exchange() -> None:
    asked = task("hypercube-16", "AAS")
    assert solve(asked, 8, seed=1, time_limit=120).steps is not None


@pytest.mark.long
def test_a_complete_exchange_that_leaves_no_channel_free() -> None:
    asked = task("hypercube-32", "AAS")
    found = solve(asked, 16, seed=1, time_limit=3600, most=600_000_000)
    assert found.steps is not None
    assert check(Schedule(asked.topology, asked.collective, asked.rules, found.steps)).right
