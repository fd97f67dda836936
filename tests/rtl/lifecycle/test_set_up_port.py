"""Set-up packets at a router, its sink and its engine's port beside their golden models."""

import random
from collections import Counter
from dataclasses import astuple
from typing import Any

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.golden.engine.memory import Answer
from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code
from syncfabric.models.layout.flit import flit_layout
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.lifecycle.set_up_port import ConfigAccess, SinkPort
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.lifecycle.sink import Sink
from tests.models.golden.sink_stimuli import SinkBuild, SinkStimuli, draw_sink
from tests.rtl.engine.lockstep import Word, differences
from tests.rtl.planes.lockstep import together
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


class SinkLockstep:
    """A golden set-up port with its sink in a bench, cycle by cycle.

    Parameters
    ----------
    build : SinkBuild
    rng : random.Random
    """

    def __init__(self, build: SinkBuild, rng: random.Random) -> None:
        self.shape = self.build = build
        self.rng, self.seen = rng, Counter[str]()
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.stimuli = SinkStimuli(self.build, self.rng)
        self.stimuli.seen = self.seen

    def step(self) -> tuple[dict[str, int], dict[str, Word]]:
        """Go through a cycle; return what is driven, and what is expected."""
        stimuli, build = self.stimuli, self.build
        inputs = stimuli.inputs()
        answer, asked = inputs.answer, stimuli.asked
        if answer and asked and not answer.error and not asked.address:
            # An engine whose GO has no error answers with the epoch that it was asked for.
            commit = COMMIT.unpack(asked.data & (1 << COMMIT.width) - 1)
            if commit["code"] == Code.GO:
                inputs = inputs._replace(answer=Answer(False, 1 | commit["epoch"] << 1))
        came, chain, answer, freed, credit = inputs
        driven = {
            "number": build.router,
            "router_out__valid": 1 << came.channel if came else 0,
            "router_out__flit": flit_word(astuple(came) if came else None),
            "router_in__credit": credit << build.channels,
            **_pins("chain", _ASKED, (1, *chain) if chain else None),
            **_pins("engine", _SAID, (1, answer.error, answer.rdata) if answer else None),
            "freed_valid": int(freed is not None),
            "freed_entry": freed.entry if freed else 0,
            "freed_epoch": freed.epoch if freed else 0,
        }
        seen: Any = stimuli.step(inputs)
        sends = seen["sends"]
        expected = {
            **_words("engine", _ASKED, seen["engine"]),
            **_words("chain", _SAID, seen["chain"]),
            "router_in__valid": Word(1 << build.channels if sends else 0),
            "router_out__credit": Word(seen["credit"]),
            "unexpected": Word(seen["unexpected"]),
            "overflows": Word(seen["overflows"]),
        }
        if sends:
            expected["router_in__flit"] = Word(flit_word(sends))
        return driven, expected

    def differences(self, expected: dict[str, Word], seen: dict[str, int]) -> list[str]:
        """Return the output pins that show something else; of overflows the number counts."""
        seen = {**seen, "overflows": seen["overflows"].bit_count()}
        return differences(expected, {name: seen[name] for name in expected})


_ASKED, _SAID = ("valid", "write", "address", "data"), ("ready", "error", "rdata")


def _pins(port: str, names: tuple[str, ...], words: tuple[int, ...] | None) -> dict[str, int]:
    """Return what drives a port, zeros if nothing is asked or said."""
    values = words or (0,) * len(names)
    return {f"{port}__{name}": int(word) for name, word in zip(names, values, strict=True)}


def _words(port: str, names: tuple[str, ...], words: tuple[int, ...] | None) -> dict[str, Word]:
    """Return what a port shall show; without its first wire the others mean nothing."""
    shown = _pins(port, names, (1, *words)) if words else {f"{port}__{names[0]}": 0}
    return {name: Word(word) for name, word in shown.items()}


def flit_word(flit: tuple[Any, ...] | None) -> int:
    """Return a flit's bits, 0 if there is none."""
    return FLIT.pack(dict(zip(FLIT.offsets, flit[1:5], strict=True))) if flit else 0


def play(build: SinkBuild, rng: random.Random) -> Counter[str]:
    """Compare what is on the ports in every cycle; return what has happened."""
    return together(SetUp(build), SinkLockstep(build, rng), SEED, CYCLES)


def test_every_port_is_the_models() -> None:
    seen = Counter[str]()
    for seed in range(8):
        rng = random.Random(f"{SEED}/{seed}")
        seen += play(draw_sink(rng), rng)
    states = ("LISTEN", "WRITE", "JUDGE", "COMMIT", "START", "ANSWER")
    assert min(seen[what] for what in (*states, "replies", "unexpected", "refused")) > 20


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 140))
def test_every_port_is_the_models_at_length(seed: int) -> None:
    rng = random.Random(seed)
    play(draw_sink(rng), rng)
