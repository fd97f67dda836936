"""Trees from every owner: each leads to all ranks, and together they are at the bound."""

import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest

from syncfabric.models.collectives.chunks.bounds import time_of_a_byte
from syncfabric.models.collectives.chunks.trees import best_trees
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import Link, Topology, linked
from tests.models.collectives.chunks.drawn import drawn


def check_trees(topology: Topology, owners: range) -> int:
    """Check the trees of a topology, and return how many an owner has."""
    trees = best_trees(topology, owners)
    assert trees is not None
    load, of_owner = Counter[tuple[int, int]](), Counter[int]()
    for tree in trees:
        reached = {tree.owner}
        for path in tree.edges:
            assert path[0] in reached
            assert path[-1] not in reached
            assert min((*path[1:-1], topology.nodes)) >= topology.nodes
            reached.add(path[-1])
            for pair in pairwise(path):
                load[pair] += tree.weight
        assert len(reached) == topology.nodes
        of_owner[tree.owner] += tree.weight
    assert set(of_owner) == set(owners)
    (each,) = {*of_owner.values()}
    rates = dict(zip(topology.channels, topology.rates, strict=True))
    slowest = max(Fraction(n, each) / rates[channel] for channel, n in load.items())
    assert slowest == time_of_a_byte(topology, owners)[0]
    return each


@pytest.mark.parametrize(
    ("name", "each"),
    [
        *(("hypercube-8", 3), ("octagon-8", 3), ("torus-4x4", 4), ("mesh-4x4", 2)),
        *(("hypercube-32", 5), ("hypercube-64", 6), ("torus-16x16", 4), ("ring-9", 2)),
        *(("mesh-5x3", 1), ("torus-4x6", 4), ("star-7", 1), ("dgx-1", 6), ("dgx-1-pair", 1)),
        *(("fat-tree-4x2", 1), ("dgx-a100", 1), ("dgx-a100-pair", 13)),
    ],
)
def test_trees_of_known_topologies(name: str, each: int) -> None:
    topology = linked(load_topology(name), Fraction(0), Fraction(1))
    assert check_trees(topology, range(topology.nodes)) == each


@pytest.mark.parametrize("switches", [0, 1, 3])
def test_trees_of_any_topology(switches: int) -> None:
    rng, packed = random.Random(3), 0
    while packed < 25:
        topology = drawn(rng, rng.randint(2, 7), switches=switches, mirrored=switches > 0)
        owners = range(topology.nodes) if rng.random() < 0.6 else range(1)
        if best_trees(topology, owners) is None:  # more than are worth it
            continue
        check_trees(topology, owners)
        packed += 1


def test_where_there_are_none() -> None:
    large = linked(load_topology("mesh-9x9"), Fraction(0), Fraction(1))
    assert best_trees(large, range(81)) is None
    # A switch with one channel in and two out: what is left over leads nowhere.
    channels = ((0, 3), (3, 1), (3, 2), (1, 0), (2, 0))
    uneven = Topology("uneven", 3, 1, channels, (Link(Fraction(0), Fraction(1)),) * 5)
    assert best_trees(uneven, range(3)) is None
