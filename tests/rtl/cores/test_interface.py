"""Network interfaces on a network of random delays: no word lost, doubled or out of order.

What is checked comes from the contract (docs/microarchitecture-cores.md, K3), not from the model of
anything: programs know what they sent, and the network sees every flit and acknowledgement.
"""

import random
from collections import Counter, deque
from typing import Any

import pytest
from amaranth import Module

from syncfabric.models.messages.core import (
    MOST_WORDS,
    NET_STATUS,
    RECV,
    SEND,
    CoreWord,
    FaultReason,
)
from syncfabric.models.networks.reader import loads
from syncfabric.rtl.cores.interface import KEPT_ACKS, KEPT_FLITS, NetworkInterface
from syncfabric.rtl.cores.shape import PACKETS, TileShape
from syncfabric.rtl.traffic.headers import header_words
from syncfabric.sim.cores.system import shape_of
from tests.rtl.support import SEED, simulate

Flit = tuple[int, bool, bool]
Sent = tuple[int, tuple[int, ...]]
"""A packet: its tag, and its words."""

NETWORK = 'kind = "mesh"\nwidth = 3\nheight = 1\nchannels = 2\nbuffer_flits = 4'
RING = 'kind = "irregular"\ntopology = "ring-5"\nchannels = 4\nsetup = "local"\nbuffer_flits = 4'


class Wire:
    """The network: packets whole, in order from each to each, and otherwise at random.

    With datelines each path ends in one of two channels, whose flits alternate.

    It gives credits as a router does, and counts what each interface may still send.
    """

    def __init__(self, shape: TileShape, rng: random.Random) -> None:
        self.shape, self._rng = shape, rng
        cores, places = range(shape.cores), shape.packets.buffer_flits
        self._headers = dict(zip(header_words(shape.packets), cores, strict=False))
        self._channels = range(2 * shape.lanes)
        ends = [(i, c) for i in cores for c in self._channels]
        self._part: dict[tuple[int, int], list[Flit]] = {end: [] for end in ends}
        self._ahead: dict[tuple[int, int], deque[list[Flit]]] = {end: deque() for end in ends}
        self._may_send = dict.fromkeys(ends, places)
        self._may_eject = dict(self._may_send)
        self.tails, self.acks = Counter[int](), Counter[int]()

    def take(self, core: int, valid: int, flit: Flit) -> int:
        """Take what an interface sends in a cycle; return the credits that it gets."""
        for channel in (PACKETS, self.shape.acks):
            if valid >> channel & 1:
                self._may_send[core, channel] -= 1
                assert self._may_send[core, channel] >= 0, f"core {core} sends without a credit"
                part = self._part[core, channel]
                part.append(flit)
                assert flit[1] == (len(part) == 1), f"core {core}: a head where none belongs"
                if flit[2]:
                    self._send(core, channel, part)
        assert valid in (0, 1 << PACKETS, 1 << self.shape.acks)
        credits = 0
        for channel in (PACKETS, self.shape.acks):
            short = self._may_send[core, channel] < self.shape.packets.buffer_flits
            if short and self._rng.random() < 0.5:
                self._may_send[core, channel] += 1
                credits |= 1 << channel
        return credits

    def _send(self, core: int, channel: int, part: list[Flit]) -> None:
        head = self.shape.head.unpack(part[0][0])
        assert head["core"] == core
        assert head["ack"] == (channel == self.shape.acks)
        if channel == self.shape.acks:
            assert len(part) == 1
            self.acks[core] += 1
            assert self.acks[core] <= self.tails[core], "acknowledged before the tail is here"
        else:
            assert len(part) == head["words"] + 1
        to = self._headers[head["header"]]
        lane = (core + to) // 2 % self.shape.lanes
        self._ahead[to, channel + lane].append(part.copy())
        part.clear()

    def give(self, core: int, credits: int) -> tuple[int, Flit]:
        """Return what an interface receives in a cycle, with the credits that it has given."""
        for channel in self._channels:
            self._may_eject[core, channel] += credits >> channel & 1
            assert self._may_eject[core, channel] <= self.shape.packets.buffer_flits
        for channel in self._rng.sample(self._channels, len(self._channels)):
            queue = self._ahead[core, channel]
            if queue and self._may_eject[core, channel] and self._rng.random() < 0.6:
                flit = queue[0].pop(0)
                if not queue[0]:
                    queue.popleft()
                self._may_eject[core, channel] -= 1
                self.tails[core] += flit[2] and channel < self.shape.acks
                return 1 << channel, flit
        return 0, (0, False, False)


class Program:
    """A core's program: it sends and receives at random, and remembers what it must."""

    def __init__(self, core: int, shape: TileShape, rng: random.Random, eager: float) -> None:
        self._core, self._rng, self._eager = core, rng, eager
        self._others = [other for other in range(shape.cores) if other != core]
        self.request: tuple[bool, int, int] | None = None
        self._to_write: list[int] = []
        self._sends: tuple[int, Sent] | None = None
        self._takes: tuple[int, int, list[int]] | None = None
        self._left = 0
        self.sent: list[tuple[int, Sent]] = []
        self.got: list[tuple[int, Sent]] = []
        self.stalls = 0

    def next(self, *, stop: bool) -> tuple[bool, int, int] | None:
        """Return the request of a cycle: write, word and data."""
        if self.request is None and self._rng.random() < 0.7:
            self.request = self._choose(stop=stop)
        return self.request

    def _choose(self, *, stop: bool) -> tuple[bool, int, int] | None:
        if self._to_write:
            return True, CoreWord.SEND_DATA, self._to_write[0]
        if self._takes and self._left:
            return False, CoreWord.RECV_DATA, 0
        if not stop and self._rng.random() < 0.5:
            words = tuple(
                self._rng.getrandbits(32) for _ in range(self._rng.choice((0, 1, 2, 5, MOST_WORDS)))
            )
            to, tag = self._rng.choice(self._others), self._rng.randrange(64)
            self._sends = to, (tag, words)
            head = SEND.pack({"core": to, "words": len(words), "tag": tag})
            return True, CoreWord.SEND, head
        if stop or self._rng.random() < self._eager:
            return False, CoreWord.RECV, 0
        return None

    def answered(self, ready: bool, result: int) -> None:
        """Hear the answer of a cycle."""
        if self.request is None:
            return
        _, word, _ = self.request
        if not ready:
            self.stalls += 1
            # Who waits for a packet for ever would not send: it asks again later.
            if word == CoreWord.RECV and self._rng.random() < 0.2:
                self.request = None
            return
        self.request = None
        if word == CoreWord.SEND:
            assert self._sends
            self._to_write = list(self._sends[1][1])
        elif word == CoreWord.SEND_DATA:
            self._to_write.pop(0)
        elif word == CoreWord.RECV:
            head = RECV.unpack(result)
            self._takes, self._left = (head["core"], head["tag"], []), head["words"]
        else:
            assert self._takes
            self._takes[2].append(result)
            self._left -= 1
        if self._sends and not self._to_write:
            self.sent.append((self._sends[0], self._sends[1]))
            self._sends = None
        if self._takes and not self._left:
            source, tag, words = self._takes
            self.got.append((source, (tag, tuple(words))))
            self._takes = None


def run_programs(network: str, cores: int, cycles: int, eager: float, seed: int = SEED) -> None:
    """Let programs talk for some cycles, and then until all has come."""
    rng = random.Random(seed)
    shape = shape_of(loads(f'name = "ni"\n[network]\n{network}\n').network, cores, 32)
    parts: list[Any] = [NetworkInterface(shape) for _ in range(cores)]
    wire = Wire(shape, rng)
    programs = [Program(core, shape, rng, eager) for core in range(cores)]
    m = Module()
    for core, part in enumerate(parts):
        m.submodules[f"part_{core}"] = part
        m.d.comb += part.number.eq(core)

    async def drive(context: Any) -> None:
        credits, comes = [0] * cores, [(0, (0, False, False))] * cores
        late = 0
        while late < 4000:
            stop = late > 0
            for core, part in enumerate(parts):
                request = programs[core].next(stop=stop)
                context.set(part.bus.valid, request is not None)
                write, word, data = request or (False, 0, 0)
                for port, value in (("write", write), ("word", word), ("data", data)):
                    context.set(getattr(part.bus, port), int(value))
                context.set(part.inject.credit, credits[core])
                valid, (payload, head, tail) = comes[core]
                context.set(part.eject.valid, valid)
                for name, value in (("payload", payload), ("head", head), ("tail", tail)):
                    context.set(getattr(part.eject.flit, name), int(value))
            for core, part in enumerate(parts):
                if programs[core].request:
                    assert context.get(part.bus.chosen)
                    assert FaultReason(context.get(part.bus.fault)) is FaultReason.NONE
                programs[core].answered(
                    bool(context.get(part.bus.ready)), context.get(part.bus.result)
                )
                flit = part.inject.flit
                sent = tuple(context.get(getattr(flit, n)) for n in ("payload", "head", "tail"))
                link = (sent[0], bool(sent[1]), bool(sent[2]))
                credits[core] = wire.take(core, context.get(part.inject.valid), link)
                comes[core] = wire.give(core, context.get(part.eject.credit))
            await context.tick()
            cycles_left[0] -= 1
            late += cycles_left[0] <= 0
            owing = any(context.get(part.owing) for part in parts)
            if stop and not owing and _all_came(programs):
                break
        assert not any(context.get(part.owing) for part in parts), "an acknowledgement is lost"

    cycles_left = [cycles]
    simulate(m, drive)
    _check(programs, wire)


def _all_came(programs: list[Program]) -> bool:
    return sum(len(one.sent) for one in programs) == sum(len(one.got) for one in programs)


def _check(programs: list[Program], wire: Wire) -> None:
    for core, program in enumerate(programs):
        for other, far in enumerate(programs):
            sent = [packet for to, packet in program.sent if to == other]
            got = [packet for source, packet in far.got if source == core]
            assert got == sent, f"core {core} to core {other}"
    assert sum(len(program.sent) for program in programs) > 50
    assert any(program.stalls for program in programs)
    for core in range(len(programs)):
        assert wire.acks[core] == wire.tails[core], "one acknowledgement for each packet taken"


@pytest.mark.parametrize("network", [NETWORK, RING], ids=["mesh", "ring"])
@pytest.mark.parametrize("eager", [0.9, 0.15], ids=["quick", "slow"])
def test_words_come_once_and_in_order(eager: float, network: str) -> None:
    run_programs(network, 3, 400, eager)


@pytest.mark.nightly
@pytest.mark.parametrize("places", [1, 2, 16])
@pytest.mark.parametrize("seed", range(SEED, SEED + 4))
def test_words_come_whatever_the_buffers(places: int, seed: int) -> None:
    network = NETWORK.replace("buffer_flits = 4", f"buffer_flits = {places}")
    run_programs(network, 3, 3000, 0.2, seed)


def test_what_may_not_be_is_refused() -> None:
    shape = shape_of(loads(f'name = "ni"\n[network]\n{NETWORK}\n').network, 3, 32)
    part: Any = NetworkInterface(shape)
    faults = []

    async def drive(context: Any) -> None:
        async def ask(write: bool, word: int, data: int = 0) -> None:
            context.set(part.bus.valid, 1)
            context.set(part.bus.write, write)
            context.set(part.bus.word, word)
            context.set(part.bus.data, data)
            faults.append(FaultReason(context.get(part.bus.fault)))
            await context.tick()
            context.set(part.bus.valid, 0)
            await context.tick()

        for core, words in ((0, 1), (3, 1), (1, MOST_WORDS + 1)):
            await ask(True, CoreWord.SEND, core | words << SEND.offsets["words"])
        await ask(True, CoreWord.SEND_DATA)
        await ask(False, CoreWord.RECV_DATA)
        assert set(faults) == {FaultReason.PACKET}
        await ask(True, CoreWord.SEND, 1 | 2 << SEND.offsets["words"])
        await ask(True, CoreWord.SEND, 1)
        assert faults[-2:] == [FaultReason.NONE, FaultReason.PACKET]
        status = _status(context, part)
        assert status == {"waits": 0, "left": 0, "room": 0, "unacknowledged": 1}

    simulate(part, drive)


def _status(context: Any, part: Any) -> dict[str, int]:
    context.set(part.bus.valid, 1)
    context.set(part.bus.write, 0)
    context.set(part.bus.word, CoreWord.NET_STATUS)
    return NET_STATUS.unpack(context.get(part.bus.result))


def test_hundreds_of_packets_may_be_unacknowledged() -> None:
    """NET_STATUS counts all that is not acknowledged, and ``owing`` falls with the last."""
    shape = shape_of(loads(f'name = "ni"\n[network]\n{NETWORK}\n').network, 3, 32)
    part: Any = NetworkInterface(shape)
    count = 300

    async def drive(context: Any) -> None:
        sent = 0
        context.set(part.bus.word, CoreWord.SEND)
        context.set(part.bus.data, 1)
        context.set(part.bus.write, 1)
        while sent < count:
            context.set(part.bus.valid, 1)
            sent += context.get(part.bus.ready)
            context.set(part.inject.credit, context.get(part.inject.valid))
            await context.tick()
        assert _status(context, part)["unacknowledged"] == count
        context.set(part.bus.valid, 0)
        for left in range(count, 0, -1):
            assert context.get(part.owing), f"{left} are not acknowledged"
            context.set(part.eject.valid, 1 << shape.acks)
            await context.tick()
        context.set(part.eject.valid, 0)
        assert not context.get(part.owing)
        assert _status(context, part)["unacknowledged"] == 0

    simulate(part, drive)


def test_a_receiver_that_takes_nothing_holds_the_sender_back() -> None:
    """Flits stay in the network then; nothing overflows, and acknowledgements stop with them."""
    shape = shape_of(loads(f'name = "ni"\n[network]\n{NETWORK}\n').network, 3, 32)
    part: Any = NetworkInterface(shape)
    places = shape.packets.buffer_flits
    head = shape.head.pack({"core": 2, "words": 0, "tag": 1})

    async def drive(context: Any) -> None:
        credits, taken, acks, owed = places, 0, 0, 0
        context.set(part.inject.credit, 0)
        for cycle in range(4 * KEPT_FLITS):
            if cycle == 2 * KEPT_FLITS:  # acknowledgements could not leave up to now
                assert acks == places
                assert KEPT_ACKS <= taken <= KEPT_ACKS + places
            context.set(part.eject.valid, int(credits > 0) << PACKETS)
            context.set(part.eject.flit.payload, head)
            context.set(part.eject.flit.head, 1)
            context.set(part.eject.flit.tail, 1)
            taken += credits > 0
            credits += (context.get(part.eject.credit) & 1) - (credits > 0)
            sent = context.get(part.inject.valid) >> shape.acks & 1
            acks, owed = acks + sent, owed + sent
            gives = cycle > 2 * KEPT_FLITS and owed > 0
            owed -= gives
            context.set(part.inject.credit, int(gives) << shape.acks)
            await context.tick()
        assert credits == 0
        assert KEPT_FLITS - places <= taken <= KEPT_FLITS
        assert acks == taken

    simulate(part, drive)
