"""What has registers: numbers, names, and what is observed of it."""

from syncfabric.models.messages import RegisterWord, SwitchWord, WireWord
from syncfabric.sim.drive.targets import targets_of
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh


def test_a_meshs_targets_are_its_nodes() -> None:
    targets = targets_of(mesh(2, 3))
    assert len(targets) == targets.nodes == 6
    assert targets.names[3] == (1, 1)
    assert targets.words == tuple(RegisterWord)
    assert targets.words_of(3) == "1,1"


def test_an_irregular_networks_are_nodes_then_switches() -> None:
    targets = targets_of(irregular(SMALL))
    assert (len(targets), targets.nodes) == (7, 4)
    assert targets.names == ((0, 1), (0, 3), (2, 0), (2, 1), 0, 1, 2)
    assert targets.words == tuple(SwitchWord)
    assert [targets.words_of(target) for target in (1, 5)] == ["0,3", "1"]


def test_observe_is_split_into_registers_and_counters() -> None:
    targets = targets_of(irregular(SMALL, barrier_registers=2, data_bits=3))
    value = 0b10 | 1 << 2 | 0b01 << 3 | 1 << 5 | 5 << 6 | 6 << 9  # 12 bits
    registers, counters = targets.split(2, value << 12 | 0x1234 << 24)
    assert registers[0] == dict.fromkeys(registers[1], 0)
    expected = {"arrived": 2, "fired": 1, "pending": 1, "up": 1, "acc": 5, "result": 6}
    assert registers[1] == expected
    assert counters == 0x1234
    registers, counters = targets.split(4, 0b1001 | 7 << 32)
    assert registers[0]["arrived"] == 9
    assert counters == 7


def test_slots_come_after_registers_of_messages() -> None:
    network = mesh(2, 2, sync="both", barrier_registers=2, data_bits=3)
    targets = targets_of(network)
    assert targets.first_slot == 2
    assert targets.register_words(1) == tuple(RegisterWord)
    assert targets.register_words(2) == tuple(WireWord)
    below = 2 * sum(width for _, width in targets.observed[0][0])
    slot = 0b100101 | 5 << 6 | 6 << 9  # 12 bits
    registers, counters = targets.split(0, slot << below + 12 | 9 << below + 24)
    names = ("la", "up", "dn", "fault", "done", "broken", "gathered", "result")
    assert registers[2] == dict.fromkeys(names, 0)
    assert registers[3] == dict(zip(names, (1, 0, 1, 0, 0, 1, 5, 6), strict=True))
    assert counters == 9


def test_with_wires_alone_there_are_slots_only() -> None:
    targets = targets_of(irregular(SMALL, sync="wires", barrier_registers=3, data_bits=0))
    assert targets.first_slot == 0
    for target in (0, 4):
        assert [dict(fields)["gathered"] for fields in targets.observed[target]] == [0, 0, 0]
