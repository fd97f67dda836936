"""Plans of networks of engines: any of them, by a checker that shares nothing with the planner."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, MessageSpec
from syncfabric.models.planning import btm
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.planners import plan_groups
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.set_up import Epochs, set_up_writes
from tests.models.planning.checker import (
    check,
    cluster,
    groups_of,
    least_radius,
    mesh,
    networks,
)

DATA = Path(__file__).parents[2] / "data"
BTIN = json.loads((DATA / "btin_trees.json").read_text(encoding="utf-8"))["cases"]
BTM = json.loads((DATA / "btm_trees.json").read_text(encoding="utf-8"))["cases"]


def plan_and_check(
    network: MessageSpec, groups: list[GroupSpec], dead: Dead | None = None
) -> list[dict[str, Any]]:
    plans = plan_groups(network, groups, dead or Dead())
    written = [json.loads(json.dumps(plan.to_json())) for plan in plans]
    assert [GroupPlan.from_json(entry, network) for entry in written] == list(plans)
    check(network, written, set_up_writes(plans, network.shape, Epochs()))
    return written


@settings(max_examples=150, deadline=None)
@given(networks(), st.integers(0, 2**32), st.integers(1, 16))
def test_any_groups_have_least_radius(network: MessageSpec, seed: int, count: int) -> None:
    groups = groups_of(network, random.Random(seed), count, (1, 2, 5, 20))
    for plan in plan_and_check(network, groups):
        assert plan["bound_links"] == least_radius(network, plan["members"])
        assert plan["bound_least"] <= plan["bound"]


@settings(max_examples=60, deadline=None)
@given(networks(), st.integers(0, 2**32), st.sampled_from(["btin", "updown"]))
def test_other_planners(network: MessageSpec, seed: int, planner: str) -> None:
    groups = groups_of(network, random.Random(seed), 3, (1, 2, 5, 20), planner)
    for plan in plan_and_check(network, groups):
        assert plan["bound_links"] >= least_radius(network, plan["members"])
        assert plan["bound_least"] <= plan["bound"]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(0, 2**32),
    st.sampled_from(["btm", "cs", "shortest"]),
)
def test_routed(width: int, height: int, seed: int, planner: str) -> None:
    network = mesh(width, height, transport="routed")
    groups = groups_of(network, random.Random(seed), 1, (1, 2, 4, 20), planner)
    (plan,) = plan_and_check(network, groups)
    assert plan["bound_least"] <= plan["bound"]
    assert (plan["relays"] == []) or planner == "cs"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["link", "routed"]))
def test_around_what_is_dead(seed: int, transport: str) -> None:
    rng = random.Random(seed)
    network = mesh(4, 4, transport=transport)
    pairs = [((x, y), (x + 1, y)) for x in range(3) for y in range(4)]
    pairs += [((y, x), (y, x + 1)) for x in range(3) for y in range(4)]
    names = ["{},{}-{},{}".format(*a, *b) for a, b in rng.sample(pairs, 4)]
    dead = Dead.of(network.topology, names)
    group = GroupSpec(id=3, members=tuple(rng.sample(network.topology.nodes, 4)))
    try:
        (plan,) = plan_groups(network, [group], dead)
    except PlanError as error:
        assert "cannot reach each other" in str(error)  # noqa: PT017
        return
    plan_and_check(network, [group], dead)
    # The ways are those of messages on the mesh: link trees too go from neighbour to neighbour.
    assert not dead.links & set(plan.tree.ways())


def test_a_group_that_is_cut_off() -> None:
    network = mesh(3, 1)
    dead = Dead.of(network.topology, ["0,0-1,0"])
    group = GroupSpec(id=3, members=((0, 0), (2, 0)))
    words = r"^group 3: members at routers 0 and 2 cannot reach each other$"
    with pytest.raises(PlanError, match=words):
        plan_groups(network, [group], dead)


@pytest.mark.parametrize("case", BTIN, ids=[f"{len(c['links'])}-links" for c in BTIN])
def test_reference_trees_btin(case: dict[str, Any]) -> None:
    links = tuple(((a, b), (c, d)) for (a, b), (c, d) in case["links"])
    switches = 1 + max(end[0] for link in links for end in link)
    nodes = tuple((switch, port) for switch, port in case["nodes"])
    network = cluster(Irregular(case["ports"], switches, links, nodes))
    members = tuple((switch, port) for switch, port in case["members"])
    (plan,) = plan_and_check(network, [GroupSpec(id=1, members=members, planner="btin")])
    assert plan["root_switch"] == case["root_switch"]
    assert plan["root"] == plan["root_node"] == case["root_node"]
    assert plan["height"] == plan["longest_path"] == case["tree_height"]
    assert plan["edges"] == sorted(case["edges"])


@pytest.mark.parametrize("case", BTM, ids=[f"{c['width']}x{len(c['members'])}" for c in BTM])
def test_reference_trees_btm(case: dict[str, Any]) -> None:
    width = case["width"]
    members = [(x, y) for x, y in case["members"]]
    tree = PortTree.routed(btm.build_tree(members), mesh(width, width).topology.graph)
    assert [tree.root % width, tree.root // width] == case["root"]
    assert (tree.height, tree.radius) == (case["tree_height"], case["longest_path"])
    places = [[[r % width, r // width] for r in edge] for edge in tree.edges]
    assert sorted(places) == sorted(case["edges"])


def test_managers_have_shares_of_their_own() -> None:
    network = mesh(4, 4, setup="manager", managers=((0, 0), (1, 1), (2, 2)))
    groups = groups_of(network, random.Random(1), 12, (16,))
    for i, plan in enumerate(plan_and_check(network, groups)):
        entries = {e["entry"] for e in plan["entries"]}
        assert entries <= set(range(4 * (i % 3), 4 * (i % 3) + 4))
    words = (
        r"^router \(0, 0\): groups 0, 3, 6, 9, 12 need 5 entries of manager 0, but members"
        r" there can have 4 with groups = 16; a node has registers for 16 groups: take fewer"
        r" groups or managers$"
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(network, groups_of(network, random.Random(1), 13, (16,)))


def test_members_have_the_lowest_entries() -> None:
    """A node port has registers for 16 groups alone."""
    network = mesh(8, 8, groups=32)
    groups = groups_of(network, random.Random(3), 140, (2, 3))
    plans = plan_and_check(network, groups)
    assert max(e["entry"] for plan in plans for e in plan["entries"]) >= 16
    for plan in plans:
        assert max(plan["registers"][: len(plan["members"])]) < 16


def test_members_have_registers_of_their_nodes() -> None:
    everyone = tuple(Mesh(3, 2).nodes)
    groups = [GroupSpec(id=5 * i, members=everyone) for i in range(17)]
    words = (
        r"^router \(0, 0\): groups 0, 5, 10, .*, 80 need 17 entries, but members there can have 16"
        r" with groups = 32; a node has registers for 16 groups: take fewer groups$"
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(mesh(3, 2, groups=32), groups)
    plan_and_check(mesh(3, 2), groups[:16])
    words = (
        r"^router \(0, 0\): groups 0, .*, 45 need 10 entries, but members there can have 8"
        r" with groups = 8; set groups = 10 in \[network\]$"
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(mesh(3, 2, groups=8), groups[:10])
    plan_and_check(mesh(3, 2, groups=10), groups[:10])


def test_a_key_says_how_many_registers_nodes_have() -> None:
    """Members keep to entries that have one; trees that pass a router take any other."""
    network = mesh(3, 1, port_registers=2)
    right = GroupSpec(id=20, members=((1, 0), (2, 0)))
    plans = plan_and_check(network, [*passing(1), right])
    assert [plan["registers"] for plan in plans] == [[0, 0], [0, 1]]
    assert [e["entry"] for e in plans[0]["entries"]] == [0, 1, 0]
    words = (
        r"^router \(0, 0\): groups 0, 1, 2 need 3 entries, but members there can have 2 with groups"
        r" = 16 and port_registers = 2; set port_registers = 3 in \[network\]$"
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(network, passing(3))
    plan_and_check(mesh(3, 1, port_registers=3), passing(3))
    words = r" = 4 and port_registers = 4; set groups = 6 and port_registers = 6 in \[network\]$"
    with pytest.raises(PlanError, match=words):
        plan_groups(mesh(3, 1, groups=4, port_registers=4), passing(6))
    plan_and_check(mesh(3, 1, groups=6, port_registers=6), passing(6))
    (plan,) = plan_groups(mesh(3, 1, port_registers=1), [right])
    entry = plan.to_json() | {"registers": [1, 1]}
    entry["entries"] = [e | {"entry": 1} for e in entry["entries"]]
    assert GroupPlan.from_json(entry, network)
    words = r"^plan: group 20: a member has entry 1, but nodes have 1 registers; plan again$"
    with pytest.raises(SpecError, match=words):
        GroupPlan.from_json(entry, mesh(3, 1, port_registers=1))


def test_shares_beyond_the_registers_have_no_members() -> None:
    network = mesh(2, 1, groups=32, setup="manager", managers=((0, 0), (1, 0)))
    group = GroupSpec(id=1, members=((0, 0),))
    words = (
        r"^router \(0, 0\): groups 2 need 1 entries of manager 1, but members there can have 0 with"
        r" groups = 32; set groups = 2 in \[network\]$"
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(network, [group, group.model_copy(update={"id": 2})])


def test_members_that_are_too_many_are_named_before_those_that_pass() -> None:
    groups = [GroupSpec(id=i, members=((1, 0),)) for i in range(3)]
    groups.append(GroupSpec(id=3, members=((0, 0), (2, 0))))
    words = (
        r"^router \(1, 0\): groups 0, 1, 2 need 3 entries, but members there can have 2 with groups"
        r" = 2; set groups = 3 in \[network\]$"
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(mesh(3, 1, groups=2), groups)


def passing(count: int) -> list[GroupSpec]:
    """Return groups that all pass the middle of a row of three, where none has a member."""
    return [GroupSpec(id=i % 256, members=((0, 0), (2, 0))) for i in range(count)]


def test_full_routers_are_named_with_the_remedy() -> None:
    words = (
        r"^router \(1, 0\): groups 0, .*, 15, 20 need 17 entries, but there are 16 with groups"
        r" = 16; set groups = 17 in \[network\]$"
    )
    right = GroupSpec(id=20, members=((1, 0),))
    with pytest.raises(PlanError, match=words):
        plan_groups(mesh(3, 1), [*passing(16), right])
    plan_and_check(mesh(3, 1, groups=17), [*passing(16), right])
    managed = mesh(3, 1, groups=8, setup="manager", managers=((0, 0), (1, 0)))
    words = (
        r"^router \(1, 0\): groups 0, 2, 4, 6, 20 need 5 entries of manager 0, but there are 4 with"
        r" groups = 8; set groups = 16 in \[network\]$"
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(managed, [*passing(8), right])


def test_more_than_a_share_with_registers_can_hold() -> None:
    """Pairs across the middle of a cross: its ends have room, the middle has not."""
    links = tuple(((0, port), (1 + port, 0)) for port in range(16))
    links += tuple(((1 + arm, 1), (17 + arm, 0)) for arm in range(16))
    nodes = tuple((17 + arm, 1) for arm in range(16))
    topology = Irregular(16, 33, links, nodes)
    groups = [GroupSpec(id=i, members=(nodes[i % 8], nodes[8 + i % 8])) for i in range(24)]
    words = r"^switch 0: .* need 24 entries, but there are 16 with groups = 16; set groups = 24 in"
    with pytest.raises(PlanError, match=words):
        plan_groups(cluster(topology), groups)
    plan_and_check(cluster(topology, groups=24), groups)
    words = (
        r"^switch 0: .* need 12 entries of manager 0, but there are 8 with groups = 16; a node has"
        r" registers for 16 groups: take fewer groups or managers$"
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(cluster(topology, setup="manager", managers=nodes[:2]), groups)


def test_routed_members_share_entries() -> None:
    groups = [GroupSpec(id=i, members=((0, 0), (1, 0))) for i in range(5)]
    network = mesh(2, 1, transport="routed", groups=4)
    words = r"^router \(0, 0\): groups 0, 1, 2, 3, 4 need 5 entries, but members there can have 4"
    with pytest.raises(PlanError, match=words):
        plan_groups(network, groups)


def test_relays_take_entries() -> None:
    """Ways from west to east and from south to north have a relay at the middle's only member."""
    across = [((0, 1), (2, 1)), ((1, 0), (1, 2)), ((1, 1),)]
    groups = [GroupSpec(id=i, members=m, planner="cs") for i, m in enumerate(across)]
    network = mesh(3, 3, transport="routed", groups=2)
    words = (
        r"^router \(1, 1\): groups 0, 1, 2 need 3 entries, but there are 2 with groups = 2; set"
        r" groups = 3 in \[network\]$"
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(network, groups)


def test_a_manager_has_requests_for_512_routers() -> None:
    network = mesh(32, 32, setup="manager")
    everyone = GroupSpec(id=7, members=tuple(network.topology.nodes))
    words = (
        r"^group 7: its tree has 1024 routers, but a manager sets up 512 at most; set setup ="
        r' "local" in \[network\]$'
    )
    with pytest.raises(PlanError, match=words):
        plan_groups(network, [everyone])


def test_many_large_groups_are_spread() -> None:
    """24 groups of 64 leave no router of a 16x16 mesh with more than 16; all have least radius."""
    network = mesh(16, 16)
    groups = groups_of(network, random.Random(1), 24, (64,))
    for plan in plan_and_check(network, groups):
        assert plan["bound_links"] == least_radius(network, plan["members"])


def test_groups_of_the_same_members_share_the_load() -> None:
    """Of 12 groups' 552 messages in a barrier no router of a 4x4 mesh gets more than 44.

    The root of one tree for all would get 60. Corners get 24 in any case, the others 38 on average.
    """
    network = mesh(4, 4)
    everybody = tuple(network.topology.nodes)
    groups = [GroupSpec(id=i, members=everybody) for i in range(12)]
    comes = Counter[tuple[int, ...]]()
    for plan in plan_and_check(network, groups):
        assert plan["bound_links"] == 4
        comes.update(tuple(end) for edge in plan["edges"] for end in edge)
        comes.update(everybody)
    assert comes.total() == 12 * (2 * 15 + 16)
    assert max(comes.values()) <= 44


def test_radius_gives_way_where_entries_are_short() -> None:
    """Both groups would go by the middle; one goes round it, and so has a greater radius."""
    network = mesh(3, 3, groups=2)
    line = GroupSpec(id=0, members=((0, 1), (2, 1)))
    groups = [line.model_copy(update={"id": i}) for i in range(2)]
    groups.append(GroupSpec(id=2, members=((1, 0), (1, 2))))
    plans = plan_and_check(network, groups)
    assert sorted(plan["bound_links"] for plan in plans) == [1, 1, 2]


def test_the_network_of_paper_btin() -> None:
    topology = reader.load("cluster-fig1").network.topology
    assert isinstance(topology, Irregular)
    (plan,) = plan_and_check(
        cluster(topology), [GroupSpec(id=1, members=topology.nodes, planner="btin")]
    )
    assert plan["height"] == 2
    assert plan["bound_links"] == 3


def test_plans_are_the_same_every_time() -> None:
    network = mesh(8, 8)
    groups = groups_of(network, random.Random(4), 50, (2, 3, 8))
    assert plan_groups(network, groups) == plan_groups(network, groups)
