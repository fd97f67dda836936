# amaranth: UnusedElaboratable=no
"""The node port before an engine: bits in, bits out, one cycle more than the engine's own port."""

import random
from typing import Any

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from syncfabric.models.layout.engine import COMMIT, IMAGE_ADDRESS, Code, EngineLayout
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.engine.node_port import NodePort

REGISTERS, BITS = 4, 3


class Node:
    """An engine and a node port; groups have this node as their only member."""

    def __init__(self) -> None:
        self.layout = EngineLayout(4, True, 8, BITS, "bitwise")
        self.engine = Engine(self.layout, stages=1)
        self.port = NodePort(self.layout, REGISTERS)
        self.module = m = Module()
        m.submodules.engine, m.submodules.port = self.engine, self.port
        wiring.connect(m, self.port.send, self.engine.arrive)
        wiring.connect(m, self.engine.release, self.port.answer)
        m.d.comb += self.port.taken.eq(self.engine.arrive_ready)
        self.epochs = [0] * REGISTERS

    def run(self, program: Any) -> None:
        simulator = Simulator(self.module)
        simulator.add_clock(1e-6)
        simulator.add_testbench(program)
        simulator.run()

    async def request(self, ctx: Any, address: int, data: int) -> int:
        """Write a word; return whether it is refused."""
        config = self.engine.config
        for name, value in {"valid": 1, "write": 1, "address": address, "data": data}.items():
            ctx.set(getattr(config, name), value)
        while not ctx.get(config.ready):
            await ctx.tick()
        error: int = ctx.get(config.error)
        await ctx.tick()
        ctx.set(config.valid, 0)
        return error

    async def commit(self, ctx: Any, code: Code, entry: int) -> int:
        fields = {"code": code, "entry": entry, "epoch": self.epochs[entry]}
        return await self.request(ctx, 0, COMMIT.pack(fields))

    async def begin(self, ctx: Any, entry: int) -> None:
        """Set a group up, of this node alone."""
        image = self.layout.image.pack({"children": 1 << 4})
        for k in range(self.layout.image_words):
            await self.request(ctx, IMAGE_ADDRESS + k, image >> 32 * k & 0xFFFFFFFF)
        assert not await self.commit(ctx, Code.SETUP, entry)
        self.epochs[entry] = (self.epochs[entry] + 1) % 4
        assert not await self.commit(ctx, Code.GO, entry)


def test_an_arrival_is_answered_by_its_release_alone() -> None:
    """Random arrivals; each that is accepted is released once, with its data."""
    node, rng = Node(), random.Random(1)
    port = node.port
    counts = {"released": 0, "refused": 0}

    async def program(ctx: Any) -> None:
        for entry in range(REGISTERS - 1):
            await node.begin(ctx, entry)
        await ctx.tick()
        assert ctx.get(port.ready) == 0b0111
        owed: dict[int, int] = {}
        results = [0] * REGISTERS
        for _ in range(400):
            arrive = sum(1 << r for r in range(REGISTERS) if rng.random() < 0.3)
            words = [rng.getrandbits(BITS) for _ in range(REGISTERS)]
            ctx.set(port.arrive, arrive)
            ctx.set(port.data, sum(word << BITS * r for r, word in enumerate(words)))
            released = ctx.get(port.released)
            shown = ctx.get(port.result)
            for r in range(REGISTERS):
                if released >> r & 1:
                    results[r] = owed.pop(r)
                    counts["released"] += 1
            assert [shown >> BITS * r & 7 for r in range(REGISTERS)] == results
            arrives = {r for r in range(REGISTERS) if arrive >> r & 1}
            refused = {r for r in arrives if r in owed or r == REGISTERS - 1}
            counts["refused"] += bool(refused)
            owed |= {r: words[r] for r in arrives - refused}
            await ctx.tick()
            done = ctx.get(port.done)
            assert all(done >> r & 1 == (r not in owed) or not counts["released"] for r in owed)
        ctx.set(port.arrive, 0)
        await ctx.tick()
        await ctx.tick()
        assert ctx.get(port.refused_arrives) == min(255, counts["refused"])

    node.run(program)
    assert counts["released"] > 150
    assert counts["refused"] > 0


def test_latency_last_and_broken() -> None:
    """An arrival alone is released three cycles later; LAST and KILL end the group."""
    node = Node()
    port = node.port

    async def arrive(ctx: Any, r: int, *, last: bool = False) -> int:
        ctx.set(port.arrive, 1 << r)
        ctx.set(port.last, last << r)
        await ctx.tick()
        ctx.set(port.arrive, 0)
        for cycle in range(1, 10):
            if ctx.get(port.released):
                assert ctx.get(port.released) == 1 << r
                await ctx.tick()
                return cycle
            await ctx.tick()
        return 0

    async def program(ctx: Any) -> None:
        for r in (1, 2):
            await node.begin(ctx, r)
        await ctx.tick()
        assert await arrive(ctx, 1) == 3
        assert ctx.get(port.ready) == 0b110
        assert await arrive(ctx, 1, last=True) == 3
        assert ctx.get(port.ready) == 0b100
        assert await arrive(ctx, 1) == 0
        assert not await node.commit(ctx, Code.KILL, 2)
        await ctx.tick()
        assert ctx.get(port.broken) == 0b100
        assert ctx.get(port.ready) == 0
        assert await arrive(ctx, 2) == 0
        await node.begin(ctx, 2)
        await ctx.tick()
        assert ctx.get(port.broken) == 0
        assert await arrive(ctx, 2) == 3
        assert ctx.get(port.refused_arrives) == 2

    node.run(program)


@pytest.mark.parametrize("registers", [0, 9])
def test_other_numbers_of_registers_are_refused(registers: int) -> None:
    with pytest.raises(ValueError, match=rf"^NodePort needs 1 to 8 registers, not {registers}$"):
        NodePort(EngineLayout(4, True, 8, 0, "none"), registers)
