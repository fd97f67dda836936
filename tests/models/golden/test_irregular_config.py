"""The config port of switches and node interfaces: words, refusals, counters, and when they act."""

import pytest

from syncfabric.models.golden.irregular import ConfigRequest
from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    COUNTER_BASE,
    PENDING,
    TREE,
    Counter,
    SwitchWord,
    register_address,
)
from tests.models.golden.irregular_bench import Bench, Group, line, network_of, tree

ALL = (1 << 32) - 1
SWITCH = 2
"""Target of the only switch of ``line(1)``."""


def address(word: int, register: int = 0) -> int:
    return register_address(register, SwitchWord(word))


@pytest.mark.parametrize(
    ("target", "parent", "children"), [(0, 1, 0b11), (1, 1, 0b11), (SWITCH, 3, 0b1111)]
)
def test_images_keep_the_ports_that_there_are(target: int, parent: int, children: int) -> None:
    made = Bench(line(1))
    assert made.request(target, address(SwitchWord.TREE, 2), ALL) == 0
    assert made.request(target, address(SwitchWord.TREE, 2)) == TREE.pack(
        {"parent": parent, "children": children}
    )
    assert made.request(target, address(SwitchWord.CONTROL, 2), ALL & ~1) == 0
    every_bit = CONTROL.unpack(ALL & (1 << CONTROL.width) - 1)
    fields = CONTROL.unpack(made.request(target, address(SwitchWord.CONTROL, 2)) or 0)
    assert fields == every_bit | {"valid": 0, "turn": 0}


def test_six_ports_keep_three_bits_of_the_parent() -> None:
    made = Bench(network_of(6, 1, [], [(0, 0)]))
    assert made.request(1, address(SwitchWord.TREE), ALL) == 0
    read = made.request(1, address(SwitchWord.TREE)) or 0
    assert TREE.unpack(read) == {"parent": 7, "children": 0b111111}


@pytest.mark.parametrize("target", [0, SWITCH])
def test_words_that_cannot_be_written_or_do_not_exist(target: int) -> None:
    made = Bench(line(1))
    made.add(9, tree(made.network, [0, 1], 0))
    refused = 0
    beyond = (8 * 4, 1000, COUNTER_BASE + 4, 2048)
    for where in (1, 2, 3, 4, 5, 6, 7, COUNTER_BASE + Counter.STRAY, *beyond):
        assert made.request(target, where, 0) is None
        refused += 1
    for where in (2, 3, 4, *beyond):
        assert made.request(target, where) is None
    made.settle()
    assert made.request(target, COUNTER_BASE + Counter.REFUSED_WRITE) == refused
    assert made.counters(target) == [0, 0, 0, refused]
    assert made.request(target, address(SwitchWord.RESULT)) == 0


def test_no_target_no_answer() -> None:
    made = Bench(line(1))
    seen = []
    for target in (3, 100, 2, 2, 100):
        made.model.step(config=ConfigRequest(target, 0, False))
        seen.append(made.model.config_answer)
    silent, answer = (False, False, 0), (True, False, 0)
    assert seen == [silent, silent, silent, answer, answer]
    made.model.step()
    assert made.model.config_answer == silent
    assert made.model.idle_until() is None


def test_state_can_be_read_and_a_busy_register_cannot_be_written() -> None:
    made = Bench(line(1, cycles_per_hop=1))
    made.add(9, tree(made.network, [0, 1], 0))
    made.model.step(arrive={(1, 0): 5})
    made.settle()
    assert made.request(1, address(5)) == ARRIVED.pack({"arrived": 0b10, "fired": 1})
    assert made.request(SWITCH, address(5)) == ARRIVED.pack({"arrived": 0b1000})
    for target in (1, SWITCH):
        assert made.request(target, address(6)) == 0
        assert made.request(target, address(0), CONTROL.pack({"valid": 1})) is None
    assert made.request(0, address(0), CONTROL.pack({"valid": 1, "gid": 9})) == 0
    made.model.step(arrive={(0, 0): 2}, config=ConfigRequest(0, address(6), False))
    made.model.step(config=ConfigRequest(SWITCH, address(6), False))
    assert made.model.config_answer == (True, False, PENDING.pack({"parent": 1}))
    made.model.step()
    assert made.model.config_answer == (True, False, PENDING.pack({"children": 0b1100}))
    made.settle()
    assert made.request(1, address(7)) == made.request(SWITCH, address(7)) == 7


def test_observe_shows_every_field_in_its_place() -> None:
    made = Bench(line(1, data_bits=3, cycles_per_hop=1))
    made.add(9, tree(made.network, [0, 1], 0))
    made.model.step(arrive={(1, 0): 5})
    made.settle()
    assert made.model.observe(1) == 0b10 | 1 << 2 | 0 << 3 | 0 << 5 | 5 << 6
    assert made.model.observe(SWITCH) == 0b1000 | 5 << 10
    made.model.step(arrive={(0, 0): 2})
    assert made.model.observe(0) == 0b10 | 1 << 2 | 1 << 5 | 2 << 6
    made.model.step()
    assert made.model.observe(0) == 0b10 | 1 << 2 | 2 << 6
    assert made.model.observe(SWITCH) == 0b1100 << 5 | 7 << 13
    made.model.step()
    assert made.model.observe(SWITCH) == 7 << 13


@pytest.mark.parametrize("hop", [1, 2])
@pytest.mark.parametrize("epoch", [0, 1])
@pytest.mark.parametrize("before", range(-1, 4))
def test_a_message_meets_a_new_control_word(hop: int, epoch: int, before: int) -> None:
    """A write that a matching message meets is refused; just after one, nothing is used.

    The REDUCE is presented in cycle 5, the word is looked at ``before`` cycles earlier.
    """
    made = Bench(line(1, cycles_per_hop=hop))
    made.add(9, tree(made.network, [0, 1], 0))
    control = CONTROL.pack({"valid": 1, "root": 1, "gid": 9, "epoch": epoch})
    for cycle in range(12):
        config = ConfigRequest(SWITCH, 0, True, control) if cycle == 5 - before - 1 else None
        made.model.step(arrive={(0, 0): 1} if cycle == 5 - hop else {}, config=config)
    refused, new = before <= 0, before > 0
    stray = before == 1 or (new and epoch == 1)
    assert made.counters(SWITCH) == [0, stray, 0, refused]
    assert made.request(SWITCH, address(5)) == (0 if stray else 0b100)
    assert made.request(SWITCH, address(0)) == (control if new else control & ~(3 << 6))


def test_with_two_cycles_a_hop_the_old_image_matches_once_more() -> None:
    """A message of the old epoch just after the write is no business of the new: it is stray.

    The write that it meets is refused, for it matches the image of the cycle before.
    """
    for hop, refused in ((1, 0), (2, 1)):
        made = Bench(line(1, cycles_per_hop=hop))
        made.add(9, tree(made.network, [0, 1], 0))
        for cycle in range(12):
            fields = {"valid": 1, "root": 1, "gid": 9, "epoch": (cycle - 2) % 4}
            config = ConfigRequest(SWITCH, 0, True, CONTROL.pack(fields))
            made.model.step(
                arrive={(0, 0): 1} if cycle == 5 - hop else {},
                config=config if cycle in (3, 4) else None,
            )
        assert made.counters(SWITCH) == [0, 1, 0, refused]


def test_a_write_that_an_arrive_meets_is_refused() -> None:
    made = Bench(line(1))
    made.add(9, tree(made.network, [0, 1], 0))
    control = CONTROL.pack({"valid": 1, "gid": 9, "epoch": 1})
    made.model.step(config=ConfigRequest(0, address(0), True, control))
    made.model.step(arrive={(0, 0): 1})
    assert made.model.config_answer == (True, True, 0)
    made.settle()
    assert made.counters(0) == [0, 0, 0, 1]
    assert made.request(SWITCH, address(5)) == 0b100
    made.model.step(config=ConfigRequest(1, address(0), True, control))
    made.model.step()
    made.model.step(arrive={(1, 0): 1})
    made.settle()
    assert made.counters(1) == [0, 0, 0, 0]
    assert made.counters(SWITCH) == [0, 1, 0, 0]


def test_an_event_shows_after_two_cycles() -> None:
    made = Bench(line(1))
    made.model.step(arrive={(0, 0): 1})
    assert made.counters(0) == [0] * 4
    made.model.step()
    assert made.counters(0) == [0, 0, 1, 0]
    made.model.touched.clear()
    made.model.step(arrive={(0, 0): 1})
    assert made.model.idle_until() == made.model.cycle
    made.model.touched.clear()
    made.model.step()
    assert 0 in made.model.touched
    assert made.counters(0) == [0, 0, 2, 0]
    assert made.model.idle_until() is None


def test_messages_that_nobody_uses_are_counted() -> None:
    """Of another epoch, of no group here, by a port that is no child's, twice; and DISTRIBUTEs."""
    made = Bench(line(1))
    member = (0, [1], False)
    made.add(1, Group({0: member}))
    made.add(2, Group({0: member, SWITCH: (0, [3], True)}))
    made.add(3, Group({0: member}), epoch=1)
    made.add(3, Group({SWITCH: (0, [2, 3], True)}), epoch=2)
    for register in range(3):
        made.model.step(arrive={(0, register): 0})
        made.settle()
        assert made.counters(SWITCH) == [0, register + 1, 0, 0]
        assert made.request(SWITCH, address(5, min(register, 1))) == 0
    # A root that tells a node which knows nothing, and one that has not arrived.
    made = Bench(line(1))
    made.add(1, Group({0: (0, [1], True), SWITCH: (3, [2], False), 1: (0, [0, 1], True)}))
    assert made.request(0, address(0), 0) == 0
    assert made.request(0, address(0), CONTROL.pack({"valid": 1, "gid": 1})) == 0
    made.model.step(arrive={(0, 0): 0, (1, 0): 0})
    made.settle()
    assert made.all_counters() == [[0] * 4] * 3
    made.model.step(arrive={(0, 0): 0})
    made.settle()
    assert made.counters(1) == [0, 0, 0, 0]
    assert made.request(1, address(5)) == 0b01


@pytest.mark.parametrize("kind", [{}, {"operations": "all"}], ids=["open", "slots"])
def test_what_is_sent_where_no_link_is_vanishes(kind: dict[str, str]) -> None:
    """Without slots the output is free again; with a slot, no credit ever comes back."""
    made = Bench(line(1, **kind))
    made.add(1, Group({0: (0, [1], False), SWITCH: (1, [2], False)}))
    made.add(2, Group({0: (0, [1], False), SWITCH: (1, [2], False)}))
    made.model.step(arrive={(0, 0): 0, (0, 1): 0})
    while made.model.idle_until() is not None:
        record = made.model.step()
        assert record is None or record.valid in {0, 1 << 4 * 2 + 1}
    left = [made.request(SWITCH, address(6, register)) for register in range(2)]
    assert left == [0, PENDING.pack({"parent": 1}) if kind else 0]


def test_a_parent_that_is_no_port_is_never_told() -> None:
    """A switch of three ports keeps two bits of the parent: there is no port 3."""
    made = Bench(network_of(3, 1, [], [(0, 0)]))
    made.add(1, Group({0: (0, [1], False), 1: (3, [0], False)}))
    made.model.step(arrive={(0, 0): 0})
    made.settle()
    assert made.request(1, address(6)) == PENDING.pack({"parent": 1})


def test_a_new_control_word_clears_done() -> None:
    made = Bench(line(1))
    made.add(1, tree(made.network, [0], 0))
    made.model.step(arrive={(0, 0): 3})
    assert made.model.done(0, 0)
    control = CONTROL.pack({"valid": 1, "root": 1, "gid": 1, "op": 1})
    assert made.request(0, address(0), control) == 0
    assert not made.model.done(0, 0)
    identity, result = 63 << 6, 3 << 12
    assert made.model.observe(0) == identity | result


def test_a_node_interface_matches_by_the_present_image_whatever_the_hop() -> None:
    """A REDUCE of the old epoch, presented in cycle 5, is no reason to refuse the second write."""
    made = Bench(line(1, cycles_per_hop=2, turnaround="node"))
    made.add(9, tree(made.network, [1, 0], 0))
    for cycle in range(12):
        fields = {"valid": 1, "root": 1, "gid": 9, "epoch": (cycle - 2) % 4}
        config = ConfigRequest(1, 0, True, CONTROL.pack(fields))
        made.model.step(
            arrive={(0, 0): 1} if cycle == 2 else {}, config=config if cycle in (3, 4) else None
        )
    assert made.counters(1) == [0, 1, 0, 0]
    assert CONTROL.unpack(made.request(1, address(0)) or 0)["epoch"] == 2
