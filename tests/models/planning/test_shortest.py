"""Planner shortest: valid trees, never worse than btm's, near the least possible."""

import random
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.planning.btm import Segments, Tree, build_tree, places_of
from syncfabric.models.planning.shortest import (
    PARTINGS,
    far,
    greatest_cost,
    grow,
    improve,
    least_cost,
    least_heights,
    rehang,
)
from tests.models.planning.laws import check_tree, groups, root_of
from tests.nightly import nightly_but


@settings(max_examples=60, deadline=None)
@given(groups(), st.sampled_from([0, 1]))
def test_valid_and_never_worse_than_btm(members: list[Node], pipeline: int) -> None:
    first = build_tree(members)
    tree = improve(first, pipeline)
    check_tree(tree, members)
    least = least_cost(first.places, first.space, pipeline)
    assert least <= greatest_cost(tree, pipeline) <= greatest_cost(first, pipeline)


@pytest.mark.parametrize("k", [*range(2, 17), 32])
def test_complete_meshes_are_within_six_cycles_of_the_diameter(k: int) -> None:
    """Without a pipeline the trees reach the radius, which nothing can beat."""
    tree = improve(build_tree(Mesh(k, k).nodes), 0)
    assert 2 * tree.longest_path + 2 <= Mesh(k, k).diameter + 6
    assert tree.longest_path == 2 * (k // 2)


PIPELINED = [(2, 4, 4, 3), (4, 7, 6, 5), (8, 14, 11, 9), (16, 23, 20, 17), (32, 41, 38, 33)]


@pytest.mark.parametrize(
    ("k", "btm", "shortest", "least"),
    nightly_but(PIPELINED[:-1], PIPELINED),
)
def test_complete_meshes_with_a_pipeline(k: int, btm: int, shortest: int, least: int) -> None:
    first = build_tree(Mesh(k, k).nodes)
    assert greatest_cost(first, 1) == btm
    assert greatest_cost(improve(first, 1), 1) <= shortest
    assert least_cost(first.places, first.space, 1) == least


@pytest.mark.nightly
def test_random_groups_gain_a_fifth_on_average() -> None:
    rng, nodes = random.Random(5), Mesh(16, 16).nodes
    trees = [build_tree(rng.sample(nodes, 60)) for _ in range(10)]
    before = sum(greatest_cost(tree, 1) for tree in trees)
    after = sum(greatest_cost(improve(tree, 1), 1) for tree in trees)
    assert after <= 0.8 * before


def test_btm_is_returned_where_nothing_is_better() -> None:
    first = build_tree([(0, 0), (3, 3)])
    assert improve(first, 1) is first


def test_the_same_group_gives_the_same_tree() -> None:
    first = build_tree(random.Random(1).sample(Mesh(12, 12).nodes, 70))
    once, again = (improve(first, 1).parent.tolist() for _ in range(2))
    assert once == again


@settings(max_examples=40, deadline=None)
@given(groups(side=4).map(lambda members: members[:4]), st.sampled_from([0, 1]))
def test_small_groups_against_every_tree_there_is(members: list[Node], pipeline: int) -> None:
    first = build_tree(members)
    best = min(greatest_cost(tree, pipeline) for tree in every_tree(members))
    assert least_cost(first.places, first.space, pipeline) <= best
    assert best <= greatest_cost(improve(first, pipeline), pipeline) <= best + 1


def every_tree(members: list[Node]) -> Iterator[Tree]:
    """Yield every tree of the members that keeps the rule of the ports."""
    x, y = places_of(members).T
    places = range(len(members))
    for root in places:
        others = [place for place in places if place != root]
        choices = [
            [
                (above, port)
                for above in places
                for port, faces in enumerate(
                    [x[o] > x[above], y[o] > y[above], x[o] < x[above], y[o] < y[above]]
                )
                if faces
            ]
            for o in others
        ]
        for hung in product(*choices):
            parent, port = np.full(len(x), -1), np.full(len(x), 4)
            for place, (above, side) in zip(others, hung, strict=True):
                parent[place], port[place] = above, side
            tree = Tree(np.stack([x, y], axis=1), parent, port)
            if len(set(hung)) == len(hung) and is_tree(tree):
                yield tree


def is_tree(tree: Tree) -> bool:
    try:
        return tree.height >= 0
    except PlanError:
        return False


@settings(deadline=None)
@given(groups(), st.integers(0, 1), st.integers(0, 30), st.randoms(use_true_random=False))
def test_any_root_and_target_give_a_tree(
    members: list[Node], pipeline: int, target: int, rng: object
) -> None:
    x, y = places_of(members).T
    root = target % len(members)
    tree = grow(x, y, root, pipeline, target)
    check_tree(tree, members)
    assert root_of(tree) == members[root]


@pytest.mark.parametrize("k", [3, 8, 13])
def test_a_complete_mesh_is_grown_on_shortest_paths(k: int) -> None:
    mesh = Mesh(k, k)
    x, y = places_of(mesh.nodes).T
    tree = grow(x, y, mesh.index((k // 2, k // 2)), 0, 2 * (k // 2))
    assert tree.longest_path == 2 * (k // 2)


@pytest.mark.parametrize("parting", PARTINGS)
def test_a_parting_sends_each_offset_by_a_port_that_faces_it(parting: object) -> None:
    assert callable(parting)
    side = range(-4, 5)
    offsets = [(a, b) for a in side for b in side if a or b]
    dx, dy = np.array(offsets).T
    for (a, b), port in zip(offsets, parting(dx, dy).tolist(), strict=True):
        assert [a > 0, b > 0, a < 0, b < 0][port], (a, b, port)


def test_least_heights() -> None:
    sizes = np.array([1, 2, 5, 6, 21, 22, 85, 86, 2**20])
    assert least_heights(sizes).tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 10]


@settings(deadline=None)
@given(groups())
def test_far_is_the_distance_to_the_farthest(members: list[Node]) -> None:
    x, y = places_of(members).T
    runs = Segments(np.zeros(1, np.int64), len(members))
    expected = [max(abs(a - c) + abs(b - d) for c, d in members) for a, b in members]
    assert far(x, y, runs).tolist() == expected


@settings(deadline=None)
@given(groups(), st.sampled_from([0, 1]))
def test_still_a_tree_and_no_worse(members: list[Node], pipeline: int) -> None:
    first = build_tree(members)
    tree = rehang(first, pipeline)
    check_tree(tree, members)
    assert greatest_cost(tree, pipeline) <= greatest_cost(first, pipeline)


def test_a_detour_is_taken_out() -> None:
    """(0, 4) hangs below (3, 0), three links off its path; the root's north port is free."""
    x, y = places_of([(0, 0), (3, 0), (0, 4)]).T
    detour = Tree(np.stack([x, y], axis=1), np.array([-1, 0, 1]), np.array([4, 0, 1]))
    assert greatest_cost(detour, 1) == 12
    straight = rehang(detour, 1)
    assert straight.parent.tolist() == [-1, 0, 0]
    assert straight.port.tolist() == [4, 0, 1]
    assert greatest_cost(straight, 1) == 5
