"""Orders of sends: right by the checker, and as fast as is known."""

import random
from collections import Counter
from fractions import Fraction

import networkx as nx
import pytest

from syncfabric.models.collectives.chunks.checker import check, perform
from syncfabric.models.collectives.chunks.order import Route, along, greedy, legs_of, shared_out
from syncfabric.models.collectives.chunks.schedule import Exchange, Schedule
from syncfabric.models.collectives.clock import Clock, TimeUpError
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import Link, Topology, full_duplex, linked
from tests.models.collectives.chunks.drawn import drawn, two_way

UNIT = Link(Fraction(0), Fraction(1))
LINE = two_way(4, (0, 1, UNIT), (1, 2, UNIT), (2, 3, UNIT))


def test_a_route_knows_its_heights() -> None:
    route = Route(1, ((1, 0), (1, 2), (2, 3)))
    assert route.depth == {1: 0, 0: 1, 2: 1, 3: 2}
    assert route.height == {1: 2, 0: 0, 2: 1, 3: 0}
    assert route.children == {1: [0, 2], 0: [], 2: [3], 3: []}


@pytest.mark.parametrize("weights", [(1, 1), (3, 1), (2, 1, 5), (0.5, 1.5)])
def test_items_are_shared_out_by_weight(weights: tuple[float, ...]) -> None:
    count = 400
    found = Counter(shared_out(weights, count))
    for nth, weight in enumerate(weights):
        assert found[nth] == pytest.approx(count * weight / sum(weights), abs=1)


def test_parts_are_pipelined() -> None:
    """Of n parts down a line of 3 links the last is there after n + 2."""
    route = Route(0, ((0, 1), (1, 2), (2, 3)))
    for parts in (1, 2, 7):
        exchange = Exchange("broadcast", 4, parts, parts)
        sends = along(LINE, [route] * parts, exchange.piece, parts=parts, both=False)
        outcome = check(Schedule(LINE, exchange, tuple(sends)))
        assert outcome == (Fraction(parts + 2), (), 0)


def test_up_and_down_go_on_at_once() -> None:
    """Up to rank 1 and back: the long side takes 2 in each direction, both side by side."""
    route = Route(1, ((1, 0), (1, 2), (2, 3)))
    exchange = Exchange("allreduce", 4, 40, 10)
    items = exchange.items
    sends = along(LINE, [route] * items, exchange.piece, parts=items, both=True)
    outcome = check(Schedule(LINE, exchange, tuple(sends)))
    assert outcome == (Fraction(items + 3), (), 0)


@pytest.mark.parametrize("seed", range(6))
def test_greedy_serves_everybody(seed: int) -> None:
    rng = random.Random(seed)
    topology = drawn(rng, rng.randint(2, 6), switches=rng.randint(0, 3))
    parts = rng.randint(1, 4)
    exchange = Exchange("allgather", topology.nodes, 60, parts)
    sends = greedy(topology, exchange.ends(combine=False), parts, exchange.piece, seed)
    outcome = check(Schedule(topology, exchange, tuple(sends)))
    assert outcome.broken == 0
    # Nothing is sent to a rank that has it.
    assert len(sends) == len({(item, path[-1]) for item, path, _ in sends})
    assert sends == greedy(topology, exchange.ends(combine=False), parts, exchange.piece, seed)


@pytest.mark.parametrize("name", ["mesh-3x3", "torus-4x4", "hypercube-8"])
def test_a_share_for_one_leaves_each_rank_once(name: str) -> None:
    topology = linked(load_topology(name), Fraction(0), Fraction(1))
    exchange = Exchange("alltoall", topology.nodes, topology.nodes)
    sends = greedy(topology, exchange.ends(combine=False), 1, exchange.piece, 1)
    assert check(Schedule(topology, exchange, tuple(sends))).broken == 0
    assert {*Counter((item, path[0]) for item, path, _ in sends).values()} == {1}


def drawn_regular(ranks: int, degree: int) -> Topology:
    graph = nx.random_regular_graph(degree, ranks, seed=1)
    return Topology("drawn", ranks, 0, full_duplex(sorted(map(tuple, map(sorted, graph.edges)))))


@pytest.mark.parametrize(
    ("topology", "steps"),
    [
        (load_topology("torus-8x8"), 17),
        (load_topology("hypercube-16"), 5),
        (drawn_regular(64, 3), 24),
        (drawn_regular(128, 3), 45),
    ],
)
def test_greedy_in_steps(topology: Topology, steps: int) -> None:
    """With alpha alone a send is a step: as TACOS, near the bound of 16, 4, 21 and 43."""
    step = Link(Fraction(1), Fraction(1, 10**9))
    args = topology.name, topology.nodes, 0, topology.channels
    topology = Topology(*args, (step,) * len(topology.channels))
    exchange = Exchange("allgather", topology.nodes, 1)
    found = [
        greedy(topology, exchange.ends(combine=False), 1, exchange.piece, seed) for seed in range(5)
    ]
    times = [perform(Schedule(topology, exchange, tuple(s)), Fraction(0)) for s in found]
    assert (topology.nodes - 1) / len(topology.successors[0]) <= min(times) <= steps


def test_paths_lead_past_switches_alone() -> None:
    topology = linked(load_topology("fat-tree-2x2"), Fraction(1), Fraction(1))
    legs = legs_of(topology)
    ranks = range(topology.nodes)
    assert {(leg[0], leg[-1]) for leg in legs} == {(a, b) for a in ranks for b in ranks if a != b}
    for leg in legs:
        assert len(leg) - 1 == topology.distances[leg[0], leg[-1]]
        assert all(vertex >= topology.nodes for vertex in leg[1:-1])


def test_a_clock_ends_it() -> None:
    with Clock(60, lambda: True).rules():
        with pytest.raises(TimeUpError):
            greedy(LINE, [(0, range(4))], 1, Fraction(1), 1)
        with pytest.raises(TimeUpError):
            along(LINE, [Route(0, ((0, 1),))], Fraction(1), parts=1, both=False)
