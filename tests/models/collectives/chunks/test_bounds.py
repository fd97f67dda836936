"""Cuts against all there are, and published bounds."""

import random
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import Any, get_args

import networkx as nx
import pytest

from syncfabric.models.collectives.chunks.bounds import best_cut, moving, time_of_a_byte
from syncfabric.models.collectives.chunks.checker import bound_of, least_latency
from syncfabric.models.collectives.chunks.links import linked
from syncfabric.models.collectives.chunks.schedule import Chunked, Cut, Exchange
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import Link, Topology
from syncfabric.models.errors import SpecError
from tests.models.collectives.chunks.drawn import drawn, two_way


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("hypercube-8", Fraction(7, 3)),
        ("octagon-8", Fraction(7, 3)),
        ("torus-4x4", Fraction(15, 4)),
        ("mesh-4x4", Fraction(15, 2)),
        ("hypercube-32", Fraction(31, 5)),
        ("hypercube-64", Fraction(21, 2)),
        ("torus-16x16", Fraction(255, 4)),
    ],
)
def test_bounds_of_forestcoll(name: str, time: Fraction) -> None:
    """Those of unit links that the paper's program gives."""
    topology = linked(load_topology(name), Fraction(0), Fraction(1))
    assert time_of_a_byte(topology, range(topology.nodes))[0] == time


def cuts(topology: Topology) -> list[frozenset[int]]:
    vertices = range(topology.vertices)
    sizes = range(1, topology.vertices)
    return [frozenset(some) for size in sizes for some in combinations(vertices, size)]


@pytest.mark.parametrize(
    "kind", ["broadcast", "reduce", "scatter", "gather", "allgather", "reduce-scatter"]
)
def test_no_cut_bounds_more(kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(12):
        topology = drawn(rng, rng.randint(2, 5), switches=rng.randint(0, 2))
        # Latencies aside: they are not what the cut is chosen by.
        links = tuple(link._replace(alpha=Fraction(0)) for link in topology.links)
        args = topology.name, topology.nodes, topology.switches, topology.channels
        topology = Topology(*args, links)
        root = rng.randrange(topology.nodes) * ("all" not in kind and kind != "reduce-scatter")
        exchange = Exchange(kind, topology.nodes, 60, root=root)  # type: ignore[arg-type]
        found = bound_of(exchange, topology, best_cut(exchange, topology))
        every = [bound_of(exchange, topology, Cut((inside,))) for inside in cuts(topology)]
        assert found == max(every)
        assert found > 0


def test_numbers_that_flows_cannot_have_are_refused() -> None:
    fine = Fraction(1, 10**13 + 37)
    links = (Link(Fraction(0), fine), Link(Fraction(0), Fraction(1) + fine))
    topology = Topology("fine", 2, 0, ((0, 1), (1, 0)), links)
    with pytest.raises(SpecError, match="too many digits"):
        time_of_a_byte(topology, (0, 1))


LINE = two_way(3, (0, 1, Link(Fraction(1), Fraction(1, 2))), (1, 2, Link(Fraction(5), Fraction(2))))


def test_a_way_takes_its_latencies_and_the_slowest_link() -> None:
    """Out of 0 at once at 2 bytes a nanosecond, then at half a byte: 1 + 5 + 24."""
    exchange = Exchange("broadcast", 3, 12)
    assert bound_of(exchange, LINE, best_cut(exchange, LINE)) == 30
    assert least_latency(exchange, LINE) == 6
    # Rank 1 has what it has at 1: with 24 more, the slow link is open for 24.
    cut = Cut((frozenset({1, 2}),), ((1, Fraction(1)), (2, Fraction(30))))
    assert bound_of(exchange, LINE, cut) == 30
    reduced = Exchange("reduce", 3, 12)
    assert bound_of(reduced, LINE, Cut((frozenset({0}),), cut.times)) == 30
    assert bound_of(exchange, LINE, Cut((frozenset({1, 2}),), ((1, Fraction(1)),))) == 1 + 6


def through(topology: Topology, needed: int, end: int) -> bool:
    """Return whether so many bytes come from rank 0 to rank 1 by a time, in whole nanoseconds."""
    graph: Any = nx.DiGraph()
    for time in range(end):
        graph.add_edges_from(((v, time), (v, time + 1)) for v in range(topology.vertices))
    for (a, b), link in zip(topology.channels, topology.links, strict=True):
        for time in range(end - int(link.alpha)):
            there = b, time + int(link.alpha)
            graph.add_edge((a, time), there, capacity=int(link.lanes / link.beta))
    return end > 0 and nx.maximum_flow_value(graph, (0, 0), (1, end - 1)) >= needed


def test_flows_over_time() -> None:
    """What a program finds is the quickest flow: at a bytes a nanosecond, in whole ones."""
    rng, moved = random.Random(7), 0
    for _ in range(20):
        topology = drawn(rng, rng.randint(2, 5), switches=rng.randint(0, 2))
        links = tuple(Link(link.alpha, Fraction(1), link.lanes) for link in topology.links)
        names = topology.name, topology.nodes, topology.switches, topology.channels
        topology, exchange = Topology(*names, links), Exchange("broadcast", topology.nodes, 40)
        for cut in moving(exchange, topology):
            times = dict(cut.times)
            if [v for v, time in times.items() if time == max(times.values())] != [1]:
                continue
            bound = bound_of(exchange, topology, cut)
            assert through(topology, 40, ceil(bound))
            assert not through(topology, 40, ceil(bound) - 1)
            moved += len(set(times.values())) > 1
    assert moved > 3


@pytest.mark.parametrize("kind", get_args(Chunked))
def test_no_schedule_is_faster(kind: Chunked) -> None:
    """However the vertices leave: right schedules take as long as any cut says."""
    rng, near = random.Random(kind), 0
    for _ in range(8):
        topology = drawn(rng, rng.randint(2, 5), switches=rng.randint(0, 2))
        size = rng.choice([4, 60])
        found = search(topology, kind, size, (1, 3), time_limit=5)
        exchange = found.best.schedule.exchange
        time = found.best.time
        assert found.bound <= time
        near += found.bound > time * Fraction(3, 4)
        for _ in range(60):
            side = frozenset(
                rng.sample(range(topology.vertices), rng.randint(1, topology.vertices))
            )
            receives = side
            if exchange.combines and not exchange.spreads:
                receives = frozenset(range(topology.vertices)) - side
            times = tuple((v, Fraction(rng.randint(1, 40), 4)) for v in sorted(receives))
            assert bound_of(exchange, topology, Cut((side,), times)) <= time
    assert near
