"""The checker: times worked out by hand, and each rule broken."""

from fractions import Fraction

import pytest

from syncfabric.models.collectives.chunks.checker import bound_of, check, least_latency, perform
from syncfabric.models.collectives.chunks.schedule import Chunked, Cut, Exchange, Schedule, Send
from syncfabric.models.collectives.topology import Link, Topology
from syncfabric.models.errors import SpecError
from tests.models.collectives.chunks.drawn import two_way

SLOW, FAST = Link(Fraction(5), Fraction(2)), Link(Fraction(1), Fraction(1, 2), 2)
LINE = two_way(3, (0, 1, FAST), (1, 2, SLOW))


def scheduled(kind: Chunked, sends: list[Send], size: int = 12, parts: int = 1) -> Schedule:
    return Schedule(LINE, Exchange(kind, 3, size, parts), tuple(sends))


def copy(item: int, *path: int) -> Send:
    return Send(item, path, False)


def combine(item: int, *path: int) -> Send:
    return Send(item, path, True)


def test_parts_follow_each_other() -> None:
    """A part of 4 bytes takes 3 ns on the fast link, of two lanes, and 13 on the slow one."""
    hops = [copy(i, *edge) for i in range(3) for edge in ((0, 1), (1, 2))]
    outcome = check(scheduled("broadcast", hops, parts=3))
    # Two parts come at 3, one at 6; the slow link takes 13 each from 3 on.
    assert outcome == (Fraction(3 + 3 * 13), (), 0)
    one = check(scheduled("broadcast", hops[:2]))
    assert one.time == Fraction(1 + 6 + 5 + 24)


def test_what_comes_first_in_the_list_has_precedence() -> None:
    slow_first = [copy(1, 1, 2), copy(0, 0, 1), copy(0, 1, 2), copy(1, 1, 0)]
    slow_first += [copy(2, 2, 1), copy(2, 1, 0)]
    outcome = check(scheduled("allgather", slow_first))
    # 29 a message of 12 bytes on the slow link, 7 on the fast one.
    assert outcome == (Fraction(58), (), 0)
    other_first = [copy(0, 0, 1), copy(0, 1, 2), copy(1, 1, 2), *slow_first[3:]]
    assert check(scheduled("allgather", other_first)).time == Fraction(7 + 58)


def test_a_partial_result_waits_for_all_that_is_combined_into_it() -> None:
    up = [combine(0, 0, 1), combine(0, 1, 2)]
    whole = scheduled("allreduce", [])
    assert whole.exchange.piece == 4
    sends = [combine(i, 0, 1) for i in range(3)] + [combine(i, 1, 2) for i in range(3)]
    sends += [copy(i, 2, 1) for i in range(3)] + [copy(i, 1, 0) for i in range(3)]
    outcome = check(scheduled("allreduce", sends))
    assert not outcome.broken
    # Up 3 and then 13 each; the last is there at 42, goes back for 13, and 3 to rank 0.
    assert outcome.time == Fraction(3 + 3 * 13 + 13 + 3)
    assert check(scheduled("reduce-scatter", up)).broken


def test_the_last_of_what_is_combined_counts() -> None:
    """The slow link's part is listed first and comes last, at 13; the fast one's at 3."""
    sends = [combine(0, 2, 1), combine(0, 0, 1), copy(0, 1, 2), copy(0, 1, 0)]
    assert perform(scheduled("allreduce", sends)) == Fraction(13 + 13)
    assert perform(scheduled("allreduce", [*sends[:2], sends[3]])) == Fraction(13 + 3)


def test_what_is_sent_is_not_overwritten() -> None:
    """Rank 1 sends its own for 13; what comes at 3 takes effect after that."""
    sends = [combine(0, 1, 2), copy(0, 0, 1), copy(0, 1, 0)]
    assert perform(scheduled("allreduce", sends)) == Fraction(13 + 3)


def test_lanes_work_side_by_side() -> None:
    pair = two_way(2, (0, 1, FAST))
    parts = tuple(copy(i, 0, 1) for i in range(5))
    # 2 bytes a part: 2 ns each, by two lanes.
    assert perform(Schedule(pair, Exchange("broadcast", 2, 10, 5), parts)) == 3 * 2


def test_switches_are_passed_at_once() -> None:
    channels = ((0, 2), (2, 0), (1, 2), (2, 1))
    links = tuple(Link(Fraction(1), Fraction(beta)) for beta in (1, 1, 3, 3))
    star = Topology("star", 2, 1, channels, links)
    schedule = Schedule(star, Exchange("broadcast", 2, 10, 2), (copy(0, 0, 2, 1), copy(1, 0, 2, 1)))
    assert check(schedule) == (Fraction(2 * (2 + 15)), (), 0)
    assert perform(schedule, Fraction(0)) == 4


@pytest.mark.parametrize(
    ("kind", "sends", "said"),
    [
        ("broadcast", [copy(0, 1, 2), copy(0, 0, 1)], "sends[0]: share 0, part 0: rank 1 has noth"),
        ("broadcast", [copy(0, 0, 1)], "rank 2 ends without what rank 0 gives to share 0, part 0"),
        ("reduce", [combine(0, 1, 0), combine(0, 2, 1)], "rank 0 ends without what rank 2 gives"),
        (
            "reduce",
            [combine(0, 2, 1), combine(0, 1, 0), combine(0, 1, 0)],
            "sends[2]: share 0, part 0: rank 0 combines what rank 1 gives twice",
        ),
        (
            "reduce",
            [combine(0, 2, 1), copy(0, 1, 0)],
            "sends[1]: share 0, part 0: it takes the place of what rank 0 gave to rank 0",
        ),
        ("allreduce", [], "rank 0 ends without what rank 1 gives to share 0, part 0"),
    ],
)
def test_broken_rules_are_named(kind: Chunked, sends: list[Send], said: str) -> None:
    outcome = check(scheduled(kind, sends))
    assert outcome.broken
    assert any(said in words for words in outcome.wrong), outcome.wrong


def test_the_first_twenty_are_listed() -> None:
    outcome = check(scheduled("allgather", [copy(2, 0, 1)] * 30))
    assert (len(outcome.wrong), outcome.broken) == (20, 36)


def test_bounds_of_cuts() -> None:
    def bound(kind: Chunked, *parts: set[int]) -> Fraction:
        return bound_of(Exchange(kind, 3, 12), LINE, Cut(tuple(map(frozenset, parts))))

    assert bound("broadcast", {2}) == 5 + 24
    assert bound("broadcast", {0}) == 0
    assert bound("allgather", {2}) == 5 + 2 * 24
    assert bound("allgather", {1, 2}) == 1 + Fraction(12, 4)
    assert bound("reduce-scatter", {1, 2}) == 1 + Fraction(2 * 4, 4)
    assert bound("reduce", {1}) == 0
    # Two sends of 12 bytes over the slow link's channels, 1/2 byte a nanosecond each.
    assert bound("allreduce", {0, 1}, {2}) == 5 + 24
    # Of one set: what a rank gives must come into it; nothing comes into all.
    assert bound("allreduce", {2}) == 5 + 24
    assert bound("allreduce", {0, 1, 2}) == 0
    # 8 bytes a nanosecond from 1 on, and 1 from 5 on.
    assert bound("allreduce", {0}, {1}, {2}) == Fraction(4 * 12 + 8 + 5, 9)
    # Out of ranks 2 bytes a nanosecond, into them 8/3: the switch is in no part.
    channels = ((0, 2), (2, 0), (1, 2), (2, 1))
    links = tuple(Link(Fraction(1), Fraction(beta)) for beta in ("1", "1/2", "1", "3/2"))
    star = Topology("star", 2, 1, channels, links)
    cut = Cut((frozenset({0}), frozenset({1})))
    assert bound_of(Exchange("allreduce", 2, 12), star, cut) == 1 + Fraction(2 * 12, 2)


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("allgather", [{3}]),
        ("allgather", []),
        ("allgather", [{0}, {1}]),
        ("allreduce", [{0}, {1}]),
        ("allreduce", [{0, 1}, {1, 2}]),
        ("allreduce", []),
    ],
)
def test_what_is_no_cut_is_refused(kind: Chunked, parts: list[set[int]]) -> None:
    with pytest.raises(SpecError, match="cut: "):
        bound_of(Exchange(kind, 3, 12), LINE, Cut(tuple(map(frozenset, parts))))


def test_latency_of_the_farthest() -> None:
    assert least_latency(Exchange("allgather", 3, 12), LINE) == 6
    assert least_latency(Exchange("broadcast", 3, 12, root=1), LINE) == 5
    assert least_latency(Exchange("reduce", 3, 12, root=0), LINE) == 6
    free = two_way(2, (0, 1, Link(Fraction(0), Fraction(1))))
    assert least_latency(Exchange("allreduce", 2, 12), free) == 0
