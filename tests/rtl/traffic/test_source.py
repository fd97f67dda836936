# amaranth: UnusedElaboratable=no
"""The packet source against the stated generator, and unbounded queues of packets and flits."""

import random
from collections import deque

import pytest

from syncfabric.models.golden.processes import packet_words
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.patterns import ANY, NAMES, UNIFORM, pattern_of
from syncfabric.models.traffic import TrafficGenerator, rate_word
from syncfabric.rtl.traffic.source import PacketSource
from tests.rtl.support import SEED, agree, clocked
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


PATTERNS = {
    **dict.fromkeys(CASES, UNIFORM),
    **{name: name for name in NAMES},
    "hotspot": "hotspot:0.3:3,2:0,0",
    "hot_node": "hotspot:0.3:2,1",
}
"""By case; one that is none of `CASES` is of node 6 of 4x4, which bit-reverse lets be silent."""


@pytest.mark.parametrize("case", PATTERNS)
def test_packets_agree_with_generator(case: str) -> None:
    """Two seeds, several rates, software, credits that come late: every flit in its cycle."""
    spec, index = CASES.get(case, (mesh(4, 4), 6))
    pattern = pattern_of(spec.topology, PATTERNS[case])
    goal = pattern.goals[index]
    aim = goal << 17 | pattern.share - 1 << 1 | 1 if goal != ANY else 0xABCD << 1
    rng, layout = random.Random(f"{SEED}/{case}"), spec.layout
    cases, expected = [], []
    nodes = len(spec.topology.nodes)
    # Packets take these channels in turn.
    order = [0, 2] if case == "datelines" else list(range(spec.channels))
    generator = TrafficGenerator(nodes)
    generator.aim(pattern)
    packets: deque[list[int]] = deque()
    software = Software(rng, spec)
    credits, created, sent, rate = [spec.buffer_flits] * spec.channels, 0, 0, 0
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
            "goal": aim,
            "link__credit": sum(1 << c for c in range(spec.channels) if back[c]),
        }
        cases.append(stimulus)
        link = {"link__valid": going << channel, "link__flit": flit}
        expected.append({**link, "created": created, "sent": sent, "overflow": 0})
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
    agree(PacketSource(spec, queue=QUEUE), cases, expected)
    assert sent > 50 or nodes == 1 or goal == index
    assert software.sent > 30


def test_what_the_queue_cannot_hold_is_counted() -> None:
    """Without credits a queue fills; the packets in it are sent later, the others never."""
    spec = CASES["square"][0]
    on, off = {"load": 0, "enable": 1, "rate": (1 << 24) - 1}, {"enable": 0}
    put, still = {"put__valid": 1, "put__flit": 3 << 4}, {"put__valid": 0}
    cases = [
        {"load": 1, "seed": 99},
        *[on] * 200,
        off,
        *[put] * 6,
        *[still | {"link__credit": 1}] * 41,
    ]
    rows = clocked(PacketSource(spec, queue=4), cases)
    full, last = rows[201], rows[-1]
    assert full["created"] > 100
    assert full["sent"] == spec.buffer_flits // 5
    assert full["created"] - full["overflow"] - full["sent"] == 4
    assert rows[208]["overflow"] == full["overflow"] + 2
    assert last["sent"] == full["created"] - full["overflow"]


def test_without_software_its_flits_are_lost() -> None:
    source = PacketSource(CASES["square"][0], queue=4, software=False)
    rows = clocked(source, [{"put__valid": 1, "put__flit": 3 << 4}] * 4)
    assert [row["overflow"] for row in rows] == [0, 1, 2, 3]
    assert not any(row["link__valid"] for row in rows)
