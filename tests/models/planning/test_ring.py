"""Rings through any members, and the least length of one."""

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.planning.free_links import FreeLinks
from syncfabric.models.planning.ring import best_ring, least_by_shape, ring_beside
from syncfabric.models.planning.ring_model import RingModel
from tests.models.planning.static_paths import leaves, passed, ring_hops


def shortest(mesh: Mesh, members: list[Node]) -> int:
    """Return the least length of a ring, by trying all circuits of each length."""
    for length in range(4, 4 * len(mesh.nodes), 2):
        if any(closed(mesh, [members[0]], set(), set(members), length)):
            return length
    raise AssertionError("there is no ring")


def closed(
    mesh: Mesh, path: list[Node], used: set[tuple[Node, Node]], members: set[Node], left: int
) -> Iterator[bool]:
    """Yield True for each circuit that takes up ``left`` links more."""
    here = path[-1]
    missing = members - set(path)
    if mesh.hops(here, path[0]) > left or len(missing) > left:
        return
    if left == 0:
        if not missing and path[1] != path[-2]:
            yield True
        return
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        after = here[0] + dx, here[1] + dy
        back = len(path) > 1 and after == path[-2]
        if mesh.contains(after) and not back and (here, after) not in used:
            yield from closed(mesh, [*path, after], used | {(here, after)}, members, left - 1)


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
