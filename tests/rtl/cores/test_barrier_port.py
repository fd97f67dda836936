"""A core's words for barriers against their model, in every cycle, whatever a program does."""

import random
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.messages.core import (
    ARRIVE_BASE,
    DONE_BASE,
    LAST_BASE,
    WAIT_BASE,
    CoreWord,
    FaultReason,
)
from syncfabric.models.networks.reader import loads
from syncfabric.rtl.cores.barrier_port import BarrierPort
from syncfabric.sim.cores.system import shape_of
from tests.rtl.cores.barrier_port_model import BarrierPortModel, PortInputs
from tests.rtl.support import SEED, simulate

CYCLES = 600
NETWORKS = {
    "mesh": 'kind = "mesh"\nwidth = 2\nheight = 2\nchannels = 2\ndata_bits = 5',
    "wires": 'kind = "mesh"\nwidth = 2\nheight = 2\nchannels = 2\nwires = 2\ndata_bits = 2',
    "managers": 'kind = "mesh"\nwidth = 2\nheight = 2\nchannels = 2\nsetup = "manager"',
    "static": 'kind = "static"\nwidth = 2\nheight = 2',
    "engines": 'kind = "mesh"\ntransport = "link"\nwidth = 2\nheight = 2\nchannels = 2',
}


class Process:
    """A program that does everything, often what it may not, and a network that lets it go."""

    def __init__(self, rng: random.Random, model: BarrierPortModel, bits: int) -> None:
        self._rng, self._model, self._bits = rng, model, bits
        self._inside: dict[int, int] = {}  # cycles to the release, by register
        self._now = PortInputs(ready=(1 << model.registers) - 1)
        self.seen: dict[FaultReason, int] = {}

    def next(self) -> PortInputs:
        """Return the inputs of a cycle."""
        rng, registers, now = self._rng, self._model.registers, self._now
        released = sum(1 << r for r, left in self._inside.items() if left == 0)
        self._inside = {r: left - 1 for r, left in self._inside.items() if left}
        done = now.done & ~sum(1 << r for r in self._inside) | released
        ready = now.ready
        if rng.random() < 0.02:
            # Half of the time the one that most words are of.
            ready ^= 1 << rng.choice((0, rng.randrange(registers)))
        results = list(now.results or [0] * registers)
        for r in range(registers):
            if released >> r & 1 and self._bits:
                results[r] = rng.getrandbits(self._bits)
        now = replace(
            now,
            released=released,
            done=done,
            ready=ready,
            results=tuple(results) if self._bits else (),
            broken=rng.getrandbits(registers),
            owing=rng.random() < 0.4,
        )
        if not now.valid and rng.random() < 0.7:
            base = rng.choice((ARRIVE_BASE, WAIT_BASE, WAIT_BASE, DONE_BASE, LAST_BASE))
            word = base + rng.choice((0, 0, rng.randrange(min(32, registers + 1))))
            if rng.random() < 0.1:
                word = rng.choice((CoreWord.FENCE, CoreWord.FENCE_WAIT, CoreWord.SEND))
            write = rng.random() < 0.5 if base != WAIT_BASE else rng.random() < 0.1
            now = replace(now, valid=True, word=word, write=write, data=rng.getrandbits(32))
        self._now = now
        return now

    def gives_up(self) -> bool:
        """Return whether a request that is not answered is taken back, so that others come."""
        return self._rng.random() < 0.02

    def update(self, arrive: int, *, over: bool) -> None:
        """Take over what the words did."""
        for r in range(self._model.registers):
            if arrive >> r & 1:
                self._inside[r] = self._rng.choice((0, 1, 5, 25))
        if over:
            self._now = replace(self._now, valid=False)


@pytest.mark.parametrize("name", NETWORKS)
def test_words_are_as_the_contract_says(name: str) -> None:
    check_port(name, CYCLES)


def check_port(name: str, cycles: int) -> None:
    """Compare a port with its model."""
    spec = loads(f'name = "port"\n[network]\n{NETWORKS[name]}\n').network
    shape = shape_of(spec, 4, 32)
    port: Any = BarrierPort(shape)
    model = BarrierPortModel(shape.registers, shape.has_last)
    process = Process(random.Random(SEED), model, shape.data_bits)
    faults: set[FaultReason] = set()

    async def drive(context: Any) -> None:
        for cycle in range(cycles):
            now = process.next()
            for wire in ("valid", "write", "word", "data"):
                context.set(getattr(port.bus, wire), int(getattr(now, wire)))
            for wire in ("ready", "done", "released", "owing"):
                context.set(getattr(port, wire), int(getattr(now, wire)))
            if shape.has_last:
                context.set(port.broken, now.broken)
            packed = sum(word << r * shape.data_bits for r, word in enumerate(now.results))
            if shape.data_bits:
                context.set(port.result, packed)
            expected = model.step(now)
            got = {
                "chosen": context.get(port.bus.chosen),
                "ready": context.get(port.bus.ready),
                "fault": FaultReason(context.get(port.bus.fault)),
                "arrive": context.get(port.arrive),
                "fenced": context.get(port.fenced),
                "waiting": context.get(port.waiting),
            }
            if expected.ready:
                got["result"] = context.get(port.bus.result)
            if shape.has_last:
                got["last"] = context.get(port.last)
            assert got == {wire: getattr(expected, wire) for wire in got}, f"cycle {cycle}: {now}"
            if expected.arrive and shape.data_bits:
                bits = shape.data_bits
                r = expected.arrive.bit_length() - 1
                sent = context.get(port.data) >> r * bits & (1 << bits) - 1
                assert sent == now.data & (1 << bits) - 1
            faults.add(expected.fault)
            process.update(
                expected.arrive,
                over=expected.ready
                or not expected.chosen
                or expected.fault is not FaultReason.NONE
                or process.gives_up(),
            )
            await context.tick()

    simulate(port, drive)
    reasons = {FaultReason.NOT_READY, FaultReason.WAITING, FaultReason.NO_ARRIVE}
    assert faults >= reasons | {FaultReason.ADDRESS}
