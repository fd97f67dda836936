"""Schedules by CP-SAT, and proofs that there is none."""

import time
from typing import Final

import pytest

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.clock import Found
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.encoding import encode
from syncfabric.models.collectives.exact import solve as solving
from syncfabric.models.collectives.exact.model import Model, run
from syncfabric.models.collectives.exact.solve import solve
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Rules, Schedule, Task
from syncfabric.models.collectives.symmetry import translations
from syncfabric.models.errors import SpecError

STORE: Final = "store-and-forward"
FAT = range(3, 11)
"""Eight processors of the fat Octagon, on routers 1 to 5: one, two, two, two, one."""
ALL_PORTS = Rules()


def task_of(
    name: str,
    kind: str,
    rules: Rules = ALL_PORTS,
    extra: int = 0,
    senders: range | None = None,
    receivers: range | None = None,
) -> Task:
    topology = named(name)
    return Task(topology, collective(kind, topology, senders, receivers), rules, extra)


def assert_right(task: Task, found: Found, steps: int) -> None:
    assert found.steps is not None
    assert len(found.steps) == steps
    assert found.conflicts == 0
    report = check(Schedule(task.topology, task.collective, task.rules, found.steps))
    assert report.right, report.conflicts[:2]
    assert report.detour <= task.extra


FEASIBLE = {
    "AAS": (task_of("octagon-8", "AAS"), 4),
    "AAS, one port": (task_of("mesh-3x3", "AAS", Rules(1)), 8),
    "AAS, two ports": (task_of("hypercube-8", "AAS", Rules(2)), 4),
    "AAS, fat nodes": (task_of("fat-octagon-16", "AAS", Rules(1)), 16),
    "AAS, tree": (task_of("fat-tree-2x2", "AAS", Rules(1)), 3),
    "AAS hop by hop": (task_of("ring-6", "AAS", Rules(switching=STORE)), 5),
    "AAS hop by hop, one port": (task_of("ring-4", "AAS", Rules(1, switching=STORE)), 4),
    "OAS": (task_of("mesh-4x4", "OAS", senders=range(1, 2)), 6),
    "OAS, not minimal": (task_of("mesh-4x4", "OAS", extra=2, senders=range(1, 2)), 5),
    "OAS hop by hop": (task_of("ring-8", "OAS", Rules(switching=STORE)), 4),
    "OAS by way of others": (task_of("coated-mesh-2x2", "OAS", Rules(1, switching=STORE)), 7),
    "OAB": (task_of("hypercube-16", "OAB"), 2),
    "OAB, processors": (task_of("coated-mesh-2x2", "OAB", Rules(1)), 3),
    "OAB, switches copy": (task_of("fat-octagon-8", "OAB", Rules(1, switching=STORE)), 1),
    "OAB, strict": (task_of("fat-octagon-8", "OAB", Rules(1, "strict", STORE)), 3),
    "multicast": (task_of("mesh-4x4", "multicast", receivers=range(5, 12)), 2),
    "AAB": (task_of("torus-4x4", "AAB", Rules(switching=STORE)), 4),
    "AAB, wormhole": (task_of("octagon-8", "AAB"), 3),
    "AAB, a mesh": (task_of("mesh-4x4", "AAB", Rules(switching=STORE)), 8),
    "AAB, not minimal": (task_of("ring-4", "AAB", Rules(1, "strict", STORE), extra=2), 3),
    "AAB, strict": (task_of("mesh-3x3", "AAB", Rules(1, "strict", STORE)), 10),
    "MNB": (task_of("octagon-8", "MNB", senders=range(3), receivers=range(2, 7)), 2),
    "MNS": (task_of("fat-octagon-16", "MNS", Rules(1), senders=FAT, receivers=FAT), 10),
}


@pytest.mark.parametrize("name", FEASIBLE)
def test_every_kind_of_task(name: str) -> None:
    task, steps = FEASIBLE[name]
    assert_right(task, solve(task, steps, time_limit=30), steps)


INFEASIBLE = {
    "AAS": (task_of("octagon-8", "AAS"), 3),
    "AAS on a mesh": (task_of("mesh-3x3", "AAS"), 5),
    "OAS": (task_of("mesh-4x4", "OAS", senders=range(1, 2)), 5),
    "OAS hop by hop": (task_of("ring-8", "OAS", Rules(switching=STORE)), 3),
    "OAB": (task_of("hypercube-16", "OAB"), 1),
    "OAB, processors": (task_of("coated-mesh-2x2", "OAB", Rules(1, "strict")), 2),
    "AAB, strict": (task_of("mesh-3x3", "AAB", Rules(1, "strict", STORE)), 9),
    "AAB, wormhole": (task_of("ring-5", "AAB"), 1),
    "MNS": (task_of("fat-octagon-16", "MNS", Rules(1), senders=FAT, receivers=FAT), 9),
}


@pytest.mark.parametrize("name", INFEASIBLE)
def test_one_step_fewer_is_infeasible(name: str) -> None:
    task, steps = INFEASIBLE[name]
    found = solve(task, steps, time_limit=30)
    assert found.infeasible
    assert found.steps is None
    assert found.conflicts > 0


@pytest.mark.parametrize(
    ("name", "kind", "steps", "rules"),
    [
        ("hypercube-32", "AAS", 16, Rules()),
        ("fat-octagon-16", "AAS", 18, Rules(1)),
        ("octagon-8", "AAS", 5, Rules()),
        ("coated-mesh-2x2", "AAS", 9, Rules(1)),
        ("torus-8x8", "AAB", 16, Rules(switching=STORE)),
        ("moore-petersen", "AAB", 4, Rules(switching=STORE)),
        ("fat-octagon-8", "AAB", 8, Rules(1, "strict", STORE)),
    ],
)
def test_images_of_what_is_scheduled_do_not_meet(
    name: str, kind: str, steps: int, rules: Rules
) -> None:
    task = task_of(name, kind, rules)
    for symmetry in translations(task.topology)[:2]:
        try:
            encoding = encode(task, steps, symmetry=symmetry)
        except SpecError:
            continue  # every path of a message meets an image of itself
        answer = run(Model(encoding), seed=1, time_limit=30)
        if answer.steps is None:
            assert answer.infeasible  # so much alike it cannot be
        else:
            assert_right(task, Found(answer.steps, 0, 0, 0), steps)
            return
    pytest.fail("no symmetry led to a schedule")


def test_paths_left_out_are_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of("mesh-4x4", "OAS", senders=range(1, 2))
    some = encode(task, 5, paths=2, whole=True)
    assert not some.table.whole
    assert run(Model(some), seed=1, time_limit=10).infeasible
    monkeypatch.setattr(solving, "_ALL", 2)
    assert not solve(task, 5, time_limit=10).infeasible


def test_the_same_seed_gives_the_same_schedule() -> None:
    task = task_of("octagon-bridged-15", "OAB")
    first, again = (solve(task, 3, seed=7, time_limit=30).steps for _ in range(2))
    assert first == again


def test_it_stops_when_told() -> None:
    task = task_of("mesh-4x4", "AAB", Rules(1, "strict", STORE))
    heard: list[int] = []
    begun = time.monotonic()
    found = solve(
        task,
        17,
        time_limit=60,
        told=lambda progress: heard.append(progress.conflicts),
        stop=lambda: bool(heard),
    )
    assert time.monotonic() - begun < 10
    assert found.steps is None
    assert not found.infeasible
    assert set(heard) == {240}


def test_the_time_limit_is_kept() -> None:
    task = task_of("mesh-4x4", "AAB", Rules(1, "strict", STORE))
    begun = time.monotonic()
    assert not solve(task, 17, time_limit=0.5).infeasible
    assert time.monotonic() - begun < 5


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of("torus-16x16", "AAS")
    with pytest.raises(SpecError, match="exact: AAS on torus-16x16 in 512 steps is too large"):
        solve(task, 512, time_limit=10, symmetric=False)
    monkeypatch.setattr(solving, "MOST", 300)
    with pytest.raises(SpecError, match="too large"):
        solve(task_of("mesh-3x3", "AAS"), 8, time_limit=10, symmetric=False)
