"""Ordinary packets on the irregular network: latency, loss, and links shared with messages."""

from collections import Counter

import pytest

from syncfabric.models.golden.irregular import IrregularModel
from syncfabric.models.golden.packet import packet_words
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from tests.models.golden.irregular_bench import Bench, line, network_of, star, tree
from tests.models.golden.packet_log import Log, flow

HOPS = [1, 2]


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


@pytest.mark.parametrize("hop", HOPS)
def test_messages_leave_flits_half_of_a_link(hop: int) -> None:
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
        assert flits > 120
        assert flits + messages <= 300
