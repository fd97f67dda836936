"""Scatters on rings with and without chords, and broadcasts round a ring: right, at the bound."""

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.constructions import construct
from syncfabric.models.collectives.exact.rings import broadcast_on_ring
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.task import Rules, Switching, Task
from syncfabric.models.collectives.topology import Topology, both_ways
from tests.models.collectives.tasks import STORE, STRICT, STRICT_1, assert_right, task


@pytest.mark.parametrize(
    ("family", "sizes", "part"),
    [("ring", (4, 8, 12, 20, 64), 8), ("octagon", (8, 12, 16, 20, 64), 16)],
)
def test_scatters_meet_their_bound(family: str, sizes: tuple[int, ...], part: int) -> None:
    for nodes in sizes:
        asked = task(f"{family}-{nodes}", "AAS", Rules())
        best = nodes * nodes // part
        assert lower_bounds(asked)[0].value == best
        assert_right(asked, construct(asked, best), best)


def test_other_scatters() -> None:
    for name in ("ring-16", "octagon-16"):
        graph = named(name)
        some = Task(graph, collective("MNS", graph, [0, 3, 5], [1, 2, 3, 8]))
        assert_right(some, construct(some, 32))
    assert construct(task("ring-10", "AAS", Rules()), 99) is None
    assert construct(task("ring-8", "AAS", Rules(1)), 99) is None
    assert construct(task("ring-8", "AAS", STORE), 99) is None


def boxes(*, switches: bool) -> Topology:
    """Two boxes of eight and one link between: behind a switch each, or joined each with each."""
    if switches:
        links = [(node, 16 + node // 8) for node in range(16)] + [(16, 17)]
        return Topology("boxes", 16, 2, both_ways(links))
    links = [(b + i, b + j) for b in (0, 8) for i in range(8) for j in range(i + 1, 8)]
    return Topology("boxes", 16, 0, both_ways([*links, (0, 8)]))


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


def test_broadcasts_hop_by_hop_go_a_long_way() -> None:
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
def test_several_ports_go_both_ways_round(name: str, best: int, switching: Switching) -> None:
    asked = task(name, "AAB", Rules(2, "strict", switching), extra=best - 1)
    assert -(-(asked.topology.nodes - 1) // 2) == best
    assert_right(asked, broadcast_on_ring(asked, best), best)
    assert broadcast_on_ring(asked, best - 1) is None
    straighter = task(name, "AAB", Rules(2, "strict", switching), extra=best - 2)
    assert (broadcast_on_ring(straighter, best) is None) == straighter.hop_by_hop
    # Over a tree links are taken both ways, so one direction has to do.
    star = task("star-8", "AAB", Rules(2, "strict"))
    assert_right(star, broadcast_on_ring(star, 7), 7)


def test_where_no_ring_is_found() -> None:
    # Both have no Hamiltonian cycle.
    assert broadcast_on_ring(task("mesh-3x3", "AAB", STRICT_1), 8) is None
    assert broadcast_on_ring(task("moore-petersen", "AAB", STRICT_1), 9) is None
    assert broadcast_on_ring(task("mesh-4x4", "OAB", STRICT_1), 15) is None
