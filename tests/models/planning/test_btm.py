"""Planners btm and cs: the reference trees, the paper's figures, and what is read from a tree."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.errors import PlanError
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning import btm
from syncfabric.models.planning.btm import (
    Segments,
    Tree,
    build_tree,
    cs_tree,
    local_root,
    places_of,
    sectors,
)
from syncfabric.models.planning.graph import path_sums
from syncfabric.models.planning.meeting import can_meet
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.timing.btm import cs_formula_ns, formula_ns
from tests.models.planning.laws import (
    check_tree,
    children_of,
    edges_of,
    groups,
    nodes_of,
    parent_of,
    root_of,
)
from tests.nightly import nightly_but

REFERENCE = Path(__file__).parents[2] / "data" / "btm_trees.json"
CASES = json.loads(REFERENCE.read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{c['width']}x{c['height']}-{len(c['members'])}" for c in CASES]
)
def test_reference_trees(case: dict[str, Any]) -> None:
    tree = build_tree([(x, y) for x, y in case["members"]])
    assert list(root_of(tree)) == case["root"]
    assert tree.height == case["tree_height"]
    assert tree.longest_path == case["longest_path"]
    assert edges_of(tree) == sorted(case["edges"])


def test_figure_1() -> None:
    tree = build_tree(reader.load("fig1").groups[0].members)
    assert root_of(tree) == (4, 4)
    assert children_of(tree, (4, 4)) == [(6, 7), (1, 6), (2, 4), (6, 0)]
    assert children_of(tree, (1, 6)) == [(2, 7), (0, 7), (0, 5), (1, 5)]
    assert (tree.height, tree.longest_path) == (2, 9)


@settings(deadline=None)
@given(groups())
def test_the_tree_is_one_whatever_the_order_of_the_members(members: list[Node]) -> None:
    """Each member can work it out by itself (Algorithm 1), from a list of its own."""
    tree = build_tree(members)
    check_tree(tree, members)
    for place in range(len(members)):
        own = build_tree(members[place:] + members[:place])
        assert (root_of(own), edges_of(own)) == (root_of(tree), edges_of(tree))


@pytest.mark.parametrize(
    ("k", "height"), [(2, 2), (4, 3), (8, 4), (16, 5), (32, 6), (64, 7), (128, 8), (256, 9)]
)
def test_height_of_complete_meshes(k: int, height: int) -> None:
    """Paper BTM, Theorem 1, for k a power of two: log4(k * k) + 1 edges."""
    assert build_tree(Mesh(k, k).nodes).height == height


@settings(deadline=None)
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


@pytest.mark.parametrize(
    ("side", "height", "longest"), nightly_but([(256, 9, 261)], [(256, 9, 261), (1024, 11, 1030)])
)
def test_all_members_of_large_meshes_are_planned(side: int, height: int, longest: int) -> None:
    y, x = np.divmod(np.arange(side * side), side)
    tree = build_tree(np.stack([x, y], axis=1))
    assert root_of(tree) == (side // 2, side // 2)
    assert (tree.height, tree.longest_path) == (height, longest)


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
        assert local_root(members[shift:] + members[:shift]) == root_of(build_tree(members))


def test_one_member_is_its_own_tree() -> None:
    tree = build_tree([(3, 3)])
    assert (root_of(tree), tree.height, tree.longest_path, edges_of(tree)) == ((3, 3), 0, 0, [])


RUNS = st.lists(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, unique=True),
    min_size=1,
)


@settings(deadline=None)
@given(RUNS)
def test_runs(lists: list[list[tuple[int, int]]]) -> None:
    keys = np.repeat(np.arange(len(lists)), [len(run) for run in lists])
    first = np.array([a for run in lists for a, _ in run])
    second = np.array([b for run in lists for _, b in run])
    runs = Segments.of(keys)
    assert runs.lengths.tolist() == [len(run) for run in lists]
    for over, plain in ((np.add, sum), (np.maximum, max), (np.minimum, min)):
        found = [plain([a for a, _ in run]) for run in lists for _ in run]
        assert runs.over(over, first).tolist() == found
    assert runs.spread(np.arange(len(lists))).tolist() == keys.tolist()
    least = runs.first_least(first, second)
    assert [(first[i], second[i]) for i in least] == [min(run) for run in lists]
    assert keys[least].tolist() == list(range(len(lists)))


def test_quadrants_are_disjoint_and_cover_all_but_the_centre() -> None:
    side = range(-3, 4)
    dx, dy = (np.array(v) for v in zip(*((x, y) for x in side for y in side), strict=True))
    found = sectors(np.stack([dx, dy], axis=1))
    for x, y, number in zip(dx.tolist(), dy.tolist(), found.tolist(), strict=True):
        inside = [x > 0 and y >= 0, y > 0 and x <= 0, x < 0 and y <= 0, y < 0 and x >= 0]
        assert inside.count(True) == (0 if x == y == 0 else 1)
        if x or y:
            assert inside[number]


MEMBERS = [(0, 0), (1, 0), (1, 1), (2, 2)]
TREE = build_tree(MEMBERS)


def test_a_small_tree() -> None:
    assert edges_of(TREE) == [[[0, 0], [1, 1]], [[1, 0], [1, 1]], [[2, 2], [1, 1]]]
    assert root_of(TREE) == (1, 1)
    assert children_of(TREE, (1, 1)) == [(2, 2), None, (0, 0), (1, 0)]
    assert parent_of(TREE, (1, 1)) is None
    assert [parent_of(TREE, node) for node in ((0, 0), (1, 0), (2, 2))] == [(1, 1)] * 3


def test_path_sums_count_both_ends() -> None:
    assert path_sums(TREE.parent, np.array([1, 10, 100, 1000])).tolist() == [101, 110, 100, 1100]
    assert TREE.depth.tolist() == [1, 1, 0, 1]
    assert TREE.hops.tolist() == [2, 1, 0, 2]


def test_a_tree_is_read_from_its_edges() -> None:
    again = Tree.from_edges(MEMBERS, edges_of(TREE), TREE.port)
    assert (again.parent.tolist(), again.relays) == (TREE.parent.tolist(), 0)


def test_what_is_no_tree_is_refused() -> None:
    places = places_of([(0, 0), (1, 0), (2, 0)])
    loop = Tree(places, np.array([-1, 2, 1]), np.array([4, 0, 2]))
    rule = r"^Tree must have one root that every member leads to$"
    with pytest.raises(PlanError, match=rule):
        _ = loop.height


def test_empty_and_doubled_groups_are_refused() -> None:
    with pytest.raises(PlanError, match=r"^Barrier must have at least 1 member, not 0$"):
        build_tree([])
    with pytest.raises(PlanError, match=r"^Barrier members must be different nodes$"):
        build_tree([(1, 2), (0, 0), (1, 2)])


LINE = ((0, 0), (4, 0), (2, 2))
"""The root is (2, 2); (0, 0) and (4, 0) meet on its column, at (2, 0)."""


def planned(*groups: GroupSpec, **keys: object) -> BarrierPlan:
    given = {"kind": "mesh", "width": 8, "height": 8, "transport": "routed", **keys}
    network = MeshSpec.model_validate(given)
    return make_plan(NetworkSpec(name="n", network=network, groups=groups))


def cs_group(*members: Node, gid: int = 1) -> GroupSpec:
    return GroupSpec(id=gid, members=members, planner="cs")


def next_hops(members: list[Node], root: Node) -> dict[Node, Node]:
    """Return every node's next on the paths from members to the root, X first, step by step."""
    after: dict[Node, Node] = {}
    for x, y in members:
        while (x, y) != root:
            here = (x, y)
            if x != root[0]:
                x += 1 if x < root[0] else -1
            else:
                y += 1 if y < root[1] else -1
            assert after.setdefault(here, (x, y)) == (x, y)
    return after


def test_every_route_is_followed() -> None:
    rng = random.Random(3)
    for _ in range(60):
        nodes = Mesh(rng.randint(1, 9), rng.randint(1, 9)).nodes
        members = rng.sample(nodes, rng.randint(1, len(nodes)))
        tree = cs_tree(members)
        root = btm.local_root(members)
        assert root_of(tree) == root
        assert nodes_of(tree)[: len(members)] == members
        following = next_hops(members, root)
        assert {*nodes_of(tree)} == {*members, *following, root}
        assert tree.relays == len(tree) - len(members)
        for node in nodes_of(tree):
            assert parent_of(tree, node) == following.get(node)
            assert node in (root, *children_of(tree, following.get(node, root)))
        assert not can_meet(tree)
        assert tree.height == tree.longest_path
        assert formula_ns(tree) == cs_formula_ns(btm.cs_tree(members))


@pytest.mark.parametrize("k", [2, 4, 8, 64])
def test_a_complete_mesh_is_as_deep_as_its_side(k: int) -> None:
    """Paper BTM, section 3.3: the height is sqrt(n); no node is a relay."""
    tree = cs_tree(Mesh(k, k).nodes)
    assert (tree.height, tree.relays) == (k, 0)


def test_a_plan_says_who_is_a_relay() -> None:
    (group,) = planned(cs_group(*LINE)).groups
    assert group.to_json()["relays"] == [[1, 0], [2, 0], [3, 0], [2, 1]]
    assert set(group.places) == set(LINE)


def test_a_plan_with_relays_can_be_read_again() -> None:
    plan = planned(cs_group(*LINE), cs_group((7, 7), gid=2))
    read = BarrierPlan.from_json(plan.to_json())
    assert read.groups == plan.groups
    first, second = (group.to_json() for group in plan.groups)
    assert first["relays"] == [[1, 0], [2, 0], [3, 0], [2, 1]]
    assert (len(first["ports"]), len(first["registers"])) == (7, 3)
    assert second["relays"] == []
