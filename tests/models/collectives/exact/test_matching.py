"""Broadcasts of all by trees and matchings: right, and in few steps."""

import networkx as nx
import pytest

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.matching import broadcast_by_matching
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.collectives.topology import Topology, both_ways
from tests.models.collectives.tasks import assert_right

STORE = Rules(switching="store-and-forward")


def task(name: str, kind: str = "AAB", rules: Rules = STORE, extra: int = 0) -> Task:
    topology = named(name)
    return Task(topology, collective(kind, topology), rules, extra)


@pytest.mark.parametrize(
    ("name", "extra", "steps"),
    [
        ("mesh-5x5", 8, 12),
        ("mesh-3x4", 6, 6),
        ("star-7", 0, 6),
        ("moore-petersen", 0, 3),
        pytest.param("mesh-8x8", 8, 32, marks=pytest.mark.nightly),
    ],
)
def test_few_steps(name: str, extra: int, steps: int) -> None:
    asked = task(name, extra=extra)
    found = broadcast_by_matching(asked, 0, 1)
    assert found is not None
    assert len(found) == steps
    report = check(Schedule(asked.topology, asked.collective, asked.rules, found))
    assert report.right
    assert report.detour <= extra
    assert found == broadcast_by_matching(asked, 0, 1)


def test_random_regular_graphs_meet_the_bound() -> None:
    for seed in (1, 2, 3):
        links = nx.random_regular_graph(3, 50, seed=seed).edges
        graph = Topology("random", 50, 0, both_ways(links))
        asked = Task(graph, collective("AAB", graph), STORE, 8)
        assert_right(asked, broadcast_by_matching(asked, 17, 1), 17)


def test_tasks_of_others() -> None:
    for other in (
        task("mesh-3x3", "AAS"),
        task("mesh-3x3", "OAB"),
        task("mesh-3x3", rules=Rules()),
        task("mesh-3x3", rules=Rules(1, switching="store-and-forward")),
        task("fat-tree-2x2"),
    ):
        assert broadcast_by_matching(other, 0, 1) is None
