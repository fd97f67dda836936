"""Spanning trees against the weakest of all partitions."""

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from syncfabric.models.collectives.chunks.spanning import packed
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import Link, Topology, linked
from tests.models.collectives.chunks.drawn import drawn


def partitions(things: list[int]) -> Iterator[list[set[int]]]:
    if not things:
        yield []
        return
    first, *others = things
    for rest in partitions(others):
        yield [{first}, *rest]
        for place in range(len(rest)):
            yield [*rest[:place], rest[place] | {first}, *rest[place + 1 :]]


def strength(topology: Topology, parts: list[set[int]]) -> Fraction:
    """Return the bandwidth between the parts over their number less one, in one direction."""
    part = {v: n for n, some in enumerate(parts) for v in some}
    rates = zip(topology.channels, topology.rates, strict=True)
    between = sum((r for (a, b), r in rates if part[a] != part[b]), Fraction(0))
    return between / 2 / (len(parts) - 1)


def test_trees_carry_what_the_weakest_partition_lets_through() -> None:
    rng = random.Random(5)
    for _ in range(15):
        topology = drawn(rng, rng.randint(2, 6), mirrored=True)
        found = packed(topology)
        every = [p for p in partitions(list(range(topology.nodes))) if len(p) > 1]
        weakest = min(strength(topology, p) for p in every)
        assert strength(topology, [set(p) for p in found.parts]) == weakest
        assert sum(rate for _, rate in found.trees) == pytest.approx(float(weakest))
        load: dict[tuple[int, int], float] = {}
        for edges, rate in found.trees:
            reached = {edges[0][0]}
            for a, b in edges:
                assert a in reached
                assert b not in reached
                reached.add(b)
                load[min(a, b), max(a, b)] = load.get((min(a, b), max(a, b)), 0) + rate
            assert len(reached) == topology.nodes
        rates = dict(zip(topology.channels, topology.rates, strict=True))
        assert all(used <= float(rates[pair]) * (1 + 1e-6) for pair, used in load.items())


def test_parts_have_ranks() -> None:
    rng = random.Random(6)
    for _ in range(10):
        topology = drawn(rng, rng.randint(2, 4), switches=rng.randint(1, 4), mirrored=True)
        found = packed(topology)
        assert found.trees == ()
        seen = [vertex for part in found.parts for vertex in part]
        assert len(seen) == len(set(seen))
        assert set(seen) >= set(range(topology.nodes))
        assert all(min(part) < topology.nodes for part in found.parts)


def test_switches_may_be_in_no_part() -> None:
    """What three ranks send through a switch leaves each by its own channel."""
    found = packed(linked(load_topology("fat-tree-2x2"), Fraction(0), Fraction(1)))
    assert found.parts == tuple(frozenset({rank}) for rank in range(4))


def test_large_topologies_have_partitions_alone() -> None:
    found = packed(linked(load_topology("torus-9x9"), Fraction(0), Fraction(1)))
    assert found.trees == ()
    assert len(found.parts) == 81


def test_links_of_one_way() -> None:
    channels = tuple((rank, (rank + 1) % 80) for rank in range(80))
    link = Link(Fraction(0), Fraction(2))
    ring = Topology("one-way", 80, 0, channels, (link,) * 80)
    assert packed(ring).trees == ()
    assert len(packed(ring).parts) == 80
