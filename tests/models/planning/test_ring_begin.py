"""Rings to begin with, and rings that are grown from them."""

import random

import pytest

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.mesh_links import MeshLinks, link_numbers
from syncfabric.models.planning.ring_grow import along_tour, grow, shake, through_two
from tests.models.planning.static_ways import ring_hops


def drawn(seed: int) -> tuple[MeshLinks, list[int]]:
    """Return a mesh with some links taken, and members."""
    rng = random.Random(seed)
    mesh = Mesh(rng.randint(2, 6), rng.randint(2, 6))
    every = [link for link, free in enumerate(MeshLinks(mesh).free) if free]
    links = MeshLinks(mesh, rng.sample(every, len(every) // rng.choice((4, 10, 1000))))
    return links, rng.sample(range(len(mesh.nodes)), rng.randint(2, min(9, len(mesh.nodes))))


def check(links: MeshLinks, way: list[int]) -> set[int]:
    """Check that links are a ring, over free ones; return the switches that it passes."""
    assert len(ring_hops(links.mesh, links.switches(way))) == len(way)
    assert all(links.free[link] for link in way)
    return {link >> 2 for link in way}


@pytest.mark.parametrize("seed", range(40))
def test_what_a_ring_is_begun_from(seed: int) -> None:
    links, members = drawn(seed)
    before = bytes(links.free)
    if way := along_tour(links, members):
        assert members[0] in check(links, way)
    if way := through_two(links, members[0], members[1]):
        assert set(members[:2]) <= check(links, way)
        assert len(way) >= 2 * links.distance(members[0], members[1])
    assert links.free == before


@pytest.mark.parametrize(
    ("a", "b", "length"),
    [((0, 0), (1, 0), 4), ((0, 0), (3, 3), 12), ((0, 0), (3, 0), 8), ((1, 2), (1, 0), 6)],
)
def test_the_shortest_ring_through_two(a: tuple[int, int], b: tuple[int, int], length: int) -> None:
    mesh = Mesh(4, 4)
    way = through_two(MeshLinks(mesh), mesh.index(a), mesh.index(b))
    assert way is not None
    assert len(way) == length


def test_no_ring_through_a_switch_that_is_closed_off() -> None:
    mesh = Mesh(3, 3)
    links = MeshLinks(mesh, link_numbers(mesh, [((1, 0), (0, 0)), ((0, 1), (0, 0))]))
    assert through_two(links, 0, 8) is None
    assert through_two(links, 8, 0) is None
    assert grow(links, [0, 8]) is None
    assert sum(links.free) == 24 - 2


@pytest.mark.parametrize("seed", range(40))
def test_a_grown_ring_takes_its_links_alone(seed: int) -> None:
    links, members = drawn(seed)
    before = bytes(links.free)
    trail = grow(links, members)
    if trail is None:
        assert links.free == before
        return
    taken = set(trail.way)
    assert all(links.free[link] == (free and link not in taken) for link, free in enumerate(before))
    grown = len(trail)
    for least in (grown, 4):
        shake(trail, 10, least)
        mesh = MeshLinks(links.mesh, [link for link, free in enumerate(before) if not free])
        assert set(members) <= check(mesh, trail.way)
        assert len(trail) <= grown
        grown = len(trail)


def test_a_known_ring_is_taken_if_none_is_shorter() -> None:
    mesh = Mesh(5, 3)
    members = list(range(15))
    first = grow(MeshLinks(mesh), members)
    assert first is not None
    again = grow(MeshLinks(mesh), members, [list(first.way)])
    assert again is not None
    assert len(again) <= len(first)
