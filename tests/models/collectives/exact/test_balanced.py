"""Scatters packed step by step, or queued: right, and at the bound or near it."""

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.exact.balanced import (
    balanced,
    scatter_by_packing,
    scatter_by_queues,
)
from syncfabric.models.collectives.task import Rules, Task
from tests.models.collectives.tasks import STORE, STORE_1, assert_right, task


@pytest.mark.parametrize(
    ("asked", "steps"),
    [
        (task("mesh-4x6", "AAS"), 36),
        (task("mesh-3x3", "AAS", Rules(1)), 8),
        (task("octagon-8", "AAS"), 4),
        (task("mesh-3x4", "OAS"), 6),
        (task("mesh-4x4", "MNS", senders=[0, 5], receivers=[3, 10, 15]), 2),
    ],
    ids=lambda value: value.topology.name if isinstance(value, Task) else None,
)
def test_packings_meet_the_bound(asked: Task, steps: int) -> None:
    assert lower_bounds(asked)[0].value == steps
    *_, last = scatter_by_packing(asked, steps, 1)
    assert_right(asked, last, steps)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "steps"), [("mesh-5x5", 30), ("mesh-6x6", 54)])
def test_square_meshes(name: str, steps: int) -> None:
    *_, last = scatter_by_packing(task(name, "AAS"), steps, 1)
    assert_right(task(name, "AAS"), last, steps)


def test_paths_load_no_channel_beyond_a_limit() -> None:
    asked = task("mesh-3x4", "AAS")
    paths = balanced(asked, 12)
    assert paths is not None
    assert [(p[0], p[-1]) for p in paths] == [*asked.collective.pairs]
    loads = [0] * len(asked.topology.channels)
    for path in paths:
        for channel in asked.topology.along(path):
            loads[channel] += 1
    assert max(loads) == 12
    assert balanced(asked, 11) is None


def test_the_same_seed_packs_the_same() -> None:
    one, other = (next(scatter_by_packing(task("mesh-3x3", "AAS"), 6, 4)) for _ in "ab")
    assert one == other


def test_tasks_that_are_not_packed() -> None:
    for asked in (task("mesh-3x3", "AAB"), task("mesh-3x3", "AAS", STORE)):
        assert [*scatter_by_packing(asked, 9, 1)] == []
    assert [*scatter_by_packing(task("ring-200", "AAS"), 5000, 1)] == []


@pytest.mark.parametrize(
    "asked",
    [
        task("mesh-5x5", "AAS", STORE),
        task("ring-16", "AAS", STORE),
        task("octagon-8", "AAS", STORE),
        task("mesh-3x4", "OAS", STORE),
    ],
    ids=lambda asked: f"{asked.topology.name}, {asked.collective.kind}",
)
def test_queues_meet_the_bound(asked: Task) -> None:
    steps = lower_bounds(asked)[0].value
    *_, last = scatter_by_queues(asked, steps, 1)
    assert_right(asked, last, steps)


@pytest.mark.parametrize("rules", [STORE_1, Rules(2, switching="store-and-forward")])
def test_queues_keep_ports(rules: Rules) -> None:
    found = [*scatter_by_queues(task("mesh-4x4", "AAS", rules), 16, 1)]
    for steps in found:
        assert_right(task("mesh-4x4", "AAS", rules), steps)
    assert sorted(found, key=len, reverse=True) == found


def test_tasks_that_are_not_queued() -> None:
    for asked in (task("ring-8", "AAS"), task("ring-8", "AAB", STORE)):
        assert [*scatter_by_queues(asked, 9, 1)] == []
    assert [*scatter_by_queues(task("fat-tree-2x2", "AAS", STORE), 9, 1)] == []
