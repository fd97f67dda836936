"""Ordinary packets on the irregular network: latency, loss, routes brought along, datelines."""

from collections import Counter
from typing import Any

import pytest

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.record import Observer
from syncfabric.models.golden.source import packet_words
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from tests.models.golden.irregular_bench import Bench, line, network_of, ring, star, tree

HOPS = [1, 2]


class Log(Observer):
    """Everything an observer can hear of packets."""

    def __init__(self) -> None:
        self.packets: list[tuple[int, int, int, int, int]] = []
        self.loads: Counter[int] = Counter()

    def packet(
        self, source: int, destination: int, created: int, injected: int, ejected: int
    ) -> None:
        self.packets.append((source, destination, created, injected, ejected))

    def flit(self, link: int, cycle: int) -> None:
        self.loads[link] += 1


def flow(model: IrregularModel) -> list[tuple[int, int, int, int]]:
    """Step until nothing moves; return (cycle, link, channel, flit) of all ordinary flits."""
    lanes, seen = model.wiring.lanes, []
    while model.idle_until() is not None:
        now, record = model.cycle, model.step()
        if record is None:
            continue
        valid = [lane for lane in range(record.valid.bit_length()) if record.valid >> lane & 1]
        for lane, flit in zip(valid, record.payloads, strict=True):
            if lane % lanes < lanes - 1:
                seen.append((now, *divmod(lane, lanes), flit))
    return seen


def on(link: int, seen: list[tuple[int, int, int, int]]) -> list[int]:
    return [flit for _, where, _, flit in seen if where == link]


def image(network: IrregularSpec, payload: int, head: int = 0, tail: int = 0) -> int:
    return network.layout.flit.pack({"payload": payload, "head": head, "tail": tail})


@pytest.mark.parametrize("hop", HOPS)
def test_zero_load_latency(hop: int) -> None:
    """One cycle for each link or two for each switch, four for the flits behind the head."""
    log, network = Log(), line(4, cycles_per_hop=hop, buffer_flits=4)
    model = IrregularModel(network, observer=log)
    for source in range(8):
        for destination in set(range(8)) - {source}:
            model.step()
            model.sources.create(source, destination, model.cycle - 1)
            flow(model)
            assert model.is_empty()
            away = abs(source // 2 - destination // 2)
            found, to, created, injected, ejected = log.packets.pop()
            assert (found, to) == (source, destination)
            assert injected == created + 1
            assert ejected - created == 1 + hop * (away + 1) + 4
    assert {log.loads[link] for link in model.wiring.sinks} == {35}
    assert model.packets.flits_ejected == 8 * 35


@pytest.mark.parametrize("hop", HOPS)
def test_a_buffer_of_one_flit_takes_one_in_three_cycles(hop: int) -> None:
    """On the link, out of the buffer, and the credit on its way back."""
    network = network_of(4, 1, [], [(0, 0), (0, 1)], cycles_per_hop=hop, buffer_flits=1)
    model = IrregularModel(network)
    model.put(0, [network.layout.header.pack({"port": 1}), 0, 0, 0, 0])
    seen = flow(model)
    assert [now for now, link, _, _ in seen if link == 4] == [3 * i for i in range(5)]
    assert [now for now, link, _, _ in seen if link == 1] == [hop + 3 * i for i in range(5)]


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("hop", HOPS)
@pytest.mark.parametrize("rate", [0.05, 1.0])
def test_nothing_is_lost_beside_barriers(rate: float, hop: int, channels: int) -> None:
    """The hold buffers pass on, in order, what messages keep off the nodes' links."""
    log = Log()
    network = star(cycles_per_hop=hop, channels=channels, buffer_flits=2)
    made = Bench(network, observer=log)
    for gid in range(4):
        made.add(gid, tree(network, list(range(6)), gid % 3 + 1))
    model, created = made.model, Counter[tuple[int, int]]()
    original, full = model.sources.create, model.credits.copy()

    def create(source: int, destination: int, now: int) -> None:
        created[source, destination] += 1
        original(source, destination, now)

    model.sources.create = create  # type: ignore[method-assign]
    model.step(load=3)
    arrive = {(node, r): 1 for node in range(6) for r in range(4)}
    held = 0
    for _ in range(1200):
        model.step(arrive=arrive, enable=True, rate=rate_word(rate))
        arrive = {(node, r): 1 for node, r, _ in model.release}
        held = max(held, *map(len, model.sources.hold.values()), 0)
        assert held <= 2 * channels
    flow(model)
    assert model.is_empty()
    assert held > 0
    assert Counter((source, sink) for source, sink, *_ in log.packets) == created
    assert created.total() * 5 == model.packets.flits_ejected > 200
    assert (
        model.credits[: len(full)][: model.packets.outer_lanes]
        == (full[: model.packets.outer_lanes])
    )
    if channels == 1:
        last: dict[tuple[int, int], int] = {}
        for source, sink, made_at, injected, _ in log.packets:
            assert made_at > last.get((source, sink), -1)
            assert injected > made_at
            last[source, sink] = made_at


def test_a_message_delays_the_flits_of_its_node_by_a_cycle() -> None:
    log, network = Log(), line(1, cycles_per_hop=1, buffer_flits=8)
    made = Bench(network, observer=log)
    made.add(1, tree(network, [0, 1], 0))
    model = made.model
    for behind in range(-1, 6):
        made.settle()
        begin = model.cycle
        for cycle in range(1, 20):
            if cycle == 2:
                model.sources.create(0, 1, model.cycle - 1)
            model.step(arrive={(0, 0): 0} if cycle == 1 + behind else {})
        _, _, _, injected, ejected = log.packets.pop()
        assert injected - begin == 1 + (behind == 0)
        assert ejected - begin == 6 + (0 <= behind <= 4)
        model.step(arrive={(0, 0): 0, (1, 0): 0})


def test_the_generators_packets_have_the_stated_words() -> None:
    network = star(channels=2, buffer_flits=4)
    model = IrregularModel(network)
    model.step(load=11)
    packets: dict[int, list[int]] = {node: [] for node in range(6)}
    channels: dict[int, list[int]] = {node: [] for node in range(6)}
    for _ in range(WARM_CYCLES + 400):
        record = model.step(enable=True, rate=rate_word(0.2))
        wires = 0 if record is None else record.valid
        payloads = [] if record is None else list(record.payloads)
        for lane in range(wires.bit_length()):
            if wires >> lane & 1:
                flit, (link, channel) = payloads.pop(0), divmod(lane, 3)
                if link >= 16:
                    packets[link - 16].append(flit & (1 << 32) - 1)
                    channels[link - 16].append(channel)
    for node, words in packets.items():
        assert len(words) > 50
        for number in range(len(words) // 5):
            header, source, created, count, check = words[5 * number : 5 * number + 5]
            fields = network.layout.header.unpack(header)
            assert (fields["switch"], fields["port"]) in network.nodes
            assert fields["by_route"] == 0
            assert (source, count) == (node, number)
            assert check == packet_words(0, node, created, number)[4]
            assert set(channels[node][5 * number : 5 * number + 5]) == {number % 2}


def route(network: IrregularSpec, *ports: int, count: int | None = None) -> int:
    fields = {f"port_{i}": port for i, port in enumerate(ports)}
    count = len(ports) if count is None else count
    return network.layout.route.pack({"by_route": 1, "count": count, **fields})


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


@pytest.mark.parametrize(("hop", "share"), [(1, 2), (2, 2)])
def test_messages_leave_flits_half_of_a_link(hop: int, share: int) -> None:
    """Many groups cross one link without pause; packets do too."""
    network = line(2, cycles_per_hop=hop, barrier_registers=16, buffer_flits=8)
    made = Bench(network)
    for gid in range(16):
        made.add(gid, tree(network, [0, 2], 0))
    model = made.model
    for _ in range(200):
        model.sources.create(0, 2, model.cycle - 1)
        model.sources.create(2, 0, model.cycle - 1)
    arrive = {(node, r): 0 for node in (0, 2) for r in range(16)}
    loads: Counter[int] = Counter()
    for _ in range(300):
        record = model.step(arrive=arrive)
        arrive = {(node, r): 0 for node, r, _ in model.release}
        assert record is not None
        loads.update(lane for lane in range(20) if record.valid >> lane & 1)
    lanes = model.wiring.lanes
    for link in (1, 4):
        flits, messages = loads[link * lanes], loads[link * lanes + 1]
        assert messages > 100
        assert flits > 300 // share - 30
        assert flits + messages <= 300
