# amaranth: UnusedElaboratable=no
"""Barrier wires through switches and node interfaces: who is released when, and with what."""

from typing import Any

import pytest

from syncfabric.models.messages import CONTROL, TREE, Counter, Op
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.node import NodeInterface
from syncfabric.rtl.irregular.ports import NODE_PORTS, observe_bits
from syncfabric.rtl.irregular.switch import IrregularSwitch
from tests.rtl.irregular.row import Row
from tests.rtl.irregular.specs import network
from tests.rtl.support import clocked, ports

SMALL = {"ports": 3, "switches": 2, "barrier_registers": 2}
NETWORKS = {
    "alone": network(**SMALL, sync="wires", channels=0),
    "shared": network(**SMALL, sync="wires", wires="shared", channels=0, link_registers=1),
    "parity": network(**SMALL, sync="wires", parity=True, channels=0, link_registers=2),
    "packets": network(**SMALL, sync="wires", data_bits=3),
    "both": network(**SMALL, sync="both", cycles_per_hop=1, link_registers=1),
    "no_data": network(**SMALL, sync="both", data_bits=0),
}


@pytest.mark.parametrize("name", list(NETWORKS))
def test_a_barrier_over_two_switches_takes_the_stated_cycles(name: str) -> None:
    spec = NETWORKS[name]
    row, hop, bits = Row(spec), 1 + spec.link_registers, spec.data_bits
    slots = [spec.first_slot, spec.first_slot + 1]
    word = (1 << bits) - 1
    given = [[0b101101 & word, 0b000111 & word], [0b110110 & word, 0b111011 & word]]
    combined = [given[0][0] ^ given[0][1], given[1][0] & given[1][1]]

    async def drive(context: Any) -> None:
        await row.set_up_group(context, slots[0], gid=7, op=Op.XOR)
        await row.set_up_group(context, slots[1], gid=9, op=Op.AND)
        for first, last, pause in ((0, 1, 5), (1, 0, 5), (0, 1, 0)):
            releases: list[list[int]] = [[], []]
            everywhere = sum(1 << r for r in slots)
            for cycle in range(pause + 6 + 4 * hop):
                for i, node in enumerate(row.nodes):
                    assert context.get(node.ready) == everywhere
                    arrives = cycle == 0 if i == first else cycle == pause
                    context.set(node.arrive, everywhere if arrives else 0)
                    data = sum(given[k][i] << bits * r for k, r in enumerate(slots))
                    context.set(node.data, data)
                await context.tick()
                for i, node in enumerate(row.nodes):
                    if context.get(node.released):
                        assert context.get(node.released) == everywhere
                        releases[i].append(cycle + 1 - pause)
                        result = context.get(node.result) >> bits * spec.first_slot
                        assert result == combined[0] | combined[1] << bits
                        assert context.get(node.done) == everywhere
                        assert not context.get(node.broken)
            # The root is the first switch: so many links lie between it and each node.
            for i in range(2):
                links = ((last if pause else 1) + 1) + (i + 1)
                assert releases[i] == [links * hop + 2], (first, i)

    row.run(drive)


def test_a_slot_is_no_other_and_no_register_of_messages() -> None:
    """One group on a slot, one as messages in the register of the same number."""
    spec = NETWORKS["both"]
    row, slot = Row(spec), spec.first_slot

    async def drive(context: Any) -> None:
        await row.set_up_group(context, 0, gid=3, op=Op.OR)
        await row.set_up_group(context, slot, gid=4, op=Op.OR)
        for node in row.nodes:
            assert context.get(node.ready) == 1 << slot, "start is for messages alone"
            context.set(node.start, 1)
        await context.tick()
        for register in (0, slot):
            released = [0, 0]
            for cycle in range(40):
                for i, node in enumerate(row.nodes):
                    assert context.get(node.ready) == 1 | 1 << slot
                    context.set(node.arrive, (cycle == 3 * i) << register)
                    context.set(node.data, (0x11 << i) << spec.data_bits * register)
                await context.tick()
                for i, node in enumerate(row.nodes):
                    released[i] += context.get(node.released)
                    if context.get(node.released):
                        assert context.get(node.result) >> spec.data_bits * register == 0x33
            assert released == [1 << register] * 2
        for part in row.parts:
            first = part.observe.shape().width - 4 * 8
            assert context.get(part.observe) >> first == 0, "nothing is counted"

    row.run(drive)


def test_a_link_with_wrong_parity_breaks_those_that_wait() -> None:
    spec = NETWORKS["parity"]
    node, late = NodeInterface(spec), spec.link_registers
    tree = TREE.pack({"parent": 0, "children": 2})
    quiet = {"config__valid": 0, "arrive": 0, "downlink__wires": 0}
    write = {"config__valid": 1, "config__write": 1}
    cases = [
        {**write, "config__address": 1, "config__data": tree},
        {**write, "config__address": 0, "config__data": CONTROL.pack({"valid": 1, "gid": 1})},
        quiet,
        {"arrive": 1},
        quiet,
        {"downlink__wires": 1 << 1},
        *[quiet] * (late + 3),
    ]
    seen = clocked(node, cases)
    wrong = 5 + late
    shown = [cycle["released"] for cycle in seen]
    assert shown == [int(t == wrong + 1) for t in range(len(cases))]
    assert [cycle["broken"] for cycle in seen[wrong : wrong + 2]] == [0, 1]
    stray = observe_bits(spec, NODE_PORTS) - 8 * (4 - Counter.STRAY)
    assert [cycle["observe"] >> stray & 255 for cycle in seen] == [
        int(t > wrong) for t in range(len(cases))
    ]


@pytest.mark.parametrize("count", [2, 16])
def test_all_ports_of_a_switch_can_be_children(count: int) -> None:
    spec = network(ports=count, switches=1, sync="wires", channels=0, data_bits=0)
    everybody = (1 << count) - 1
    tree = TREE.pack({"parent": 15, "children": everybody})
    write = {"config__valid": 1, "config__write": 1, "target": 1, "config__node": 1}
    control = CONTROL.pack({"valid": 1, "root": 1})
    up = {f"in_{p}__wires": 1 for p in range(count)}
    cases = [
        {**write, "config__address": 1, "config__data": tree},
        {**write, "config__address": 0, "config__data": control},
        {"config__address": 1, "config__write": 0},
        {"config__valid": 0},
        {**up, f"in_{count - 1}__wires": 0},
        {},
        {f"in_{count - 1}__wires": 1},
        {},
        {},
    ]
    seen = clocked(IrregularSwitch(spec), cases)
    assert seen[4]["config__rdata"] == (count - 1) | everybody << TREE.offsets["children"]
    down = 1 << spec.barrier_registers
    for p in range(count):
        # The pulse of slot 0 is behind the levels of all slots.
        assert [cycle[f"out_{p}__wires"] for cycle in seen] == [0] * 7 + [down, 0]


SHAPES: dict[str, IrregularSpec] = {
    **NETWORKS,
    "messages": network(**SMALL),
    "managers": network(**SMALL, sync="wires", setup="manager", flit_bits=32),
    "both_managers": network(**SMALL, sync="both", setup="manager", flit_bits=32),
}


@pytest.mark.parametrize("name", list(SHAPES))
def test_ports(name: str) -> None:
    spec = SHAPES[name]
    node, switch = ports(NodeInterface(spec)), ports(IrregularSwitch(spec))
    plane, registers = spec.wire_plane, spec.port_registers
    for found, way in ((node, "uplink"), (switch, "out_2")):
        assert ((f"{way}__wires" in found) and found[f"{way}__wires"]) == (
            ("out", plane.link.width) if plane else False
        )
        for wire in ("valid", "flit", "credit"):
            assert (f"{way}__{wire}" in found) == (spec.channels > 0)
        assert (f"{way}__sync_valid" in found) == spec.has_messages
        assert (f"{way}__sync_credit" in found) == spec.buffered
    assert ("local_in__valid" in node) == ("local_out__credit" in node) == (spec.channels > 0)
    for member in ("arrive", "released", "ready", "done"):
        assert node[member][1] == registers
    assert node["data"][1] == node["result"][1] == registers * spec.data_bits
    assert ("last" in node) == spec.takes_last
    assert ("broken" in node) == spec.tells_broken
    assert ("manager" in node) == spec.managed
    assert {"start", "target"} <= set(node)
    assert {"number", "target", "routes", "dateline"} <= set(switch)
    assert node["observe"][1] == observe_bits(spec, NODE_PORTS)
    assert switch["observe"][1] == observe_bits(spec, spec.ports)
