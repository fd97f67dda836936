"""Whole lives of groups that a manager sets up on a mesh."""

from itertools import product
from typing import Any

import pytest

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    COUNTER_BASE,
    LIFE,
    MANAGER_BASE,
    MANAGER_COMMAND,
    STATUS,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    RegisterWord,
    Request,
    register_address,
)
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.tree import Tree
from tests.models.golden.set_up_bench import MeshBench

DONE, FAILED = ManagerState.DONE, ManagerState.FAILED
OPTIONS = list(product((0, 1), ("shared", "own"), ("bitwise", "all")))
NAMES = ("barrier_pipeline", "sync_links", "operations")
MEMBERS = ((0, 0), (2, 0), (1, 1), (0, 2), (2, 2))


def make(width: int = 3, height: int = 3, **options: Any) -> MeshBench:
    keys = {"kind": "mesh", "width": width, "height": height, "setup": "manager", "data_bits": 9}
    return MeshBench(MeshSpec.model_validate({**keys, "flit_bits": 40, **options}))


def group(*members: tuple[int, int]) -> Tree:
    return build_tree(members or MEMBERS)


def life(made: MeshBench, node: int, register: int = 0) -> dict[str, int]:
    """Read the life of a register on the config port."""
    word = made.request(node, register_address(register, RegisterWord.STATUS))
    assert word is not None
    return LIFE.unpack(word >> STATUS.width)


def told(made: MeshBench, gid: int, broken: bool = False) -> list[tuple[int, int, int, bool]]:
    members = made.members(gid)
    return [(node, 0, sum(1 << other for other in members), broken) for node in members]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: "-".join(map(str, option)))
def test_a_whole_life(option: tuple[Any, ...]) -> None:
    made = make(**dict(zip(NAMES, option, strict=True)))
    count = made.set_up(group(), 7)
    assert count == len(MEMBERS)
    assert made.barrier(7) == told(made, 7)
    assert made.barrier(7) == told(made, 7)
    assert made.model.freed(0) == []
    assert made.barrier(7, last=True) == told(made, 7)
    assert made.model.freed(0) == [7]
    assert made.request(0, MANAGER_BASE + ManagerWord.FREED) == 1 << 8 | 7
    assert made.run(Request.CLEAR, count) == (DONE, Answer.OK, 0)
    for node in range(9):
        assert made.model.holder(node, 7) is None
        for counter in Counter:
            assert made.counter(node, counter) == 0


def test_one_arrival_that_is_not_the_last_keeps_the_group() -> None:
    made = make()
    made.set_up(group(), 7)
    for node in made.members(7):
        made.arrive(7, [node], last=[node] if node != 4 else [])
    made.settle()
    assert len(made.released) == 5
    assert made.model.freed(0) == []


def test_nobody_arrives_before_go() -> None:
    made = make()
    tree = group()
    count = made.load(tree, 7)
    made.groups[7] = tree
    made.order(Request.SETUP, count)
    made.step(start=True)
    early = 0
    while made.model.manager_state(0) is ManagerState.RUNNING:
        if made.model.holder(2, 7) is not None and not made.model.ready(2, 0):
            made.step(arrive={(2, 0): 1}, last=[(2, 0)])
            early += 1
        made.step()
    made.settle()
    assert made.counter(2, Counter.REFUSED_ARRIVE) == early > 0
    assert made.barrier(7) == told(made, 7)


def test_full_takes_back_what_was_written() -> None:
    made = make(barrier_registers=1)
    made.set_up(group((1, 1), (2, 1)), 1)
    tree = group()
    count = made.load(tree, 7)
    made.groups[7] = tree
    state, code, entry = made.run(Request.SETUP, count)
    assert (state, code) == (FAILED, Answer.FULL)
    holders = [node for node in range(9) if made.model.holder(node, 7) is not None]
    assert holders == []
    assert entry < count
    assert len(made.barrier(1, last=True)) == 2
    assert made.model.freed(0) == [1]


def test_the_same_again_is_ok_and_another_image_exists() -> None:
    made = make()
    count = made.set_up(group(), 7)
    assert made.run(Request.SETUP, count) == (DONE, Answer.OK, 0)
    made.settle()
    assert len(made.barrier(7)) == 5
    made.load(group(), 7, op="and")
    assert made.run(Request.SETUP, count) == (FAILED, Answer.EXISTS, 0)
    assert sum(made.model.holder(node, 7) == 0 for node in range(9)) == 5


def test_clear_waits_until_a_register_is_idle() -> None:
    made = make()
    tree = group((0, 0), (2, 2))
    made.set_up(tree, 7)
    root = made.network.mesh.index(tree.root)
    other = next(node for node in made.members(7) if node != root)
    made.arrive(7, [other])
    made.settle()
    words = made.load(tree, 7)
    assert words == 2
    # The entry that is not the root's, alone.
    made.order(Request.CLEAR, 1)
    for _ in range(300):
        made.step()
    assert made.model.manager_state(0) is ManagerState.RUNNING
    made.arrive(7, [root])
    made.settle()
    assert len(made.released) == 2
    assert made.outcome() == (DONE, Answer.OK, 0)
    assert made.model.holder(other, 7) is None


def test_only_its_manager_may_end_a_group() -> None:
    made = make(managers=((2, 1), (0, 2)))
    count = made.set_up(group(), 7)
    made.load(group(), 7, manager=1)
    for operation in (Request.CLEAR, Request.KILL):
        assert made.run(operation, count, manager=1) == (FAILED, Answer.DENIED, 0)
    assert len(made.barrier(7)) == 5
    assert made.run(Request.CLEAR, count) == (DONE, Answer.OK, 0)
    assert made.run(Request.SETUP, count, manager=1) == (DONE, Answer.OK, 0)
    made.settle()
    assert len(made.barrier(7, last=True)) == 5
    assert (made.model.freed(5), made.model.freed(6)) == ([], [7])


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: "-".join(map(str, option)))
def test_kill_releases_who_waits(option: tuple[Any, ...]) -> None:
    made = make(**dict(zip(NAMES, option, strict=True)))
    count = made.set_up(group(), 7, epoch=3)
    made.set_up(group((1, 0), (0, 1), (1, 1), (2, 1)), 8)
    made.load(group(), 7, epoch=3)
    waiting = [0, 2, 8]
    made.arrive(7, waiting)
    made.settle()
    assert made.released == []
    assert made.run(Request.KILL, count) == (DONE, Answer.OK, 0)
    made.settle()
    assert sorted(made.released) == [(node, 0, 0, True) for node in waiting]
    assert all(made.model.holder(node, 7) is None for node in range(9))
    assert made.model.broken(0, 0)
    assert life(made, 0)["broken"] == 1
    made.set_up(group(), 7, epoch=0)
    assert not made.model.broken(0, 0)
    assert made.barrier(7) == told(made, 7)
    assert len(made.barrier(8)) == 4


@pytest.mark.parametrize("after", range(6))
@pytest.mark.parametrize("operations", ["bitwise", "all"])
@pytest.mark.parametrize("pipeline", [0, 1])
def test_arriving_while_the_group_dies(after: int, operations: str, pipeline: int) -> None:
    """Whatever the cycle, the arrival is refused, or released with ``broken``; nothing is left."""
    made = make(operations=operations, barrier_pipeline=pipeline)
    tree = group((0, 0), (1, 0))
    made.set_up(tree, 7)
    root = made.network.mesh.index(tree.root)
    member = 1 - root
    made.step(config=made.kill_request(root, 0))
    for _ in range(after):
        made.step()
    made.step(arrive={(member, 0): 5, (root, 0): 5})
    made.settle()
    refused = [made.counter(node, Counter.REFUSED_ARRIVE) for node in (root, member)]
    assert refused[0] == 1
    assert made.released == ([] if refused[1] else [(member, 0, 0, True)])
    assert all(made.model.holder(node, 7) is None for node in (0, 1))
    status = made.request(member, register_address(0, RegisterWord.STATUS))
    assert status is not None
    assert status & (1 << STATUS.width) - 1 == 0


def test_killing_in_the_cycle_of_an_arrival() -> None:
    made = make()
    made.set_up(group((0, 0), (1, 0)), 7)
    made.step(arrive={(0, 0): 1}, config=made.kill_request(0, 0))
    made.settle()
    assert (0, 0, 0, True) in made.released


def test_traffic_and_set_up_do_not_disturb_each_other() -> None:
    made = make(channels=2, buffer_flits=2)
    first = group((1, 0), (0, 1), (1, 1), (2, 1))
    made.set_up(first, 8)
    tree = group()
    count = made.load(tree, 7)
    made.groups[7] = tree
    for node in range(9):
        for other in range(9):
            if node != other:
                for _ in range(3):
                    made.model.sources.create(node, other, made.model.cycle - 1)
    made.order(Request.SETUP, count)
    rounds = 0
    while made.model.manager_state(0) is ManagerState.RUNNING:
        made.released.clear()
        made.arrive(8, made.members(8))
        for _ in range(60):
            made.step()
        assert len(made.released) == 4
        rounds += 1
    assert rounds >= 2
    made.settle()
    assert made.model.is_empty()
    assert made.model.packets.flits_ejected == 9 * 8 * 3 * 5
    assert [release[2] for release in made.barrier(7)] == [0b101010101] * 5


def test_cycles_of_a_request_and_its_reply() -> None:
    """The manager's own node: LOCAL input, LOCAL output, sink; and back."""
    made = make(1, 2, buffer_flits=8)
    tree = group((0, 0))
    made.load(tree, 7)
    made.settle()
    command = MANAGER_COMMAND.pack({"operation": Request.SETUP, "count": 1})
    first = made.model.cycle
    done = ready = None
    seen = 0
    for now in range(60):
        config = ConfigRequest(0, MANAGER_BASE + ManagerWord.COMMAND, True, command)
        record = made.model.step(config=config if now == 0 else None)
        seen |= record is not None and (record.valid | record.credit)
        if ready is None and made.model.ready(0, 0):
            ready = made.model.cycle - first
        if done is None and made.model.manager_state(0) is DONE:
            done = made.model.cycle - first
    # Seven flits from 3 on: into the router, out of it in 4, to the sink in 5; the tail in 11.
    # LOOK 12; STORE 13, 15, 17, 19, 21 and 23; GO 25; ANSWER 27.
    assert ready == 26
    # Chosen 28; into the router 29, out 30, to the manager 31; the word in 32, the last step in 33.
    assert done == 34
    assert seen == 0


def test_words_of_a_manager_are_answered_at_once() -> None:
    made = make()
    assert made.request(0, MANAGER_BASE + ManagerWord.STATUS) == 0
    assert made.manage(0, ManagerWord.STATUS, 0) is None
    assert made.request(1, MANAGER_BASE + ManagerWord.STATUS) is None
    assert made.request(0, COUNTER_BASE + Counter.REFUSED_WRITE) == 1


def test_observe_has_the_life_before_the_data() -> None:
    made = make(1, 1)
    made.set_up(group((0, 0)), 7)
    fields = LIFE.pack({"go": 1, "last": 1})
    assert made.model.observe(0) & (1 << 26) - 1 == fields << STATUS.width
    made.step(arrive={(0, 0): 5}, last=[(0, 0)])
    local = STATUS.pack({"local": 1})
    assert made.model.observe(0) & (1 << 26) - 1 == local | fields << STATUS.width | 5 << 17
    made.step()
    assert LIFE.unpack(made.model.observe(0) >> STATUS.width & 31)["freed"] == 1
    made.settle()
    assert LIFE.unpack(made.model.observe(0) >> STATUS.width & 31)["freed"] == 0
    assert made.model.freed(0) == [7]
