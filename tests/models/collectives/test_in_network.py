"""Trees of switches that combine: no link in two, as many as the weakest partition lets through."""

import random
from fractions import Fraction

import pytest

from syncfabric.models.collectives import in_network
from syncfabric.models.collectives.chunks.schedule import Cut
from syncfabric.models.collectives.in_network import Packing, pack, rate_of
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError
from tests.models.collectives.chunks.drawn import drawn
from tests.models.collectives.chunks.test_spanning import partitions


def assert_trees(packing: Packing) -> None:
    """Check that trees reach all members along channels in both directions, and share no link."""
    topology, seen = packing.topology, set[tuple[int, int]]()
    for tree in packing.trees:
        depths = []
        for rank in range(topology.nodes):
            depth, here = 0, rank
            while here != tree.root:
                assert (here, tree.parent[here]) in topology.number
                assert (tree.parent[here], here) in topology.number
                assert topology.routers[tree.parent[here]]
                here, depth = tree.parent[here], depth + 1
            depths.append(depth)
        assert tree.depth == max(depths)
        links = {(min(edge), max(edge)) for edge in tree.edges}
        assert not links & seen
        seen |= links


@pytest.mark.parametrize(
    ("name", "trees", "bound"),
    [
        ("ring-8", 1, Fraction(8, 7)),
        ("mesh-4x4", 1, Fraction(24, 15)),
        ("torus-4x4", 2, Fraction(32, 15)),
        ("hypercube-16", 2, Fraction(32, 15)),
        ("complete-6", 3, Fraction(15, 5)),
        ("fat-tree-2x3", 1, Fraction(1)),
        ("fat-octagon-16", 1, Fraction(1)),
    ],
)
def test_topologies_by_name(name: str, trees: int, bound: Fraction) -> None:
    packing = pack(named(name))
    assert (len(packing.trees), packing.bound) == (trees, bound)
    assert rate_of(packing.topology, packing.cut) == bound
    assert_trees(packing)
    (flat,) = pack(named(name), 1).trees
    assert flat.depth <= min(tree.depth for tree in packing.trees)


@pytest.mark.parametrize("seed", range(12))
def test_as_many_trees_as_the_weakest_of_all_partitions_lets_through(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_network, "TRIES", 1)  # the first order finds them all
    topology = drawn(random.Random(seed), 6)
    topology = Topology("drawn", 6, 0, topology.channels)
    packing = pack(topology)
    ratios = []
    for parts in partitions(list(range(6))):
        if len(parts) > 1:
            part = {v: n for n, some in enumerate(parts) for v in some}
            crossing = sum(part[a] != part[b] for a, b in topology.channels)
            ratios.append(Fraction(crossing, 2 * (len(parts) - 1)))
    assert packing.bound == min(ratios)
    assert len(packing.trees) == int(packing.bound)
    assert_trees(packing)


@pytest.mark.parametrize("seed", range(6))
def test_networks_with_switches(seed: int) -> None:
    packing = pack(drawn(random.Random(seed), 4, switches=3))
    assert 1 <= len(packing.trees) <= packing.bound
    assert_trees(packing)


def test_switches_are_no_part_of_a_certificate_by_partitions() -> None:
    star = named("fat-tree-2x2")
    parts = tuple(frozenset({rank}) for rank in range(star.nodes))
    # A switch combines what the members send it: each sends a word, and not 2 (R - 1) / R.
    with pytest.raises(SpecError, match="its parts must have every vertex"):
        rate_of(star, Cut(parts))
    with pytest.raises(SpecError, match="some of the members, and not all"):
        rate_of(star, Cut((frozenset(range(star.vertices)),)))


def test_what_has_no_tree_is_refused() -> None:
    with pytest.raises(SpecError, match="a member alone"):
        pack(Topology("one", 1, 0, ()))
    with pytest.raises(SpecError, match="no tree reaches all nodes by links that lead both ways"):
        pack(Topology("round", 3, 0, ((0, 1), (1, 2), (2, 0))))
