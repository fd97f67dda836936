# amaranth: UnusedElaboratable=no
"""A node's own words, counters and reset; its parts are in lock-step with golden models."""

from typing import Any

import pytest
from amaranth.sim import Simulator

from syncfabric.models.layout.network import PortWord, RouterWord, Target
from syncfabric.models.layout.shape import MeshNodeShape
from syncfabric.rtl.planes.node import Node

INDEX = 5
SHAPE: dict[str, Any] = {"check_bits": 4, "registers": 2, "width": 4, "height": 4}


def run(node: Node, program: Any) -> None:
    simulator = Simulator(node)
    simulator.add_clock(1e-6)
    simulator.add_testbench(program)
    simulator.run()


async def ask(ctx: Any, node: Node, target: int, word: int, data: int | None = None) -> Any:
    """Read a word, or write it; return its contents, or None for an error."""
    host = node.host
    ctx.set(node.index, INDEX)
    ctx.set(host.request.node, INDEX)
    ctx.set(host.request.target, target)
    ctx.set(host.request.address, word)
    ctx.set(host.request.write, data is not None)
    ctx.set(host.request.data, data or 0)
    ctx.set(host.request_valid, 1)
    await ctx.tick()
    ctx.set(host.request_valid, 0)
    await ctx.tick().repeat(2)
    assert ctx.get(host.answer_valid)
    answer = None if ctx.get(host.answer_error) else ctx.get(host.answer_rdata)
    await ctx.tick()
    return answer


@pytest.mark.parametrize("counters", [True, False])
def test_words_and_counters(counters: bool) -> None:
    node = Node(MeshNodeShape(**SHAPE, counters=counters))
    router, port = Target.ROUTER, Target.PORT

    async def program(ctx: Any) -> None:
        assert await ask(ctx, node, router, 0) is None
        assert await ask(ctx, node, router, 0, 3) is None
        assert await ask(ctx, node, router, RouterWord.OVERFLOW, 1) is None
        for target, word in ((router, 19), (port, 0), (3, 16)):
            assert await ask(ctx, node, target, word) is None
        assert await ask(ctx, node, router, RouterWord.FENCE, 0b1_0101) == 0
        assert await ask(ctx, node, router, RouterWord.FENCE) == 0b0101
        # Two links are wrong: one of them is closed.
        for link in (node.in_0.messages, node.in_1.packets, node.in_3.messages):
            ctx.set(link.check, 1)
        ctx.set(node.arrive, 0b11)
        await ctx.tick()
        for link in (node.in_0.messages, node.in_1.packets, node.in_3.messages):
            ctx.set(link.check, 0)
        ctx.set(node.arrive, 0)
        # Ten flits for this node: four leave, for want of credits, and four find room.
        assert await ask(ctx, node, router, RouterWord.FENCE, 0) == 0
        ctx.set(node.inject.valid, 1)
        ctx.set(node.inject.flit.head, 1)
        ctx.set(node.inject.flit.tail, 1)
        await ctx.tick().repeat(10)
        ctx.set(node.inject.valid, 0)
        assert await ask(ctx, node, router, RouterWord.OVERFLOW) == 2 * counters
        assert await ask(ctx, node, router, RouterWord.CORRUPT) == 2 * counters
        assert await ask(ctx, node, router, RouterWord.LOST) == 0
        assert await ask(ctx, node, port, PortWord.REFUSED_ARRIVE) == 1 * counters

    run(node, program)


def test_reset_is_registered() -> None:
    node = Node(MeshNodeShape(**SHAPE))

    async def program(ctx: Any) -> None:
        await ask(ctx, node, Target.ROUTER, RouterWord.FENCE, 1)
        # A request for another node is passed on, but for what is there as the reset acts.
        ctx.set(node.host.request.node, INDEX + 1)
        ctx.set(node.host.request_valid, 1)
        seen = []
        for cycle in range(4):
            ctx.set(node.reset, cycle == 0)
            await ctx.tick()
            seen.append(ctx.get(node.next.request_valid))
        assert seen == [1, 0, 1, 1]
        ctx.set(node.host.request_valid, 0)
        await ctx.tick()
        assert await ask(ctx, node, Target.ROUTER, RouterWord.FENCE) == 0

    run(node, program)
