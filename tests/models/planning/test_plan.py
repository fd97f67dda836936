"""The whole plan: placement in registers, bounds, JSON."""

import json
import re

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.btm import setup_register
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, bound_cycles, make_plan

NAMES = list(reader.ready_made())


@pytest.mark.parametrize("name", NAMES)
def test_ready_made_networks_are_planned_and_read_again(name: str) -> None:
    plan = make_plan(reader.load(name))
    assert BarrierPlan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
    for group in plan.groups:
        if isinstance(group, GroupPlan):
            assert [register.node for register in group.registers()] == list(group.members)


def test_the_plan_of_figure_1() -> None:
    (group,) = make_plan(reader.load("fig1")).to_json()["groups"]
    assert group["id"] == 1
    assert group["root"] == [4, 4]
    assert (group["height"], group["longest_path"], group["bound"]) == (2, 9, 24)
    assert [[6, 7], [4, 4]] in group["edges"]
    assert len(group["edges"]) == 13
    assert group["registers"] == [0] * 14


def test_the_registers_are_those_that_members_set_up_alone() -> None:
    (group,) = make_plan(reader.load("fig1")).groups
    assert isinstance(group, GroupPlan)
    for register in group.registers():
        assert setup_register(group.members, register.node, group.id) == register


def test_groups_take_registers_in_the_order_of_the_file() -> None:
    plan = make_plan(reader.load("demo"))
    one, two, three = plan.groups
    assert set(one.places.values()) == {0}
    for node in Mesh(8, 8).nodes:
        assert two.places[node] == (node in one.places)
    for node in three.places:
        assert three.places[node] == 1 + (node in one.places)
    assert plan.group(3) is three


def test_too_many_groups_at_a_node_are_refused() -> None:
    spec = network(registers=2, groups=[1, 7, 9])
    message = (
        "node (0, 0): groups 1, 7, 9 need 3 registers, but barrier_registers = 2; "
        'set barrier_registers = 3 or transport = "link" in [network]'
    )
    with pytest.raises(PlanError, match=f"^{re.escape(message)}$"):
        make_plan(spec)


def test_more_groups_than_any_node_has_registers_need_engines() -> None:
    message = 'barrier_registers = 64; set transport = "link" in [network]'
    with pytest.raises(PlanError, match=f"{re.escape(message)}$"):
        make_plan(network(registers=64, groups=list(range(65))))


def network(registers: int, groups: list[int]) -> NetworkSpec:
    mesh = MeshSpec(kind="mesh", width=2, height=2, barrier_registers=registers)
    members = [((0, 0), (1, 1)) if index else ((0, 0),) for index in range(len(groups))]
    specs = tuple(GroupSpec(id=i, members=m) for i, m in zip(groups, members, strict=True))
    return NetworkSpec(name="n", network=mesh, groups=specs)


@pytest.mark.parametrize(("pipeline", "bound"), [(0, 22), (1, 30)])
def test_the_bound_of_a_complete_mesh(pipeline: int, bound: int) -> None:
    """SPEC, section 6: 2 L + 2 merged in the hop's cycle, 2 h more with a pipeline cycle."""
    mesh = MeshSpec(kind="mesh", width=8, height=8, barrier_pipeline=pipeline)
    everyone = GroupSpec(id=0, members=tuple(Mesh(8, 8).nodes))
    (group,) = make_plan(NetworkSpec(name="n", network=mesh, groups=(everyone,))).groups
    assert group.bound == group.bound_btm == bound
    assert group.bound_least == (18 if pipeline == 0 else 20)


def test_serial_operations_add_the_waits_along_a_path() -> None:
    """Root (1, 1) has children (0, 0) and (2, 2): one of them waits for the other."""
    mesh = MeshSpec(kind="mesh", width=3, height=3, operations="all")
    members = ((0, 0), (1, 1), (2, 2))
    spec = NetworkSpec(name="n", network=mesh, groups=(GroupSpec(id=0, members=members, op="sum"),))
    (group,) = make_plan(spec).groups
    assert isinstance(group, GroupPlan)
    assert group.bound == 2 * 2 + 2 + 2 * 1 + 1
    assert bound_cycles(group.tree, MeshSpec(kind="mesh", width=3, height=3)) == 8


def test_shortest_is_planned_beside_btm() -> None:
    mesh = MeshSpec(kind="mesh", width=8, height=8)
    everyone = GroupSpec(id=0, members=tuple(Mesh(8, 8).nodes), planner="shortest")
    (group,) = make_plan(NetworkSpec(name="n", network=mesh, groups=(everyone,))).groups
    assert group.planner == "shortest"
    assert group.bound is not None
    assert group.bound < 30
    assert group.bound_btm == 30


def test_a_group_of_one_is_released_locally() -> None:
    (group, *_) = make_plan(network(registers=4, groups=[0, 1])).groups
    assert (group.height, group.longest_path, group.bound) == (0, 0, 2)


def test_an_unknown_group_is_named_with_the_known() -> None:
    message = "Network demo has no group 4; its groups: 1, 2, 3"
    with pytest.raises(PlanError, match=f"^{message}$"):
        make_plan(reader.load("demo")).group(4)
