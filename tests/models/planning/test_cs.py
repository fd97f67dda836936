"""Planner cs: all members' X-Y ways to the root, each edge a link, nodes on the way as relays."""

import random

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.messages import PARENT_WORD, RegisterWord
from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning import btm
from syncfabric.models.planning.cs import build_tree
from syncfabric.models.planning.images import register_words
from syncfabric.models.planning.meeting import can_meet
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, make_plan
from syncfabric.models.planning.set_up_writes import registers_json
from syncfabric.models.timing.btm import cs_formula_ns, formula_ns

LINE = ((0, 0), (4, 0), (2, 2))
"""The root is (2, 2); (0, 0) and (4, 0) meet on its column, at (2, 0)."""


def planned(*groups: GroupSpec, **keys: object) -> BarrierPlan:
    network = MeshSpec.model_validate({"kind": "mesh", "width": 8, "height": 8, **keys})
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


def test_images_say_who_is_a_relay() -> None:
    (group,) = planned(cs_group(*LINE)).groups
    assert isinstance(group, GroupPlan)
    relays = [image.node for image in group.registers() if image.relay]
    assert relays == [(1, 0), (2, 0), (3, 0), (2, 1)]
    for image in group.registers():
        word = PARENT_WORD.unpack(register_words(image)[RegisterWord.PARENT])
        assert bool(word["relay"]) == (image.node not in LINE)
    assert set(group.places) == set(LINE)
    assert set(group.node_places) == {*LINE, *relays}


def test_a_plan_with_relays_can_be_read_again() -> None:
    plan = planned(cs_group(*LINE), cs_group((7, 7), gid=2))
    read = BarrierPlan.from_json(plan.to_json())
    assert read.groups == plan.groups
    first, second = (group.to_json() for group in plan.groups)
    assert first["relays"] == [[1, 0], [2, 0], [3, 0], [2, 1]]
    assert len(first["ports"]) == len(first["registers"]) == 7
    assert second["relays"] == []
    nodes = registers_json(plan)["nodes"]
    shown = {tuple(entry["node"]): entry["registers"][0]["fields"]["relay"] for entry in nodes}
    assert [node for node in shown if shown[node]] == [(1, 0), (2, 0), (3, 0), (2, 1)]


def test_a_relay_takes_a_register() -> None:
    with pytest.raises(PlanError, match=r"^node \(2, 0\): groups 1, 2 need 2 registers, but "):
        planned(cs_group(*LINE), GroupSpec(id=2, members=((2, 0), (5, 5))), barrier_registers=1)


@pytest.mark.parametrize(("pipeline", "bound"), [(0, 10), (1, 18)])
def test_the_bound_is_that_of_every_trees(pipeline: int, bound: int) -> None:
    """4 links from the root, so 2 * 4 + 2, and with the pipeline 2 * 4 more."""
    (group,) = planned(cs_group(*LINE), barrier_pipeline=pipeline).groups
    assert group.bound == bound


def test_children_that_meet_are_combined_one_by_one() -> None:
    """At (2, 0) two children meet, so one of them waits."""
    (group,) = planned(cs_group(*LINE), operations="all").groups
    assert group.bound == 18 + 1
