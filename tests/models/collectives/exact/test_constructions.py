"""Schedules that need no search: broadcasts round rings, along trees, and by matchings."""

import networkx as nx
import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.constructions import (
    broadcast_by_matching,
    broadcast_on_ring,
    construct,
)
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.task import Rules, Switching, Task
from syncfabric.models.collectives.topology import Topology, full_duplex
from tests.models.collectives.tasks import STORE, STORE_1, STRICT, STRICT_1, assert_right, task


@pytest.mark.parametrize(
    ("name", "rules", "steps"),
    [
        ("torus-4x4", STORE, 4),
        ("torus-5x5", STORE, 6),
        ("torus-8x8", STORE, 16),
        ("torus-8x8", Rules(), 16),
        ("torus-4x4", Rules(1, "strict", "store-and-forward"), 15),
        ("torus-4x4", Rules(2, "single-use", "store-and-forward"), 8),
        ("torus-4x4x4", STORE, 11),
        ("hypercube-8", STORE, 3),
        ("hypercube-16", STORE, 4),
        ("hypercube-64", STORE, 11),
        ("hypercube-128", STORE, 19),
        ("octagon-8", STORE, 3),
        ("ring-9", STORE, 4),
        ("k-ring-16", STORE, 3),
        ("fat-octagon-16", STORE, 15),
    ],
)
def test_all_to_all_broadcast_meets_its_bound(name: str, rules: Rules, steps: int) -> None:
    asked = task(name, "AAB", rules)
    assert lower_bounds(asked)[0].value == steps
    found = construct(asked, steps)
    assert found is not None
    assert len(found) == steps
    assert_right(asked, found)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "steps"), [("torus-16x16", 64), ("torus-32x32", 256)])
def test_large_tori(name: str, steps: int) -> None:
    asked = task(name, "AAB", STORE)
    assert_right(asked, construct(asked, steps))


def test_a_tree_needs_its_steps() -> None:
    assert construct(task("torus-4x4", "AAB", STORE), 3) is None


def test_where_no_tree_is_known() -> None:
    assert construct(task("mesh-4x4", "AAB", STORE), 8) is None
    assert construct(task("star-8", "AAB", STORE), 49) is None
    assert construct(task("torus-4x4", "OAB", STORE), 9) is None
    assert construct(task("moore-petersen", "AAB", STORE), 3) is None


def boxes(*, switches: bool) -> Topology:
    """Two boxes of eight and one link between: behind a switch each, or joined each with each."""
    if switches:
        links = [(node, 16 + node // 8) for node in range(16)] + [(16, 17)]
        return Topology("boxes", 16, 2, full_duplex(links))
    links = [(b + i, b + j) for b in (0, 8) for i in range(8) for j in range(i + 1, 8)]
    return Topology("boxes", 16, 0, full_duplex([*links, (0, 8)]))


@pytest.mark.parametrize(
    "topology",
    [
        boxes(switches=True),
        boxes(switches=False),
        *map(named, ("dgx-1-pair", "mesh-4x4", "fat-tree-2x4", "coated-mesh-4x4", "star-8")),
    ],
    ids=lambda topology: topology.name,
)
def test_broadcasts_with_one_port_take_a_step_a_message(topology: Topology) -> None:
    asked = Task(topology, collective("AAB", topology), STRICT_1)
    best = topology.nodes - 1
    assert lower_bounds(asked)[0].value == best
    assert_right(asked, broadcast_on_ring(asked, best), best)
    assert broadcast_on_ring(asked, best - 1) is None


def test_broadcasts_hop_by_hop_go_along_long_paths() -> None:
    asked = task("mesh-4x4", "AAB", STRICT, extra=14)
    assert_right(asked, broadcast_on_ring(asked, 15), 15)
    assert broadcast_on_ring(task("mesh-4x4", "AAB", STRICT, extra=13), 15) is None
    behind = task("fat-octagon-16", "AAB", STRICT)
    assert_right(behind, broadcast_on_ring(behind, 15), 15)
    # Past other nodes a message may go by wormhole switching alone.
    pair = task("dgx-1-pair", "AAB", STRICT, extra=15)
    assert broadcast_on_ring(pair, 15) is None


@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
@pytest.mark.parametrize(("name", "best"), [("mesh-4x4", 8), ("mesh-4x5", 10), ("octagon-8", 4)])
def test_several_ports_go_in_both_directions(name: str, best: int, switching: Switching) -> None:
    asked = task(name, "AAB", Rules(2, "strict", switching), extra=best - 1)
    assert -(-(asked.topology.nodes - 1) // 2) == best
    assert_right(asked, broadcast_on_ring(asked, best), best)
    assert broadcast_on_ring(asked, best - 1) is None
    straighter = task(name, "AAB", Rules(2, "strict", switching), extra=best - 2)
    assert (broadcast_on_ring(straighter, best) is None) == straighter.hop_by_hop
    # Over a tree links are taken in both directions, so one direction has to do.
    star = task("star-8", "AAB", Rules(2, "strict"))
    assert_right(star, broadcast_on_ring(star, 7), 7)


def test_where_no_ring_is_found() -> None:
    # Both have no Hamiltonian cycle.
    assert broadcast_on_ring(task("mesh-3x3", "AAB", STRICT_1), 8) is None
    assert broadcast_on_ring(task("moore-petersen", "AAB", STRICT_1), 9) is None
    assert broadcast_on_ring(task("mesh-4x4", "OAB", STRICT_1), 15) is None


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
def test_matchings_take_few_steps(name: str, extra: int, steps: int) -> None:
    asked = task(name, "AAB", STORE, extra)
    found = broadcast_by_matching(asked, 0, 1)
    assert_right(asked, found, steps)
    assert found == broadcast_by_matching(asked, 0, 1)


def test_matchings_meet_the_bound_on_random_regular_graphs() -> None:
    for seed in (1, 2, 3):
        links = nx.random_regular_graph(3, 50, seed=seed).edges
        graph = Topology("random", 50, 0, full_duplex(links))
        asked = Task(graph, collective("AAB", graph), STORE, 8)
        assert_right(asked, broadcast_by_matching(asked, 17, 1), 17)


def test_tasks_that_are_not_matched() -> None:
    for other in (
        task("mesh-3x3", "AAS", STORE),
        task("mesh-3x3", "OAB", STORE),
        task("mesh-3x3", "AAB"),
        task("mesh-3x3", "AAB", STORE_1),
        task("fat-tree-2x2", "AAB", STORE),
    ):
        assert broadcast_by_matching(other, 0, 1) is None
