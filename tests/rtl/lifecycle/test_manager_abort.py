# amaranth: UnusedElaboratable=no
"""Commands of a manager that are aborted, cycle by cycle."""

import pytest

from syncfabric.models.layout.setup import Answer, ManagerWord, Operation
from tests.rtl.lifecycle.software import (
    DONE,
    FAILED,
    RUNNING,
    STRIDE,
    Software,
    asked,
    command,
    run,
)
from tests.rtl.lifecycle.stage import flit, reply

ABORTED = (FAILED, Answer.ABORTED, 0, 0)


@pytest.mark.parametrize("place", [0, 1, STRIDE - 1])
def test_abort_in_a_packet(place: int) -> None:
    """A header on offer goes away; a packet that is begun is sent to its end."""

    async def program(software: Software) -> None:
        await software.fill(2)
        software.open = False
        await software.command(Operation.SETUP, 2)
        await software.rest(3)
        software.open = True
        await software.rest(place)
        software.open = False
        aborts = software.stage.now
        assert await software.command(Operation.ABORT) == 0
        await software.rest(2)
        if place:
            assert (await software.status())[0] == RUNNING
            software.open = True
            await software.rest(STRIDE)
            last = software.sent[-1][0]
            assert software.offered[-1] == last
        else:
            assert software.offered[-1] == aborts + 1
        assert len(software.sent) == (STRIDE if place else 0)
        assert await software.status() == ABORTED
        # None is awaited, and the next command has the next tag.
        await software.reply(Answer.OK)
        assert len(software.unexpected) == 1
        software.sent.clear()
        software.open = True
        await software.command(Operation.KILL, 1)
        await software.rest(4)
        assert software.sent[1][1] == asked(Operation.KILL, 0, tag=1)
        await software.reply(Answer.OK, tag=0)
        assert (await software.status())[0] == RUNNING
        await software.reply(Answer.OK, tag=1)
        await software.rest(1)
        assert (await software.status())[0] == DONE

    run(program)


def test_abort_as_the_header_leaves_and_while_replies_are_awaited() -> None:
    async def program(software: Software) -> None:
        await software.fill(1)
        software.open = False
        await software.command(Operation.KILL, 1)
        await software.rest(2)
        abort = command(Operation.ABORT, 0)
        asks = {
            "config__valid": 1,
            "config__write": 1,
            "config__address": ManagerWord.COMMAND,
            "config__data": abort,
        }
        await software.cycle(**asks)
        software.open = True
        # In the first cycle after it the header leaves, so the packet is sent.
        await software.cycle(**asks)
        await software.rest(3)
        assert len(software.sent) == 2
        assert await software.status() == ABORTED
        await software.command(Operation.KILL, 1)
        await software.rest(8)
        await software.reply(Answer.BUSY, tag=1, epoch=2)
        await software.rest(1)
        software.sent.clear()
        await software.command(Operation.KILL, 1)
        await software.rest(8)
        assert await software.command(Operation.ABORT) == 0
        assert await software.status() == ABORTED
        for tag in (2, 3, 0, 1):
            software.sent.clear()
            await software.command(Operation.KILL, 1)
            await software.rest(4)
            assert software.sent[1][1] == asked(Operation.KILL, 0, tag=tag)
            await software.command(Operation.ABORT)
            await software.rest(1)

    run(program)


@pytest.mark.parametrize("late", [0, 1])
def test_abort_as_the_command_ends_by_itself(late: int) -> None:
    """In the cycle of its last step it comes too late."""

    async def program(software: Software) -> None:
        await software.fill(1)
        await software.command(Operation.KILL, 1)
        await software.rest(5)
        await software.cycle(reply_valid=1, reply_flit=flit(5, head=True))
        word = {"reply_valid": 1, "reply_flit": reply(Answer.OK)}
        if late:
            await software.cycle(**word)
            assert await software.command(Operation.ABORT) == 0
            assert (await software.status())[0] == DONE
        else:
            assert await software.command(Operation.ABORT, **word) == 0
            assert await software.status() == ABORTED
        software.sent.clear()
        await software.command(Operation.KILL, 1)
        await software.rest(4)
        assert software.sent[1][1] == asked(Operation.KILL, 0, tag=1 - late)

    run(program)


def test_abort_keeps_what_was_refused() -> None:
    async def program(software: Software) -> None:
        await software.fill(2)
        await software.command(Operation.KILL, 2)
        await software.rest(8)
        await software.reply(Answer.BUSY, epoch=2, number=1)
        assert await software.command(Operation.ABORT) == 0
        assert await software.status() == (FAILED, Answer.ABORTED, 2, 1)

    run(program)
