"""The two orders, by hand."""

import pytest

from syncfabric.models.golden.order import LeastRecentlySent, PatientRobin, RoundRobin


def test_least_recently_sent_begins_with_rising_numbers() -> None:
    order = LeastRecentlySent(5)
    assert order.first([4, 2]) == 2
    order.sent(2)
    assert order.order == [0, 1, 3, 4, 2]
    assert order.first([4, 2]) == 4
    order.sent(0)
    assert order.first([0, 2]) == 2


def test_round_robin_stops_after_the_one_it_chose() -> None:
    hand = RoundRobin(4)
    assert [hand.choose({1, 3}) for _ in range(3)] == [1, 3, 1]
    assert hand.hand == 2
    assert hand.choose([0]) == 0
    assert hand.choose([0]) == 0


def test_patient_robin_keeps_a_turn_until_its_place_has_sent() -> None:
    robin = PatientRobin(4)
    assert robin.choose({1, 3}) == 1
    assert robin.choose({0, 1, 3}) == 1
    robin.rest()
    assert robin.choose({0, 1, 3}) == 3
    robin.rest()
    assert robin.choose({3}) == 3


def test_a_place_that_is_gone_has_one_turn_more() -> None:
    robin = PatientRobin(3)
    assert [robin.choose(candidates) for candidates in ({0, 1}, {1}, {1, 0})] == [0, 0, 1]


def test_patient_robin_ends_a_turn_after_15_cycles() -> None:
    robin = PatientRobin(3)
    chosen = [robin.choose({0, 2}) for _ in range(46)]
    assert chosen == 15 * [0] + 15 * [2] + 15 * [0] + [2]


def test_a_turn_alone_is_as_long_each_time() -> None:
    """Another that comes in the middle waits for its end."""
    robin = PatientRobin(3)
    assert [robin.choose({1}) for _ in range(20)] == 20 * [1]
    assert [robin.choose({0, 1}) for _ in range(11)] == 10 * [1] + [0]


@pytest.mark.parametrize("kept", [1, 7, 14, 15])
def test_the_stays_of_a_turn_are_forgotten_with_its_end(kept: int) -> None:
    robin = PatientRobin(3)
    assert [robin.choose({2}) for _ in range(kept)] == kept * [2]
    robin.rest()
    assert [robin.choose({0, 1}) for _ in range(16)] == 15 * [0] + [1]
