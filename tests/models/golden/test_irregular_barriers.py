"""Barriers on the golden irregular network: latencies, ties, pauses, and who hears of them."""

import random
from typing import Any

import pytest

from syncfabric.models.golden.record import Observer
from syncfabric.models.messages import Counter, Kind
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.traffic import rate_word
from tests.models.golden.irregular_bench import (
    Bench,
    line,
    network_of,
    random_network,
    ring,
    star,
    tree,
)

HOPS = [1, 2]
KINDS: list[dict[str, Any]] = [{}, {"operations": "all"}]


def bound(depth: int, network: IrregularSpec) -> int:
    """Return the latency if the deepest member is ``depth`` links below the root switch."""
    if network.turnaround == "node":
        depth += 1
    one = network.cycles_per_hop == 1
    return 2 * depth + 1 if one else 4 * depth - (network.turnaround == "node")


def wait(made: Bench, arrive: dict[tuple[int, int], int]) -> dict[int, int]:
    """Let processes arrive in one cycle; return by node in which cycle after it is released."""
    begin, told = made.model.cycle, {}
    made.model.step(arrive=arrive)
    while made.model.idle_until() is not None:
        told.update({node: made.model.cycle - begin for node, _, _ in made.model.release})
        made.model.step()
    return told


@pytest.mark.parametrize("hop", HOPS)
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("turnaround", ["switch", "node"])
def test_one_group_alone_meets_its_bound(hop: int, kind: dict[str, Any], turnaround: str) -> None:
    """The last to arrive is each member in turn: the deepest is the slowest."""
    options = {"cycles_per_hop": hop, "turnaround": turnaround, **kind}
    for network in (line(2, **options), line(4, **options), star(**options), ring(5, **options)):
        made = Bench(network)
        nodes = list(range(len(network.nodes)))
        group = tree(network, nodes, network.nodes[0][0])
        made.add(5, group)
        longest = max(depth for node, depth in group.depth.items())
        latencies = {last: made.episode(5, last) for last in nodes}
        assert max(latencies.values()) == bound(longest, network)
        if turnaround == "switch":
            up_and_down = {last: hop * (group.depth[last] + longest) + (hop == 1) for last in nodes}
            assert latencies == up_and_down
        assert made.all_counters() == [[0] * 4] * (len(nodes) + network.switches)


@pytest.mark.parametrize(("hop", "expected"), [(1, [3, 5]), (2, [4, 8])])
def test_two_switches_by_hand(hop: int, expected: list[int]) -> None:
    """Those on the root's switch are told before the others, each a link later."""
    made = Bench(line(2, cycles_per_hop=hop))
    made.add(7, tree(made.network, [0, 1, 2, 3], 0))
    wait(made, {(node, 0): 0 for node in (1, 2, 3)})
    told = wait(made, {(0, 0): 0})
    links_down = {0: 1, 1: 1, 2: 2, 3: 2}
    up = 1
    assert told == {n: hop * (up + down) + (hop == 1) for n, down in links_down.items()}
    told = wait(made, {(node, 0): 0 for node in range(4)})
    assert sorted(set(told.values())) == [hop * 3 + (hop == 1), expected[1]]
    wait(made, {(node, 0): 0 for node in (0, 1, 2)})
    assert max(wait(made, {(3, 0): 0}).values()) == expected[1]
    lone = Bench(line(1, cycles_per_hop=hop))
    lone.add(7, tree(lone.network, [0, 1], 0))
    assert wait(lone, {(0, 0): 0, (1, 0): 0}) == {0: expected[0], 1: expected[0]}


@pytest.mark.parametrize(("hop", "cycles"), [(1, [1, 2, 3, 4]), (2, [1, 3, 5, 7])])
def test_the_links_of_an_episode(hop: int, cycles: list[int]) -> None:
    """A lone last arrival's way up to a root two links off, and down again to itself."""
    made = Bench(line(2, cycles_per_hop=hop))
    made.add(7, tree(made.network, [0, 2], 0))
    wait(made, {(0, 0): 1})
    begin, seen = made.model.cycle, []
    made.model.step(arrive={(2, 0): 4})
    while made.model.idle_until() is not None:
        now = made.model.cycle - begin
        record = made.model.step()
        if record is not None:
            seen += [(now, lane) for lane in range(40) if record.valid >> lane & 1]
            assert {p >> 12 for p in record.payloads} <= {4, 5}
    up, over, back, down, near = 10, 4, 1, 6, 2
    lanes = [lane * 2 + 1 for lane in (up, over, back, down)]
    assert [event for event in seen if event[1] != near * 2 + 1] == list(
        zip(cycles, lanes, strict=True)
    )
    assert (cycles[2], near * 2 + 1) in seen


@pytest.mark.parametrize(("hop", "cycles"), [(1, 1), (2, 1)])
def test_a_group_of_one_is_released_at_once(hop: int, cycles: int) -> None:
    made = Bench(line(1, cycles_per_hop=hop))
    made.add(3, tree(made.network, [1], 0))
    assert wait(made, {(1, 0): 9}) == {1: cycles}
    made.model.step(arrive={(1, 0): 5})
    assert made.model.release == [(1, 0, 5)]


@pytest.mark.parametrize(("hop", "base"), [(1, 3), (2, 4)])
def test_ties_cost_a_cycle_each_where_operations_are_serial(hop: int, base: int) -> None:
    network = network_of(6, 1, [], [(0, p) for p in range(5)], operations="all", cycles_per_hop=hop)
    made = Bench(network)
    made.add(1, tree(network, [0, 1, 2, 3, 4], 0), "sum")
    credits = []
    for tied in (1, 2, 5):
        early = {(node, 0): 3 for node in range(tied, 5)}
        if early:
            wait(made, early)
        begin, told = made.model.cycle, {}
        made.model.step(arrive={(node, 0): 3 for node in range(tied)})
        while made.model.idle_until() is not None:
            told.update({n: made.model.cycle - begin for n, _, _ in made.model.release})
            assert {result for _, _, result in made.model.release} <= {15}
            record = made.model.step()
            if tied == 5 and record is not None and record.credit and record.valid == 0:
                credits.append(record.credit.bit_count())
        assert set(told.values()) == {base + tied - 1}
    assert credits[:2] == [1, 1]


@pytest.mark.parametrize("turnaround", ["switch", "node"])
@pytest.mark.parametrize("hop", HOPS)
def test_traffic_costs_barriers_without_slots_nothing(hop: int, turnaround: str) -> None:
    network = line(4, cycles_per_hop=hop, turnaround=turnaround, buffer_flits=4)
    made = Bench(network)
    made.add(1, tree(network, list(range(8)), 0))
    model = made.model
    model.step(load=5)
    for _ in range(300):
        model.step(enable=True, rate=rate_word(1.0))
    alone, told = bound(4, network), 0
    for _ in range(20):
        begin = model.cycle
        model.step(arrive={(node, 0): 1 for node in range(8)}, enable=True, rate=rate_word(1.0))
        while told % 8 or told == 0 or model.release:
            told += len(model.release)
            if model.release:
                last = model.cycle
            model.step(enable=True, rate=rate_word(1.0))
        assert last - begin == alone
        told = 0
    assert model.packets.flits_ejected > 500


def test_a_message_leaves_an_output_a_cycle_of_rest() -> None:
    """Without slots the cycle after a message is free; with slots, until its credit is back."""
    for hop, kind, least in ((1, {}, 2), (2, {}, 2), (1, KINDS[1], 2), (2, KINDS[1], 3)):
        network = line(3, cycles_per_hop=hop, barrier_registers=8, **kind)
        made = Bench(network)
        for gid in range(8):
            made.add(gid, tree(network, list(range(6)), gid % 3))
        arrive = {(node, r): 0 for node in range(6) for r in range(8)}
        last: dict[int, int] = {}
        gaps = set()
        for now in range(400):
            record = made.model.step(arrive=arrive)
            arrive = {(node, r): 0 for node, r, _ in made.model.release}
            valid = record.valid if record is not None else 0
            between_switches = (lane for lane in range(1, 24, 2) if lane // 2 % 4 < 2)
            for lane in between_switches:
                if valid >> lane & 1:
                    gaps.add(now - last.get(lane, -99))
                    last[lane] = now
        assert min(gaps) == least


def test_an_arrive_beside_the_release_is_accepted_and_others_are_counted() -> None:
    made = Bench(line(2))
    model = made.model
    made.add(1, tree(made.network, [0, 1, 2], 0))
    arrive, releases = {(node, 0): 0 for node in range(3)}, 0
    for _ in range(200):
        model.step(arrive=arrive)
        arrive = {(node, r): 0 for node, r, _ in model.release}
        releases += len(arrive)
    assert releases >= 3 * (200 // 8 - 1)
    assert made.counters(0) == [0] * 4
    made.settle()
    refused = made.counters(0)[Counter.REFUSED_ARRIVE]
    free = int(not model.done(0, 0))
    for _ in range(3):
        model.step(arrive={(0, 0): 0, (0, 3): 0})
    made.settle()
    assert made.counters(0)[Counter.REFUSED_ARRIVE] == refused + 3 + 2 + free


def test_nobody_arrives_before_start() -> None:
    made = Bench(line(1))
    made.model.started = False
    made.add(1, tree(made.network, [0, 1], 0))
    assert not made.model.ready(0, 0)
    made.model.step(arrive={(0, 0): 0}, start=True)
    made.settle()
    assert made.counters(0) == [0, 0, 1, 0]
    assert made.model.ready(0, 0)
    assert not made.model.ready(0, 1)
    assert wait(made, {(0, 0): 1, (1, 0): 2}).keys() == {0, 1}


def test_a_split_phase_barrier_keeps_done_and_result_until_the_next() -> None:
    """A process looks when it likes; a new arrive clears done, a new release changes the result."""
    made = Bench(line(2))
    model = made.model
    made.add(1, tree(made.network, [0, 3], 0), "xor")

    def result(node: int) -> int | None:
        return made.request(node, 7)

    model.step(arrive={(0, 0): 6})
    made.settle()
    assert not model.done(0, 0)
    wait(made, {(3, 0): 5})
    assert model.done(0, 0)
    assert model.done(3, 0)
    assert [result(0), result(3)] == [3, 3]
    wait(made, {(3, 0): 9})
    assert [model.done(0, 0), model.done(3, 0)] == [True, False]
    assert result(3) == 3
    wait(made, {(0, 0): 1})
    assert [model.done(0, 0), model.done(3, 0)] == [True, True]
    assert [result(0), result(3)] == [8, 8]


class Messages(Observer):
    """The messages that have been taken."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int, int, int, int, int]] = []

    def sync(
        self, kind: int, gid: int, source: int, destination: int, sent: int, taken: int
    ) -> None:
        self.taken.append((kind, gid, source, destination, sent, taken))


@pytest.mark.parametrize("hop", HOPS)
def test_an_observer_hears_of_every_edge_twice(hop: int) -> None:
    log, rng = Messages(), random.Random(hop)
    network = random_network(rng, cycles_per_hop=hop)
    while len(network.nodes) < 4 or network.switches < 3:
        network = random_network(rng, cycles_per_hop=hop)
    made = Bench(network, observer=log)
    members = list(range(len(network.nodes)))
    group = tree(network, members, network.nodes[0][0])
    made.add(6, group)
    made.episode(6, 3)
    made.settle()
    edges = {(source, sink) for kind, _, source, sink, _, _ in log.taken if kind == Kind.REDUCE}
    down = {(sink, source) for kind, _, source, sink, _, _ in log.taken if kind == Kind.DISTRIBUTE}
    assert edges == down
    assert {source for source, _ in edges} == set(group.images) - {
        len(members) + network.nodes[0][0]
    }
    assert len(log.taken) == 2 * len(edges)
    for _, gid, _, sink, sent, taken in log.taken:
        assert gid == 6
        assert taken - sent == (hop == 2 and sink >= len(members))
