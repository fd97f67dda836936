"""What a manager is told to send, word by word."""

import json

import pytest

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import ManagerState
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, MeshSpec, NetworkSpec
from syncfabric.models.networks.table import Operation
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.requests import manager_entries, node_writes
from syncfabric.models.planning.set_up_writes import registers_json

# Lowest bits of the request word's fields.
GID, EPOCH, OP, ROOT, TURN = 2, 22, 24, 27, 28


def mesh_plan(*members: Node, op: Operation = "or") -> BarrierPlan:
    network = MeshSpec(kind="mesh", width=4, height=2)
    group = GroupSpec(id=9, members=members, op=op)
    return make_plan(NetworkSpec(name="mesh", network=network, groups=(group,)))


def twins(turnaround: str, *groups: GroupSpec) -> BarrierPlan:
    drawn = reader.load("twins")
    keys = drawn.network.model_dump() | {"turnaround": turnaround}
    network = IrregularSpec.model_validate(keys)
    return make_plan(NetworkSpec(name="twins", network=network, groups=groups or drawn.groups))


def test_entries_of_a_mesh_by_hand() -> None:
    """Root (2, 0), nearest the middle of (0, 0), (2, 0), (3, 0): a child on either side."""
    plan = mesh_plan((0, 0), (2, 0), (3, 0), op="xor")
    entries = manager_entries(plan, plan.message_groups[0], epoch=3)
    common = 9 << GID | 3 << EPOCH | 2 << OP
    parent = 2 | 1 << 20
    west, east = 0 | 1 << 20, 3 | 1 << 20
    assert sorted(entries[:2]) == [
        (0, common | 1 << TURN, parent, 0, 0, 0, 0),
        (3, common | 1 << TURN, parent, 0, 0, 0, 0),
    ]
    assert entries[2] == (2, common | 1 << ROOT, 0, east, 0, west, 0)


def test_a_header_on_a_mesh_is_column_then_row() -> None:
    plan = mesh_plan((0, 0), (3, 1))
    headers = {entry[0] for entry in manager_entries(plan, plan.message_groups[0], epoch=0)}
    assert headers == {0, 3 | 1 << 2}


def test_entries_of_an_irregular_network_by_hand() -> None:
    """Group 2 of twins: nodes (0, 3) and (1, 4), the switches joined by their ports 0."""
    plan = twins("switch")
    entries = manager_entries(plan, plan.message_groups[1], epoch=1)
    common = 2 << GID | 1 << EPOCH | 2 << OP
    sink = 6 << 1  # the port after the last, behind the bit that asks for the tables
    assert entries == [
        (sink | 1 << 4, common, (1 << 4) << 4),
        (sink, common | 1 << ROOT, (1 << 0 | 1 << 3) << 4),
    ]


def test_a_root_switch_that_its_node_turns_around_is_last_too() -> None:
    """It is no root then: its parent is the node's port 3."""
    plan = twins("node")
    *_, top = manager_entries(plan, plan.message_groups[1], epoch=0)
    assert top == (6 << 1, 2 << GID | 2 << OP, 3 | (1 << 0) << 4)


def test_every_switch_has_one_entry_and_the_root_the_last() -> None:
    plan = make_plan(reader.load("cluster-fig1"))
    entries = manager_entries(plan, plan.message_groups[0], epoch=0)
    switches = [header >> 5 for header, *_ in entries]
    assert sorted(switches) == [0, 1, 3, 4, 5, 6, 7]
    assert switches[-1] == 3
    assert [request >> ROOT & 1 for _, request, *_ in entries] == [0] * 6 + [1]


def test_a_member_alone_on_an_irregular_network_needs_no_request() -> None:
    plan = twins("switch", GroupSpec(id=1, members=((1, 3),)))
    assert manager_entries(plan, plan.message_groups[0], epoch=0) == []


def test_a_member_alone_on_a_mesh_is_the_root() -> None:
    plan = mesh_plan((1, 1))
    assert manager_entries(plan, plan.message_groups[0], epoch=0) == [
        (1 | 1 << 2, 9 << GID | 1 << ROOT, 0, 0, 0, 0, 0)
    ]


@pytest.mark.parametrize("name", ["fig1", "demo"])
def test_nodes_of_a_mesh_write_nothing(name: str) -> None:
    assert list(node_writes(make_plan(reader.load(name)))) == []


def test_nodes_of_an_irregular_network_write_their_own_registers() -> None:
    """Two words for each of the five members of group 1 and the two of group 2."""
    writes = list(node_writes(twins("switch")))
    assert [target for target, _, _ in writes if target >= 5] == []
    assert sorted(target for target, address, _ in writes if address // 8 == 0) == [
        target for target in range(5) for _ in range(2)
    ]
    assert sorted(target for target, address, _ in writes if address // 8 == 1) == [0, 0, 4, 4]


@pytest.mark.parametrize("name", ["cluster-fig1", "churn-mesh", "churn-cluster"])
def test_what_a_build_writes_down_sets_all_groups_up(name: str) -> None:
    """Played one by one, and after a command read until the manager is done."""
    plan = make_plan(reader.load(name))
    writes = json.loads(json.dumps(registers_json(plan)["writes"]))
    model, index = model_of(plan.spec.register_network), plan.spec.network.topology.index
    seats = [
        (index(node), place)
        for group in plan.message_groups
        for node, place in group.places.items()
        if place is not None
    ]
    model.step()
    for write in writes:
        assert index(tuple(write["node"])) == write["index"]
        model.step(
            config=ConfigRequest(write["index"], write["address"], True, int(write["value"], 16))
        )
        if write["word"] == "command":
            assert not all(model.ready(*seat) for seat in seats)
            model.step()  # the command is looked at
            while model.manager_state(write["index"]) is not ManagerState.DONE:
                model.step()
                assert model.cycle < 2_000
    for _ in range(20):  # GO is on its way
        model.step()
    assert seats
    assert all(model.ready(*seat) for seat in seats)
    assert {write["group"] for write in writes} - {None} == {group.id for group in plan.groups}
