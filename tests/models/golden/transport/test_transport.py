"""Routed messages, the order of the least recently sent, and probes on links, by hand."""

from syncfabric.models.golden.engine import Message
from syncfabric.models.golden.engine.memory import Way
from syncfabric.models.golden.guards import SenderGuard
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.transport import LeastRecentlySent, RoutedLinks

EAST, NORTH, WEST, SOUTH = range(4)


def sent(x: int, y: int, route_class: int = 0, entry: int = 0) -> Sent:
    return Sent(Message(entry, 0, 0), Way(x, y, route_class))


def test_l2_4_to_9_slots_registers_credits_and_hold() -> None:
    links = RoutedLinks(1, 1)
    first, own, other = sent(3, 1), sent(2, 1, entry=1), sent(3, 1, entry=2)
    assert links.step({}, {WEST: first, NORTH: sent(1, 1, 1)}) == (
        {NORTH: Message(0, 0, 0)},
        0,
    )
    assert links.credits == {(NORTH, 1)}
    assert not links.hold({})
    assert links.hold({EAST: own})
    assert links.leaving({EAST: own}) == {EAST: first}
    assert links.step({EAST: own}, {WEST: other})[1] == 1  # full at the start of the cycle
    assert links.credits == {(WEST, 0)}
    assert (links.hold({}), links.leaving({})) == (True, {})  # no credit
    links.step({}, {WEST: other})
    links.credited(EAST, 0)
    assert links.leaving({}) == {EAST: own}  # WEST has sent last
    links.step({}, {})
    links.credited(EAST, 0)
    assert not links.hold({})
    assert links.leaving({}) == {EAST: other}
    links.step({}, {})
    assert not links.hold({})


def test_l2_5_outputs_of_both_classes() -> None:
    links = RoutedLinks(4, 4)
    outputs = {
        (p, c, dx, dy): links.output(p, Way(4 + dx, 4 + dy, c))
        for p in range(4)
        for c in range(2)
        for dx, dy in ((1, 1), (0, 1), (0, -1), (1, 0), (-1, 0))
    }
    across = {key: (key[0] + 2) % 4 for key in outputs}
    for p in (WEST, EAST):
        across |= {(p, 0, 0, 1): NORTH, (p, 0, 0, -1): SOUTH}
    for p in (NORTH, SOUTH):
        across |= {(p, 1, 1, 0): EAST, (p, 1, -1, 0): WEST}
    assert outputs == across


def test_a_probe_is_void_once_its_channel_sends_again() -> None:
    for sends, lost in ((False, True), (True, False)):
        guard = SenderGuard([4], registers=1)
        guard.advance(1, 0, 0)
        while not guard.probe:
            guard.advance(0, 0, 0)
        for cycle in range(3):
            guard.advance(sends and cycle == 1, 0, 0)
        assert guard.advance(0, 0, 1)[1] is lost


def test_l2_7_a_credit_is_of_its_class() -> None:
    links = RoutedLinks(0, 0)
    links.credited(2, 1)
    assert [links.tokens[2, c] for c in range(2)] == [1, 2]
    assert links.tokens[1, 1] == 1


def test_least_recently_sent_begins_with_rising_numbers() -> None:
    order = LeastRecentlySent(5)
    assert order.first([4, 2]) == 2
    order.sent(2)
    assert order.order == [0, 1, 3, 4, 2]
    assert order.first([4, 2]) == 4
    order.sent(0)
    assert order.first([0, 2]) == 2
