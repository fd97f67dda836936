"""The barrier unit: strays, fires and turns in one cycle, the serial combiner, the config port."""

from collections.abc import Mapping

import pytest

from syncfabric.models.golden.barrier_register import PARENT
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.config_port import configure
from syncfabric.models.golden.mesh import ConfigRequest, MeshModel
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import (
    CONTROL,
    COUNTER_BASE,
    NODE_WORD,
    Counter,
    Kind,
    RegisterWord,
    register_address,
)
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec

CENTRE = 4
EAST, NORTH = (
    NODE_WORD.pack({"x": 2, "y": 1, "present": 1}),
    NODE_WORD.pack({"x": 1, "y": 2, "present": 1}),
)


def unit(operations: str = "bitwise") -> BarrierUnit:
    """Return the unit in the centre of a 3x3 mesh with plenty of credits."""
    network = MeshSpec.model_validate(
        {"kind": "mesh", "width": 3, "height": 3, "operations": operations}
    )
    wiring = Wiring(network)
    return BarrierUnit(network, Rules(network, wiring), CENTRE, [1] * 1000, [])


def write(made: BarrierUnit, r: int, gid: int, *, root: bool = False, children: int = 2) -> None:
    """Set up register r, with children east and north and the parent in the south-west."""
    words = [(RegisterWord.EAST, EAST), (RegisterWord.NORTH, NORTH)][:children]
    for word, data in words:
        assert configure(made, register_address(r, word), True, data) == (False, 0)
    control = CONTROL.pack({"valid": 1, "root": root, "gid": gid})
    assert configure(made, register_address(r, RegisterWord.CONTROL), True, control) == (False, 0)
    made.commit()


def reduce(gid: int, turn: int = 1, data: int = 0) -> Message:
    return Message(0, Kind.REDUCE, gid, 0, 0, turn, data, 0, 0)


def distribute(gid: int, turn: int = 1, data: int = 0) -> Message:
    return Message(0, Kind.DISTRIBUTE, gid, 0, 0, turn, data, 0, 0)


def absorb(made: BarrierUnit, here: Mapping[Port, Message]) -> list[int]:
    return made.absorb({int(port): message for port, message in here.items()}, None)


def test_both_children_and_an_earlier_arrival_fire_a_root_at_once() -> None:
    made = unit()
    write(made, 2, 9, root=True)
    made.arrive(2, 1)
    here = {Port.EAST: reduce(9, 1, 4), Port.NORTH: reduce(9, 0, 2)}
    assert absorb(made, here) == [Port.EAST, Port.NORTH]
    assert made.released == [(CENTRE, 2, 7)]
    assert made.registers[2].pending == {Port.EAST, Port.NORTH}
    assert sorted(made.outbox.offers()) == [Port.EAST, Port.NORTH]


def test_an_arrival_of_the_same_cycle_does_not_fire() -> None:
    made = unit()
    write(made, 0, 9, root=True, children=1)
    assert absorb(made, {Port.EAST: reduce(9)}) == [Port.EAST]
    assert made.accepts(0, started=True)
    assert not made.accepts(0, started=False)
    made.arrive(0, 0)
    assert made.released == []
    assert absorb(made, {}) == []
    assert made.released == [(CENTRE, 0, 0)]


def test_two_groups_fire_in_one_cycle_and_take_turns_to_send() -> None:
    made = unit()
    for r, gid in ((1, 5), (3, 6)):
        write(made, r, gid, children=0)
        made.arrive(r, 0)
    absorb(made, {})
    assert [made.registers[r].pending for r in (1, 3)] == [{PARENT}, {PARENT}]
    senders = [made.outbox.offers()[Port.WEST].sender for _ in range(46)]
    assert senders == 15 * [1] + 15 * [3] + 15 * [1] + [3]
    made.outbox.sent(made.outbox.offers()[Port.WEST])
    assert made.registers[3].pending == set()
    assert [offer.sender for offer in made.outbox.offers().values()] == [1]


def test_only_messages_with_a_credit_are_offered() -> None:
    made = unit()
    write(made, 0, 9, root=True)
    made.registers[0].pending = {Port.EAST, Port.NORTH}
    made.outbox.sending.add(0)
    letter = made.registers[0].letters[Port.EAST]
    assert letter is not None
    made.outbox.credits[letter.lane] = 0
    assert list(made.outbox.offers()) == [Port.NORTH]


def test_of_two_distributes_the_second_is_a_stray() -> None:
    made = unit()
    write(made, 0, 9, children=0)
    made.registers[0].fired = made.registers[0].local = True
    here = {Port.WEST: distribute(9, 1, 3), Port.SOUTH: distribute(9, 1, 5)}
    assert absorb(made, here) == [Port.WEST, Port.SOUTH]
    assert made.released == [(CENTRE, 0, 3)]
    assert made.counters[Counter.STRAY] == 1
    assert not made.registers[0].fired


def test_unknown_groups_and_a_register_being_written_leave_strays() -> None:
    made = unit()
    write(made, 0, 9)
    assert absorb(made, {Port.EAST: reduce(8)}) == [Port.EAST]
    configure(made, register_address(0, RegisterWord.CONTROL), True, 1)
    assert absorb(made, {Port.EAST: reduce(9)}) == [Port.EAST]
    assert made.counters[Counter.STRAY] == 2
    assert not made.accepts(0, started=True)


@pytest.mark.parametrize("operations", ["bitwise", "all"])
def test_a_reduce_after_a_used_distribute_is_judged_by_the_start_of_the_cycle(
    operations: str,
) -> None:
    made = unit(operations)
    write(made, 0, 9)
    register = made.registers[0]
    register.fired = register.local = True
    register.arrived = {0, 1}
    here = {Port.NORTH: reduce(9, 0, 5), Port.WEST: distribute(9, 1, 3)}
    assert absorb(made, here) == [Port.NORTH, Port.WEST]
    assert made.released == [(CENTRE, 0, 3)]
    assert made.counters[Counter.STRAY] == 1
    assert (register.arrived, register.acc) == (set(), 0)


def test_the_serial_combiner_goes_round() -> None:
    """Hand at 0: east first; then north before register 0; one of them a cycle."""
    made = unit("all")
    write(made, 0, 9, root=True)
    made.arrive(0, 8)
    assert made.registers[0].waiting
    here = {Port.EAST: reduce(9, 1, 1), Port.NORTH: reduce(9, 0, 2), Port.WEST: reduce(9)}
    assert absorb(made, here) == [Port.EAST, Port.WEST]
    assert made.counters[Counter.STRAY] == 1
    assert absorb(made, {Port.NORTH: here[Port.NORTH]}) == [Port.NORTH]
    assert made.released == []
    assert absorb(made, {}) == []
    assert made.released == [(CENTRE, 0, 11)]
    assert made.serial is not None
    assert made.serial.hand == 5


def test_counters_stop_at_their_last_value() -> None:
    made = unit()
    for _ in range(300):
        made.count(Counter.STRAY)
    assert made.counters == [0, 255, 0, 0]


@pytest.mark.parametrize("address", [6, 7, 4 * 8, 1023, COUNTER_BASE, COUNTER_BASE + 4, 2048, 4095])
def test_writes_that_are_refused(address: int) -> None:
    made = unit()
    assert configure(made, address, True, 1) == (True, 0)
    assert made.counters[Counter.REFUSED_WRITE] == 1


def test_registers_keep_only_what_the_mesh_needs() -> None:
    """Coordinates of a 3x3 mesh have two bits; a parent is always there."""
    made = unit()
    everything = NODE_WORD.pack({"x": 1023, "y": 1022, "present": 1}) | 1 << 31
    for word in range(RegisterWord.PARENT, RegisterWord.STATUS):
        address = register_address(2, RegisterWord(word))
        assert configure(made, address, True, everything) == (False, 0)
        refused, read = configure(made, address, False, 0)
        assert not refused
        present = word != RegisterWord.PARENT
        assert NODE_WORD.unpack(read) == {"x": 3, "y": 2, "present": present}
        assert read >> NODE_WORD.width == 0


def test_config_answers_come_a_cycle_later_and_only_from_a_node_that_is() -> None:
    model = MeshModel(MeshSpec(kind="mesh", width=2, height=2))
    word = CONTROL.pack({"valid": 1, "gid": 3})

    def ask(node: int, address: int, data: int | None = None) -> tuple[bool, bool, int]:
        model.step(config=ConfigRequest(node, address, data is not None, data or 0))
        return model.config_answer

    assert ask(3, RegisterWord.CONTROL, word | 1 << 31) == (True, False, 0)
    assert ask(3, RegisterWord.CONTROL) == (True, False, word)
    assert ask(3, RegisterWord.PARENT, 1) == (True, True, 0)
    assert ask(3, COUNTER_BASE + Counter.REFUSED_WRITE) == (True, False, 1)
    assert ask(3, 4 * 8) == (True, True, 0)
    assert ask(4, RegisterWord.CONTROL) == (False, False, 0)
    model.step()
    assert model.config_answer == (False, False, 0)
    model.step(start=True)
    assert model.ready(3, 0)
    assert not model.ready(3, 1)
    model.step(arrive={(3, 0): 6})
    assert ask(3, RegisterWord.STATUS) == (True, False, 1 << 4)
    assert ask(3, RegisterWord.CONTROL, 0) == (True, True, 0)
    observed = model.observe(3)
    assert observed >> 4 * 20 == 2 << 24
    assert observed >> 12 & 15 == 6
