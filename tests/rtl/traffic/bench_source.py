"""The packet source against the stated generator, and unbounded queues of packets and flits."""

import random
from collections import deque
from typing import Any

import cocotb

from syncfabric.models.golden.planes.processes import packet_words
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.traffic import TrafficGenerator, rate_word
from tests.rtl.support import Bench, Scoreboard
from tests.rtl.traffic.headers import header_of
from tests.sim.drive.clusters import SMALL, ring
from tests.sim.drive.networks import irregular, mesh

QUEUE = 64


CASES: dict[str, tuple[MessageSpec, int]] = {
    "square": (mesh(4, 4), 5),
    "oblong_two_channels": (mesh(5, 3, channels=2, buffer_flits=3, flit_bits=24), 14),
    "tall_three_channels": (mesh(1, 7, channels=3, buffer_flits=2), 0),
    "single": (mesh(1, 1), 0),
    "irregular": (irregular(SMALL, channels=3, buffer_flits=2), 1),
    "datelines": (ring(3, 2, channels=4, flit_bits=24), 5),
    "irregular_single": (irregular(Irregular(2, 1, (), ((0, 1),))), 0),
}
"""Network, and index of the node."""


class Software:
    """A node's software: puts flits of its packets, with pauses, and knows which is next."""

    def __init__(self, rng: random.Random, spec: MessageSpec) -> None:
        self.rng, self.spec = rng, spec
        self.queue: deque[dict[str, int]] = deque()
        self.left = 0
        self.begun: int | None = None
        self.sent = 0

    def put(self) -> tuple[int, int]:
        """Return the port's inputs in a cycle."""
        rng = self.rng
        if rng.random() < (0.4 if self.left else 0.93):
            return 0, rng.getrandbits(38)
        head, self.left = not self.left, (self.left or rng.randint(1, 4)) - 1
        channel = rng.randrange(self.spec.channels)
        flit = {"payload": rng.getrandbits(32), "head": int(head), "tail": int(not self.left)}
        self.queue.append({**flit, "channel": channel})
        extra = channel | flit["head"] << 4 | flit["tail"] << 5
        return 1, flit["payload"] << 6 | extra

    def channel(self) -> int:
        """Return the channel of the next flit."""
        return self.queue[0]["channel"] if self.begun is None else self.begun

    def next(self) -> int:
        """Return the next flit on the link."""
        fields = {name: self.queue[0][name] for name in ("payload", "head", "tail")}
        fields["payload"] %= 1 << self.spec.flit_bits
        return self.spec.layout.flit.pack(fields)

    def send(self) -> None:
        """Let the next flit go."""
        channel, flit = self.channel(), self.queue.popleft()
        self.begun = None if flit["tail"] else channel
        self.sent += flit["tail"]


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def packets_agree_with_generator(dut: Any, case: str) -> None:
    """Two seeds, several rates, software, credits that come late: every flit in its cycle."""
    spec, index = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, layout = bench.pins[case], board.rng, spec.layout
    nodes = len(spec.topology.nodes)
    # Packets take these channels in turn.
    order = [0, 2] if case == "datelines" else list(range(spec.channels))
    generator = TrafficGenerator(nodes)
    packets: deque[list[int]] = deque()
    software = Software(rng, spec)
    credits, created, sent, rate = [spec.buffer_flits] * spec.channels, 0, 0, 0
    await bench.reset()
    for cycle in range(1500):
        load = rng.getrandbits(32) if cycle in (3, 700) else None
        if cycle % 100 == 0:
            rate = rate_word(rng.choice([0.2, 0.9, 0.5]))
        enable = cycle > 5 and rng.random() < 0.9
        within = bool(packets) and len(packets[0]) < 5
        own = software.begun is not None or (bool(software.queue) and not within)
        going = bool(software.queue if own else packets)
        channel = order[sent % len(order)]
        if own and going:
            channel = software.channel()
        going &= credits[channel] > 0
        flit = (software.next() if own else packets[0][0]) if going else 0
        back = [credits[c] < spec.buffer_flits and rng.random() < 0.8 for c in range(spec.channels)]
        put, put_flit = software.put()
        stimulus = {
            "put__valid": put,
            "put__flit": put_flit,
            "index": index,
            "cycle": cycle,
            "load": load is not None,
            "seed": load or 0,
            "enable": enable,
            "rate": rate,
            "link__credit": sum(1 << c for c in range(spec.channels) if back[c]),
        }
        expected = {
            "link__valid": going << channel,
            "link__flit": flit,
            "created": created,
            "sent": sent,
            "overflow": 0,
        }
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        if going:
            credits[channel] -= 1
        if going and own:
            software.send()
        elif going:
            packets[0].pop(0)
            if not packets[0]:
                packets.popleft()
                sent += 1
        for c in range(spec.channels):
            credits[c] += back[c]
        for source, destination in generator.step(load=load, enable=enable, rate=rate):
            if source == index:
                header = header_of(spec, spec.topology.node(destination))
                words = packet_words(header, index, cycle, created)
                packets.append(
                    [
                        layout.flit.pack(
                            {
                                "payload": word % (1 << spec.flit_bits),
                                "head": i == 0,
                                "tail": i == len(words) - 1,
                            }
                        )
                        for i, word in enumerate(words)
                    ]
                )
                created += 1
        assert len(packets) < QUEUE - 1
        await bench.edge()
    assert sent > 50 or nodes == 1
    assert software.sent > 30


@cocotb.test()
async def what_the_queue_cannot_hold_is_counted(dut: Any) -> None:
    """Without credits a queue fills; the packets in it are sent later, the others never."""
    bench = Bench(dut)
    pins, places = bench.pins["short_queue"], CASES["square"][0].buffer_flits
    await bench.reset()
    pins.drive({"load": 1, "seed": 99})
    await bench.edge()
    pins.drive({"load": 0, "enable": 1, "rate": (1 << 24) - 1})
    for _ in range(200):
        await bench.edge()
    pins.drive({"enable": 0})
    await bench.settle()
    created, lost, sent = (pins[name] for name in ("created", "overflow", "sent"))
    assert created > 100
    assert sent == places // 5
    assert created - lost - sent == 4
    pins.drive({"put__valid": 1, "put__flit": 3 << 4})
    for _ in range(6):
        await bench.edge()
    pins.drive({"put__valid": 0})
    await bench.settle()
    assert pins["overflow"] == lost + 2
    pins.drive({"link__credit": 1})
    for _ in range(40):
        await bench.edge()
    assert pins["sent"] == created - lost
