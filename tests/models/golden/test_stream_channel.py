"""Channels of a router's streams: when they open, fork, fail and may be set up again."""

import pytest

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.slots import RouterSlots, SlotState
from syncfabric.models.golden.streams import RouterStreams
from syncfabric.models.layout.engine import COMMIT, Code, EngineLayout, Kind
from syncfabric.models.layout.slots import SlotLayout
from tests.models.golden.stream_bench import alive, head, layout_of, opened, word


@pytest.mark.parametrize("comes", [4, 5])
def test_v1_open_from_the_cycle_after_go_is_on_the_wires(comes: int) -> None:
    """A word in its buffer from 5 on is dropped with a credit, one from 6 on is taken."""
    layout, sent, freed = layout_of(), [], []
    router = RouterStreams(layout)
    for cycle in range(20):
        words = {0: (0, head(layout))} if cycle == comes else {}
        router.step([alive({0}, {1}, goes=cycle == 5)], words)
        sent += [cycle + 1] * len(router.sends)
        freed += [cycle + 1] * len(router.freed)
    assert freed == [comes + 2]
    assert sent == ([comes + 1 + 3] if comes == 5 else [])


def test_fifteen_streams_are_active_at_most() -> None:
    layout = layout_of()
    router, slots = opened(layout, {0}, {1}), [alive({0}, {1})]
    sent = 0
    for cycle in range(80):
        router.step(
            slots,
            {0: (0, head(layout, tail=True))} if cycle < 20 and cycle % 2 else {},
            [(1, 0)] * (1 in router.sends),
        )
        sent += 1 in router.sends
    assert sent == 10
    for _ in range(10):
        router.step(slots, {0: (0, head(layout, tail=True))}, [(1, 0)] * (1 in router.sends))
        sent += 1 in router.sends
    for _ in range(20):
        router.step(slots, {}, [(1, 0)] * (1 in router.sends))
        sent += 1 in router.sends
    assert sent == 15
    router.step(slots, {1: (0, head(layout, tail=True))})  # the first one's comes down
    for _ in range(9):
        router.step(slots)
        sent += 1 in router.sends
    assert sent == 16


def test_a_word_is_copied_to_each_port_as_it_has_a_credit() -> None:
    layout, slots = layout_of(), [alive({0, 4}, {1})]
    router = opened(layout, {0, 4}, {1})
    router.step(slots, {p: (0, head(layout)) for p in (0, 4)})
    sent: list[tuple[int, int]] = []
    for cycle in range(40):  # port 4 has a credit back in each cycle, port 0 has none
        words = {1: (0, head(layout) if cycle == 0 else word(layout, cycle))} if cycle < 18 else {}
        router.step(slots, words, [(4, 0)] if cycle > 4 else ())
        sent += [(p, carried[1]) for p, carried in router.sends.items() if p != 1]
    copies = [head(layout), *(word(layout, cycle) for cycle in range(1, 16))]
    assert [one for p, one in sent if p == 0] == copies[:15]
    assert [one for p, one in sent if p == 4] == copies[:16]
    router.step(slots, credits=[(0, 0)])
    router.step(slots)
    assert (router.sends, router.freed) == ({0: (0, copies[15])}, [(1, 0)])


def test_v6_a_setup_waits_for_words_and_for_results_in_flight() -> None:
    layout = layout_of()
    router, slots = opened(layout, {0}, set()), [alive({0}, set())]
    router.step(slots, {0: (0, head(layout, tail=True))})  # in cycle 1
    holds = []
    for _ in range(12):
        router.step(slots)
        holds.append(router.holds(0))
    # Its buffer in 2; in flight from 3 to 2 + 3; the turn's buffer in 6.
    assert holds == [True] * 5 + [False] * 7


def test_v6_only_a_setup_that_is_met_waits() -> None:
    layout = SlotLayout(EngineLayout(4, True, 2, 0, "none"), 2, False)
    slots, waits = RouterSlots(layout, reports=False), {0}
    slots.holds = waits.__contains__
    image = layout.engine.image.pack({"children": 1})

    def ask(code: Code, slot: int, epoch: int = 0) -> bool | None:
        """Make a request for a cycle; return whether it is refused, None if it is not answered."""
        order = COMMIT.pack({"code": code, "epoch": epoch, "entry": layout.first + slot})
        assert slots.asks(Request(True, 0, order), image) is None
        slots.step({}, {})
        return slots.answer and slots.answer.error

    def rest() -> None:
        slots.step({}, {})

    assert [ask(Code.SETUP, 0) for _ in range(3)] == [None] * 3
    assert not slots.state(0).alive
    assert ask(Code.SETUP, 1) is False
    rest()
    waits.clear()
    assert ask(Code.SETUP, 0) is False
    assert slots.state(0) == SlotState(True, False, frozenset({0}), frozenset())
    rest()
    waits.add(0)
    assert ask(Code.SETUP, 0, 1) is True  # alive
    rest()
    assert ask(Code.GO, 0, 1) is False
    assert slots.state(0).goes
    slots.step({}, {}, [0])
    assert slots.sends[0].message.kind == Kind.BROKEN
    assert not slots.state(0).alive


def test_v6_words_of_a_port_that_is_none_of_the_group_leave() -> None:
    layout = layout_of()
    router, slots = opened(layout, {0}, {1}), [alive({0}, {1})]
    router.step(slots, {2: (0, head(layout)), 1: (0, head(layout))})
    router.step(slots)
    assert router.freed == [(2, 0)]
    router.step(slots)
    assert router.freed == []


def test_v6_the_watchdog_sees_what_has_not_moved_since_its_last_visit() -> None:
    layout = layout_of()
    for moves, fails in (((), 20), ((14,), 30), ((10,), 20), ((20,), 30)):
        router, slots = opened(layout, {0, 2}, {1}), [alive({0, 2}, {1})]
        for cycle in range(1, 40):
            words = {0: (0, head(layout))} if cycle == 1 else {}
            words |= {0: (0, word(layout, 1))} if cycle == 3 else {}
            words |= {2: (0, head(layout))} if cycle == 2 else {}
            # It leaves in the cycle after it comes, as nothing takes it.
            words |= {3: (0, word(layout, 1))} if cycle + 1 in moves else {}
            router.step(slots, words, visited=cycle % 10 == 0)
            if router.failed(slots):
                break
        assert cycle == fails, moves


def test_v4_a_word_that_is_no_head_goes_to_all_children_as_it_is() -> None:
    layout, slots = layout_of(), [alive({0, 4}, {1})]
    router = opened(layout, {0, 4}, {1})
    router.step(slots, {p: (0, head(layout, takes=p == 0)) for p in (0, 4)})
    router.step(slots, {1: (0, word(layout, 5))})
    router.step(slots)
    assert router.sends == dict.fromkeys((0, 4), (0, word(layout, 5)))
    router.step(slots, {1: (0, head(layout))})
    router.step(slots)
    assert router.sends == {0: (0, head(layout)), 4: (0, head(layout, tail=True))}
