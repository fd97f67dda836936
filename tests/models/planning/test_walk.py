"""Shortest walks from link to link, against a search through everything."""

import random
from collections.abc import Collection, Sequence
from itertools import pairwise

import pytest

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.mesh_links import MeshLinks, link_numbers
from syncfabric.models.planning.walk import shortest_walk


def opposite(links: MeshLinks, one: int, other: int) -> bool:
    """Return whether a link leads back over another."""
    return one >> 2 == links.head(other) and other >> 2 == links.head(one)


def may_follow(links: MeshLinks, one: int, other: int) -> bool:
    return links.head(one) == other >> 2 and not opposite(links, one, other)


def least(links: MeshLinks, start: int, goal: int, marks: Collection[int], most: int) -> int | None:
    """Return the fewest links between, by going through all walks of one length after another."""
    free = [link for link, is_free in enumerate(links.free) if is_free]
    at_ends = {links.head(start), start >> 2, goal >> 2}
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


def check(links: MeshLinks, start: int, goal: int, marks: Sequence[int], walk: list[int]) -> None:
    whole = [start, *walk, goal]
    assert all(links.free[link] for link in walk)
    assert all(may_follow(links, a, b) for a, b in pairwise(whole))
    assert set(marks) <= {start >> 2, *(links.head(link) for link in whole[:-1])}


@pytest.mark.parametrize("seed", range(60))
def test_no_walk_is_shorter(seed: int) -> None:
    rng = random.Random(seed)
    mesh = Mesh(rng.randint(2, 4), rng.randint(2, 3))
    every = [link for link, free in enumerate(MeshLinks(mesh).free) if free]
    taken = rng.sample(every, rng.randint(0, len(every) // 2))
    links = MeshLinks(mesh, taken)
    start, goal = rng.choice(every), rng.choice(every)
    marks = rng.sample(range(len(mesh.nodes)), rng.randint(0, 3))
    wanted = least(links, start, goal, marks, 14)
    walk = shortest_walk(links, start, goal, marks, 14)
    assert (None if walk is None else len(walk)) == wanted
    if walk is not None:
        check(links, start, goal, marks, walk)
        assert shortest_walk(links, start, goal, marks, len(walk)) is not None
        assert shortest_walk(links, start, goal, marks, len(walk) - 1) is None


def test_a_walk_round_a_square_and_back_to_its_own_start() -> None:
    mesh = Mesh(2, 2)
    links = MeshLinks(mesh)
    (start,) = link_numbers(mesh, [((0, 0), (1, 0))])
    walk = shortest_walk(links, start, start, (), 8)
    rest = [((1, 0), (1, 1)), ((1, 1), (0, 1)), ((0, 1), (0, 0))]
    assert walk == link_numbers(mesh, rest)


def test_none_turns_back_on_a_row() -> None:
    mesh = Mesh(4, 1)
    links = MeshLinks(mesh)
    there, back = link_numbers(mesh, [((0, 0), (1, 0)), ((1, 0), (0, 0))])
    assert shortest_walk(links, there, back, (), 20) is None
    (last,) = link_numbers(mesh, [((2, 0), (3, 0))])
    assert shortest_walk(links, there, last, (), 20) == link_numbers(mesh, [((1, 0), (2, 0))])
    assert shortest_walk(links, there, last, (3,), 20) is None
