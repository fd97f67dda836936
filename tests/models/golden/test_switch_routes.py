"""Where packets go: routes that they bring along, sinks, ports without a link, datelines."""

from collections import Counter
from typing import Any

import pytest

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.traffic import rate_word
from tests.models.golden.irregular_bench import Bench, line, network_of, ring
from tests.models.golden.packet_log import Log, flow, image, on, route

HOPS = [1, 2]


@pytest.mark.parametrize("hop", HOPS)
def test_a_packet_uses_up_its_route_on_the_way(hop: int) -> None:
    """Five switches with three ports in a route flit; the last port leads to a node."""
    log, network = Log(), line(5, flit_bits=16, data_bits=4, cycles_per_hop=hop)
    assert network.layout.route_ports == 3
    model = IrregularModel(network, observer=log)
    first, second = route(network, 1, 1, 1), route(network, 1, 3)
    model.put(0, [first, second, 0xABCD, 0x1234])
    seen = flow(model)
    links = [1, 5, 9, 13]
    assert on(links[0], seen) == [
        image(network, route(network, 1, 1), head=1),
        image(network, second),
        image(network, 0xABCD),
        image(network, 0x1234, tail=1),
    ]
    assert on(links[1], seen)[0] == image(network, route(network, 1), head=1)
    assert on(links[2], seen)[0] == image(network, second, head=1)
    assert on(links[3], seen)[0] == image(network, route(network, 3), head=1)
    assert on(4 * 4 + 3, seen) == [
        image(network, 0xABCD, head=1),
        image(network, 0x1234, tail=1),
    ]
    assert [packet[:2] for packet in log.packets] == [(0, 9)]
    assert model.is_empty()


def test_what_follows_a_used_up_flit_is_not_looked_into() -> None:
    """A header behind it is read at the next switch; a lone flit becomes head and tail."""
    log, network = Log(), line(3, cycles_per_hop=1)
    model = IrregularModel(network, observer=log)
    header = network.layout.header.pack({"switch": 2, "port": 3})
    model.put(2, [route(network, 0), header, 7])
    seen = flow(model)
    assert on(4, seen) == [image(network, header, head=1), image(network, 7, tail=1)]
    assert log.packets[-1][:2] == (2, 5)
    model.put(2, [route(network, 3), header])
    assert on(7, flow(model)) == [image(network, header, head=1, tail=1)]
    assert log.packets[-1][:2] == (2, 3)


def test_bits_above_the_ports_stay() -> None:
    """Five bits of three ports are left over in a flit of nineteen."""
    network = line(2, flit_bits=19)
    model = IrregularModel(network)
    assert network.layout.route.width == 5 + 4 * 3
    model.put(0, [3 << 17 | route(network, 1, 2, 3, 3), 5])
    assert on(1, flow(model))[0] == image(network, 3 << 17 | route(network, 2, 3, 3), head=1)


@pytest.mark.parametrize("hop", HOPS)
def test_packets_for_the_sink_are_dropped_and_counted(hop: int) -> None:
    log, network = Log(), line(3, cycles_per_hop=hop, channels=2)
    made = Bench(network, observer=log)
    header = network.layout.header.pack
    nodes = len(network.nodes)
    cases: list[tuple[int, list[int]]] = [
        (1, [header({"switch": 1, "port": 4}), 1, 2]),
        (1, [header({"switch": 1, "port": 7})]),
        (0, [header({"switch": 3, "port": 2}), 1]),
        (0, [route(network, 1, count=0), 1, 2]),
        (1, [route(network, 1, 4), 1, 2]),
        (0, [route(network, 5, count=2)]),
        (0, [route(network, 1)]),
        (1, [route(network, 1, 1)]),
        (1, [route(network, 1), route(network, 6), 9]),
    ]
    expected = Counter[int]()
    for number, (switch, payloads) in enumerate(cases):
        made.model.put(0, payloads, number % 2)
        flow(made.model)
        expected[switch] += 1
        strays = [made.counters(nodes + s)[1] for s in range(3)]
        assert strays == [expected[s] for s in range(3)]
    for node in (0, 1, 2, 3):
        for channel in (0, 1):
            made.model.put(node, [header({"switch": 1, "port": 4}), *range(6)], channel)
    flow(made.model)
    assert made.counters(nodes + 1)[1] == expected[1] + 8
    assert made.model.is_empty()
    assert log.packets == []
    assert made.model.packets.flits_ejected == 0


def test_what_is_sent_where_no_link_is_is_lost_with_its_credits() -> None:
    network = network_of(4, 1, [], [(0, 0)], buffer_flits=2)
    model = IrregularModel(network)
    model.put(0, [network.layout.header.pack({"port": 3}), 1])
    assert {link for _, link, _, _ in flow(model)} == {4}
    assert model.is_empty()
    model.put(0, [network.layout.header.pack({"port": 3}), 1])
    flow(model)
    assert not model.is_empty()


def test_a_packet_crosses_a_dateline_once() -> None:
    network = ring(5, channels=4, datelines=((3, 1),), buffer_flits=2)
    model = IrregularModel(network)
    for number in range(3):
        model.sources.create(2, 0, 0)
        seen = flow(model)
        first = 2 * (number % 2)
        ways = {link: channel for _, link, channel, _ in seen}
        assert ways == {
            17: first,
            7: first,
            10: first | 1,
            13: first | 1,
            2: first | 1,
        }
    with pytest.raises(ValueError, match="channel 4"):
        model.put(0, [0], 4)
    with pytest.raises(ValueError, match="0 flits"):
        model.put(0, [], 0)


@pytest.mark.parametrize("options", [{}, {"channels": 2, "datelines": ((0, 1),)}], ids=str)
@pytest.mark.parametrize("hop", HOPS)
def test_a_dateline_keeps_a_ring_from_deadlock(hop: int, options: dict[str, Any]) -> None:
    model = IrregularModel(ring(5, cycles_per_hop=hop, **options))
    model.step(load=1)
    for _ in range(600):
        model.step(enable=True, rate=rate_word(1.0))
    flow(model)
    assert model.is_empty() == bool(options)
