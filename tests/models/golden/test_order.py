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


def test_patient_robin_passes_over_who_sends_nothing_once() -> None:
    hand = PatientRobin(4)
    assert [hand.choose({2, 3}) for _ in range(2)] == [2, 3]
    assert hand.choose({1, 2}) == 1
    hand.sent(1)
    assert [hand.choose({1, 2, 3}) for _ in range(3)] == [2, 2, 2]
    hand.sent(2)
    assert [hand.choose({1, 2, 3}) for _ in range(2)] == [3, 3]
    hand.sent(3)
    assert [hand.choose({1, 2, 3}) for _ in range(4)] == [1, 2, 3, 1]


def test_patient_robin_goes_on_after_sixteen_cycles() -> None:
    hand = PatientRobin(3)
    chosen = [hand.choose({0, 2}) for _ in range(52)]
    assert chosen == [0, 2] + 16 * [0] + 16 * [2] + 16 * [0] + 2 * [2]
    hand.rest()
    assert [hand.choose({2}) for _ in range(16)] == 16 * [2]
    assert hand.choose({1, 2}) == 1


def test_stays_count_on_end_no_matter_at_whom() -> None:
    """One that is gone while the hand stood at it leaves its stays to the next."""
    hand = PatientRobin(3)
    assert [hand.choose({0, 1}) for _ in range(7)] == [0, 1, 0, 0, 0, 0, 0]
    assert [hand.choose({1, 2}) for _ in range(12)] == 11 * [1] + [2]
