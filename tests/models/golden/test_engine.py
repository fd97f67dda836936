"""Each rule of the engine's contract that can be seen, by hand (E2 to E6)."""

import pytest

from syncfabric.models.golden.engine import Message, Request
from syncfabric.models.layout.engine import Code, EngineCounter, Kind
from tests.models.golden.engine_bench import Bench

PLAIN, GO, LAST, BROKEN = Kind
OVERFLOW, UNEXPECTED, REFUSED = EngineCounter
STAGES = pytest.mark.parametrize("stages", range(1, 5))


def flood(bench: Bench, cycles: int, message: Message) -> None:
    for _ in range(cycles):
        bench.step(dict.fromkeys(range(bench.layout.links), message))


def held(bench: Bench) -> int:
    """Fill all inputs with unexpected messages; return how many they still hold."""
    flood(bench, 900, Message(0, 0, PLAIN))
    return sum(len(bench.engine.waiting(p)) for p in range(bench.layout.links))


# E3


def test_e3_3_only_alive_and_epoch_of_a_dead_entry_have_a_meaning() -> None:
    bench = Bench()
    assert bench.commit(Code.READ).meaning == ~0b1111111000 & 0xFFFFFFFF
    assert (
        bench.commit(Code.READ, word=2).meaning
        == 0xFFFFFFFF << bench.layout.image.width & 0xFFFFFFFF
    )


def test_e3_4_acc_has_a_meaning_only_while_something_is_merged() -> None:
    bench = Bench()
    bench.root({0, 2})
    assert bench.commit(Code.READ, epoch=1, word=1).meaning == 0xFFFFFFF0
    bench.step({0: Message(0, 1, PLAIN, 9)})
    answer = bench.commit(Code.READ, epoch=1, word=1)
    assert (answer.rdata, answer.meaning) == (9, 0xFFFFFFFF)


# E4


@STAGES
def test_e4_1_a_message_alone_is_the_head_in_the_next_cycle(stages: int) -> None:
    bench = Bench(stages=stages)
    bench.set_up({1}, 0, names={1: (3, 2)})
    bench.run(4)
    start = bench.now
    bench.step({0: Message(0, 1, GO)})
    bench.run(8)
    assert bench.sent(start, 1) == [(stages, Message(3, 2, GO))]


@STAGES
def test_e4_2_and_6_messages_of_a_link_keep_their_order(stages: int) -> None:
    bench = Bench(links=3, stages=stages)
    for entry in range(4):
        bench.set_up({1}, 0, entry=entry, names={1: (3 - entry, 0)})
    bench.run(8)
    start = bench.now
    for entry in (2, 0, 3, 1):
        bench.step({0: Message(entry, 1, GO), 2: Message(0, 3, GO)})
    bench.run(40)
    assert [m.entry for _, m in bench.sent(start, 1)] == [1, 3, 0, 2]


def test_e4_3_a_broken_that_would_wait_is_dropped_and_counted() -> None:
    bench = Bench(stages=3)
    bench.set_up({2}, 0)
    start = bench.now
    for epoch, kind in ((0, PLAIN), (0, PLAIN), (1, BROKEN)):  # a service takes two cycles
        bench.step({0: Message(0, epoch, kind)})
    bench.run(20)
    assert bench.released(start) == []
    assert bench.count(OVERFLOW) == 1
    bench.step({0: Message(0, 1, BROKEN)})
    bench.run(8)
    assert len(bench.released(start)) == 1


@pytest.mark.parametrize(
    ("stages", "groups", "most"),
    [(1, 4, 17), (2, 4, 17), (3, 4, 17), (4, 32, 33), (1, 32, 33), (4, 33, 65)],
)
def test_e4_4_and_5_an_input_holds_a_head_and_q_messages_behind_it(
    stages: int, groups: int, most: int
) -> None:
    bench = Bench(links=15, own=False, groups=groups, stages=stages)
    total = held(bench)
    assert 15 * most - 1 <= total <= 15 * most
    assert bench.count(OVERFLOW) == 255
    bench.run(stages * total)
    assert not any(bench.engine.waiting(p) for p in range(15))


def test_e4_8_sweep_commands_come_before_a_commit() -> None:
    bench = Bench(swept=False)
    bench.commit(Code.READ)
    assert bench.now - 1 == 4 + 1  # four entries, served in cycle 4, answered in 5


def test_e4_9_and_11_a_commit_comes_before_an_arrival() -> None:
    bench = Bench()
    bench.root({2})
    request, arrival = Request(True, 0, 0), Message(0, 1, PLAIN)
    assert not bench.step(arrive=arrival, request=request).arrive_ready
    out = bench.step(arrive=arrival, request=request)
    assert (out.arrive_ready, out.answer) == (True, None)
    out = bench.step(request=request)
    assert (out.answer is not None, out.release) == (True, None)
    assert bench.step().release == Message(0, 1, PLAIN)


def test_e4_10_a_visit_comes_before_an_arrival() -> None:
    bench = Bench(watchdog=7)
    arrival = Message(0, 1, PLAIN)
    not_ready = [bench.now for _ in range(30) if not bench.step(arrive=arrival).arrive_ready]
    assert not_ready == [cycle for cycle in range(17, 48) if (cycle - 1) % 7 == 0]


@STAGES
def test_e4_11_arrive_ready_is_low_while_the_source_is_not_free(stages: int) -> None:
    bench = Bench(stages=stages)
    ready = [bench.step(arrive=Message(0, 0, PLAIN)).arrive_ready for _ in range(12)]
    service = (1, 2, 2, 3)[stages - 1]
    # The first waits for its own service to begin; behind it there is one each service.
    assert ready == [cycle == 0 or (cycle - 1) % service == 0 for cycle in range(12)]


@pytest.mark.parametrize("kind", Kind)
def test_e4_11_of_an_arrival_s_kind_bit_1_alone_counts(kind: Kind) -> None:
    bench = Bench()
    bench.root({2})
    start = bench.now
    bench.step(arrive=Message(0, 1, kind))
    bench.run(4)
    expected = LAST if kind in (LAST, BROKEN) else PLAIN
    assert [m.kind for _, m in bench.released(start)] == [expected]


# E5


def waiting_links(bench: Bench, links: int) -> None:
    """Set an entry up for each link: its message is sent on to the last link."""
    for p in range(links):
        bench.set_up({links}, p, entry=p, names={links: (p, 0)})
    bench.run(8)


def test_e5_2_and_5_where_several_come_together_that_cycle_only_chooses() -> None:
    bench = Bench(links=4, own=False)
    waiting_links(bench, 3)
    start = bench.now
    bench.step({p: Message(p, 1, GO) for p in (2, 0, 1)})
    bench.run(8)
    assert [(t, m.entry) for t, m in bench.sent(start, 3)] == [(2, 0), (3, 1), (4, 2)]


@pytest.mark.parametrize(("stages", "cycles"), [(2, (3, 5, 7)), (3, (4, 6, 8)), (4, (5, 8, 11))])
def test_e5_3_each_that_goes_before_costs_a_service(stages: int, cycles: tuple[int, ...]) -> None:
    bench = Bench(links=4, own=False, stages=stages)
    waiting_links(bench, 3)
    start = bench.now
    bench.step({p: Message(p, 1, GO) for p in range(3)})
    bench.run(16)
    assert [(t, m.entry) for t, m in bench.sent(start, 3)] == list(
        zip(cycles, range(3), strict=True)
    )


def test_e5_6_the_next_number_after_the_last_granted_is_next() -> None:
    bench = Bench(links=4, own=False)
    waiting_links(bench, 3)
    start = bench.now
    bench.step({1: Message(0, 0, PLAIN)})
    bench.step({1: Message(1, 1, GO), 0: Message(0, 0, PLAIN)})
    bench.step({0: Message(0, 1, GO), 2: Message(2, 1, GO)})
    bench.run(8)
    # Link 0 is granted, pointer 0; then of 0, 1 and 2 first 1, then 2, then 0.
    assert [m.entry for _, m in bench.sent(start, 3)] == [1, 2, 0]


def test_e5_5_pointer_begins_anew_where_nothing_waits() -> None:
    bench = Bench(links=4, own=False)
    waiting_links(bench, 3)
    start = bench.now
    bench.step({2: Message(0, 0, PLAIN), 1: Message(0, 0, PLAIN)})
    bench.run(5)
    bench.step({2: Message(2, 1, GO), 1: Message(1, 1, GO)})
    bench.run(8)
    assert [m.entry for _, m in bench.sent(start, 3)] == [1, 2]


def test_e5_each_source_is_served_within_as_many_services_as_there_are_sources() -> None:
    bench = Bench(links=4)
    bench.root({4})
    flood(bench, 20, Message(1, 0, PLAIN))
    assert bench.step({p: Message(1, 0, PLAIN) for p in range(4)}).arrive_ready
    start = bench.now
    bench.step({p: Message(1, 0, PLAIN) for p in range(4)}, arrive=Message(0, 1, PLAIN))
    flood(bench, 8, Message(1, 0, PLAIN))
    ((cycle, _),) = bench.released(start)
    assert cycle <= 1 + 5


@pytest.mark.parametrize("stages", range(2, 5))
@pytest.mark.parametrize("held", range(1, 4))
def test_e5_9_hold_puts_off_what_has_not_begun(stages: int, held: int) -> None:
    bench = Bench(links=3, own=False, stages=stages, shared=True)
    waiting_links(bench, 2)
    start = bench.now
    bench.step({0: Message(0, 1, GO)})
    for _ in range(held):
        bench.step(hold=True)
    bench.run(8)
    assert [(t, m.entry) for t, m in bench.sent(start, 2)] == [(stages + held, 0)]


def test_e5_9_a_service_that_has_begun_goes_on() -> None:
    bench = Bench(links=3, own=False, stages=4, shared=True)
    waiting_links(bench, 2)
    start = bench.now
    bench.step({0: Message(0, 1, GO)})
    bench.step({1: Message(1, 1, GO)})
    for _ in range(4):  # two cycles of the service, and two more
        bench.step(hold=True)
    bench.run(8)
    assert [(t, m.entry) for t, m in bench.sent(start, 2)] == [(4, 0), (4 + 3 + 2, 1)]


def test_e5_9_no_choice_is_made_while_held() -> None:
    bench = Bench(links=3, own=False, stages=2, shared=True)
    waiting_links(bench, 2)
    start = bench.now
    bench.step({0: Message(0, 1, GO)}, hold=True)  # not granted as it comes
    bench.run(6)
    assert [t for t, _ in bench.sent(start, 2)] == [3]


# E6


def test_e6_1_broken_comes_from_the_parent_alone() -> None:
    bench = Bench(links=3)
    bench.set_up({1, 3}, 0, names={1: (2, 3)})
    for p, epoch in ((1, 1), (2, 1), (0, 0)):
        bench.step({p: Message(0, epoch, BROKEN)})
        bench.run(3)
    assert bench.status()["alive"]
    assert bench.count(UNEXPECTED) == 3
    start = bench.now
    bench.step({0: Message(0, 1, BROKEN)})
    bench.run(4)
    assert [(t, m[:3]) for t, m in bench.sent(start, 1)] == [(1, (2, 3, BROKEN))]
    assert [(t, m[:3]) for t, m in bench.released(start)] == [(2, (0, 1, BROKEN))]
    assert not bench.status()["alive"]
    assert bench.freed(0) == []


@pytest.mark.parametrize(
    ("port", "entry", "epoch"), [(1, 0, 1), (0, 0, 0), (0, 0, 3), (0, 1, 1), (0, 1, 0)]
)
def test_e6_2_and_4_what_is_not_awaited_changes_nothing_and_is_counted(
    port: int, entry: int, epoch: int
) -> None:
    bench = Bench()
    bench.root({0, 2})
    before, start = bench.status(), bench.now
    bench.step({port: Message(entry, epoch, PLAIN, 5)})
    bench.run(4)
    assert (bench.status(), bench.sent(start, 0), bench.released(start)) == (before, [], [])
    assert bench.count(UNEXPECTED) == 1


def test_e6_2_a_child_is_merged_once() -> None:
    bench = Bench()
    bench.root({0, 2})
    start = bench.now
    for _ in range(3):
        bench.step({0: Message(0, 1, PLAIN)})
    bench.run(4)
    assert bench.released(start) == []
    assert bench.count(UNEXPECTED) == 2


@STAGES
def test_e6_3_and_8_nothing_is_sent_before_the_last_one(stages: int) -> None:
    bench = Bench(links=3, stages=stages)
    bench.root({0, 1, 3}, names={0: (1, 2), 1: (2, 3)})
    start = bench.now
    bench.step({0: Message(0, 1, PLAIN)})
    bench.run(10)
    bench.step(arrive=Message(0, 1, PLAIN))
    bench.run(10)
    assert bench.released(start) == bench.sent(start, 0) == []
    last = bench.now - start
    bench.step({1: Message(0, 1, PLAIN)})
    bench.run(10)
    assert bench.sent(start, 0) == [(last + stages, Message(1, 2, PLAIN))]
    assert bench.sent(start, 1) == [(last + stages, Message(2, 3, PLAIN))]
    assert bench.released(start) == [(last + (2, 3, 3, 4)[stages - 1], Message(0, 1, PLAIN))]


def test_e6_5_and_12_an_entry_goes_up_then_down_and_a_root_always_down() -> None:
    bench = Bench()
    bench.set_up({1, 2}, 0, names={0: (3, 1), 1: (2, 2)})
    turns: list[str] = []
    for sender in (0, 1, 0, 1, 0):
        kind = PLAIN if turns else GO
        start = bench.now
        bench.step(
            {sender: Message(0, 1, kind, 7)}, arrive=Message(0, 1, PLAIN, 7) if sender else None
        )
        bench.run(5)
        up, down = bench.sent(start, 0), bench.sent(start, 1)
        turns.append("up" if up and not down else "down" if down and not up else "")
    assert turns == ["down", "up", "down", "up", "down"]
    assert bench.count(UNEXPECTED) == 0


@pytest.mark.parametrize(("op", "result"), [(0, 15), (1, 4), (2, 5), (3, 14), (4, 7), (5, 1)])
def test_e6_6_the_combination(op: int, result: int) -> None:
    bench = Bench(links=3)
    bench.root({0, 1, 2}, op=op)
    for _ in range(2):  # the second time, nothing is left of the first
        start = bench.now
        for p, data in enumerate((7, 14, 12)):
            bench.step({p: Message(0, 1, PLAIN, data)})
        bench.run(6)
        assert [m.data for _, m in bench.sent(start, 0)] == [result]


@pytest.mark.parametrize("lasts", [{0, 1, 2}, {0, 1}, {1, 2}, {2}, set()])
def test_e6_7_11_12_and_13_an_entry_ends_if_all_say_last(lasts: set[int]) -> None:
    bench = Bench()
    bench.root({0, 1, 2}, entry=3)
    start = bench.now
    for p in range(3):
        message = Message(3, 1, LAST if p in lasts else PLAIN)
        bench.step({p: message} if p < 2 else None, arrive=message if p == 2 else None)
        bench.run(3)
    bench.run(4)
    ended = len(lasts) == 3
    assert [m.kind for _, m in bench.released(start)] == [LAST if ended else PLAIN]
    assert bench.status(3)["alive"] == (not ended)
    assert [freed for _, freed in bench.freed(start)] == [(3, 1)] * ended
    if ended:
        assert bench.freed(start)[0][0] == bench.released(start)[0][0]


def test_e6_7_last_goes_up_and_ends_on_the_way_down() -> None:
    bench = Bench()
    bench.set_up({2}, 0, names={0: (3, 1)})
    bench.step({0: Message(0, 1, GO)})
    bench.run(3)
    start = bench.now
    bench.step(arrive=Message(0, 1, LAST, 6))
    bench.run(3)
    assert bench.sent(start, 0) == [(1, Message(3, 1, LAST, 6))]
    assert bench.status()["alive"]
    bench.step({0: Message(0, 1, LAST, 6)})
    bench.run(3)
    assert [m for _, m in bench.released(start)] == [Message(0, 1, LAST, 6)]
    assert (bench.status()["alive"], bench.freed(0)) == (0, [])


def test_e6_9_who_is_sent_to_is_who_is_awaited_next() -> None:
    bench = Bench(links=3)
    bench.set_up({1, 3}, 2)
    awaited = [bench.status()["missing"]]
    bench.step({2: Message(0, 1, GO)})
    bench.run(2)
    awaited.append(bench.status()["missing"])
    bench.step({1: Message(0, 1, PLAIN)})
    awaited.append(bench.status()["missing"])
    bench.step(arrive=Message(0, 1, PLAIN))
    bench.run(2)
    awaited.append(bench.status()["missing"])
    assert awaited == [0b100, 0b1010, 0b1000, 0b100]


def test_e6_14_and_15_names_are_of_the_receiver() -> None:
    bench = Bench(links=3, groups=256, stages=4)
    for life in range(3):
        bench.set_up((), entry=200, epoch=life)
        bench.commit(Code.KILL, 200, life + 1)
    bench.set_up({0, 2, 3}, entry=200, epoch=3, names={0: (255, 3), 2: (1, 1)})
    start = bench.now
    bench.commit(Code.GO, 200, 0)
    bench.run(4)
    sent = [bench.sent(start, p)[0][1][:3] for p in (0, 2)]
    assert sent == [(255, 3, GO), (1, 1, GO)]
    assert bench.sent(start, 1) == []
    assert bench.released(start)[0][1][:3] == (200, 0, GO)
