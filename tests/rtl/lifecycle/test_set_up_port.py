"""Set-up packets at a router, its sink and its engine's port beside their golden models."""

import random
from collections import Counter
from typing import Any

import pytest
from amaranth import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator

from syncfabric.models.golden.engine import Answer
from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code
from syncfabric.models.layout.flit import flit_layout
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.lifecycle.access import ConfigAccess
from syncfabric.rtl.lifecycle.set_up_port import SinkPort
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.lifecycle.sink import Sink
from tests.models.golden.sink_stimuli import SinkBuild, SinkStimuli, draw_sink
from tests.rtl.support import SEED

FLIT = flit_layout(40, cut=True)
ROUTERS, CYCLES = 512, 800


class SetUp(wiring.Component):
    """A sink port, a sink, and what gives the engine's port to it or to the chain."""

    def __init__(self, build: SinkBuild) -> None:
        layout = build.layout
        self.shape = shape = SetUpShape(
            *(FLIT, build.channels, build.buffer_flits, build.reply_bit),
            *(layout.entries, layout.image_words, ROUTERS, tuple(build.headers)),
        )
        self._port = SinkPort(shape)
        link = self._port.signature.members
        super().__init__(
            {
                "number": In(shape.router_bits),
                "router_in": link["router_in"],
                "router_out": link["router_out"],
                "chain": In(EngineConfigSignature()),
                "engine": Out(EngineConfigSignature()),
                "freed_valid": In(1),
                "freed_entry": In(shape.number_bits),
                "freed_epoch": In(EPOCH_BITS),
                "unexpected": Out(3),
                "overflows": Out(2),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        here: Any = self
        m.submodules.port, m.submodules.sink = port, sink = self._port, Sink(self.shape)
        m.submodules.access = access = ConfigAccess()
        wiring.connect(m, port.router_in, wiring.flipped(here.router_in))
        wiring.connect(m, wiring.flipped(here.router_out), port.router_out)
        wiring.connect(m, sink.access, access.sink)
        wiring.connect(m, wiring.flipped(here.chain), access.chain)
        wiring.connect(m, access.engine, wiring.flipped(here.engine))
        m.d.comb += [
            access.locks.eq(sink.locks),
            sink.number.eq(here.number),
            sink.valid.eq(port.sink_valid),
            sink.flit.eq(port.sink_flit),
            port.listens.eq(sink.listens),
            port.reply_valid.eq(sink.reply_valid),
            port.reply_flit.eq(sink.reply_flit),
            sink.reply_leaves.eq(port.reply_leaves),
            here.unexpected.eq(sink.dropped[0] + sink.dropped[1] + port.unexpected),
            here.overflows.eq(port.overflows),
        ]
        for name in ("valid", "entry", "epoch"):
            m.d.comb += getattr(sink, f"freed_{name}").eq(getattr(here, f"freed_{name}"))
        return m


def play(build: SinkBuild, rng: random.Random) -> Counter[str]:
    """Compare what is on the ports in every cycle; return what has happened."""
    stimuli, part = SinkStimuli(build, rng), SetUp(build)
    there: Any = part

    async def bench(context: Any) -> None:
        def drive(port: Any, **words: int) -> None:
            for name, word in words.items():
                context.set(Value.cast(getattr(port, name)), int(word))

        drive(there, number=build.router)
        for cycle in range(CYCLES):
            inputs = stimuli.inputs()
            answer, asked = inputs.answer, stimuli.asked
            if answer and asked and not answer.error and not asked.address:
                # An engine whose GO has no error answers with the epoch that it was asked for.
                commit = COMMIT.unpack(asked.data & (1 << COMMIT.width) - 1)
                if commit["code"] == Code.GO:
                    inputs = inputs._replace(answer=Answer(False, 1 | commit["epoch"] << 1))
            came, chain, answer, freed, credit = inputs
            word = FLIT.pack(dict(zip(FLIT.offsets, came[1:5], strict=True))) if came else 0
            drive(there.router_out, valid=1 << came.channel if came else 0, flit=word)
            drive(there.router_in, credit=credit << build.channels)
            asks = (1, *chain) if chain else (0, 0, 0, 0)
            names = ("valid", "write", "address", "data")
            drive(there.chain, **dict(zip(names, asks, strict=True)))
            said = (1, answer.error, answer.rdata) if answer else (0, 0, 0)
            drive(there.engine, **dict(zip(("ready", "error", "rdata"), said, strict=True)))
            ended = (1, *freed) if freed else (0, 0, 0)
            drive(there, freed_valid=ended[0], freed_entry=ended[1], freed_epoch=ended[2])
            expected = stimuli.step(inputs)
            engine, back, out = there.engine, there.chain, there.router_in

            def see(*signals: Any) -> tuple[int, ...]:
                return tuple(context.get(Value.cast(signal)) for signal in signals)

            flit = FLIT.unpack(*see(out.flit))
            seen = {
                "engine": see(engine.write, engine.address, engine.data)
                if context.get(engine.valid)
                else None,
                "chain": see(back.error, back.rdata) if context.get(back.ready) else None,
                "sends": (build.channels, *flit.values()) if context.get(out.valid) else None,
                "credit": context.get(there.router_out.credit),
                "unexpected": context.get(there.unexpected),
                "overflows": context.get(there.overflows).bit_count(),
            }
            assert seen == expected, f"cycle {cycle}: {build}"
            await context.tick()

    simulator = Simulator(part)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return stimuli.seen


def test_every_port_is_the_models() -> None:
    seen = Counter[str]()
    for seed in range(8):
        rng = random.Random(f"{SEED}/{seed}")
        seen += play(draw_sink(rng), rng)
    states = ("LISTEN", "WRITE", "JUDGE", "COMMIT", "START", "ANSWER")
    assert min(seen[what] for what in (*states, "replies", "unexpected", "refused")) > 20


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 140))
def test_every_port_is_the_models_at_length(seed: int) -> None:
    rng = random.Random(seed)
    play(draw_sink(rng), rng)
