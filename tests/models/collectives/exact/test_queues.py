"""Scatters by store and forward whose messages queue: right, and at the bound or near it."""

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.exact.queues import scatter_by_queues
from syncfabric.models.collectives.task import Rules, Task
from tests.models.collectives.tasks import STORE, STORE_1, assert_right, task


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
def test_it_meets_the_bound(asked: Task) -> None:
    steps = lower_bounds(asked)[0].value
    *_, last = scatter_by_queues(asked, steps, 1)
    assert_right(asked, last, steps)


@pytest.mark.parametrize("rules", [STORE_1, Rules(2, switching="store-and-forward")])
def test_ports_are_kept(rules: Rules) -> None:
    found = [*scatter_by_queues(task("mesh-4x4", "AAS", rules), 16, 1)]
    for steps in found:
        assert_right(task("mesh-4x4", "AAS", rules), steps)
    assert sorted(found, key=len, reverse=True) == found


def test_tasks_of_others() -> None:
    for asked in (task("ring-8", "AAS"), task("ring-8", "AAB", STORE)):
        assert [*scatter_by_queues(asked, 9, 1)] == []
    assert [*scatter_by_queues(task("fat-tree-2x2", "AAS", STORE), 9, 1)] == []
