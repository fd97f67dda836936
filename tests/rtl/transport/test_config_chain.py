# amaranth: UnusedElaboratable=no
"""The config chain before engines: each is reached, and nothing else; errors come back."""

import re
from typing import Any

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.sim import Simulator

from syncfabric.models.layout.engine import COMMIT, COUNTER_ADDRESS, Code, EngineLayout
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.transport.config_chain import ChainEnd, ConfigNode

NODES, ENTRIES = 4, 4


class Chain:
    """Four engines on a chain, and a host that drives its near end."""

    def __init__(self) -> None:
        layout = EngineLayout(1, False, ENTRIES, 0, "none")
        self.nodes = [ConfigNode((0,)) for _ in range(NODES)]
        self.module = m = Module()
        m.submodules.end = end = ChainEnd()
        for x, node in enumerate(self.nodes):
            m.submodules[f"node_{x}"] = node
            m.submodules[f"engine_{x}"] = engine = Engine(layout, stages=1)
            m.d.comb += node.index.eq(10 + x)
            wiring.connect(m, node.target_0, engine.config)
        beyond: list[Any] = [*self.nodes[1:], end]
        for node, further in zip(self.nodes, beyond, strict=True):
            wiring.connect(m, node.next, further.host)

    async def request(self, ctx: Any, **fields: int) -> tuple[int, int, int]:
        """Make a request; return cycles until its answer, whether it is an error, and its data."""
        host = self.nodes[0].host
        ctx.set(host.request_valid, 1)
        for name in ("node", "write", "address", "target", "data"):
            ctx.set(getattr(host.request, name), fields.get(name, 0))
        await ctx.tick()
        # What is on the wires after that has no meaning.
        ctx.set(host.request_valid, 0)
        ctx.set(host.request.node, 11)
        for cycle in range(1, 40):
            if ctx.get(host.answer_valid):
                answer = cycle, ctx.get(host.answer_error), ctx.get(host.answer_rdata)
                await ctx.tick()
                assert not ctx.get(host.answer_valid)
                return answer
            await ctx.tick()
        raise AssertionError("no answer")


def test_each_engine_is_reached_and_no_other() -> None:
    chain = Chain()

    async def program(ctx: Any) -> None:
        await ctx.tick().repeat(2 * ENTRIES)
        commit = {"write": 1, "address": 0}
        for x in range(NODES):
            # A GO of a dead entry is refused: its counter says where it was.
            for _ in range(x + 1):
                go = COMMIT.pack({"code": Code.GO})
                cycles, error, _ = await chain.request(ctx, node=10 + x, **commit, data=go)
                # There, to the engine's head, its execute cycle and answer, and back.
                assert (cycles, error) == (2 * x + 5 - 1, 1)
        for x in range(NODES):
            address = COUNTER_ADDRESS + 2
            cycles, error, word = await chain.request(ctx, node=10 + x, address=address)
            assert (cycles, error, word) == (2 * x + 3, 0, x + 1)

    run(chain, program)


def test_what_is_for_none_is_answered_with_an_error() -> None:
    chain = Chain()

    async def program(ctx: Any) -> None:
        assert await chain.request(ctx, node=12, target=1) == (2 * 2 + 2, 1, 0)
        assert await chain.request(ctx, node=9) == (2 * NODES + 1, 1, 0)
        assert (await chain.request(ctx, node=12, address=COUNTER_ADDRESS))[1:] == (0, 0)

    run(chain, program)


def run(chain: Chain, program: Any) -> None:
    """Simulate."""
    simulator = Simulator(chain.module)
    simulator.add_clock(1e-6)
    simulator.add_testbench(program)
    simulator.run()


@pytest.mark.parametrize("targets", [(), (0, 8)])
def test_other_numbers_of_targets_are_refused(targets: tuple[int, ...]) -> None:
    message = re.escape(f"ConfigNode needs targets out of 0..7, not {targets}")
    with pytest.raises(ValueError, match=f"^{message}$"):
        ConfigNode(targets)
