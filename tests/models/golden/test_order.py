"""The order of the least recently sent, by hand."""

from syncfabric.models.golden.transport import LeastRecentlySent


def test_least_recently_sent_begins_with_rising_numbers() -> None:
    order = LeastRecentlySent(5)
    assert order.first([4, 2]) == 2
    order.sent(2)
    assert order.order == [0, 1, 3, 4, 2]
    assert order.first([4, 2]) == 4
    order.sent(0)
    assert order.first([0, 2]) == 2
