"""Routed messages, the order of the least recently sent, and probes on links, by hand."""

from syncfabric.models.golden.engine.memory import Message, Route
from syncfabric.models.golden.guards import SenderGuard
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.transport import LeastRecentlySent, RoutedLinks
from syncfabric.models.networks.grid import Grid

EAST, NORTH, WEST, SOUTH = range(4)
GRID = Grid((9, 9), pairs=True)


def sent(x: int, y: int, route_class: int = 0, entry: int = 0) -> Sent:
    return Sent(Message(entry, 0, 0), Route((x, y), route_class))


def test_l2_4_to_9_slots_registers_credits_and_hold() -> None:
    links = RoutedLinks(GRID, (1, 1), 4)
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
    links = RoutedLinks(GRID, (4, 4), 4)
    outputs = {
        (p, c, dx, dy): links.output(p, Route((4 + dx, 4 + dy), c))
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


def test_l2_5_outputs_in_three_dimensions() -> None:
    """Ports up 0, 1 and 2, down 3 and 4; the last dimension, of two routers, has one port."""
    links = RoutedLinks(Grid((5, 5, 2), wraps=True), (1, 1, 0), 5, ())
    cases = {
        (0, 0, (3, 1, 0)): 3,  # straight on
        (0, 0, (1, 3, 1)): 1,  # then up the second
        (0, 0, (1, 4, 1)): 4,  # or down it: the shorter path
        (0, 0, (1, 1, 1)): 2,
        (1, 0, (1, 1, 1)): 2,
        (1, 1, (3, 1, 0)): 0,
        (1, 2 + 1, (4, 1, 0)): 3,
        (4, 0, (3, 1, 0)): 2,  # no legal turn: the last legal output
        (2, 1, (1, 2, 0)): 1,
        (2, 1, (0, 1, 0)): 3,
        (2, 0, (0, 1, 0)): None,
        (0, 1, (1, 3, 0)): 3,
    }
    found = {(p, c, to): links.output(p, Route(to, c)) for p, c, to in cases}
    assert found == cases
    dropped = sent_to((0, 1, 0), 0)
    assert links.step({}, {2: dropped}) == ({}, 1)
    assert links.credits == {(2, 0)}


def sent_to(place: tuple[int, ...], lane: int, entry: int = 0) -> Sent:
    return Sent(Message(entry, 0, 0), Route(place, lane))


def test_l2_3_halfway_around_does_not_close_the_ring() -> None:
    for here, there, port in ((1, 3, 0), (3, 1, 1), (0, 3, 1), (3, 0, 0)):
        links = RoutedLinks(Grid((4, 4), wraps=True), (0, here), 4, ())
        assert links.output(0, Route((0, there), 0)) == 1 + 2 * port


def test_l2_10_and_11_lanes_behind_datelines() -> None:
    """Port 0 is a dateline: straight on stays behind it, and into the next dimension does not."""
    links = RoutedLinks(Grid((4, 4), wraps=True), (3, 1), 4, {0})

    def leaving() -> dict[int, tuple[int, int]]:
        sends = links.leaving({}).items()
        return {q: (one.message.entry, one.route.lane) for q, one in sends if one.route}

    links.step({}, {2: sent_to((1, 1), 0, entry=1)})
    assert leaving() == {0: (1, 2)}
    links.step({}, {2: sent_to((1, 1), 1, entry=2)})
    assert leaving() == {0: (2, 3)}
    links.step({}, {2: sent_to((1, 1), 2, entry=3)})
    links.credited(0, 2)
    assert leaving() == {}  # after messages in two cycles it is the packets' turn
    links.step({}, {})
    assert leaving() == {0: (3, 2)}
    links.step({}, {})
    links.step({}, {2: sent_to((3, 3), 2, entry=4)})
    assert leaving() == {1: (4, 0)}


def test_l2_11_lanes_behind_datelines_take_turns() -> None:
    links = RoutedLinks(Grid((4, 4), wraps=True), (1, 1), 4, ())
    for lane in (2, 0):
        links.step({}, {2: sent_to((3, 1), lane)})
    links.step({}, {})  # lane 0 has sent last
    for lane in (0, 2):
        links.step({}, {2: sent_to((3, 1), lane)})
        links.credited(0, lane)
    assert [one.route.lane for one in links.leaving({}).values() if one.route] == [2]


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
    links = RoutedLinks(GRID, (0, 0), 4)
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
