"""The plan of irregular networks: placement, images, bounds, JSON."""

import json
import re

import pytest
from hypothesis import given, settings

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, IrregularGroupPlan, make_plan
from syncfabric.models.planning.switch_tree import PortRegister
from tests.models.planning.irregular import clusters, network_of

LINE = Irregular(
    5,
    3,
    (((0, 0), (1, 1)), ((1, 0), (2, 1))),
    ((0, 2), (0, 3), (1, 2), (2, 2), (2, 3), (2, 4)),
)
"""Switches 0 - 1 - 2 with two, one and three nodes."""


def plan_of(spec: NetworkSpec) -> list[IrregularGroupPlan]:
    plans = []
    for group in make_plan(spec).groups:
        assert isinstance(group, IrregularGroupPlan)
        plans.append(group)
    return plans


@pytest.mark.parametrize("turnaround", ["switch", "node"])
@pytest.mark.parametrize("planner", ["btin", "updown"])
@settings(max_examples=40, deadline=None)
@given(drawn=clusters())
def test_registers_are_one_tree_of_ports(
    planner: str, turnaround: str, drawn: tuple[Irregular, list[Place]]
) -> None:
    """Walked from the one root over links: every member's process is reached, once."""
    topology, members = drawn
    group = GroupSpec(id=3, members=tuple(members), planner=planner, op="and")
    (plan,) = plan_of(network_of(topology, group, turnaround=turnaround))
    registers = {register.seat: register for register in plan.registers()}
    assert len(registers) == len(list(plan.registers()))
    (root,) = (r for r in registers.values() if r.parent is None)
    assert isinstance(root.seat, int) == (turnaround == "switch" and len(members) > 1)
    released, visited, todo = [], 0, [root]
    while todo:
        register = todo.pop()
        visited += 1
        assert (register.gid, register.op, register.epoch) == (3, "and", 0)
        for port in register.children:
            seat, entered = across(topology, register, port)
            if seat is None:
                released.append(register.seat)
                continue
            below = registers[seat]
            assert below.parent == entered
            todo.append(below)
    assert visited == len(registers)
    assert sorted(released) == sorted(members)


def across(
    topology: Irregular, register: PortRegister, port: int
) -> tuple[int | Place | None, int]:
    """Return where a port leads, and by which port one comes in there; None to a process."""
    if not isinstance(register.seat, int):
        return (None, 0) if port == 1 else register.seat
    end = topology.across(register.seat, port)
    return end if end is not None else ((register.seat, port), 0)


@settings(max_examples=40, deadline=None)
@given(clusters())
def test_plans_are_read_again(drawn: tuple[Irregular, list[Place]]) -> None:
    topology, members = drawn
    groups = [
        GroupSpec(id=1, members=tuple(members)),
        GroupSpec(id=2, members=tuple(members), planner="updown"),
        GroupSpec(id=3, members=tuple(members[:1]), op="and"),
    ]
    for keys in ({}, {"turnaround": "node"}):
        plan = make_plan(network_of(topology, *groups, **keys))
        again = BarrierPlan.from_json(json.loads(json.dumps(plan.to_json())))
        assert again == plan
        for group, other in zip(plan.message_groups, again.message_groups, strict=True):
            assert list(group.registers()) == list(other.registers())


def test_json_of_a_group() -> None:
    group = GroupSpec(id=7, members=((2, 2), (0, 2), (0, 3)))
    plan = make_plan(network_of(LINE, group)).to_json()
    assert plan["groups"] == [
        {
            "id": 7,
            "planner": "btin",
            "op": "or",
            "root": [0, 2],
            "root_switch": 0,
            "root_node": [0, 2],
            "height": 2,
            "longest_path": 2,
            "bound_links": 3,
            "bound": 2 * 3 * 2 + 2,
            "bound_btm": None,
            "bound_least": None,
            "edges": [[1, 0], [2, 1]],
            "members": [[2, 2], [0, 2], [0, 3]],
            "ports": None,
            "registers": [0, 0, 0],
            "relays": None,
            "switches": [
                {"switch": 0, "parent": None, "children": [0, 2, 3], "register": 0},
                {"switch": 1, "parent": 1, "children": [0], "register": 0},
                {"switch": 2, "parent": 1, "children": [2], "register": 0},
            ],
            "ring": None,
            "ring_least": None,
            "links": None,
            "flits": None,
            "slot": None,
        }
    ]


def test_the_root_node_turns_around_above_its_switch() -> None:
    group = GroupSpec(id=7, members=((2, 2), (0, 3), (0, 2)))
    (plan,) = plan_of(network_of(LINE, group, turnaround="node"))
    assert list(plan.registers()) == [
        PortRegister(7, (2, 2), 0, (1,)),
        PortRegister(7, (0, 3), 0, (1,)),
        PortRegister(7, (0, 2), None, (0, 1)),
        PortRegister(7, 0, 2, (0, 3)),
        PortRegister(7, 1, 1, (0,)),
        PortRegister(7, 2, 1, (2,)),
    ]
    assert (plan.bound, plan.bound_links, plan.longest_path) == (2 * 4 * 2 + 2, 3, 2)


@pytest.mark.parametrize("turnaround", ["switch", "node"])
def test_a_group_of_one_has_no_register_at_a_switch(turnaround: str) -> None:
    group = GroupSpec(id=7, members=((2, 4),))
    (plan,) = plan_of(network_of(LINE, group, turnaround=turnaround))
    assert list(plan.registers()) == [PortRegister(7, (2, 4), None, (1,))]
    assert plan.places == {(2, 4): 0}
    assert plan.switch_places == {}
    assert (plan.root_switch, plan.root_node, plan.edges) == (2, (2, 4), [])
    assert (plan.height, plan.bound, plan.formula_ns) == (0, 2, 5880)


@pytest.mark.parametrize(
    ("keys", "bound"),
    [
        ({}, 2 * 2 * 2 + 2),
        ({"cycles_per_hop": 1}, 2 * 2 + 2),
        ({"turnaround": "node"}, 2 * 3 * 2 + 2),
        # Root 1 combines its own node's and two switches'; below it 2 combines three nodes'.
        ({"operations": "all"}, 2 * 2 * 2 + 2 + 2 + 2),
        # Its own node's no longer, which turns the barrier around.
        ({"operations": "all", "turnaround": "node"}, 2 * 3 * 2 + 2 + 1 + 2),
    ],
)
def test_bounds(keys: dict[str, object], bound: int) -> None:
    (plan,) = plan_of(network_of(LINE, GroupSpec(id=1, members=LINE.nodes), **keys))
    assert plan.root_switch == 1
    assert plan.bound == bound


def test_waiting_counts_only_where_it_makes_the_longest_way_longer() -> None:
    """Two ways of two links without waits, and one of one link to a switch with five nodes."""
    pairs = (((0, 0), (1, 0)), ((1, 1), (2, 0)), ((0, 1), (3, 0)), ((3, 1), (4, 0)))
    nodes = ((0, 7), (2, 7), (4, 7), *((5, port) for port in range(1, 6)))
    topology = Irregular(8, 6, (*pairs, ((0, 2), (5, 0))), nodes)
    group = GroupSpec(id=1, members=nodes)
    (plan,) = plan_of(network_of(topology, group, operations="all"))
    assert (plan.root_switch, plan.height) == (0, 2)
    # Up over one link, 4 waits at switch 5 and 3 at the root, against two links and 3 waits.
    assert plan.bound == 2 * 3 * 2 + 2 + (2 + 4 + 3) - 2 * 2


def test_groups_take_registers_in_the_order_of_the_file() -> None:
    groups = [
        GroupSpec(id=5, members=((0, 2), (0, 3))),
        GroupSpec(id=2, members=((0, 3), (2, 2))),
        GroupSpec(id=9, members=((2, 2),)),
        GroupSpec(id=1, members=((2, 2), (2, 3))),
    ]
    five, two, nine, one = plan_of(network_of(LINE, *groups))
    assert (five.places, five.switch_places) == ({(0, 2): 0, (0, 3): 0}, {0: 0})
    assert (two.places, two.switch_places) == ({(0, 3): 1, (2, 2): 0}, {0: 1, 1: 0, 2: 0})
    assert (nine.places, nine.switch_places) == ({(2, 2): 1}, {})
    assert (one.places, one.switch_places) == ({(2, 2): 2, (2, 3): 0}, {2: 1})


def test_too_many_groups_are_refused() -> None:
    groups = [GroupSpec(id=i, members=((0, 2), (2, 2 + i))) for i in range(3)]
    message = (
        "node (0, 2): groups 0, 1, 2 need 3 registers, but barrier_registers = 2; "
        'set barrier_registers = 3 or transport = "link" in [network]'
    )
    with pytest.raises(PlanError, match=f"^{re.escape(message)}$"):
        make_plan(network_of(LINE, *groups, barrier_registers=2))


def test_a_switch_that_only_passes_on_needs_registers_too() -> None:
    groups = [GroupSpec(id=i, members=((0, 2 + i), (2, 2 + i))) for i in range(2)]
    message = (
        "switch 0: groups 0, 1 need 2 registers, but barrier_registers = 1; "
        'set barrier_registers = 2 or transport = "link" in [network]'
    )
    with pytest.raises(PlanError, match=f"^{re.escape(message)}$"):
        make_plan(network_of(LINE, *groups, barrier_registers=1))


def test_sixteen_ports() -> None:
    nodes = tuple((switch, port) for switch in range(2) for port in range(15))
    topology = Irregular(16, 2, (((0, 15), (1, 15)),), nodes)
    (plan,) = plan_of(network_of(topology, GroupSpec(id=1, members=nodes)))
    *_, root, leaf = plan.registers()
    assert root == PortRegister(1, 0, None, tuple(range(16)))
    assert leaf == PortRegister(1, 1, 15, tuple(range(15)))
