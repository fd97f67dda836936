"""Whole lives of groups that a manager sets up in an irregular network."""

from itertools import product

import pytest

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    LIFE,
    MANAGER_BASE,
    MANAGER_COMMAND,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    Request,
    SwitchWord,
    register_address,
)
from tests.models.golden.irregular_bench import line, star, tree
from tests.models.golden.set_up_bench import IrregularBench

DONE, FAILED = ManagerState.DONE, ManagerState.FAILED
OPTIONS = list(product((1, 2), ("switch", "node"), ("bitwise", "all")))
MANAGERS = {"setup": "manager"}


def make(**options: object) -> IrregularBench:
    """Return a bench of three switches in a row, with two nodes each."""
    return IrregularBench(line(3, **{**MANAGERS, **options}))


def life(made: IrregularBench, target: int, register: int = 0) -> dict[str, int]:
    """Read the life of a register on the config port."""
    word = made.request(target, register_address(register, SwitchWord.ARRIVED))
    assert word is not None
    return LIFE.unpack(word >> ARRIVED.width)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: "-".join(map(str, option)))
def test_a_whole_life(option: tuple[int, str, str]) -> None:
    options = dict(zip(("cycles_per_hop", "turnaround", "operations"), option, strict=True))
    made = make(**options)
    group = tree(made.network, [0, 2, 5], 0)
    assert not made.model.ready(0, 0)
    count = made.set_up(group, 7)
    assert count == 3
    both = [(node, 0, 0b100101, False) for node in (0, 2, 5)]
    assert made.barrier(7) == both
    assert made.barrier(7) == both
    assert made.model.freed(0) == []
    assert made.barrier(7, last=True) == both
    # Where a node turns around, it alone knows.
    in_node = options["turnaround"] == "node"
    assert made.model.freed(0) == ([] if in_node else [7])
    assert life(made, 0)["freed"] == in_node
    if not in_node:
        assert made.request(0, MANAGER_BASE + ManagerWord.FREED) == 1 << 8 | 7
        assert made.request(0, MANAGER_BASE + ManagerWord.FREED) == 0
    assert made.run(Request.CLEAR, count) == (DONE, Answer.OK, 0)
    assert all(made.model.holder(target, 7) is None for target in (6, 7, 8))
    for target in range(9):
        assert made.counter(target, Counter.STRAY) == 0
        assert made.counter(target, Counter.REFUSED_WRITE) == 0


def test_one_arrival_that_is_not_the_last_keeps_the_group() -> None:
    made = make()
    made.set_up(tree(made.network, [0, 2, 5], 0), 7)
    made.arrive(7, [0], last=[0])
    assert life(made, 0) == {"go": 1, "last": 1, "dying": 0, "freed": 0, "broken": 0}
    made.arrive(7, [2])
    made.arrive(7, [5], last=[5])
    assert life(made, 2)["last"] == 0
    made.settle()
    assert len(made.released) == 3
    assert made.model.freed(0) == []
    assert life(made, 2)["last"] == 1


def test_nobody_arrives_before_go() -> None:
    made = make()
    group = tree(made.network, [0, 2, 5], 0)
    made.enrol(group, 7)
    made.step(start=True)
    made.arrive(7, [0, 2, 5])
    made.settle()
    assert made.released == []
    for node in (0, 2, 5):
        assert made.counter(node, Counter.REFUSED_ARRIVE) == 1
        assert not made.model.ready(node, 0)


def test_a_group_of_one_member_needs_no_manager() -> None:
    made = make()
    made.enrol(tree(made.network, [4], 2), 7)
    assert made.model.ready(4, 0)
    assert made.barrier(7) == [(4, 0, 1 << 4, False)]


def test_full_takes_back_what_was_written() -> None:
    made = make(barrier_registers=1)
    made.set_up(tree(made.network, [2, 3], 1), 1)
    group = tree(made.network, [0, 5], 0)
    made.enrol(group, 7, slot=0)
    count = made.load(group, 7)
    state, code, entry = made.run(Request.SETUP, count)
    assert (state, code) == (FAILED, Answer.FULL)
    assert entry in (0, 1)
    assert [made.model.holder(target, 7) for target in (6, 7, 8)] == [None] * 3
    made.settle()
    assert not made.model.ready(0, 0)
    assert len(made.barrier(1)) == 2
    # When there is room, the same command does it.
    state, code, _ = made.run(Request.SETUP, count)
    assert (state, code) == (FAILED, Answer.FULL)
    made.load(tree(made.network, [2, 3], 1), 1)
    assert made.run(Request.CLEAR, 1) == (DONE, Answer.OK, 0)
    made.load(group, 7)
    assert made.run(Request.SETUP, count) == (DONE, Answer.OK, 0)
    made.settle()
    assert made.barrier(7) == [(0, 0, 33, False), (5, 0, 33, False)]


def test_the_same_again_is_ok_and_another_image_exists() -> None:
    made = make()
    group = tree(made.network, [0, 2, 5], 0)
    count = made.set_up(group, 7)
    assert made.run(Request.SETUP, count) == (DONE, Answer.OK, 0)
    made.settle()
    assert len(made.barrier(7)) == 3
    made.load(group, 7, epoch=1)
    assert made.run(Request.SETUP, count) == (FAILED, Answer.EXISTS, 0)
    assert all(made.model.holder(target, 7) == 0 for target in (6, 7, 8))
    # Busy is as bad as different.
    made.load(group, 7)
    made.arrive(7, [5])
    made.settle()
    state, code, _ = made.run(Request.SETUP, count)
    assert (state, code) == (FAILED, Answer.EXISTS)


def test_clear_waits_while_a_barrier_is_under_way() -> None:
    made = make()
    group = tree(made.network, [0, 2, 5], 0)
    count = made.set_up(group, 7)
    made.arrive(7, [5])
    made.settle()
    made.order(Request.CLEAR, count)
    for _ in range(400):
        made.step()
    assert made.model.manager_state(0) is ManagerState.RUNNING
    # The switches on the way are busy, and stay; the root's was not yet.
    assert [made.model.holder(target, 7) for target in (6, 7, 8)] == [None, 0, 0]
    assert made.counter(7, Counter.REFUSED_WRITE) > 3
    assert made.kill(7, 0) == 0
    assert made.outcome() == (DONE, Answer.OK, 0)
    made.settle()
    assert made.released == [(5, 0, 0, True)]


def test_only_its_manager_may_end_a_group() -> None:
    made = make(managers=((0, 2), (2, 3)))
    group = tree(made.network, [0, 2, 5], 0)
    count = made.set_up(group, 7)
    made.load(group, 7, manager=1)
    for operation in (Request.CLEAR, Request.KILL):
        assert made.run(operation, count, manager=1) == (FAILED, Answer.DENIED, 0)
    assert len(made.barrier(7)) == 3
    assert made.run(Request.CLEAR, count) == (DONE, Answer.OK, 0)
    # What is not there can be cleared by anyone.
    assert made.run(Request.CLEAR, count, manager=1) == (DONE, Answer.OK, 0)
    assert made.run(Request.SETUP, count, manager=1) == (DONE, Answer.OK, 0)
    made.settle()
    assert len(made.barrier(7, last=True)) == 3
    assert (made.model.freed(0), made.model.freed(5)) == ([], [7])


@pytest.mark.parametrize("turnaround", ["switch", "node"])
@pytest.mark.parametrize("hop", [1, 2])
def test_kill_releases_who_waits_and_the_next_life_has_another_epoch(
    hop: int, turnaround: str
) -> None:
    made = make(cycles_per_hop=hop, turnaround=turnaround, operations="all")
    group = tree(made.network, [0, 2, 5], 0)
    other = tree(made.network, [1, 3, 4], 0)
    count = made.set_up(group, 7, epoch=3)
    made.set_up(other, 8, slot=0)
    made.load(group, 7, epoch=3)
    made.arrive(7, [0, 5])
    made.settle()
    assert made.released == []
    assert made.run(Request.KILL, count) == (DONE, Answer.OK, 0)
    made.settle()
    assert sorted(made.released) == [(0, 0, 0, True), (5, 0, 0, True)]
    assert all(made.model.holder(target, 7) is None for target in range(9))
    assert made.model.broken(0, 0)
    assert not made.model.broken(2, 0)
    assert not made.model.ready(2, 0)
    # A message of the old life that is still about does no harm to the new one.
    made.set_up(group, 7, epoch=0)
    assert not made.model.broken(0, 0)
    assert len(made.barrier(7)) == 3
    assert made.barrier(8) == [(node, 0, 0b11010, False) for node in (1, 3, 4)]


def test_old_messages_are_strays_in_the_next_life() -> None:
    """A member of the old life arrives late, at a node that the death has not reached."""
    made = make()
    group = tree(made.network, [0, 2, 5], 0)
    made.set_up(group, 7, epoch=0)
    # Only the switches die; the node of 5 goes on in the old life, as if BROKEN had been lost.
    where = register_address(0, SwitchWord.CONTROL)
    assert made.request(8, where, 0) == 0
    assert made.kill(6, 0) == 0
    made.settle()
    assert made.counter(8, Counter.STRAY) == 1  # BROKEN
    assert made.model.holder(5, 7) == 0
    made.load(group, 7, epoch=1)
    assert made.run(Request.SETUP, 3) == (DONE, Answer.OK, 0)
    made.settle()
    assert not made.model.ready(0, 0)
    strays = made.counter(5, Counter.STRAY)
    assert strays == 1  # GO of the new epoch
    made.arrive(7, [5])
    made.settle()
    assert made.counter(8, Counter.STRAY) == 2
    assert made.released == []


def test_killing_at_a_node_the_moment_its_process_arrives() -> None:
    made = make()
    made.set_up(tree(made.network, [0, 2, 5], 0), 7)
    made.step(config=made.kill_request(5, 0))
    made.arrive(7, [5])
    made.settle()
    assert made.released == [(5, 0, 0, True)]
    made.arrive(7, [5])
    made.settle()
    assert made.counter(5, Counter.REFUSED_ARRIVE) == 1
    assert made.model.broken(5, 0)


def test_others_are_not_disturbed() -> None:
    made = make(cycles_per_hop=1, barrier_registers=3)
    first = tree(made.network, [0, 3, 4], 0)
    made.set_up(first, 9)
    second = tree(made.network, [1, 2, 5], 0)
    made.enrol(second, 7)
    count = made.load(second, 7)
    plain = len(made.barrier(9))
    made.order(Request.SETUP, count)
    rounds = 0
    while made.model.manager_state(0) is ManagerState.RUNNING:
        made.released.clear()
        made.arrive(9, [0, 3, 4])
        for _ in range(14):
            made.step()
        assert len(made.released) == plain
        rounds += 1
    assert rounds >= 2
    made.settle()
    assert len(made.barrier(7)) == 3
    for target in range(9):
        assert made.counter(target, Counter.STRAY) == 0


def test_words_of_a_manager() -> None:
    made = make()
    where = MANAGER_BASE + ManagerWord.STATUS
    assert made.request(0, where) == 0
    assert made.request(0, MANAGER_BASE + ManagerWord.FREED) == 0
    for word in (ManagerWord.POINTER, ManagerWord.DATA, ManagerWord.COMMAND):
        assert made.request(0, MANAGER_BASE + word) is None
    bad = [
        (ManagerWord.STATUS, 0),
        (ManagerWord.FREED, 0),
        (ManagerWord.COMMAND, MANAGER_COMMAND.pack({"operation": 3, "count": 1})),
        (ManagerWord.COMMAND, MANAGER_COMMAND.pack({"operation": 0, "count": 0})),
        (ManagerWord.COMMAND, MANAGER_COMMAND.pack({"operation": 0, "count": 6})),
    ]
    for word, data in bad:
        assert made.manage(0, word, data) is None
    assert made.request(0, MANAGER_BASE + len(ManagerWord), 0) is None
    assert made.request(1, MANAGER_BASE + ManagerWord.POINTER, 0) is None
    assert made.counter(0, Counter.REFUSED_WRITE) == len(bad) + 1
    assert made.counter(1, Counter.REFUSED_WRITE) == 1
    made.load(tree(made.network, [0, 5], 0), 7)
    made.order(Request.SETUP, 3)
    for word in (ManagerWord.POINTER, ManagerWord.DATA, ManagerWord.COMMAND):
        assert made.manage(0, word, 1) is None
    assert made.outcome() == (DONE, Answer.OK, 0)


@pytest.mark.parametrize("target", [0, 6])
def test_commands_to_registers(target: int) -> None:
    made = make()
    command = register_address(0, SwitchWord.CONTROL) + 4
    for value in (1, 2):
        assert made.request(target, command, value) is None
    assert made.request(target, command) is None
    control = CONTROL.pack({"valid": 1, "root": 1, "gid": 7, "manager": 2})
    assert made.request(target, register_address(0, SwitchWord.TREE), 0) == 0
    assert made.request(target, register_address(0, SwitchWord.CONTROL), control) == 0
    for value in (0, 3, 5, 1 << 31 | 1):
        assert made.request(target, command, value) is None
    assert life(made, target) == {"go": 0, "last": 1, "dying": 0, "freed": 0, "broken": 0}
    assert made.request(target, command, 1) == 0
    assert life(made, target)["go"] == 1
    assert made.request(target, command, 1) == 0
    assert made.request(target, command, 2) == 0
    made.settle()
    assert made.model.holder(target, 7) is None
    assert made.request(target, register_address(0, SwitchWord.CONTROL)) == control & ~1
    assert life(made, target)["go"] == 0


def test_ordinary_packets_to_a_sink_and_requests_take_turns() -> None:
    made = IrregularBench(star(**MANAGERS, channels=2, buffer_flits=2))
    group = tree(made.network, [0, 2, 5], 1)
    made.enrol(group, 7)
    count = made.load(group, 7)
    assert isinstance(made.model, IrregularModel)
    for channel in (0, 1):
        for node in (1, 3, 5):
            for switch in (0, 1, 2, 3):
                made.model.put(node, [made.header(switch), *range(9)], channel)
    assert made.run(Request.SETUP, count) == (DONE, Answer.OK, 0)
    made.settle()
    assert len(made.barrier(7)) == 3
    for switch in range(4):
        assert made.counter(6 + switch, Counter.STRAY) == 6


def test_two_managers_at_once() -> None:
    made = make(managers=((0, 2), (2, 3)), barrier_registers=2)
    first, second = tree(made.network, [0, 3, 4], 0), tree(made.network, [1, 2, 5], 0)
    made.enrol(first, 7)
    made.enrol(second, 8)
    counts = [made.load(first, 7, manager=0), made.load(second, 8, manager=1)]
    for operation in (Request.SETUP, Request.KILL, Request.CLEAR):
        for manager in (0, 1):
            made.order(operation, counts[manager], manager)
        for manager in (0, 1):
            assert made.outcome(manager) == (DONE, Answer.OK, 0)
        made.settle()
        if operation is Request.SETUP:
            assert len(made.barrier(7)) == len(made.barrier(8)) == 3
    assert all(made.model.holder(switch, gid) is None for switch in (6, 7, 8) for gid in (7, 8))
