"""Each rule of the engine's contract that can be seen, by hand (E7 to E10, E12)."""

from itertools import pairwise

import pytest

from syncfabric.models.golden.engine import Answer, Message, Request
from syncfabric.models.layout.engine import (
    COMMIT,
    WORD_BITS,
    Code,
    EngineCounter,
    EngineLayout,
    Kind,
)
from tests.models.golden.engine_bench import Bench

PLAIN, GO, LAST, BROKEN = Kind
OVERFLOW, UNEXPECTED, REFUSED = EngineCounter
STAGES = pytest.mark.parametrize("stages", range(1, 5))


def commit(code: Code, entry: int = 0, epoch: int = 0) -> Request:
    return Request(True, 0, COMMIT.pack({"code": code, "entry": entry, "epoch": epoch}))


# E7


def test_e7_1_an_image_of_many_words_is_staged_field_by_field() -> None:
    bench = Bench(links=15, groups=256, stages=4, bits=0)
    assert bench.layout.image_words == 6
    names = {p: (255 - 7 * p, p % 4) for p in range(15)}
    bench.set_up({0, 3, 15}, 14, entry=9, names=names)
    image = bench.engine.entry(9).image
    assert (set(image.children), set(image.parent)) == ({0, 3, 15}, {14})
    assert dict(enumerate(image.names)) == names
    words = [bench.commit(Code.READ, 9, 1, 2 + k).rdata for k in range(6)]
    assert sum(word << WORD_BITS * k for k, word in enumerate(words)) == image.word


def test_e7_1_what_is_staged_stays_until_it_is_written_again() -> None:
    bench = Bench()
    bench.set_up({2}, 1, entry=0)
    assert not bench.commit(Code.SETUP, 1).error
    assert bench.engine.entry(1).image == bench.engine.entry(0).image


@pytest.mark.parametrize("request_", [Request(True, 1, 5), Request(False, 16), Request(False, 31)])
def test_e7_2_and_5_what_is_no_commit_is_answered_in_the_next_cycle(request_: Request) -> None:
    bench = Bench()
    answers = [bench.step(request=request_).answer is not None for _ in range(6)]
    assert answers == [False, True] * 3


@pytest.mark.parametrize(
    ("write", "address", "error"),
    [
        *((True, k, k > 2) for k in range(1, 32)),
        *((False, k, k not in (16, 17, 18)) for k in range(32)),
    ],
)
def test_e7_3_other_addresses_and_directions(write: bool, address: int, error: bool) -> None:
    bench = Bench(links=5, groups=8)
    assert bench.layout.image_words == 2
    assert bench.access(Request(write, address, 0xFFFFFFFF)) == Answer(error)
    assert bench.count(REFUSED) == 0


@STAGES
def test_e7_4_a_commit_is_answered_after_its_execute_cycle(stages: int) -> None:
    bench = Bench(stages=stages)
    start = bench.now
    for _ in range(2):
        bench.commit(Code.READ)
    service = (1, 2, 2, 3)[stages - 1]  # loaded in 0, s = 1, e = service, answer in service + 1
    assert bench.now - start == 2 * (service + 2)


def test_e7_4_a_commit_waits_while_the_local_source_is_not_free() -> None:
    bench = Bench(stages=4)
    for p in range(2):
        bench.step({p: Message(0, 0, PLAIN)}, arrive=Message(0, 0, PLAIN) if p else None)
    start = bench.now
    bench.commit(Code.READ)
    assert bench.now - start > 3 + 2


def test_e7_set_up_counts_epochs() -> None:
    bench = Bench()
    for epoch in range(6):
        answer = bench.set_up({2}, 0, epoch=epoch % 4)
        assert not answer.error
        assert bench.layout.status.unpack(answer.rdata & answer.meaning)["epoch"] == epoch % 4
        assert bench.commit(Code.KILL, epoch=(epoch + 1) % 4).rdata & 1
    assert bench.status()["epoch"] == 6 % 4


def test_e7_set_up_writes_the_state() -> None:
    bench = Bench()
    bench.set_up({2}, 1)
    fields = {"alive": 1, "epoch": 1, "turn": 1, "last": 0, "fresh": 1, "old": 0, "missing": 2}
    assert bench.status() == fields


@pytest.mark.parametrize("code", [Code.SETUP, Code.GO, Code.KILL])
@pytest.mark.parametrize("alive", [False, True])
@pytest.mark.parametrize("epoch", range(4))
@pytest.mark.parametrize("parent", [None, 0])
def test_e7_6_and_7_a_command_whose_condition_does_not_hold_is_refused(
    code: Code, alive: bool, epoch: int, parent: int | None
) -> None:
    bench = Bench()
    bench.set_up({2}, parent)
    if not alive:
        bench.commit(Code.KILL, epoch=1)
    holds = epoch == 1 and alive == (code != Code.SETUP) and (code != Code.GO or parent is None)
    names = code == Code.KILL and not alive
    before, start = bench.status(), bench.now
    answer = bench.commit(code, 0, epoch)
    holds |= names
    assert answer.error == (not holds)
    assert bench.layout.status.unpack(answer.rdata & answer.meaning) == before
    bench.run(4)
    assert bench.count(REFUSED) == (not holds)
    after = before | {"epoch": epoch} if names else before
    assert (bench.status() == after) == (names or not holds)
    assert bool(bench.released(start)) == (holds and alive)


def test_e7_7_a_root_is_started_once() -> None:
    bench = Bench()
    bench.root({2})
    assert [m.kind for _, m in bench.released(0)] == [GO]
    assert bench.commit(Code.GO, epoch=1).error


def test_e7_8_kill_ends_at_any_time_and_tells_the_children() -> None:
    bench = Bench(links=3)
    bench.root({0, 1, 3}, names={0: (1, 1), 1: (2, 2)})
    bench.step({0: Message(0, 1, PLAIN)})
    start = bench.now
    bench.commit(Code.KILL, epoch=1)
    bench.run(3)
    assert [m[:3] for p in (0, 1) for _, m in bench.sent(start, p)] == [
        (1, 1, BROKEN),
        (2, 2, BROKEN),
    ]
    assert [m[:3] for _, m in bench.released(start)] == [(0, 1, BROKEN)]
    assert not bench.sent(start, 2)
    assert not bench.freed(start)


def test_e6_5_kill_goes_down_though_the_next_completion_goes_up() -> None:
    bench = Bench()
    bench.set_up({1, 2}, 0, names={0: (3, 3), 1: (2, 2)})
    bench.step({0: Message(0, 1, GO)})
    bench.run(4)
    start = bench.now
    bench.commit(Code.KILL, epoch=1)
    bench.run(3)
    assert [m[:3] for _, m in bench.sent(start, 1)] == [(2, 2, BROKEN)]
    assert not bench.sent(start, 0)
    assert len(bench.released(start)) == 1
    assert not bench.engine.entry(0).alive


def test_e7_9_without_read_back() -> None:
    bench = Bench(read_back=False)
    bench.root({0, 2})
    bench.step({0: Message(0, 1, PLAIN, 9)})
    for word in range(16):
        assert bench.commit(Code.READ, epoch=1, word=word) == Answer(False, 0b011)


def test_reuse_an_arrival_of_an_earlier_life_changes_nothing() -> None:
    bench = Bench()
    bench.root({0, 2})
    bench.commit(Code.KILL, epoch=1)
    bench.set_up({0, 2}, epoch=1)
    bench.commit(Code.GO, epoch=2)
    bench.run(3)
    before, start = bench.status(), bench.now
    bench.step({0: Message(0, 1, LAST, 3)}, arrive=Message(0, 1, LAST, 3))
    bench.run(5)
    assert bench.status() == before
    assert bench.released(start) == []
    assert bench.count(UNEXPECTED) == 2


# E8


def test_e8_1_to_3_a_wait_is_broken_at_the_second_visit() -> None:
    bench = Bench(groups=2, watchdog=20)  # entry 1 is visited in 41, 81, 121: after a cycle's load
    bench.root({0, 2}, entry=1)
    assert bench.now < 40
    bench.step({0: Message(1, 1, PLAIN)})
    bench.run(100 - bench.now)
    assert [(t, m[:3]) for t, m in bench.released(0) if m.kind == BROKEN] == [(82, (1, 1, BROKEN))]


def test_e8_2_visits_take_turns_with_arrivals() -> None:
    bench = Bench(groups=2, watchdog=4, stages=4, swept=False)
    ready = [bench.step(arrive=Message(0, 0, PLAIN)).arrive_ready for _ in range(50)]
    # The source is free in 0, 3, 6, ...; visits are due from 4, 8, 12, 16, ... on.
    assert [cycle for cycle in range(50) if ready[cycle]] == [3, 15, 27, 39]


def test_e8_1_visits_that_are_always_due_keep_arrivals_out() -> None:
    bench = Bench(links=4, groups=2, watchdog=13, stages=4)
    for _ in range(60):  # the local source is served in each 15th cycle
        bench.step({p: Message(0, 0, PLAIN) for p in range(4)}, arrive=Message(0, 0, PLAIN))
    assert not any(out.arrive_ready for out in bench.log[-40:])


def test_e8_3_a_merge_between_two_visits_keeps_the_entry() -> None:
    bench = Bench(links=3, groups=2, watchdog=20)
    bench.root({0, 1, 2, 3}, entry=1)
    for p in range(3):
        bench.step({p: Message(1, 1, PLAIN)})
        bench.run(38)
    assert [m for _, m in bench.released(0) if m.kind == BROKEN] == []


def test_e8_4_an_entry_that_did_not_wait_at_the_last_visit_is_kept() -> None:
    bench = Bench(groups=2, watchdog=20)
    bench.root({0, 2}, entry=1)
    bench.run(75 - bench.now)  # the visit in 41 found nothing that waits
    bench.step({0: Message(1, 1, PLAIN)})
    bench.run(110 - bench.now)
    assert bench.engine.entry(1).alive
    bench.run(20)
    assert not bench.engine.entry(1).alive


def test_e8_4_waiting_for_the_parent_is_watched_too_but_not_for_the_first_go() -> None:
    bench = Bench(groups=2, watchdog=20)
    bench.set_up({2}, 0, entry=1)
    bench.run(200)
    assert bench.status(1)["alive"]
    bench.step({0: Message(1, 1, GO)})
    bench.run(200)
    assert bench.status(1)["alive"]
    start = bench.now
    bench.step(arrive=Message(1, 1, PLAIN))
    bench.run(90)
    ((cycle, message),) = bench.released(start)
    assert message.kind == BROKEN
    assert 40 < cycle <= 82


# E9


@STAGES
@pytest.mark.parametrize("groups", [1, 3, 8])
def test_e9_a_commit_is_answered_after_the_sweep(stages: int, groups: int) -> None:
    bench = Bench(groups=groups, stages=stages, swept=False)
    entries, service = {1: 2, 3: 4, 8: 8}[groups], (1, 2, 2, 3)[stages - 1]
    bench.commit(Code.READ)
    assert bench.now - 1 == service * (entries + 1)
    assert not any(out.arrive_ready for out in bench.log[: service * (entries - 1)])


# E10


@pytest.mark.parametrize("wait", range(4))
def test_e10_an_event_is_in_the_counter_two_cycles_later(wait: int) -> None:
    bench = Bench()
    bench.step({0: Message(0, 0, PLAIN)})  # served in the next cycle
    bench.run(wait)
    assert bench.access(Request(False, 16 + UNEXPECTED)).rdata == (wait >= 2)


def test_e10_several_links_overflow_at_once_up_to_255() -> None:
    bench = Bench(links=15, own=False, stages=3)
    seen = []
    for _ in range(60):
        inputs = {p: Message(0, 0, PLAIN) for p in range(15)}
        out = bench.step(inputs, request=Request(False, 16))
        seen += [out.answer.rdata] if out.answer else []
    assert seen[0] == 0
    assert seen == sorted(seen)
    assert any(b - a > 15 for a, b in pairwise(seen))
    assert seen[-1] == 255


def test_e10_counters_may_be_left_out() -> None:
    bench = Bench(counters=False)
    bench.step({0: Message(0, 0, PLAIN)})
    assert bench.count(UNEXPECTED) == 0


# E12


@STAGES
def test_e12_5_an_input_keeps_a_message_of_each_entry_behind_a_broken(stages: int) -> None:
    bench = Bench(links=15, groups=16, bits=0, stages=stages)
    arrival = Message(0, 0, PLAIN)
    others = dict.fromkeys(range(1, 15), arrival)
    bench.step({0: arrival, **others}, arrival)
    while bench.engine.waiting(0):
        bench.step(others, arrival)
    bench.step({0: Message(0, 0, BROKEN), **others}, arrival)
    for entry in (*range(1, 16), 0):
        bench.step({0: Message(entry, 0, PLAIN), **others}, arrival)
    held = bench.engine.waiting(0)
    assert [m.entry for m in held] == [*range(16), 0][-len(held) :]
    assert len(held) == 17 or stages < 3


def test_layout_of_the_widest_engine() -> None:
    assert EngineLayout(15, True, 256, 32, "all").image_words <= 8
