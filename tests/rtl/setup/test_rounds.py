"""Which replies a manager counts, after commands that were aborted."""

from typing import Any

import pytest
from amaranth.sim import Simulator

from syncfabric.models.messages import TAG_BITS, Answer, ManagerState, Request
from syncfabric.rtl.setup.rounds import Rounds
from tests.rtl.setup.cases import CASES

SENT = 6
"""Cycles until the one request of a command has left."""


@pytest.mark.parametrize("aborted", range(1, 1 << TAG_BITS))
def test_a_reply_of_a_command_before_is_not_counted(aborted: int) -> None:
    """So many commands were aborted: a reply of the first is unasked, that of the last counts."""
    part: Any = Rounds(CASES["irregular"].form, 16)

    async def drive(context: Any) -> None:
        async def let(port: Any, cycles: int = 1) -> None:
            context.set(port, 1)
            for cycle in range(cycles):
                context.set(part.taken, context.get(part.valid))
                await context.tick()
                if not cycle:
                    context.set(port, 0)

        async def reply(tag: int) -> int:
            context.set(part.code, Answer.OK)
            context.set(part.tag, tag)
            context.set(part.answer, 1)
            unasked = context.get(part.unasked)
            await context.tick()
            context.set(part.answer, 0)
            await context.tick().repeat(2)
            return int(unasked)

        context.set(part.command, {"operation": Request.KILL, "count": 1})
        for _ in range(aborted):
            await let(part.begin, SENT)
            await let(part.abort, SENT)
            assert context.get(part.status.state) == ManagerState.FAILED
        await let(part.begin, SENT)
        assert await reply(0) == 1
        assert context.get(part.status.state) == ManagerState.RUNNING
        assert await reply(aborted) == 0
        assert context.get(part.status.state) == ManagerState.DONE

    simulator = Simulator(part)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
