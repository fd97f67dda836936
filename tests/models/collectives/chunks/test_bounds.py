"""Cuts against all there are, and published bounds."""

import random
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import Any, get_args

import networkx as nx
import pytest

from syncfabric.models.collectives.chunks.bounds import (
    best_cut,
    cut_of_parts,
    moving,
    time_of_a_byte,
)
from syncfabric.models.collectives.chunks.checker import (
    bound_of,
    held_by,
    least_latency,
    proved_in_parts,
)
from syncfabric.models.collectives.chunks.schedule import Chunked, Cut, Exchange, Schedule
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import Link, Topology, linked
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


def test_a_path_takes_its_latencies_and_the_slowest_link() -> None:
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


QUICK = ("shortest", "greedy", "trees", "spanning", "ring", "paths")


@pytest.mark.parametrize("kind", get_args(Chunked))
def test_no_schedule_is_faster(kind: Chunked) -> None:
    """However the vertices leave: right schedules take as long as any cut says."""
    rng, near, met = random.Random(kind), 0, 0
    for _ in range(8):
        topology = drawn(rng, rng.randint(2, 5), switches=rng.randint(0, 2))
        size = rng.choice([4, 60])
        found = search(topology, kind, size, (1, 3), methods=QUICK)
        best = found.best
        exchange, time = best.schedule.exchange, best.time
        assert found.bound <= proved_in_parts(best.schedule) <= time
        near += found.bound > time * Fraction(3, 4)
        slots = held_by(exchange, topology, exchange.parts)
        for trial in range(60):
            side = frozenset(
                rng.sample(range(topology.vertices), rng.randint(1, topology.vertices))
            )
            receives = side
            if exchange.combines and not exchange.spreads:
                receives = frozenset(range(topology.vertices)) - side
            leave = [rng.choice(slots) * rng.randint(1, 4) for _ in range(4)]
            marks = [*leave, *(max(time - mark, Fraction(1)) for mark in leave), *[time] * 6]
            if trial % 2:
                marks = [Fraction(n, 4) for n in range(1, 41)]
            cut = Cut((side,), tuple((v, rng.choice(marks)) for v in sorted(receives)))
            assert bound_of(exchange, topology, cut) <= time
            proved = bound_of(exchange, topology, cut, whole=True)
            assert proved <= time
            met += proved == time
    assert near
    assert met or kind == "allreduce"


def test_parts_of_allreduce_pass_between_any_parts_of_a_network() -> None:
    rng = random.Random(2)
    for _ in range(6):
        topology = drawn(rng, rng.randint(2, 5), switches=rng.randint(0, 2))
        best = search(topology, "allreduce", 60, (2,), methods=QUICK).best
        for _ in range(20):
            count = rng.randint(2, topology.nodes)
            parts = [{rank} for rank in range(count)]
            for vertex in range(count, topology.vertices):
                if vertex < topology.nodes or rng.random() < 0.7:
                    rng.choice(parts).add(vertex)
            cut = Cut(tuple(map(frozenset, parts)))
            assert bound_of(best.schedule.exchange, topology, cut, whole=True) <= best.time


def test_whole_parts_by_hand() -> None:
    """Two shares of 4 bytes over two lanes, each for 5 + 2 n; a part in a send of its own."""
    line = two_way(3, (0, 1, Link(Fraction(5), Fraction(2), 2)), (1, 2, LINE.links[2]))
    into = Cut((frozenset({1, 2}),))
    for parts, time in ((1, 13), (2, 18), (4, 28)):
        exchange = Exchange("scatter", 3, 12, parts)
        assert bound_of(exchange, line, into, whole=True) == time
        assert bound_of(exchange, line, into) == 13
    # Rank 1 leaves after 13, when one send of one part fits; then a send of 5 + 8 to rank 2.
    half = Cut((frozenset({1, 2}),), ((1, Fraction(1)), (2, Fraction(2))))
    assert bound_of(Exchange("scatter", 3, 12), line, half, whole=True) == 26
    assert bound_of(Exchange("gather", 3, 4), line, Cut((frozenset({0}),)), whole=True) == 13
    far = Cut((), lengths=((1, 2, 3),))
    assert bound_of(Exchange("scatter", 3, 12, 3), line, far, whole=True) == 3 * (
        5 + Fraction(8, 3)
    )


def test_a_send_past_a_switch_counts_before_it_has_ended() -> None:
    """One send of 10 ns from 0 to 1 at any time, be the switch on either side when it ends."""
    link = Link(Fraction(1), Fraction(1))
    star = Topology("star", 2, 1, ((0, 2), (2, 0), (1, 2), (2, 1)), (link,) * 4)
    exchange = Exchange("broadcast", 2, 8)
    for leaves, time in ((1, 0), (9, Fraction(100, 1)), (10, 10)):
        cut = Cut((frozenset({1, 2}),), ((2, Fraction(leaves)), (1, Fraction(10))))
        assert bound_of(exchange, star, cut, whole=True) == min(time, 10) * (leaves == 10)


@pytest.mark.parametrize(("chunks", "time"), [(1, 272_239), (2, 225_006)])
def test_no_schedule_of_as_many_chunks_is_faster(chunks: int, time: int) -> None:
    """The root's port, its own card and those of seven relays, send by send."""
    topology = load_topology("dgx-a100-pair")
    found = search(topology, "scatter", 2**26, (chunks,), methods=("paths",))
    assert round(found.best.time) == time
    assert found.bound < proved_in_parts(found.best.schedule) == found.best.time


def test_no_number_of_equal_chunks_is_near_the_bound_on_a_pair_of_machines() -> None:
    """Fewer are later at the one link between; more take its latency more often."""
    topology = load_topology("dgx-1-pair")
    found = search(topology, "allreduce", 2**26, (5,), methods=("trees",))
    most = Fraction(1049, 1000) * found.bound
    assert most < proved_in_parts(found.best.schedule) < found.best.time
    for parts in range(1, 12):
        exchange = Exchange("allreduce", 16, 2**26, parts)
        empty = Schedule(topology, exchange, (), found.cut)
        cut = cut_of_parts(empty, [found.cut], found.best.time, found.bound)
        assert cut is not None
        assert bound_of(exchange, topology, cut, whole=True) > most
    # Of more, the sends over that link alone take as long.
    link, items = topology.links[topology.number[0, 8]], 16 * 12
    assert items * link.alpha + 2**26 * link.beta > most
