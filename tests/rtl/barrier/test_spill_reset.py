"""What a spilled entry holds does not outlive a reset, though the memory does."""

from amaranth.hdl import ClockDomain, Module
from amaranth.sim import Simulator

from syncfabric.models.messages import CONTROL, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.spill import SpillEngine

GID = 9


def test_entries_are_invalid_after_a_reset() -> None:
    engine = SpillEngine(MeshSpec(kind="mesh", width=2, height=2, spill=True))
    m = Module()
    m.domains.sync = domain = ClockDomain()
    m.submodules.engine = engine
    word = CONTROL.pack({"valid": 1, "root": 1, "gid": GID})
    seen = []

    async def bench(ctx) -> None:  # type: ignore[no-untyped-def]
        async def ask(write: int, data: int = 0) -> int:
            ctx.set(engine.config_gid, GID)
            ctx.set(engine.config_word, RegisterWord.CONTROL)
            ctx.set(engine.config_write, write)
            ctx.set(engine.config_data, data)
            ctx.set(engine.config_valid, 1)
            await ctx.tick()
            ctx.set(engine.config_valid, 0)
            while not ctx.get(engine.config_ready):
                await ctx.tick()
            answer: int = ctx.get(engine.config_rdata)
            return answer

        await ask(1, word)
        seen.append(await ask(0))
        ctx.set(domain.rst, 1)
        await ctx.tick()
        ctx.set(domain.rst, 0)
        seen.append(await ask(0))

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert seen == [word, 0]
