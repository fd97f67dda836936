"""Rings: how they begin, grow and become short, and the shortest paths that they consist of."""

import random
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise

import pytest

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.planning.free_links import FreeLinks, Output
from syncfabric.models.planning.ring_grow import Circuit, grow, shake, shortest_path, through_two
from tests.models.planning.static_paths import leaves, numbered, passed, ring_hops

EDGE: list[Node] = [
    *((0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2)),
    *((3, 3), (2, 3), (1, 3), (0, 3), (0, 2), (0, 1)),
]
"""The ring round a 4x4 mesh."""


def round_the_edge(members: list[Node], taken: tuple[Output, ...] = ()) -> Circuit:
    mesh = Mesh(4, 4)
    path = numbered(mesh, zip(EDGE, [*EDGE[1:], EDGE[0]], strict=True))
    return Circuit(FreeLinks(mesh.graph, taken), map(mesh.index, members), path)


def check(ring: Circuit, others: tuple[Output, ...] = ()) -> None:
    mesh, count = Mesh(4, 4), len(ring)
    hops = ring_hops(mesh, passed(mesh, [link // 5 for link in ring.path]))
    assert len(hops) == count == len(ring.path)
    assert ring.passes.total() == count
    assert +ring.passes == Counter(mesh.index(after) for _, after in hops)
    before = FreeLinks(mesh.graph, [*ring.links.outputs(ring.path), *others])
    assert ring.links.free == before.free


def test_links_are_taken_and_given_back() -> None:
    ring = round_the_edge([(0, 0), (1, 1), (3, 2), (2, 2)])
    check(ring)
    assert ring.missing() == [5, 10]
    ring.become(())
    assert ring.links.free == FreeLinks(Mesh(4, 4).graph).free
    assert len(ring) == 0


def test_another_path_past_a_member() -> None:
    """By the row above in place of one link: two links longer."""
    ring = round_the_edge([(0, 0), (1, 1)])
    assert ring.reroute(0, 1, (5,), 2) is None
    found = ring.reroute(0, 1, (5,), 3)
    assert found is not None
    assert passed(Mesh(4, 4), [link // 5 for link in found]) == [(1, 0), (1, 1), (2, 1)]
    check(ring)
    assert len(ring) == 12, "it is only looked for"
    ring.put(0, 1, found)
    assert len(ring) == 14
    assert ring.missing() == []
    check(ring)
    assert set(found) <= set(ring.fresh)


def test_no_member_is_left_out() -> None:
    """The northern row is cut off, unless there is a member on it."""
    for members, shorter in (([(0, 0), (2, 3)], False), ([(0, 0)], True)):
        ring = round_the_edge(members)
        found = ring.reroute(3, 6, (), 4)
        assert (found is not None) == shorter, members


def test_nothing_is_left_of_a_short_ring_to_be_laid_anew() -> None:
    ring = round_the_edge([(0, 0)])
    assert ring.reroute(0, 11, (), 30) is None
    assert ring.reroute(0, 10, (), 30) is not None


def test_too_many_members_are_not_tried() -> None:
    ring = round_the_edge(EDGE)
    assert ring.reroute(0, 8, (), 20) is not None
    assert ring.reroute(0, 9, (), 20) is None


def test_it_is_tightened_round_its_members() -> None:
    ring = round_the_edge([(0, 0), (1, 1)])
    ring.put(0, 1, ring.reroute(0, 1, (5,), 3) or ())
    ring.tighten((2, 3, 4, 6, 10))
    check(ring)
    assert ring.missing() == []
    assert len(ring) == 4


def test_it_keeps_off_the_links_of_others() -> None:
    """The path back is by the row above, or where that is taken by the next."""
    row: list[Node] = [(3, 1), (2, 1), (1, 1), (0, 1)]
    for taken, length in (((), 8), (tuple(leaves(Mesh(4, 4), pairwise(row))), 10)):
        ring = round_the_edge([(0, 0), (3, 0)], taken)
        ring.tighten((2, 3, 4, 6, 10))
        check(ring, taken)
        assert ring.missing() == []
        assert len(ring) == length


@pytest.mark.parametrize("seed", range(20))
def test_random_changes(seed: int) -> None:
    rng = random.Random(seed)
    members = rng.sample(EDGE, 3)
    ring = round_the_edge(members)
    changes = 0
    for _ in range(40):
        at, width = rng.randrange(len(ring)), rng.randint(0, 6)
        also = rng.sample(range(16), rng.randint(0, 2))
        found = ring.reroute(at, width, also, width + 4)
        check(ring)
        if found is not None:
            ring.put(at, width, found)
            changes += 1
            check(ring)
            assert not ring.missing()
            assert all(ring.passes[switch] for switch in also)
    assert changes
    longest = len(ring)
    ring.tighten((0, 1, 2, 4, 6))
    check(ring)
    assert not ring.missing()
    assert len(ring) <= longest


def opposite(links: FreeLinks, one: int, other: int) -> bool:
    """Return whether a link leads back over another."""
    return one // 5 == links.head(other) and other // 5 == links.head(one)


def may_follow(links: FreeLinks, one: int, other: int) -> bool:
    return links.head(one) == other // 5 and not opposite(links, one, other)


def least(links: FreeLinks, start: int, goal: int, marks: Collection[int], most: int) -> int | None:
    """Return the fewest links between, by going through all paths of one length after another."""
    free = [link for link, is_free in enumerate(links.free) if is_free]
    at_ends = {links.head(start), start // 5, goal // 5}
    here = {(start, frozenset(marks) - at_ends)}
    for count in range(most + 1):
        if any(may_follow(links, link, goal) and not missing for link, missing in here):
            return count
        here = {
            (following, missing - {links.head(following)})
            for link, missing in here
            for following in free
            if may_follow(links, link, following)
        }
    return None


def check_path(
    links: FreeLinks, start: int, goal: int, marks: Sequence[int], path: list[int]
) -> None:
    whole = [start, *path, goal]
    assert all(links.free[link] for link in path)
    assert all(may_follow(links, a, b) for a, b in pairwise(whole))
    assert set(marks) <= {start // 5, *(links.head(link) for link in whole[:-1])}


@pytest.mark.parametrize("seed", range(60))
def test_no_path_is_shorter(seed: int) -> None:
    rng = random.Random(seed)
    mesh = Mesh(rng.randint(2, 4), rng.randint(2, 3))
    every = [link for link, free in enumerate(FreeLinks(mesh.graph).free) if free]
    taken = rng.sample(every, rng.randint(0, len(every) // 2))
    links = FreeLinks(mesh.graph, [divmod(link, 5) for link in taken])
    start, goal = rng.choice(every), rng.choice(every)
    marks = rng.sample(range(len(mesh.nodes)), rng.randint(0, 3))
    wanted = least(links, start, goal, marks, 14)
    path = shortest_path(links, start, goal, marks, 14)
    assert (None if path is None else len(path)) == wanted
    if path is not None:
        check_path(links, start, goal, marks, path)
        assert shortest_path(links, start, goal, marks, len(path)) is not None
        assert shortest_path(links, start, goal, marks, len(path) - 1) is None


def test_a_path_round_a_square_and_back_to_its_own_start() -> None:
    mesh = Mesh(2, 2)
    links = FreeLinks(mesh.graph)
    (start,) = numbered(mesh, [((0, 0), (1, 0))])
    path = shortest_path(links, start, start, (), 8)
    rest = [((1, 0), (1, 1)), ((1, 1), (0, 1)), ((0, 1), (0, 0))]
    assert path == numbered(mesh, rest)


def test_none_turns_back_on_a_row() -> None:
    mesh = Mesh(4, 1)
    links = FreeLinks(mesh.graph)
    there, back = numbered(mesh, [((0, 0), (1, 0)), ((1, 0), (0, 0))])
    assert shortest_path(links, there, back, (), 20) is None
    (last,) = numbered(mesh, [((2, 0), (3, 0))])
    assert shortest_path(links, there, last, (), 20) == numbered(mesh, [((1, 0), (2, 0))])
    assert shortest_path(links, there, last, (3,), 20) is None


def drawn(seed: int) -> tuple[FreeLinks, list[int]]:
    """Return a mesh with some links taken, and members."""
    rng = random.Random(seed)
    mesh = Mesh(rng.randint(2, 6), rng.randint(2, 6))
    every = [divmod(link, 5) for link, free in enumerate(FreeLinks(mesh.graph).free) if free]
    links = FreeLinks(mesh.graph, rng.sample(every, len(every) // rng.choice((4, 10, 1000))))
    return links, rng.sample(range(len(mesh.nodes)), rng.randint(2, min(9, len(mesh.nodes))))


def switches_of(links: FreeLinks, path: list[int]) -> set[int]:
    """Check that links are a ring, over free ones; return the switches that it passes."""
    columns, switches = links.graph.columns, [link // 5 for link in path]
    mesh = Mesh(columns, links.graph.switches // columns)
    assert len(ring_hops(mesh, passed(mesh, switches))) == len(path)
    assert all(links.free[link] for link in path)
    return {*switches}


@pytest.mark.parametrize("seed", range(40))
def test_what_a_ring_is_begun_from(seed: int) -> None:
    links, members = drawn(seed)
    before = bytes(links.free)
    if path := through_two(links, members[0], members[1]):
        assert set(members[:2]) <= switches_of(links, path)
        assert len(path) >= 2 * links.distance(members[0], members[1])
    assert links.free == before


@pytest.mark.parametrize(
    ("a", "b", "length"),
    [((0, 0), (1, 0), 4), ((0, 0), (3, 3), 12), ((0, 0), (3, 0), 8), ((1, 2), (1, 0), 6)],
)
def test_the_shortest_ring_through_two(a: tuple[int, int], b: tuple[int, int], length: int) -> None:
    mesh = Mesh(4, 4)
    path = through_two(FreeLinks(mesh.graph), mesh.index(a), mesh.index(b))
    assert path is not None
    assert len(path) == length


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
    ring = grow(links, members)
    if ring is None:
        assert links.free == before
        return
    taken = set(ring.path)
    assert all(links.free[link] == (free and link not in taken) for link, free in enumerate(before))
    grown = len(ring)
    for least in (grown, 4):
        shake(ring, 10, least)
        again = FreeLinks(links.graph)
        again.free = bytearray(before)
        assert set(members) <= switches_of(again, ring.path)
        assert len(ring) <= grown
        grown = len(ring)


def test_a_known_ring_is_taken_if_none_is_shorter() -> None:
    mesh = Mesh(5, 3)
    members = list(range(15))
    first = grow(FreeLinks(mesh.graph), members)
    assert first is not None
    again = grow(FreeLinks(mesh.graph), members, [list(first.path)])
    assert again is not None
    assert len(again) <= len(first)
