"""A core's words for flits and for the config port, whatever programs ask and networks answer.

What is checked comes from the contract (docs/microarchitecture-cores.md, K2 and K5).
"""

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import pytest
from amaranth import Module

from syncfabric.models.messages.core import (
    CONFIG_BASE,
    CONFIG_STATUS,
    FLIT_STATUS,
    CoreWord,
    FaultReason,
)
from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.reader import loads
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.cores.system_words import ConfigShare, SystemWords
from syncfabric.sim.cores.system import shape_of
from tests.rtl.support import SEED, simulate

MESH = 'kind = "mesh"\nwidth = 2\nheight = 2\nchannels = 2'
FLIT_BITS = 5
STATIC = f'kind = "static"\nwidth = 2\nheight = 2\nflit_bits = {FLIT_BITS}'


def shape(network: str, cores: int) -> TileShape:
    return shape_of(loads(f'name = "words"\n[network]\n{network}\n').network, cores, 32)


def ask(context: Any, bus: Any, request: tuple[bool, int, int] | None) -> None:
    context.set(bus.valid, request is not None)
    for wire, value in zip(("write", "word", "data"), request or (False, 0, 0), strict=True):
        context.set(getattr(bus, wire), int(value))


def test_a_flit_is_taken_and_sent_once_when_it_can_be() -> None:
    words: Any = SystemWords(shape(STATIC, 4))
    rng = random.Random(SEED)
    there, taken = deque[int](), []
    seen: set[tuple[bool, int, bool]] = set()

    async def drive(context: Any) -> None:
        request: tuple[bool, int, int] | None = None
        expected: list[int] = []
        for cycle in range(800):
            if rng.random() < 0.4:
                there.append(rng.getrandbits(FLIT_BITS))
                expected.append(there[-1])
            room = rng.random() < 0.5
            if request is None and rng.random() < 0.8:
                asked = rng.choice((CoreWord.FLIT, CoreWord.FLIT, CoreWord.FLIT_STATUS))
                to_write = asked == CoreWord.FLIT and rng.random() < 0.4
                request = to_write, asked, rng.getrandbits(32)
            ask(context, words.bus, request)
            context.set(words.recv_valid, bool(there))
            context.set(words.recv_flit, there[0] if there else rng.getrandbits(FLIT_BITS))
            context.set(words.send_ready, room)
            write, word, data = request or (False, 0, 0)
            takes = request is not None and word == CoreWord.FLIT and not write
            sends = request is not None and word == CoreWord.FLIT and write
            got = {wire: context.get(getattr(words, wire)) for wire in ("recv_take", "send_valid")}
            assert got == {"recv_take": takes and bool(there), "send_valid": sends and room}, cycle
            assert context.get(words.receives) == (takes and not there)
            assert context.get(words.sends) == (sends and not room)
            assert context.get(words.bus.chosen) == (request is not None)
            assert FaultReason(context.get(words.bus.fault)) is FaultReason.NONE
            ready = bool(context.get(words.bus.ready))
            if request is not None:
                seen.add((write, word, ready))
                assert ready == (bool(there) if takes else room if sends else True)
                if sends and ready:
                    assert context.get(words.send_flit) == data & (1 << FLIT_BITS) - 1
                if takes and ready:
                    taken.append(context.get(words.bus.result))
                    there.popleft()
                elif ready and not sends:
                    status = FLIT_STATUS.unpack(context.get(words.bus.result))
                    assert status == {"waits": bool(there), "room": room}
            request = None if ready or rng.random() < 0.05 else request
            await context.tick()
        assert taken == expected[: len(taken)]

    simulate(words, drive)
    assert len(taken) > 100
    flit, status = CoreWord.FLIT, CoreWord.FLIT_STATUS
    stalls = {(write, flit, ready) for write in (False, True) for ready in (False, True)}
    assert seen == stalls | {(False, status, True)}


@pytest.mark.parametrize(
    ("network", "write", "word"),
    [
        (MESH, False, CoreWord.FLIT),
        (MESH, True, CoreWord.FLIT),
        (MESH, False, CoreWord.FLIT_STATUS),
        (STATIC, True, CoreWord.FLIT_STATUS),
        (STATIC, True, CoreWord.CONFIG_STATUS),
    ],
)
def test_a_word_that_there_is_not_is_left_alone(network: str, write: bool, word: CoreWord) -> None:
    words: Any = SystemWords(shape(network, 4))

    async def drive(context: Any) -> None:
        ask(context, words.bus, (write, word, 1))
        assert not context.get(words.bus.chosen)
        assert not context.get(words.bus.ready)

    simulate(words, drive)


@dataclass
class Network:
    """Nodes' registers behind the config port: answers come late, and some are refusals."""

    rng: random.Random
    registers: dict[tuple[int, int], int] = field(default_factory=dict)
    asked: tuple[int, int, int, int] | None = None
    left: int = 0

    @staticmethod
    def refuses(address: int) -> bool:
        return address % 3 == 0

    def step(self, context: Any, port: Any) -> None:
        """Give the answer of this cycle, and take the request of the next."""
        ready = self.asked is not None and self.left == 0
        error, data = False, 0
        if ready and self.asked is not None:
            node, address, write, value = self.asked
            error = self.refuses(address)
            if write and not error:
                self.registers[node, address] = value
            elif not error:
                data = self.registers.get((node, address), 0)
            self.asked = None
        self.left -= self.left > 0
        context.set(port.ready, ready)
        context.set(port.error, error)
        context.set(port.rdata, data)

    def receive(self, context: Any, port: Any) -> None:
        if context.get(port.valid):
            assert self.asked is None, "a request before the last one is answered"
            wires = (port.node, port.address, port.write, port.data)
            node, address, write, data = (context.get(wire) for wire in wires)
            self.asked, self.left = (node, address, write, data), self.rng.choice((0, 1, 7))


def test_a_core_reaches_its_own_node_and_hears_of_refusals() -> None:
    """All cores use the same addresses: each finds there what it wrote itself."""
    cores, accesses = 3, 40
    of = shape(STATIC, cores)
    m = Module()
    m.submodules.share = share = ConfigShare(of)
    words: list[Any] = []
    for core in range(cores):
        words.append(SystemWords(of))
        m.submodules[f"words_{core}"] = one = words[-1]
        bits = CONFIG_ADDRESS_BITS
        m.d.comb += [
            one.number.eq(core),
            share.valid[core].eq(one.config.valid),
            share.write[core].eq(one.config.write),
            share.address[core * bits : (core + 1) * bits].eq(one.config.address),
            share.data[core * 32 : (core + 1) * 32].eq(one.config.data),
            one.config.ready.eq(share.ready[core]),
            one.config.error.eq(share.port.error),
            one.config.rdata.eq(share.port.rdata),
        ]
    rng = random.Random(SEED)
    network, port = Network(rng), share.port
    wrote: list[dict[int, int]] = [{} for _ in range(cores)]
    done, refusals = [0] * cores, [0] * cores
    between = [0] * cores
    requests: list[tuple[bool, int, int] | None] = [None] * cores
    looks: list[bool | None] = [None] * cores

    async def drive(context: Any) -> None:
        while min(done) < accesses:
            for core, one in enumerate(words):
                if requests[core] is None and looks[core] is not None:
                    requests[core] = False, CoreWord.CONFIG_STATUS, 0
                elif requests[core] is None and rng.random() < 0.7:
                    address = CONFIG_BASE + rng.randrange(8)
                    requests[core] = rng.random() < 0.5, address, rng.getrandbits(32)
                ask(context, one.bus, requests[core])
            network.step(context, port)
            answered = 0
            for core, one in enumerate(words):
                if requests[core] is None or not context.get(one.bus.ready):
                    continue
                write, word, data = requests[core] or (False, 0, 0)
                requests[core] = None
                result = context.get(one.bus.result)
                if word == CoreWord.CONFIG_STATUS:
                    assert CONFIG_STATUS.unpack(result) == {"refused": looks[core]}
                    looks[core] = None
                    continue
                answered += 1
                address = word - CONFIG_BASE
                looks[core] = refused = network.refuses(address)
                refusals[core] += refused
                if write and not refused:
                    wrote[core][address] = data
                elif not write:
                    assert result == (0 if refused else wrote[core].get(address, 0))
                done[core] += 1
                assert between[core] < cores, "others had more than a turn each"
                between[core] = 0
                for other in range(cores):
                    between[other] += other != core and context.get(words[other].configures)
            assert answered <= 1
            network.receive(context, port)
            await context.tick()

    simulate(m, drive)
    assert min(refusals) > 3
    assert network.registers == {
        (core, address): value for core in range(cores) for address, value in wrote[core].items()
    }
