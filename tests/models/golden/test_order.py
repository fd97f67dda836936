"""The two orders, by hand."""

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
    assert robin.choose({1, 3}, 0) == 1
    assert robin.choose({0, 1, 3}, 0) == 1
    robin.rest()
    assert robin.choose({0, 1, 3}, 0) == 3
    robin.rest()
    assert robin.choose({3}, 0) == 3


def test_a_place_that_is_gone_has_one_turn_more() -> None:
    robin = PatientRobin(3)
    assert [robin.choose(candidates, 0) for candidates in ({0, 1}, {1}, {1, 0})] == [0, 0, 1]


def test_patient_robin_ends_a_turn_in_its_second_stepping_cycle() -> None:
    robin = PatientRobin(3)
    chosen = [robin.choose({0, 2}, now) for now in range(13, 13 + 77)]
    assert chosen == 17 * [0] + 30 * [2] + 30 * [0]


def test_what_was_late_is_forgotten_with_a_turns_end() -> None:
    """Cycles 14, 29 and 44 are stepping."""
    robin = PatientRobin(3)
    assert robin.choose({2}, 14) == 2
    assert robin.late
    robin.rest()
    assert [robin.choose({0, 1}, now) for now in range(29, 46)] == 16 * [0] + [1]
