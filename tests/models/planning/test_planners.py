"""Plans of networks of engines: any of them, by a checker that shares nothing with the planner."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.errors import PlanError
from syncfabric.models.networks import reader
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.irregular import Irregular
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
    # The paths are those of messages on the mesh: link trees too go from neighbour to neighbour.
    assert not dead.links & set(plan.tree.path_links())


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


def test_routed_members_share_entries() -> None:
    groups = [GroupSpec(id=i, members=((0, 0), (1, 0))) for i in range(5)]
    network = mesh(2, 1, transport="routed", groups=4)
    words = r"^router \(0, 0\): groups 0, 1, 2, 3, 4 need 5 entries, but members there can have 4"
    with pytest.raises(PlanError, match=words):
        plan_groups(network, groups)


def test_relays_take_entries() -> None:
    """Paths from west to east and from south to north have a relay at the middle's only member."""
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
