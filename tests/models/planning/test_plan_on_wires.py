"""Whole plans with barrier wires: who goes where, what is written, and that it works."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    CONTROL,
    REQUEST,
    TREE,
    WIRE_IMAGE,
    WIRE_STATUS,
    ManagerState,
    WireWord,
    register_address,
)
from syncfabric.models.networks import reader
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.c_header import c_header
from syncfabric.models.planning.images import config_writes
from syncfabric.models.planning.plan import (
    BarrierPlan,
    GroupPlan,
    IrregularGroupPlan,
    WireGroupPlan,
    make_plan,
)
from syncfabric.models.planning.requests import manager_entries, node_writes
from syncfabric.models.planning.set_up_writes import registers_json

MESH = 'name = "m"\n[network]\nkind = "mesh"\nwidth = 4\nheight = 3\n'
CLUSTER = (
    'name = "c"\n[network]\nkind = "irregular"\nports = 4\n'
    "links = [[[0, 0], [1, 0]], [[1, 1], [2, 0]]]\n"
    "nodes = [[0, 1], [0, 2], [1, 2], [2, 1], [2, 2]]\n"
)
ALL, ENDS, WEST = "'all'", "[[0, 0], [3, 2]]", "[[0, 0], [0, 2]]"


def spec_of(network: str, *members: str, **keys: str) -> NetworkSpec:
    """Return a network of groups 1, 2, …; ``members`` may have lines more."""
    lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
    groups = (f"[[group]]\nid = {i}\nmembers = {m}\n" for i, m in enumerate(members, 1))
    return reader.loads(network + lines + "".join(groups))


def planned(network: str, *members: str, **keys: str) -> BarrierPlan:
    return make_plan(spec_of(network, *members, **keys))


BOTH = planned(
    MESH,
    ENDS,
    ALL,
    ALL + '\nop = "and"',
    WEST + '\nplanner = "shortest"',
    ALL,
    sync='"both"',
    barrier_registers="3",
)
"""Slots for three of the four that ask, and three registers of messages."""


def test_groups_that_find_no_slot_are_messages() -> None:
    assert [group.id for group in BOTH.groups] == [1, 2, 3, 4, 5]
    on_wires = {group.id for group in BOTH.wire_groups}
    assert len(on_wires) == 3
    assert 4 not in on_wires, "its planner is one of messages"
    (left,) = {1, 2, 3, 5} - on_wires
    assert [group.id for group in BOTH.message_groups] == sorted({left, 4})
    assert BOTH.group(left).planner == "btm"
    assert [group.planner for group in BOTH.spec.groups] == [g.planner for g in BOTH.groups]
    for group in BOTH.groups:
        numbers = set(group.places.values())
        if isinstance(group, WireGroupPlan):
            assert numbers == {3 + group.slot}
        else:
            assert isinstance(group, GroupPlan)
            assert numbers <= {0, 1}


def test_the_slots_that_a_plan_takes() -> None:
    assert BOTH.slots == (3, 3, 3)
    shared = planned(
        MESH, ALL, WEST, "[[3, 0], [3, 2]]", sync='"wires"', barrier_registers="5", channels="0"
    )
    assert shared.slots == (5, 2, 2)
    assert shared.to_json()["slots"] == {"of": 5, "used": 2, "least": 2}
    nobody = planned(MESH, WEST + '\nplanner = "btm"', sync='"both"')
    assert nobody.slots == (4, 0, 0)
    messages = planned(MESH, WEST)
    assert messages.slots is messages.to_json()["slots"] is None


def test_a_plan_in_json() -> None:
    cluster = planned(CLUSTER, ALL, ALL, ALL, "[[0, 1]]", sync='"both"', barrier_registers="2")
    assert {type(group) for group in cluster.groups} == {WireGroupPlan, IrregularGroupPlan}
    for plan in (BOTH, cluster):
        again = BarrierPlan.from_json(json.loads(json.dumps(plan.to_json())))
        assert again == plan
        assert again.slots == plan.slots
        assert list(config_writes(again)) == list(config_writes(plan))
        assert [group["slot"] is None for group in plan.to_json()["groups"]] == [
            not isinstance(group, WireGroupPlan) for group in plan.groups
        ]


@pytest.mark.parametrize(
    ("network", "keys", "groups", "message"),
    [
        (
            MESH,
            {"sync": '"wires"', "barrier_registers": "1"},
            (ALL, ALL, ENDS),
            r"groups \d, \d: no slot was found beside 1 other group on wires (barrier_registers = "
            'N); set barrier_registers = 3, which holds all, or sync = "both" in [network]',
        ),
        (
            MESH,
            {"sync": '"both"', "barrier_registers": "1"},
            (ALL, ALL, ALL),
            r"node (0, 0): groups \d, \d need 2 registers, but barrier_registers = N; set "
            'barrier_registers = 2 or transport = "link" in [network]',
        ),
        (
            CLUSTER,
            {"sync": '"wires"', "barrier_registers": "1", "setup": '"local"'},
            (ALL, "[[0, 1], [2, 1]]"),
            r"group \d: no slot was found beside 1 other group on wires (barrier_registers = N); "
            'set barrier_registers = 2, which holds all, or sync = "both" in [network]',
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    network: str, keys: dict[str, str], groups: tuple[str, ...], message: str
) -> None:
    pattern = re.escape(message).replace(r"\\d", r"\d").replace("=\\ N", "=\\ 1")
    with pytest.raises(PlanError, match=f"^{pattern}$"):
        planned(network, *groups, **keys)


def test_more_than_a_manager_can_be_told() -> None:
    large = MESH.replace("width = 4", "width = 400")
    with pytest.raises(PlanError, match=r"^group 1: its tree has 1,200 nodes, and a manager's "):
        planned(large, ALL, sync='"wires"', setup='"manager"')
    (group,) = planned(large, ALL, sync='"both"', setup='"manager"').wire_groups
    assert len(list(group.registers())) == 1200


@pytest.mark.parametrize("name", ["wires-4x4", "wires-16x16", "wires-both", "wires-cluster"])
def test_every_unit_is_written_once_tree_first(name: str) -> None:
    plan = make_plan(reader.load(name))
    writes = list(config_writes(plan))
    assert len({write[:2] for write in writes}) == len(writes)
    first = plan.spec.register_network.first_slot
    slots = [write for write in writes if write[1] // 8 >= first]
    trees, controls = slots[::2], slots[1::2]
    for (unit, address, tree), (same, after, control) in zip(trees, controls, strict=True):
        number = address // 8
        assert (unit, address) == (same, register_address(number, WireWord.TREE))
        assert after == register_address(number, WireWord.CONTROL)
        group = plan.group(CONTROL.unpack(control)["gid"])
        assert isinstance(group, WireGroupPlan)
        assert number == group.number
        assert TREE.unpack(tree)["children"]
    units = sum(len(list(group.registers())) for group in plan.wire_groups)
    assert len(trees) == units


def test_the_images_of_slots_in_json() -> None:
    plan = planned(MESH, WEST, sync='"both"', barrier_registers="2")
    document = registers_json(plan)
    assert document["switches"] is None
    assert document["nodes"] == [
        {"node": [0, y], "index": 4 * y, "registers": [entry]}
        for y, entry in enumerate(
            [
                image(parent=1, children=[4], tree="0x00000101"),
                image(parent=None, children=[1, 3], tree="0x000000a0"),
                image(parent=3, children=[4], tree="0x00000103"),
            ]
        )
    ]


def image(parent: int | None, children: list[int], tree: str) -> dict[str, object]:
    root = parent is None
    fields: dict[str, object] = {"gid": 1, "root": root, "parent": parent, "relay": None}
    fields |= {"turn": None, "children": children}
    control = {"address": 16, "value": "0x00000103" if root else "0x00000101"}
    return {
        "register": 2,
        "fields": {**fields, "op": "or", "epoch": 0},
        "words": {"tree": {"address": 17, "value": tree}, "control": control},
    }


def test_a_managers_request_names_the_slot() -> None:
    keys = {"sync": '"wires"', "setup": '"manager"', "barrier_registers": "2"}
    plan = planned(MESH, ALL, WEST + '\nop = "xor"', **keys)
    two = plan.wire_groups[1]
    assert two.slot == 1
    request = REQUEST.pack({"gid": 2, "op": 2, "epoch": 3})
    slot = 1 << 20
    assert slot == 1 << WIRE_IMAGE.offsets["slot"]
    assert manager_entries(plan, two, epoch=3) == [
        (0, request, slot | 1 | 1 << 8),
        (2 << 2, request, slot | 3 | 1 << 8),
        (1 << 2, request | 1 << 27, slot | (1 << 1 | 1 << 3) << 4),
    ]
    assert list(node_writes(plan)) == []


def test_slots_beside_messages_are_written_without_a_manager() -> None:
    for network in (MESH, CLUSTER):
        plan = planned(network, ALL, ALL, sync='"both"', setup='"manager"', barrier_registers="1")
        (wires,), (messages,) = plan.wire_groups, plan.message_groups
        assert manager_entries(plan, wires, epoch=0) == []
        assert manager_entries(plan, messages, epoch=0)
        mine = [write for write in node_writes(plan) if write[1] >= 8]
        assert mine == [write for write in config_writes(plan) if write[1] >= 8]
        assert len(mine) == 2 * len(list(wires.registers()))
        written = registers_json(plan)["writes"]
        assert {write["group"] for write in written} == {None, messages.id}
        switches = [write for write in written if write["node"] is None]
        assert bool(switches) == (network is CLUSTER)


MANAGED = {
    "mesh, wires": (MESH, {"sync": '"wires"', "link_registers": "1"}),
    "mesh, both": (MESH, {"sync": '"both"', "barrier_registers": "2"}),
    "irregular, wires": (CLUSTER, {"sync": '"wires"', "wires": '"shared"'}),
    "irregular, both": (CLUSTER, {"sync": '"both"', "barrier_registers": "2"}),
}


@pytest.mark.parametrize("name", MANAGED)
def test_what_a_build_writes_down_sets_slots_up(name: str) -> None:
    """The groups lie in different slots at different routers; each is then released in time."""
    network, keys = MANAGED[name]
    few = ENDS if network is MESH else "[[0, 1], [1, 2]]"
    others = "[[1, 1], [2, 1]]" if network is MESH else "[[2, 1], [2, 2]]"
    plan = planned(network, others, few, ALL, setup='"manager"', **keys)
    assert len({group.slot for group in plan.wire_groups}) > 1
    model = model_of(plan.spec.register_network)
    model.step()
    for write in registers_json(plan)["writes"]:
        request = ConfigRequest(write["index"], write["address"], True, int(write["value"], 16))
        model.step(config=request)
        model.step()
        while write["word"] == "command" and (
            model.manager_state(write["index"]) is not ManagerState.DONE
        ):
            model.step()
            assert model.cycle < 2_000
    for _ in range(20):  # GO is on its way
        model.step()
    topology = plan.spec.register_network.topology
    for group in plan.groups:
        seats = {(topology.index(node), place or 0): 0 for node, place in group.places.items()}
        assert all(model.ready(*seat) for seat in seats)
        began, released = model.cycle, Counter[tuple[int, int]]()
        model.step(arrive=seats)
        while released.total() < len(seats):
            released.update((node, place) for node, place, _ in model.release)
            assert group.bound is not None
            assert model.cycle - began <= group.bound + 1, group.id
            model.step()
        assert released == Counter(seats.keys())


def test_wires_are_no_channels() -> None:
    alone = planned(MESH, ALL, sync='"wires"', channels="0")
    deadlock.check(alone)
    assert not deadlock.channel_graph(alone)
    cluster = planned(CLUSTER, ALL, sync='"wires"', channels="0", setup='"local"')
    assert not deadlock.channel_graph(cluster)
    for network in (MESH, CLUSTER):
        beside = planned(network, ALL, sync='"wires"')
        assert {channel.lane for channel in deadlock.channel_graph(beside)} == {"packets 0"}
        both = planned(network, ALL, sync='"both"')
        assert len({channel.lane for channel in deadlock.channel_graph(both)}) > 1


def test_the_header_compiles_and_agrees_with_the_layout(tmp_path: Path) -> None:
    (tmp_path / "registers.h").write_text(c_header(BOTH.spec, "syncfabric"))
    low = WIRE_STATUS.offsets["fault"]
    (tmp_path / "main.cpp").write_text(
        '#include "registers.h"\n'
        'static_assert(SYNCFABRIC_SLOT(1, SYNCFABRIC_SLOT_WORD_TREE) == 33, "address");\n'
        'static_assert(SYNCFABRIC_REGISTERS == 3 && SYNCFABRIC_SLOTS == 3, "numbers");\n'
        f'static_assert(SYNCFABRIC_WIRE_STATUS_WORD_FAULT_SHIFT == {low}, "field");\n'
        'static_assert(sizeof(syncfabric_slot) == 4 * SYNCFABRIC_REGISTER_WORDS, "size");\n'
        "static_assert(__builtin_offsetof(syncfabric_slot, status)\n"
        '    == 4 * SYNCFABRIC_SLOT_WORD_STATUS, "place");\n'
    )
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "main.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)


def test_the_header_names_what_there_is() -> None:
    alone = c_header(spec_of(MESH, ALL, sync='"wires"', channels="0"), "syncfabric")
    assert "SYNCFABRIC_REGISTERS 0u" in alone
    assert "SYNCFABRIC_FIRST_SLOT 0u" in alone
    for gone in ("SYNC_MESSAGE", "PACKET_HEADER", "WORD_EAST", "syncfabric_register;"):
        assert gone not in alone
    beside = c_header(spec_of(CLUSTER, ALL, sync='"wires"'), "syncfabric")
    assert "PACKET_HEADER" in beside
    assert "SYNC_MESSAGE" not in beside
    assert "SLOT" not in c_header(spec_of(CLUSTER, ALL), "syncfabric")
