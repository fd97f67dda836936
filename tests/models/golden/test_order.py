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


def test_patient_robin_stays_until_it_has_sent() -> None:
    hand = PatientRobin(4)
    assert [hand.choose({1, 3}, 0) for _ in range(3)] == [1, 1, 1]
    assert hand.choose({0, 1}, 0) == 0
    hand.sent(0)
    assert hand.choose({0, 1, 3}, 0) == 1
    hand.sent(1)
    assert hand.choose({0, 1, 3}, 0) == 3


def test_patient_robin_goes_on_in_the_second_stepping_cycle() -> None:
    hand = PatientRobin(3)
    chosen = [hand.choose({0, 2}, now) for now in range(13, 13 + 77)]
    assert chosen == 17 * [0] + 30 * [2] + 30 * [0]


def test_a_turn_that_begins_late_is_as_long() -> None:
    """Cycles 14 and 29 are stepping; what was late is forgotten with a turn's end, or a rest."""
    for begin in (PatientRobin.rest, lambda hand: hand.sent(2)):
        hand = PatientRobin(3)
        assert hand.choose({2}, 14) == 2
        assert hand.late
        begin(hand)
        assert [hand.choose({0, 1}, now) for now in range(29, 46)] == 16 * [0] + [1]
