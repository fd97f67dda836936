"""Rings through any members: how they begin, grow and become short."""

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.planning.free_links import FreeLinks
from syncfabric.models.planning.ring import best_ring, least_by_shape, rectangle_ring, ring_beside
from syncfabric.models.planning.ring_grow import grow, shake, through_two
from syncfabric.models.planning.ring_model import RingModel
from tests.models.planning.static_ways import leaves, passed, ring_hops


def shortest(mesh: Mesh, members: list[Node]) -> int:
    """Return the least length of a ring, by trying all trails of each length."""
    for length in range(4, 4 * len(mesh.nodes), 2):
        if any(closed(mesh, [members[0]], set(), set(members), length)):
            return length
    raise AssertionError("there is no ring")


def closed(
    mesh: Mesh, way: list[Node], used: set[tuple[Node, Node]], members: set[Node], left: int
) -> Iterator[bool]:
    """Yield True for each closed trail that takes up ``left`` links more."""
    here = way[-1]
    missing = members - set(way)
    if mesh.hops(here, way[0]) > left or len(missing) > left:
        return
    if left == 0:
        if not missing and way[1] != way[-2]:
            yield True
        return
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        after = here[0] + dx, here[1] + dy
        back = len(way) > 1 and after == way[-2]
        if mesh.contains(after) and not back and (here, after) not in used:
            yield from closed(mesh, [*way, after], used | {(here, after)}, members, left - 1)


@pytest.mark.parametrize(
    ("width", "height", "length"),
    [(2, 2, 4), (4, 4, 16), (3, 2, 6), (3, 3, 14), (3, 5, 16), (5, 3, 16), (5, 5, 26), (8, 8, 64)],
)
def test_all_members_of_a_mesh(width: int, height: int, length: int) -> None:
    mesh = Mesh(width, height)
    ring = best_ring(mesh.graph, mesh.nodes)
    assert ring is not None
    assert set(passed(mesh, ring.ring)) == set(mesh.nodes)
    assert len(ring_hops(mesh, passed(mesh, ring.ring))) == length == ring.least.links


def test_three_by_three_takes_fourteen() -> None:
    """Neither ten nor twelve links do, though the colours alone would allow it."""
    mesh = Mesh(3, 3)
    assert least_by_shape(mesh.graph, range(9)).links == 10
    assert shortest(mesh, mesh.nodes) == 14


def test_the_corners_of_a_square() -> None:
    mesh = Mesh(4, 4)
    ring = best_ring(mesh.graph, [(0, 0), (3, 0), (0, 3), (3, 3)])
    assert ring is not None
    assert len(ring_hops(mesh, passed(mesh, ring.ring))) == 12


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_the_shortest_there_is_on_three_by_three(size: int) -> None:
    mesh = Mesh(3, 3)
    for members in list(combinations(mesh.nodes, size))[:: 3 * size]:
        ring = best_ring(mesh.graph, members)
        assert ring is not None
        assert set(members) <= set(passed(mesh, ring.ring))
        assert len(ring_hops(mesh, passed(mesh, ring.ring))) == shortest(mesh, list(members))


def test_rectangles_of_every_size() -> None:
    for width in range(2, 14):
        for height in range(2, 14):
            switches = rectangle_ring(width, height)
            if (width, height) == (3, 3):
                assert switches is None
                continue
            assert switches is not None
            hops = ring_hops(Mesh(width, height), switches)
            assert len(set(switches)) == width * height
            assert len(hops) == width * height + width * height % 2
    assert rectangle_ring(1, 6) is rectangle_ring(6, 1) is None


def test_a_row_has_no_ring() -> None:
    assert best_ring(Mesh(4, 1).graph, [(0, 0), (2, 0)]) is None
    assert RingModel(FreeLinks(Mesh(4, 1).graph), [0, 2]).relaxed() == float("inf")


def test_random_members() -> None:
    rng = random.Random(1)
    for _ in range(40):
        mesh = Mesh(rng.randint(2, 8), rng.randint(2, 8))
        members = rng.sample(mesh.nodes, rng.randint(2, min(20, len(mesh.nodes))))
        ring = best_ring(mesh.graph, members)
        assert ring is not None
        assert set(members) <= set(passed(mesh, ring.ring))
        assert len(ring_hops(mesh, passed(mesh, ring.ring))) >= ring.least.links
        assert ring.excess == 0, (mesh, members)


def test_a_search_finds_what_is_shorter() -> None:
    mesh = Mesh(3, 3)
    model = RingModel(FreeLinks(mesh.graph), list(range(9)))
    assert model.shorter(12) == (None, True)
    way, sure = model.shorter(20)
    assert sure
    assert way is not None
    assert len(ring_hops(mesh, passed(mesh, [link // 5 for link in way]))) == 14


def test_a_ring_beside_another() -> None:
    mesh = Mesh(4, 4)
    alone = best_ring(mesh.graph, mesh.nodes)
    assert alone is not None
    for shakes in (0, 20):
        taken = set(alone.outputs)
        other = ring_beside(mesh.nodes, taken, alone, shakes)
        assert other is not None
        assert taken.isdisjoint(other.outputs)
        assert len(ring_hops(mesh, passed(mesh, other.ring))) == 16


def test_no_ring_where_a_member_is_closed_off() -> None:
    mesh = Mesh(3, 3)
    taken = leaves(mesh, [((1, 0), (0, 0)), ((0, 1), (0, 0))])
    alone = best_ring(mesh.graph, [(0, 0), (2, 2)])
    assert alone is not None
    assert ring_beside([(0, 0), (2, 2)], taken, alone, 5) is None


def drawn(seed: int) -> tuple[FreeLinks, list[int]]:
    """Return a mesh with some links taken, and members."""
    rng = random.Random(seed)
    mesh = Mesh(rng.randint(2, 6), rng.randint(2, 6))
    every = [divmod(link, 5) for link, free in enumerate(FreeLinks(mesh.graph).free) if free]
    links = FreeLinks(mesh.graph, rng.sample(every, len(every) // rng.choice((4, 10, 1000))))
    return links, rng.sample(range(len(mesh.nodes)), rng.randint(2, min(9, len(mesh.nodes))))


def check(links: FreeLinks, way: list[int]) -> set[int]:
    """Check that links are a ring, over free ones; return the switches that it passes."""
    columns, switches = links.graph.columns, [link // 5 for link in way]
    mesh = Mesh(columns, links.graph.switches // columns)
    assert len(ring_hops(mesh, passed(mesh, switches))) == len(way)
    assert all(links.free[link] for link in way)
    return {*switches}


@pytest.mark.parametrize("seed", range(40))
def test_what_a_ring_is_begun_from(seed: int) -> None:
    links, members = drawn(seed)
    before = bytes(links.free)
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
    way = through_two(FreeLinks(mesh.graph), mesh.index(a), mesh.index(b))
    assert way is not None
    assert len(way) == length


def test_no_ring_through_a_switch_that_is_closed_off() -> None:
    mesh = Mesh(3, 3)
    links = FreeLinks(mesh.graph, leaves(mesh, [((1, 0), (0, 0)), ((0, 1), (0, 0))]))
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
        again = FreeLinks(links.graph)
        again.free = bytearray(before)
        assert set(members) <= check(again, trail.way)
        assert len(trail) <= grown
        grown = len(trail)


def test_a_known_ring_is_taken_if_none_is_shorter() -> None:
    mesh = Mesh(5, 3)
    members = list(range(15))
    first = grow(FreeLinks(mesh.graph), members)
    assert first is not None
    again = grow(FreeLinks(mesh.graph), members, [list(first.way)])
    assert again is not None
    assert len(again) <= len(first)
