"""Entries of routers: shares of managers, registers of nodes, and what has no room."""

import json
import random

import pytest

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.planners import plan_groups
from tests.models.planning.checker import (
    cluster,
    groups_of,
    mesh,
)
from tests.models.planning.test_group_plan import planned
from tests.models.planning.test_planners import plan_and_check


def test_entries_are_of_one_manager() -> None:
    network = mesh(4, 4, setup="manager", managers=((0, 0), (1, 0), (2, 0)))
    first, second = planned(network, 5, 2)
    router = network.shape.router
    assert owner_of(first.placement.values(), router) == 0
    assert owner_of(second.placement.values(), router) == 1
    assert owner_of([3, 15], mesh(4, 4).shape.router) == 0
    words = r"entries {} are not of one manager's share"
    for entries, named in (([3, 4], "3 to 4"), ([12, 15], "12 to 15")):
        with pytest.raises(SpecError, match=f"^{words.format(named)}$"):
            owner_of(entries, router)
    entry = json.loads(json.dumps(first.to_json()))
    entry["entries"][0]["entry"] = 4
    with pytest.raises(SpecError, match=r"^plan: group 0: entries 0 to 4 are not of one manager"):
        GroupPlan.from_json(entry, network)


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
