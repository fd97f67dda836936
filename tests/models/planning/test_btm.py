"""Planner btm: the reference trees, the paper's figure, its heights, and one tree from any list."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.btm import build_tree, local_root, quadrant
from tests.models.planning.laws import check_tree, groups

REFERENCE = Path(__file__).parents[2] / "data" / "btm_trees.json"
CASES = json.loads(REFERENCE.read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{c['width']}x{c['height']}-{len(c['members'])}" for c in CASES]
)
def test_reference_trees(case: dict[str, Any]) -> None:
    tree = build_tree([(x, y) for x, y in case["members"]])
    assert list(tree.root) == case["root"]
    assert tree.height == case["tree_height"]
    assert tree.longest_path == case["longest_path"]
    assert tree.edges == sorted(case["edges"])


def test_figure_1() -> None:
    tree = build_tree(reader.load("fig1").groups[0].members)
    assert tree.root == (4, 4)
    assert tree.children_of((4, 4)) == ((6, 7), (1, 6), (2, 4), (6, 0))
    assert tree.children_of((1, 6)) == ((2, 7), (0, 7), (0, 5), (1, 5))
    assert (tree.height, tree.longest_path) == (2, 9)


@given(groups())
def test_the_tree_is_one_whatever_the_order_of_the_members(members: list[Node]) -> None:
    """Each member can work it out by itself (Algorithm 1), from a list of its own."""
    tree = build_tree(members)
    check_tree(tree, members)
    for place in range(len(members)):
        own = build_tree(members[place:] + members[:place])
        assert (own.root, own.edges) == (tree.root, tree.edges)


@pytest.mark.parametrize(
    ("k", "height"), [(2, 2), (4, 3), (8, 4), (16, 5), (32, 6), (64, 7), (128, 8), (256, 9)]
)
def test_height_of_complete_meshes(k: int, height: int) -> None:
    """Paper BTM, Theorem 1, for k a power of two: log4(k * k) + 1 edges."""
    assert build_tree(Mesh(k, k).nodes).height == height


@given(groups())
def test_height_is_at_least_that_of_a_full_tree(members: list[Node]) -> None:
    height = build_tree(members).height
    assert (4 ** (height + 1) - 1) // 3 >= len(members)


@pytest.mark.parametrize(
    ("n", "mean"), [(8, 2.06), (32, 3.5), (128, 4.9), (256, 5.1), (512, 6.0), (1024, 6.0)]
)
def test_mean_height_of_random_groups_at_32x32(n: int, mean: float) -> None:
    """Paper BTM, Fig. 4, as section 1 of the project's reference values has it."""
    rng = random.Random(n)
    nodes = Mesh(32, 32).nodes
    heights = [build_tree(rng.sample(nodes, n)).height for _ in range(60)]
    assert sum(heights) / len(heights) == pytest.approx(mean, abs=0.3)


def test_a_million_members_are_planned() -> None:
    y, x = np.divmod(np.arange(1024 * 1024), 1024)
    tree = build_tree(np.stack([x, y], axis=1))
    assert (tree.root, tree.height, tree.longest_path) == ((512, 512), 11, 1030)


def test_ties_go_by_quadrant_then_larger_x_then_larger_y() -> None:
    assert local_root([(0, 0), (0, 1), (1, 0), (1, 1)]) == (1, 1)
    assert local_root([(0, 1), (1, 0)]) == (0, 1)
    assert local_root([(0, 0), (1, 1)]) == (1, 1)
    ring = [(1, 2), (2, 1), (3, 2), (2, 3)]
    assert local_root(ring) == (3, 2)
    two_in_one_quadrant = [(1, 2), (2, 1), (0, -2), (-2, 0), (-1, -1)]
    assert local_root(two_in_one_quadrant) == (-1, -1)


def test_the_centroid_is_exact() -> None:
    """Two members a rounding error apart: floating point may not choose."""
    members = [(0, 0), (1023, 1), (511, 1), (512, 0)]
    for shift in range(4):
        assert local_root(members[shift:] + members[:shift]) == build_tree(members).root


def test_quadrants_by_name() -> None:
    assert [quadrant(1, 0), quadrant(0, 1), quadrant(-1, 0), quadrant(0, -1)] == list(Port)[:4]
    assert quadrant(0, 0) is Port.LOCAL


def test_one_member_is_its_own_tree() -> None:
    tree = build_tree([(3, 3)])
    assert (tree.root, tree.height, tree.longest_path, tree.edges) == ((3, 3), 0, 0, [])
