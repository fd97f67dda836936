"""What has registers: numbers, names, and what is observed of it."""

from syncfabric.models.messages import RegisterWord, SwitchWord
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
