"""Planner cs: all members' X-Y ways to the root, each edge a link, nodes on the way as relays."""

import random

import pytest

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning import btm
from syncfabric.models.planning.cs import build_tree
from syncfabric.models.planning.meeting import can_meet
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.timing.btm import cs_formula_ns, formula_ns

LINE = ((0, 0), (4, 0), (2, 2))
"""The root is (2, 2); (0, 0) and (4, 0) meet on its column, at (2, 0)."""


def planned(*groups: GroupSpec, **keys: object) -> BarrierPlan:
    given = {"kind": "mesh", "width": 8, "height": 8, "transport": "routed", **keys}
    network = MeshSpec.model_validate(given)
    return make_plan(NetworkSpec(name="n", network=network, groups=groups))


def cs_group(*members: Node, gid: int = 1) -> GroupSpec:
    return GroupSpec(id=gid, members=members, planner="cs")


def walk(members: list[Node], root: Node) -> dict[Node, Node]:
    """Return every node's next on the ways from members to the root, X first, step by step."""
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


def test_every_way_is_walked() -> None:
    rng = random.Random(3)
    for _ in range(60):
        nodes = Mesh(rng.randint(1, 9), rng.randint(1, 9)).nodes
        members = rng.sample(nodes, rng.randint(1, len(nodes)))
        tree = build_tree(members)
        root = btm.local_root(members)
        assert tree.root == root
        assert tree.members == tuple(members)
        ways = walk(members, root)
        assert {*tree.nodes} == {*members, *ways, root}
        assert tree.relays == len(tree) - len(members)
        for node in tree.nodes:
            assert tree.parent_of(node) == ways.get(node)
            assert node in (root, *tree.children_of(ways.get(node, root)))
        assert not can_meet(tree)
        assert tree.height == tree.longest_path
        assert formula_ns(tree) == cs_formula_ns(btm.build_tree(members))


@pytest.mark.parametrize("k", [2, 4, 8, 64])
def test_a_complete_mesh_is_as_deep_as_its_side(k: int) -> None:
    """Paper BTM, section 3.3: the height is sqrt(n); no node is a relay."""
    tree = build_tree(Mesh(k, k).nodes)
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
