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
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.shortest import greatest_cost, improve, least_cost
from syncfabric.models.planning.tree import Tree, coordinates
from tests.models.planning.laws import check_tree, groups


@settings(max_examples=60, deadline=None)
@given(groups(), st.sampled_from([0, 1]))
def test_valid_and_never_worse_than_btm(members: list[Node], pipeline: int) -> None:
    first = build_tree(members)
    tree = improve(first, pipeline)
    check_tree(tree, members)
    least = least_cost(first.x, first.y, pipeline)
    assert least <= greatest_cost(tree, pipeline) <= greatest_cost(first, pipeline)


@pytest.mark.parametrize("k", [*range(2, 17), 32])
def test_complete_meshes_are_within_six_cycles_of_the_diameter(k: int) -> None:
    """Without a pipeline the trees reach the radius, which nothing can beat."""
    tree = improve(build_tree(Mesh(k, k).nodes), 0)
    assert 2 * tree.longest_path + 2 <= Mesh(k, k).diameter + 6
    assert tree.longest_path == 2 * (k // 2)


@pytest.mark.parametrize(
    ("k", "btm", "shortest", "least"),
    [(2, 4, 4, 3), (4, 7, 6, 5), (8, 14, 11, 9), (16, 23, 20, 17), (32, 41, 38, 33)],
)
def test_complete_meshes_with_a_pipeline(k: int, btm: int, shortest: int, least: int) -> None:
    first = build_tree(Mesh(k, k).nodes)
    assert greatest_cost(first, 1) == btm
    assert greatest_cost(improve(first, 1), 1) <= shortest
    assert least_cost(first.x, first.y, 1) == least


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
    assert improve(first, 1) == improve(first, 1)


@settings(max_examples=40, deadline=None)
@given(groups(side=4).map(lambda members: members[:4]), st.sampled_from([0, 1]))
def test_small_groups_against_every_tree_there_is(members: list[Node], pipeline: int) -> None:
    first = build_tree(members)
    best = min(greatest_cost(tree, pipeline) for tree in every_tree(members))
    assert least_cost(first.x, first.y, pipeline) <= best
    assert best <= greatest_cost(improve(first, pipeline), pipeline) <= best + 1


def every_tree(members: list[Node]) -> Iterator[Tree]:
    """Yield every tree of the members that keeps the rule of the ports."""
    x, y = coordinates(members)
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
            tree = Tree(x, y, parent, port)
            if len(set(hung)) == len(hung) and is_tree(tree):
                yield tree


def is_tree(tree: Tree) -> bool:
    try:
        return tree.height >= 0
    except PlanError:
        return False
