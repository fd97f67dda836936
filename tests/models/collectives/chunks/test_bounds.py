"""Cuts against all there are, and published bounds."""

import random
from fractions import Fraction
from itertools import combinations

import pytest

from syncfabric.models.collectives.chunks.bounds import best_cut, time_of_a_byte
from syncfabric.models.collectives.chunks.checker import bound_of
from syncfabric.models.collectives.chunks.links import linked
from syncfabric.models.collectives.chunks.schedule import Cut, Exchange
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import Link, Topology
from syncfabric.models.errors import SpecError
from tests.models.collectives.chunks.drawn import drawn


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
