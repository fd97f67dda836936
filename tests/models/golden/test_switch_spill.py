"""Groups beyond the registers of switches and node interfaces: the engines' cycles by hand."""

from collections.abc import Iterable
from typing import Any

import pytest

from syncfabric.models.golden.record import Message
from syncfabric.models.golden.switch_spill import SwitchSpill
from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    PENDING,
    Kind,
    SwitchWord,
    spill_address,
)
from tests.models.golden.irregular_bench import Bench, Group, line, network_of, tree

SWITCH = 2
"""Target of the only switch of ``line(1)``."""


def run(made: Bench, cycles: int, inputs: dict[int, dict[int, tuple[int, int]]]) -> list[Any]:
    """Step with spill arrivals by relative cycle; return (cycle, event) of what comes out."""
    seen: list[Any] = []
    for now in range(cycles):
        seen += [(now, *release) for release in made.model.spill_release]
        seen += [(now, "register", *release) for release in made.model.release]
        record = made.model.step(spill_arrive=inputs.get(now, {}))
        valid = 0 if record is None else record.valid
        seen += [
            (now, "link", lane // 2) for lane in range(valid.bit_length()) if valid >> lane & 1
        ]
    return seen


def spilled(gid: int, where: Iterable[int], hop: int = 1) -> Bench:
    """Return a switch with two nodes that are a group, spilled at some of the three places."""
    made = Bench(line(1, spill=True, cycles_per_hop=hop))
    made.add(gid, tree(made.network, [0, 1], 0), spilled=where)
    made.settle()
    return made


def test_a_lone_member_is_released_after_four_cycles() -> None:
    made = Bench(line(1, spill=True))
    made.add(7, tree(made.network, [1], 0), spilled=[1])
    made.settle()
    assert made.model.spill_ready(1)
    made.model.step(spill_arrive={1: (7, 5)})
    assert not made.model.spill_ready(1)
    made.model.step(spill_arrive={1: (7, 1)})
    assert made.model.spill_ready(1)
    made.model.step()
    made.model.step()
    assert made.model.spill_release == [(1, 7, 5)]
    made.model.step()
    assert made.model.spill_release == []
    assert made.model.idle_until() is None


@pytest.mark.parametrize(
    ("hop", "where", "expected"),
    [
        # Held 0, accepted 1, merged 3, fetched 4, loaded 6, sent 7; at the switch one of the two
        # waits: accepted 7 and 10, merged 12, fetched 13, loaded 15, sent 16; merged at the nodes.
        (1, [0, 1, SWITCH], [7, 7, 16, 16, 19, 19]),
        (2, [0, 1, SWITCH], [7, 7, 17, 17, 20, 20]),
        # Used in the switch's register in the cycle in which they are presented.
        (1, [0, 1], [7, 7, 8, 8, 11, 11]),
        (2, [0, 1], [7, 7, 9, 9, 12, 12]),
    ],
)
def test_two_members_by_hand(hop: int, where: list[int], expected: list[int]) -> None:
    made = spilled(200, where, hop)
    seen = run(made, 30, {0: {0: (200, 8), 1: (200, 2)}})
    events: list[Any] = [(0, "link", 4), (0, "link", 5), (0, "link", 2), (0, "link", 3)]
    events += [(0, 0, 200, 10), (0, 1, 200, 10)]
    assert seen == [(now, *event[1:]) for now, event in zip(expected, events, strict=True)]
    assert made.all_counters() == [[0] * 4] * 3


def test_a_switch_alone_may_be_spilled() -> None:
    """Messages wait in the slots for the engine; the second's credit comes back later."""
    made = spilled(3, [SWITCH])
    begin = made.model.cycle
    made.model.step(arrive={(0, 0): 1, (1, 0): 6})
    credits: dict[int, int] = {}
    while not made.model.release:
        now = made.model.cycle - begin
        record = made.model.step()
        if record is not None and record.credit:
            credits[now] = record.credit
    first, second = 1 << 4 * 2 + 1, 1 << 5 * 2 + 1
    # Accepted 1 and 4, merged 6, fetched 7, loaded 9, sent 10, released 11.
    assert credits == {2: first, 5: second}
    assert made.model.cycle - begin == 11
    assert made.model.release == [(0, 0, 7), (1, 0, 7)]
    record = made.model.step()
    assert record is not None
    assert record.credit == 1 << 2 * 2 + 1 | 1 << 3 * 2 + 1


def test_config_requests_take_four_cycles_and_refusals_are_counted() -> None:
    made = spilled(3, [0, 1, SWITCH])

    def ask(target: int, word: SwitchWord, data: int | None = None) -> tuple[int, int | None]:
        before = made.model.cycle
        answer = made.request(target, spill_address(3, word), data)
        return made.model.cycle - before, answer

    assert ask(0, SwitchWord.ARRIVED) == (4, 0)
    assert ask(0, SwitchWord.TREE, 0) == (4, None)
    run(made, 20, {0: {0: (3, 6)}})
    assert ask(0, SwitchWord.ARRIVED) == (4, ARRIVED.pack({"arrived": 0b10, "fired": 1}))
    assert ask(SWITCH, SwitchWord.ARRIVED) == (4, ARRIVED.pack({"arrived": 0b100}))
    for target in (0, SWITCH):
        assert ask(target, SwitchWord.CONTROL, 0) == (4, None)
        assert made.request(target, spill_address(3, SwitchWord.CONTROL) + 2) is None
        assert made.request(target, spill_address(3, SwitchWord.CONTROL) + 3, 0) is None
    made.settle()
    assert [made.counters(target)[3] for target in range(3)] == [3, 0, 2]
    run(made, 40, {0: {1: (3, 9)}})
    for target in range(3):
        assert ask(target, SwitchWord.RESULT) == (4, 15)
    assert ask(0, SwitchWord.CONTROL, CONTROL.pack({"gid": 3})) == (4, 0)
    assert ask(0, SwitchWord.TREE, 0) == (4, 0)


def test_a_queued_entry_reads_as_bit_nought_of_the_children() -> None:
    """FETCH comes first, so the queue shows only while another group's message waits to leave."""
    made = Bench(line(1, spill=True))
    for gid in (3, 4):
        made.add(gid, tree(made.network, [0, 1], 0), spilled=[0, 1, SWITCH])
    made.settle()
    model = made.model
    lane = model.wiring.injection(0, 1)
    model.credits[lane] = 0
    for gid in (3, 4):
        model.step(spill_arrive={0: (gid, 0)})
        for _ in range(9):
            model.step()
    assert made.request(0, spill_address(4, SwitchWord.PENDING)) == PENDING.pack({"children": 1})
    assert made.request(0, spill_address(3, SwitchWord.PENDING)) == 0
    assert made.request(0, spill_address(3, SwitchWord.CONTROL), 0) is None
    assert model.idle_until() is not None
    made.settle()
    assert model.idle_until() is None
    model._return([lane])
    made.settle()
    assert made.request(SWITCH, spill_address(4, SwitchWord.ARRIVED)) == 0b100


def test_bad_arrivals_and_messages_are_counted() -> None:
    """Twice, of no group, where the process is no member; of another epoch, and to no entry."""
    made = spilled(3, [0, 1, SWITCH])
    made.add(4, Group({0: (0, [], False)}), spilled=[0])
    made.add(5, Group({0: (0, [1], False)}), spilled=[0])
    made.add(6, Group({0: (0, [1], False)}), spilled=[0], epoch=1)
    made.add(6, Group({SWITCH: (0, [2], True)}), spilled=[SWITCH], epoch=2)
    run(made, 30, {0: {0: (3, 0)}, 10: {0: (3, 0)}, 20: {0: (99, 0)}})
    run(made, 40, {0: {0: (4, 0)}, 10: {0: (5, 0)}, 20: {0: (6, 0)}})
    assert made.counters(0) == [0, 0, 3, 0]
    assert made.counters(SWITCH) == [0, 2, 0, 0]
    assert made.request(SWITCH, spill_address(6, SwitchWord.ARRIVED)) == 0


def test_a_register_of_another_epoch_leaves_messages_to_the_engine() -> None:
    made = Bench(line(1, spill=True))
    made.add(3, Group({0: (0, [1], False)}), epoch=1)
    made.add(3, Group({SWITCH: (0, [2], True)}), epoch=2)
    made.groups[3].images.clear()
    made.add(3, Group({SWITCH: (0, [2], True)}), epoch=1, spilled=[SWITCH])
    made.model.step(arrive={(0, 0): 9})
    made.settle()
    assert made.counters(SWITCH) == [0, 0, 0, 0]
    assert made.request(SWITCH, spill_address(3, SwitchWord.RESULT)) == 9


def test_a_root_nodes_process_arrives_while_its_message_is_still_to_be_sent() -> None:
    """The next episode begins at the root node at once, with the release to others queued."""
    network = network_of(4, 1, [], [(0, 0), (0, 1)], spill=True, turnaround="node")
    made = Bench(network)
    group = tree(network, [0, 1], 0)
    made.add(8, group, spilled=list(group.images))
    made.settle()
    told = 0
    arrive = {0: (8, 1), 1: (8, 2)}
    for _ in range(400):
        if made.model.spill_release:
            assert {result for _, _, result in made.model.spill_release} == {3}
        told += len(made.model.spill_release)
        ready = {node: arrive.pop(node) for node in list(arrive) if made.model.spill_ready(node)}
        made.model.step(spill_arrive=ready)
        arrive |= {node: (8, node + 1) for node, _, _ in made.model.spill_release}
    assert told > 16
    assert made.all_counters() == [[0] * 4] * 3


def test_inputs_of_an_engine_take_turns() -> None:
    """A node's own request comes after the message, and then again before it."""
    network = network_of(4, 1, [], [(0, 0), (0, 1)], spill=True)
    made = Bench(network)
    groups = (10, 11, 12, 13)
    for gid in groups:
        made.add(gid, tree(network, [0, 1], 0), spilled=[0, 1, 2])
    made.settle()
    waiting = {node: list(groups) for node in (0, 1)}
    told = dict.fromkeys((0, 1), 0)
    for _ in range(600):
        ready = {
            node: (queue.pop(0), 0)
            for node, queue in waiting.items()
            if queue and made.model.spill_ready(node)
        }
        made.model.step(spill_arrive=ready)
        for node, gid, _ in made.model.spill_release:
            told[node] += 1
            waiting[node].append(gid)
    assert told[0] > 40
    assert abs(told[0] - told[1]) < 5
    assert made.all_counters() == [[0] * 4] * 3


def engine(made: Bench, group: Group) -> tuple[SwitchSpill[Any], Any]:
    """Return the switch's engine with a spilled group 9, and how to give it a message.

    A message is given with what the send register holds at the start of the cycle of merging.
    """
    made.add(9, group, spilled=[SWITCH])
    place = made.model._routers[SWITCH]
    spill = place.spill
    assert spill is not None

    def give(kind: Kind, port: int) -> bool:
        """Return whether it is used."""
        before = len(made.model._events)
        spill._message(port, Message(0, kind, 9, 0, 0, 0, 0, 0, 0), spill.sends())
        return len(made.model._events) == before

    return spill, give


def test_an_entry_uses_nothing_from_a_child_that_has_not_been_told() -> None:
    spill, give = engine(Bench(line(1, spill=True)), Group({SWITCH: (0, [2, 3], True)}))
    assert give(Kind.REDUCE, 2)
    assert not give(Kind.REDUCE, 2)
    assert not give(Kind.REDUCE, 1)
    assert give(Kind.REDUCE, 3)
    assert spill.entries[9].queued
    assert not give(Kind.REDUCE, 2)
    spill._fetch(spill.queue.popleft())
    assert spill.send.pending == {2, 3}
    assert not give(Kind.REDUCE, 2)
    spill.send.pending.discard(2)
    assert give(Kind.REDUCE, 2)
    assert not give(Kind.REDUCE, 3)
    spill.send.gid = 8
    assert give(Kind.REDUCE, 3)


def test_an_entry_is_not_told_before_it_has_told_its_parent() -> None:
    spill, give = engine(Bench(line(1, spill=True)), Group({SWITCH: (0, [2], False)}))
    assert not give(Kind.DISTRIBUTE, 0)
    assert give(Kind.REDUCE, 2)
    assert not give(Kind.DISTRIBUTE, 0)
    spill._fetch(spill.queue.popleft())
    assert not give(Kind.DISTRIBUTE, 0)
    assert not give(Kind.GO, 0)
    spill.send.pending.clear()
    assert not give(Kind.DISTRIBUTE, 2)
    assert give(Kind.DISTRIBUTE, 0)
    assert spill.entries[9].queued
    assert spill.send.pending == set()
