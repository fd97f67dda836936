"""Ordinary packets: latency, loss, saturation, and every cycle against the rules, literally."""

import random
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.golden.mesh import MeshModel
from syncfabric.models.golden.packet import packet_words
from syncfabric.models.golden.record import Observer
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from tests.models.golden.packet_log import SoftwarePackets


class Log(Observer):
    """Everything an observer can hear."""

    def __init__(self) -> None:
        self.packets: list[tuple[int, int, int, int, int]] = []
        self.loads: Counter[int] = Counter()

    def packet(
        self, source: int, destination: int, created: int, injected: int, ejected: int
    ) -> None:
        self.packets.append((source, destination, created, injected, ejected))

    def flit(self, link: int, cycle: int) -> None:
        self.loads[link] += 1


class Literal:
    """Sections 1, 2 and 6 word by word: every router in every cycle, lists, no sleep.

    Flits are (head, tail, destination, raw image).
    """

    def __init__(self, network: MeshSpec) -> None:
        self.mesh, self.channels = network.mesh, range(network.channels)
        self.layout, size = network.layout, network.buffer_flits
        self.nodes = range(len(self.mesh.nodes))
        places = [(n, p, c) for n in self.nodes for p in range(5) for c in self.channels]
        self.buffer: dict[Any, list[Any]] = {place: [] for place in places}
        self.credit = dict.fromkeys(places, size)
        self.source_credit = {(n, c): size for n in self.nodes for c in self.channels}
        self.owner: dict[Any, int | None] = dict.fromkeys(places)
        self.way: dict[Any, int] = {}
        self.channel_order = {(n, p): list(self.channels) for n in self.nodes for p in range(5)}
        self.input_order = {(n, p): list(range(5)) for n in self.nodes for p in range(5)}
        self.returning: list[Any] = []
        self.backlog: dict[int, deque[Any]] = {n: deque() for n in self.nodes}
        self.software: dict[int, deque[Any]] = {n: deque() for n in self.nodes}
        self.begun: dict[int, Any] = dict.fromkeys(self.nodes)
        self.packets = dict.fromkeys(self.nodes, 0)
        self.lanes = network.channels + 2

    def create(self, now: int, source: int, destination: int) -> None:
        number = self.packets[source]
        self.packets[source] += 1
        x, y = self.mesh.node(destination)
        header, channel = self.layout.header.pack({"x": x, "y": y}), number % len(self.channels)
        for i, word in enumerate(packet_words(header, source, now, number)):
            flit = self.flit(word, i == 0, i == 4, destination)
            self.backlog[source].append((channel, flit))

    def put(self, n: int, payload: int, channel: int, *, head: bool, tail: bool) -> None:
        """Put a flit of a node's software into its queue, after the cycle's step."""
        fields = self.layout.header.unpack(payload % 2**self.layout.header.width)
        place = fields["x"], fields["y"]
        destination = self.mesh.index(place) if head else 0
        self.software[n].append((channel, self.flit(payload % 2**32, head, tail, destination)))

    def flit(self, word: int, head: bool, tail: bool, destination: int) -> tuple[Any, ...]:
        fields = {"payload": word % 2**self.layout.flit_bits, "head": head, "tail": tail}
        return head, tail, destination, self.layout.flit.pack(fields)

    def upstream(self, n: int, p: int) -> tuple[int, int]:
        """Return node and output port of the link that leads to an input, node -1: a source."""
        if p == Port.LOCAL:
            return -1, n
        other = self.mesh.neighbour(self.mesh.node(n), Port(p))
        assert other is not None
        return self.mesh.index(other), Port(p).opposite

    def lane(self, n: int, p: int, c: int) -> int:
        link = len(self.nodes) * 5 + p if n < 0 else n * 5 + p
        return link * self.lanes + c

    def step(
        self, now: int, held_inputs: set[int], held_outputs: set[int]
    ) -> tuple[dict[int, int], set[int]]:
        wires: dict[int, Any] = {}
        credits, self.returning = self.returning, []
        moves = []
        for n in self.nodes:
            offers: dict[int, list[tuple[int, int]]] = {}
            for i in range(5):
                requests = {}
                for c in self.channels:
                    if self.buffer[n, i, c]:
                        head, _, destination, _ = self.buffer[n, i, c][0]
                        if head:
                            here, there = self.mesh.node(n), self.mesh.node(destination)
                            self.way[n, i, c] = self.mesh.first_port(here, there, Turn.X_FIRST)
                        o = self.way[n, i, c]
                        owner = self.owner[n, o, c]
                        if self.credit[n, o, c] and owner == (None if head else i):
                            requests[c] = o
                own, port = self.upstream(n, i) if i == 4 or self._inside(n, i) else (0, 0)
                if requests and self.lane(own, port, 0) // self.lanes not in held_inputs:
                    c = next(c for c in self.channel_order[n, i] if c in requests)
                    offers.setdefault(requests[c], []).append((i, c))
            for o, candidates in offers.items():
                if n * 5 + o not in held_outputs:
                    chosen = dict(candidates)
                    i = next(i for i in self.input_order[n, o] if i in chosen)
                    moves.append((n, i, chosen[i], o))
        for n, i, c, o in moves:
            flit = self.buffer[n, i, c].pop(0)
            self.owner[n, o, c] = None if flit[1] else i
            self.credit[n, o, c] -= 1
            for order, who in ((self.channel_order[n, i], c), (self.input_order[n, o], i)):
                order.remove(who)
                order.append(who)
            wires[self.lane(n, o, c)] = flit
            self.returning.append((*self.upstream(n, i), c))
        for n in self.nodes:
            if self.begun[n] is None:
                queue = self.software[n] or self.backlog[n]
                c = queue[0][0] if queue else 0
            else:
                queue, c = self.begun[n]
            if queue and self.source_credit[n, c]:
                self.source_credit[n, c] -= 1
                _, flit = queue.popleft()
                wires[self.lane(-1, n, c)] = flit
                self.begun[n] = None if flit[1] else (queue, c)
        for (
            n,
            o,
            c,
        ) in ((n, o, c) for n, _, c, o in moves):
            if o == Port.LOCAL:
                self.returning.append((n, o, c))
            else:
                other = self.mesh.neighbour(self.mesh.node(n), Port(o))
                assert other is not None
                place = self.mesh.index(other), Port(o).opposite, c
                self.buffer[place].append(wires[self.lane(n, o, c)])
        for n in self.nodes:
            for c in self.channels:
                if self.lane(-1, n, c) in wires:
                    self.buffer[n, 4, c].append(wires[self.lane(-1, n, c)])
        for n, p, c in credits:
            if n < 0:
                self.source_credit[p, c] += 1
            else:
                self.credit[n, p, c] += 1
        return {lane: flit[3] for lane, flit in wires.items()}, {self.lane(*c) for c in credits}

    def _inside(self, n: int, p: int) -> bool:
        return self.mesh.neighbour(self.mesh.node(n), Port(p)) is not None


@pytest.mark.parametrize("held", [0.0, 0.2], ids=["quiet", "barriers"])
@pytest.mark.parametrize("size", [1, 2, 3, 8])
@pytest.mark.parametrize("channels", [1, 2, 3])
def test_every_cycle_is_as_the_rules_say(channels: int, size: int, held: float) -> None:
    """Light and heavy traffic, with links held up at random as by synchronization messages."""
    rng = random.Random(channels * 100 + size)
    network = MeshSpec(
        kind="mesh", width=4, height=3, channels=channels, buffer_flits=size, flit_bits=24
    )
    model, literal = MeshModel(network), Literal(network)
    software = SoftwarePackets(rng, model.put, literal.put)
    links = [n * 5 + p for n in range(12) for p in range(4)]
    for now in range(900):
        rate = 0.05 if now < 300 else 0.9 if now < 500 else 0.0
        inputs = {link for link in links if rng.random() < held}
        outputs = {link for link in links if rng.random() < held}
        model._plane.held_inputs.update(inputs)
        model._plane.held_outputs.update(outputs)
        seen = model.step()
        model._plane.held_inputs.clear()
        model._plane.held_outputs.clear()
        wires, credits = literal.step(now, inputs, outputs)
        if seen is None:
            assert not wires
            assert not credits
        else:
            assert seen.valid == sum(1 << lane for lane in wires)
            assert seen.credit == sum(1 << lane for lane in credits)
            assert seen.payloads == [wires[lane] for lane in sorted(wires)]
        for source in range(12):
            if rng.random() < rate / 5:
                destination = (source + rng.randint(1, 11)) % 12
                model.sources.create(source, destination, now)
                literal.create(now, source, destination)
            if rng.random() < rate / 10:
                x, y = rng.choice(network.mesh.nodes)
                body = [rng.getrandbits(32) for _ in range(rng.randint(0, 6))]
                header = network.layout.header.pack({"x": x, "y": y})
                software.send(source, [header, *body], rng.randrange(channels))
        software.step()


@pytest.mark.parametrize("channels", [1, 3])
def test_zero_load_latency_is_hops_and_six(channels: int) -> None:
    log = Log()
    model = MeshModel(MeshSpec(kind="mesh", width=5, height=4, channels=channels), observer=log)
    mesh = model.network.mesh
    for source in range(20):
        for destination in set(range(20)) - {source}:
            model.sources.create(source, destination, model.cycle)
            model.cycle += 1
            while model.idle_until() is not None:
                model.step()
            assert model.is_empty()
            _, _, created, injected, ejected = log.packets.pop()
            assert ejected - created == mesh.hops(mesh.node(source), mesh.node(destination)) + 6
            assert injected == created + 1
    for node in range(20):
        assert log.loads[100 + node] == log.loads[node * 5 + Port.LOCAL] == 5 * 19


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [0.05, 0.2, 1.0])
def test_nothing_is_lost_and_packets_of_a_pair_keep_their_order(rate: float, channels: int) -> None:
    log = Log()
    model = MeshModel(
        MeshSpec(kind="mesh", width=4, height=4, channels=channels, buffer_flits=4), observer=log
    )
    created = Counter[tuple[int, int]]()
    original = model.sources.create

    def create(source: int, destination: int, now: int) -> None:
        created[source, destination] += 1
        original(source, destination, now)

    model.sources.create = create  # type: ignore[method-assign]
    model.step(load=3)
    for _ in range(1000):
        model.step(enable=True, rate=rate_word(rate))
        full = max(len(queue) for queue in model.packets.buffers if queue is not None)
        assert full <= 4
    while model.idle_until() is not None:
        model.step()
    assert model.is_empty()
    assert Counter((source, sink) for source, sink, *_ in log.packets) == created
    assert created.total() * 5 == model.packets.flits_ejected
    if channels == 1:
        last: dict[tuple[int, int], int] = {}
        for source, sink, made, injected, _ in log.packets:
            assert made > last.get((source, sink), -1)
            assert injected > made
            last[source, sink] = made
    idle = [buffer for buffer in model.packets.waiting if buffer]
    assert idle == []
    assert set(model.packets.owner) == {-1}


def test_no_credit_is_lost_or_made(bench: Callable[..., Any]) -> None:
    made = bench(4, 4)
    made.add(1, made.model.network.mesh.nodes)
    model = made.model
    full = model.credits.copy()
    model.step(load=9)
    for _ in range(WARM_CYCLES + 500):
        arrive = {(node, slot): 0 for node, slot, _ in model.release}
        arrive = arrive or {(node, 0): 0 for node in range(16)}
        model.step(arrive=arrive, enable=True, rate=rate_word(0.4))
    while model.idle_until() is not None:
        model.step()
    assert model.credits == full


@pytest.mark.long
@pytest.mark.parametrize(("size", "channels", "least"), [(8, 1, 0.31), (4, 1, 0.26), (8, 2, 0.33)])
def test_saturation_of_8x8(size: int, channels: int, least: float) -> None:
    model = MeshModel(
        MeshSpec(kind="mesh", width=8, height=8, buffer_flits=size, channels=channels)
    )
    model.step(load=1)
    for _ in range(WARM_CYCLES + 1000):
        model.step(enable=True, rate=rate_word(1.0))
    before = model.packets.flits_ejected
    for _ in range(3000):
        model.step(enable=True, rate=rate_word(1.0))
    assert (model.packets.flits_ejected - before) / 3000 / 64 >= least
