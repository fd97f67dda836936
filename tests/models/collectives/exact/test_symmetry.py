"""Groups of automorphisms that leave no vertex in its place."""

import pytest

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.files import permutation
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.symmetry import Symmetry, translations
from syncfabric.models.collectives.topology import Topology, full_duplex
from syncfabric.models.networks.families import FAMILIES

SIZES = {
    "ring-9": 9,
    "torus-4x4": 16,
    "torus-3x5": 15,
    "hypercube-16": 16,
    "k-ring-16": 16,
    "octagon-8": 8,
    "octagon-12": 12,
    "octagon-8x8": 64,
    "fat-octagon-16": 8,
    "twisted-ladder-16": 16,
    "amp-32": 32,
    "moore-petersen": 5,
    "coated-mesh-4x4": 4,
    "mesh-4x4": 4,
    "mesh-4x3": 2,
    "mesh-3x3": 0,
    "star-8": 0,
    "octagon-bridged-15": 0,
}


@pytest.mark.parametrize("name", SIZES)
def test_the_largest_has_as_many_elements(name: str) -> None:
    found = translations(named(name))
    assert (found[0].size if found else 0) == SIZES[name]


@pytest.mark.parametrize("name", [family.example for family in FAMILIES.values()])
def test_they_are_groups_of_free_automorphisms(name: str) -> None:
    topology = named(name)
    for symmetry in translations(topology):
        elements = {tuple(row) for row in symmetry.vertices.tolist()}
        assert len(elements) == symmetry.size
        assert tuple(range(topology.vertices)) in elements
        some = sorted(elements)[:8]
        for g in some:
            for h in some:
                assert tuple(g[v] for v in h) in elements
        for number, element in enumerate(symmetry.vertices.tolist()):
            moved = [image != v for v, image in enumerate(element)]
            assert all(moved) or number == 0
            for channel, (a, b) in enumerate(topology.channels):
                image = topology.channels[symmetry.channels[number, channel]]
                assert image == (element[a], element[b])


def test_orbits_part_the_nodes_and_the_channels() -> None:
    symmetry = translations(named("fat-octagon-16"))[0]
    assert [orbit[0] for orbit in symmetry.node_orbits] == [0, 1]
    assert sorted(v for orbit in symmetry.node_orbits for v in orbit) == list(range(16))
    orbits = symmetry.channel_orbit.tolist()
    assert len(orbits) == len(symmetry.topology.channels)
    assert {orbits.count(number) for number in orbits} == {8}


def test_subgroups_follow_of_smaller_size() -> None:
    assert [s.size for s in translations(named("hypercube-16"))] == [16, 8, 4, 2]
    assert [s.size for s in translations(named("torus-3x5"))] == [15, 3]


def test_a_channel_that_is_missing_breaks_it() -> None:
    whole = named("torus-3x3")
    links = [channel for channel in whole.channels if set(channel) != {0, 1}]
    assert translations(Topology("broken", 9, 0, tuple(links))) == ()


def test_what_it_keeps() -> None:
    ring = named("ring-8")
    symmetry: Symmetry = translations(ring)[0]
    assert symmetry.keeps(collective("AAS", ring))
    assert not symmetry.keeps(collective("OAS", ring))
    assert not symmetry.keeps(collective("MNS", ring, [0, 2, 4, 6]))
    assert translations(ring)[1].keeps(collective("MNS", ring, [0, 2, 4, 6]))
    across = [(i + 4) % 8 for i in range(8)]
    assert symmetry.keeps(collective("permutation", ring, targets=across))
    shuffled = permutation("shuffle", 8)
    assert not symmetry.keeps(collective("permutation", ring, targets=shuffled))


def test_a_star_by_hand_has_none() -> None:
    assert translations(Topology("line", 3, 0, full_duplex([(0, 1), (1, 2)]))) == ()
