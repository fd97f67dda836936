# amaranth: UnusedElaboratable=no
"""A core's streams against their model, in every cycle, with stalls at both ends."""

import random
from typing import Any

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.golden.record import Beat
from syncfabric.models.layout.streams import StreamLayout
from syncfabric.models.messages.core import STREAM, CoreWord
from syncfabric.rtl.cores.bus import BusSignature
from syncfabric.rtl.cores.dma import DRAIN, StreamDma, stream_members
from syncfabric.rtl.cores.memory import SharedMemory
from tests.rtl.cores.dma_model import DmaInputs, DmaModel
from tests.rtl.support import SEED, Panel

WORDS = 64
CYCLES = 3000


class Joined(wiring.Component):
    """Streams and the memory that they share; the core's side of it is loaded and read."""

    def __init__(self, layout: StreamLayout) -> None:
        self._layout = layout
        memory = SharedMemory(WORDS).signature.members
        core = {name: memory[name] for name in ("read", "write", "address", "data", "result")}
        members = {"bus": In(BusSignature()), "opens": In(layout.channels)}
        waits = {"sends": Out(1), "receives": Out(1)}
        super().__init__({**members, **waits, **core, **stream_members(layout)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        here: Any = self
        m.submodules.memory = memory = SharedMemory(WORDS)
        m.submodules.streams = streams = StreamDma(self._layout, WORDS)
        wiring.connect(m, streams.memory, memory.streams)
        wiring.connect(m, wiring.flipped(here.bus), streams.bus)
        wiring.connect(m, streams.s_axis, wiring.flipped(here.s_axis))
        wiring.connect(m, wiring.flipped(here.m_axis), streams.m_axis)
        for name in ("read", "write", "address", "data"):
            m.d.comb += getattr(memory, name).eq(getattr(here, name))
        m.d.comb += [
            here.result.eq(memory.result),
            streams.opens.eq(here.opens),
            here.sends.eq(streams.sends),
            here.receives.eq(streams.receives),
        ]
        return m


class Surroundings:
    """A core that begins streams of all kinds, a process's port, and groups that end."""

    def __init__(self, channels: int, rng: random.Random) -> None:
        self._channels, self._rng = channels, rng
        self._asks: list[tuple[bool, int, int]] = []
        self._left: dict[int, int] = {}
        self._opens = (1 << channels) - 1
        self.pace = 0.0
        self._beat: Beat | None = None

    def _program(self, model: DmaModel) -> None:
        """Draw a stream: its words, what begins it, and looks at how it goes."""
        rng = self._rng
        count = rng.choice((0, 1, 4, 6, rng.randrange(60), rng.randrange(4 * WORDS + 3)))
        most = max(0, 4 * WORDS - count) // 4
        places = [4 * rng.choice((most, rng.randint(0, most))) for _ in range(2)]
        if rng.random() < 0.1:
            places[rng.randrange(2)] += rng.choice((1, 2, 4 * WORDS, 1 << 20, 1 << 31))
        if rng.random() < 0.3:
            places[1] = places[0]
        command = {name: rng.getrandbits(3) for name in ("function", "type")}
        command |= {"takes": rng.random() < 0.8, "gives": rng.random() < 0.8}
        command["channel"] = rng.randrange(4) if rng.random() < 0.1 else 0
        names = (CoreWord.STREAM_FROM, CoreWord.STREAM_TO, CoreWord.STREAM_BYTES)
        self._asks = [(True, *ask) for ask in zip(names, (*places, count), strict=True)]
        self._asks.append((True, CoreWord.STREAM, STREAM.pack(command)))
        looks = (CoreWord.STREAM_STATUS, CoreWord.STREAM_RECEIVED, CoreWord.FLIT)
        self._asks += [(False, rng.choice(looks), 0) for _ in range(rng.randrange(4))]
        if rng.random() < 0.7:
            self._asks.append((False, CoreWord.STREAM_WAIT, 0))
        self.pace = rng.choice((0.0, 0.0, 0.3, 0.9))

    def next(self, model: DmaModel) -> DmaInputs:
        """Return the inputs of a cycle."""
        rng = self._rng
        if not self._asks:
            self._program(model)
        asks = rng.random() < 0.8
        write, word, data = self._asks[0]
        beat = None
        if self._beat is None and rng.random() >= self.pace:
            c = rng.randrange(self._channels) if rng.random() < 0.2 else 0
            left = self._left.get(c) or rng.choice((1, 2, 9, 30, WORDS))
            self._left[c] = left - 1
            keep = 15 if left > 1 else rng.choice((0, 1, 3, 7, 15))
            beat = Beat(
                rng.getrandbits(32), keep, left == 1, c, int(left == 1) & rng.getrandbits(1)
            )
        if self._beat is None:
            self._beat = beat
        last = self._beat is not None and self._beat.last
        odds = (0.1 if last else 0.002) if self._opens & 1 else 0.1
        self._opens ^= rng.random() < odds
        takes = rng.random() >= self.pace
        place = rng.randrange(WORDS) if rng.random() < 0.3 else None
        stored = rng.getrandbits(32) if rng.random() < 0.3 else None
        return DmaInputs(
            asks,
            write,
            word,
            data,
            self._opens,
            takes,
            self._beat,
            place,
            None if place is None else stored,
        )

    def taken(self) -> None:
        """The beat was."""
        self._beat = None

    def over(self) -> None:
        """The request was answered, or is refused, or is of other words."""
        self._asks.pop(0)


@pytest.mark.parametrize("channels", [1, 2])
def test_agrees_with_model(channels: int) -> None:
    layout = StreamLayout(channels, 32, ("add",), "tree", 5, own=True)
    rng = random.Random(f"{SEED}/{channels}")
    model = DmaModel(channels, [rng.getrandbits(32) for _ in range(WORDS)])
    around, panel = Surroundings(channels, rng), Panel(Joined(layout))

    async def bench(context: Any) -> None:
        for address, word in enumerate(model.memory):
            panel.drive(context, {"write": 15, "address": address, "data": word})
            await context.tick()
        panel.drive(context, {"write": 0})
        looked = None
        for cycle in range(CYCLES):
            now = around.next(model)
            place = now.place or 0
            pins = {f"bus__{name}": int(getattr(now, name)) for name in ("valid", "write", "word")}
            pins |= {"bus__data": now.data, "opens": now.opens, "s_axis__tready": now.takes}
            pins |= {
                "m_axis__tvalid": now.beat is not None,
                "address": place,
                "data": now.stored or 0,
            }
            pins |= {"read": 0, "write": 0 if now.stored is None else 15}
            pins["read"] = now.place is not None and now.stored is None
            if now.beat:
                pins |= {f"m_axis__t{name}": getattr(now.beat, name) for name in _BEAT[:-1]}
                pins["m_axis__tid"] = now.beat.tid
            panel.drive(context, pins)
            seen = panel.read(context)
            if looked is not None:
                assert seen["result"] == looked, cycle
            looked = model.memory[place] if pins["read"] else None
            answer = model.step(now)
            wanted = {
                f"bus__{name}": getattr(answer, name) for name in ("chosen", "ready", "fault")
            }
            wanted |= {
                "sends": answer.sends,
                "receives": answer.receives,
                "m_axis__tready": answer.takes,
            }
            wanted["s_axis__tvalid"] = answer.beat is not None
            if answer.ready:
                wanted["bus__result"] = answer.result
            if beat := answer.beat:
                wanted |= {f"s_axis__t{name}": getattr(beat, name) for name in _BEAT[1:-1]}
                wanted["s_axis__tid"] = beat.tid
                wanted |= {"s_axis__tdata": beat.data} if beat.keep else {}
            assert {name: seen[name] for name in wanted} == wanted, (cycle, now)
            if answer.takes:
                around.taken()
            if now.valid and (answer.ready or answer.fault or not answer.chosen):
                around.over()
            await context.tick()

    panel.play(bench)
    kinds = {"sent", "whole", "broken", "quiet", "dropped", "long", "both", "same bank"}
    assert model.seen == kinds | {"stalled", "refused", "waits", "core's bank"}


_BEAT = ("data", "keep", "last", "user", "tid")


def test_a_word_a_cycle_each_way() -> None:
    """Of 32 words each way the last is written after 34 cycles: one is lost to the banks."""
    layout = StreamLayout(1, 32, ("add",), "tree", 5, own=True)
    panel = Panel(Joined(layout))
    command = STREAM.pack({"takes": 1, "gives": 1})
    asks = {CoreWord.STREAM_FROM: 0, CoreWord.STREAM_TO: 0, CoreWord.STREAM_BYTES: 128}
    sent = 0

    async def bench(context: Any) -> None:
        nonlocal sent
        panel.drive(context, {"opens": 1, "s_axis__tready": 1, "bus__valid": 1, "bus__write": 1})
        for word, data in {**asks, CoreWord.STREAM: command}.items():
            panel.drive(context, {"bus__word": word, "bus__data": data})
            await context.tick()
        panel.drive(context, {"bus__write": 0, "bus__word": CoreWord.STREAM_WAIT})
        for cycle in range(34):
            beat = {"m_axis__tvalid": cycle > 1, "m_axis__tlast": cycle == 33}
            panel.drive(context, {**beat, "m_axis__tkeep": 15})
            seen = panel.read(context)
            sent += seen["s_axis__tvalid"]
            assert not seen["bus__ready"]
            await context.tick()
        assert panel.read(context)["bus__ready"]

    panel.play(bench)
    assert sent == 32
    assert DRAIN == 8
