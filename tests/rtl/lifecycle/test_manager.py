# amaranth: UnusedElaboratable=no
"""The manager against each rule of its contract, cycle by cycle."""

from collections.abc import Sequence
from typing import Any

import pytest

from syncfabric.models.layout.setup import (
    COMMAND,
    FREED,
    MANAGER_STATUS,
    REQUEST,
    Answer,
    ManagerState,
    ManagerWord,
    Operation,
)
from syncfabric.rtl.lifecycle.manager import Manager
from tests.rtl.lifecycle.stage import FLIT, SHAPE, Stage, flit, play, reply, shape_of

INDEX = 1
COUNT = 113
STRIDE = SHAPE.stride
Sent = tuple[int, int, bool, bool]
"""Cycle, payload, head, tail of a flit that left."""


class Software:
    """Writes and reads a manager's words; flits leave while ``open`` is true."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.sent = stage, list[Sent]()
        self.open = True
        self.unexpected: list[int] = []
        self.offered: list[int] = []

    async def cycle(self, **inputs: int) -> dict[str, int]:
        stage = self.stage
        now, seen = stage.now, stage.drive(**inputs)
        leaves = bool(seen["request_valid"]) and self.open
        seen = await stage.cycle(request_leaves=leaves, **inputs)
        if seen["request_valid"]:
            self.offered.append(now)
        else:
            assert seen["request_flit"] == 0
        if leaves:
            word = FLIT.unpack(seen["request_flit"])
            self.sent.append((now, word["payload"], bool(word["head"]), bool(word["tail"])))
        if seen["unexpected"]:
            self.unexpected.append(now)
        return seen

    async def rest(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.cycle()

    async def ask(self, word: int, data: int | None = None, **inputs: int) -> int | None:
        """Make a request of two cycles; return its answer, or None for an error."""
        asks = {
            "config__valid": 1,
            "config__address": word,
            "config__write": data is not None,
            "config__data": data or 0,
        }
        seen = await self.cycle(**asks, **inputs)
        assert not seen["config__ready"]
        seen = await self.cycle(**asks)
        assert seen["config__ready"]
        assert not (seen["config__error"] and seen["config__rdata"])
        return None if seen["config__error"] else seen["config__rdata"]

    async def fill(self, count: int) -> None:
        """Write so many requests, each word with its number in the low bits."""
        assert await self.ask(ManagerWord.POINTER, 0) == 0
        for number in range(count * STRIDE):
            assert await self.ask(ManagerWord.DATA, memory(number)) == 0

    async def command(self, operation: int, count: int = 0, **inputs: int) -> int | None:
        return await self.ask(ManagerWord.COMMAND, command(operation, count), **inputs)

    async def status(self) -> tuple[int, int, int, int]:
        word = MANAGER_STATUS.unpack(await self.ask(ManagerWord.STATUS) or 0)
        return word["state"], word["code"], word["epoch"], word["request"]

    async def reply(self, code: Answer, **fields: int) -> None:
        """Let a reply come, with its header."""
        await self.cycle(reply_valid=1, reply_flit=flit(5, head=True))
        await self.cycle(reply_valid=1, reply_flit=reply(code, **fields))


def memory(number: int) -> int:
    return 0xFFFF_0000 + number


def command(operation: int, count: int) -> int:
    return COMMAND.pack({"operation": operation, "count": count})


def asked(operation: int, number: int, tag: int = 0) -> int:
    """Return the second flit of a request: what is in memory, and what hardware puts in."""
    fields = {"operation": operation, "manager": INDEX, "tag": tag, "sequence": number}
    word = REQUEST.unpack(memory(number * STRIDE + 1) & (1 << REQUEST.width) - 1)
    return REQUEST.pack(word | fields)


def run(program: Any, shape: Any = SHAPE, enable: int = 1) -> None:
    async def with_software(stage: Stage) -> None:
        await program(Software(stage))

    play(Manager(shape), with_software, enable=enable, index=INDEX, count=COUNT)


RUNNING, DONE, FAILED = ManagerState.RUNNING, ManagerState.DONE, ManagerState.FAILED


def test_a_setup_of_three_in_every_cycle() -> None:
    async def program(software: Software) -> None:
        await software.fill(3)
        start = software.stage.now
        assert await software.command(Operation.SETUP, 3) == 0
        assert await software.status() == (RUNNING, 0, 0, 0)
        await software.rest(10)
        # Taken in `start`, a step in the next cycle, and the header on offer in the one after it.
        first = start + 2
        expected = []
        for number in range(2):
            at = first + number * (STRIDE + 1)
            for place in range(STRIDE):
                word = memory(number * STRIDE + place)
                if place == 1:
                    word = asked(Operation.SETUP, number)
                expected.append((at + place, word, place == 0, place == STRIDE - 1))
        assert software.sent == expected
        # The last one waits for both replies.
        await software.reply(Answer.OK, number=1, epoch=3)
        await software.rest(5)
        assert len(software.sent) == 2 * STRIDE
        assert await software.status() == (RUNNING, 0, 3, 0)
        await software.reply(Answer.OK, number=0)
        replied = software.stage.now - 1
        await software.rest(10)
        third = software.sent[2 * STRIDE :]
        # One fewer awaited from the next cycle, a part that is over, a step, and the header.
        assert [cycle for cycle, *_ in third] == [replied + 3 + k for k in range(STRIDE)]
        assert third[1][1] == asked(Operation.START, 2)
        assert await software.status() == (RUNNING, 0, 0, 0)
        await software.reply(Answer.OK, number=2)
        replied = software.stage.now - 1
        assert (await software.status())[0] == RUNNING
        assert software.stage.now == replied + 3
        assert (await software.status())[0] == DONE
        assert software.unexpected == []

    run(program)


def test_status_says_done_in_the_cycle_after_the_last_part() -> None:
    async def program(software: Software) -> None:
        await software.fill(1)
        await software.command(Operation.KILL, 1)
        await software.rest(6)
        await software.reply(Answer.OK)
        # The reply came in the last cycle; the part is over in this one, and status seen then.
        assert (await software.status())[0] == RUNNING
        await software.command(Operation.KILL, 1)
        await software.rest(6)
        await software.reply(Answer.OK)
        await software.rest(1)
        assert (await software.status())[0] == DONE

    run(program)


def test_a_setup_of_one_is_a_start() -> None:
    async def program(software: Software) -> None:
        await software.fill(1)
        start = software.stage.now
        await software.command(Operation.SETUP, 1)
        await software.rest(10)
        # The first part is empty, and takes a step.
        assert [cycle for cycle, *_ in software.sent] == [start + 3 + k for k in range(STRIDE)]
        assert software.sent[1][1] == asked(Operation.START, 0)

    run(program)


def test_a_kill_has_one_part_of_short_packets() -> None:
    async def program(software: Software) -> None:
        await software.fill(2)
        start = software.stage.now
        await software.command(Operation.KILL, 2)
        await software.rest(10)
        assert software.sent == [
            (start + 2, memory(0), True, False),
            (start + 3, asked(Operation.KILL, 0), False, True),
            (start + 5, memory(STRIDE), True, False),
            (start + 6, asked(Operation.KILL, 1), False, True),
        ]
        # Refusals do not stop it; the first to arrive is kept.
        await software.reply(Answer.DENIED, epoch=3, number=1)
        await software.reply(Answer.BUSY, epoch=1, number=0)
        await software.rest(2)
        # Neither a later refusal nor a later epoch.
        assert await software.status() == (FAILED, Answer.DENIED, 3, 1)
        assert await software.command(Operation.KILL, 1) == 0
        assert await software.status() == (RUNNING, 0, 0, 0)

    run(program)


def test_a_refusal_ends_a_setup_before_its_last_request() -> None:
    async def program(software: Software) -> None:
        await software.fill(3)
        await software.command(Operation.SETUP, 3)
        await software.rest(3)
        # The first is refused while the second is being sent, which goes on.
        await software.rest(3)
        await software.reply(Answer.EPOCH, epoch=2, number=0)
        await software.rest(6)
        assert len(software.sent) == 2 * STRIDE
        assert await software.status() == (RUNNING, Answer.EPOCH, 2, 0)
        await software.reply(Answer.OK, number=1)
        await software.rest(8)
        assert len(software.sent) == 2 * STRIDE
        assert await software.status() == (FAILED, Answer.EPOCH, 2, 0)

    run(program)


def test_flits_wait_until_they_leave() -> None:
    async def program(software: Software) -> None:
        await software.fill(1)
        software.open = False
        await software.command(Operation.SETUP, 1)
        await software.rest(5)
        for place in range(STRIDE):
            software.open = True
            await software.rest(1)
            software.open = False
            await software.rest(3)
            assert len(software.sent) == place + 1
        expected = [memory(0), asked(Operation.START, 0), *map(memory, range(2, STRIDE))]
        assert [word for _, word, *_ in software.sent] == expected

    run(program)


def test_the_pointer_goes_round() -> None:
    async def program(software: Software) -> None:
        words = SHAPE.words
        assert await software.ask(ManagerWord.POINTER, words + words - 1) == 0
        for number in (STRIDE - 1, 0, 1):
            assert await software.ask(ManagerWord.DATA, memory(number)) == 0
        assert await software.command(Operation.KILL, 1) == 0
        await software.rest(5)
        assert [word for _, word, *_ in software.sent] == [memory(0), asked(Operation.KILL, 0)]

    run(program)


REFUSED = [
    command(Operation.START, 1),
    command(Operation.SETUP, 0),
    command(Operation.KILL, 0),
    command(Operation.KILL, SHAPE.requests + 1),
    command(Operation.SETUP, SHAPE.requests + 1),
    command(Operation.ABORT, 1),
]


def test_commands_that_are_refused() -> None:
    async def program(software: Software) -> None:
        await software.fill(1)
        for data in REFUSED:
            assert await software.ask(ManagerWord.COMMAND, data) is None
        assert await software.status() == (0, 0, 0, 0)
        assert software.offered == []
        assert await software.command(Operation.KILL, SHAPE.requests) == 0
        await software.rest(1)
        assert software.offered != []

    run(program)


def test_words_that_are_not_there_or_of_the_other_direction() -> None:
    async def program(software: Software) -> None:
        for word in range(32):
            if word not in (ManagerWord.STATUS, ManagerWord.FREED, ManagerWord.UNEXPECTED):
                assert await software.ask(word) is None, word
            if word not in (ManagerWord.POINTER, ManagerWord.DATA, ManagerWord.COMMAND):
                assert await software.ask(word, 1) is None, word

    run(program)


def test_writes_while_a_command_runs() -> None:
    async def program(software: Software) -> None:
        await software.fill(1)
        software.open = False
        await software.command(Operation.KILL, 1)
        assert await software.ask(ManagerWord.POINTER, 0) is None
        assert await software.ask(ManagerWord.DATA, 0) is None
        assert await software.command(Operation.KILL, 1) is None
        assert await software.ask(ManagerWord.UNEXPECTED) == COUNT
        software.open = True
        await software.rest(3)
        await software.reply(Answer.OK)
        await software.rest(1)
        # Neither pointer nor memory has been written.
        assert await software.ask(ManagerWord.DATA, 1) == 0
        await software.command(Operation.KILL, 1)
        await software.rest(5)
        assert [word for _, word, *_ in software.sent] == [memory(0), asked(Operation.KILL, 0)] * 2

    run(program)


def test_greatest_commands() -> None:
    """As many requests as fit, but no more than a sequence number can count."""
    assert shape_of(routers=8, image_words=2).requests == 8
    assert shape_of(routers=9, image_words=1).requests == 10
    assert shape_of(routers=1024, image_words=1).requests == 512


def test_replies_that_are_not_awaited() -> None:
    async def program(software: Software) -> None:
        await software.fill(2)
        await software.reply(Answer.OK)
        await software.command(Operation.KILL, 2)
        # A reply in the cycle in which the tail leaves comes too soon.
        assert len(software.sent) == 0
        await software.cycle()
        await software.cycle(reply_valid=1, reply_flit=reply(Answer.OK))
        assert software.sent[-1][3]
        assert len(software.unexpected) == 2
        await software.rest(4)
        await software.reply(Answer.OK, tag=1)
        assert len(software.unexpected) == 3
        await software.cycle(reply_valid=1, reply_flit=flit(0, tail=True, cut=True))
        assert len(software.unexpected) == 4
        # A body flit is nothing.
        await software.cycle(reply_valid=1, reply_flit=flit(0))
        assert (await software.status())[0] == RUNNING
        await software.reply(Answer.OK)
        await software.reply(Answer.OK)
        await software.rest(1)
        assert (await software.status())[0] == DONE
        assert len(software.unexpected) == 4

    run(program)


def test_a_reply_as_another_request_leaves() -> None:
    async def program(software: Software) -> None:
        await software.fill(2)
        await software.command(Operation.KILL, 2)
        await software.rest(4)
        await software.cycle(reply_valid=1, reply_flit=reply(Answer.OK))
        assert software.sent[-1][0] == software.stage.now - 1
        assert software.sent[-1][3]
        await software.rest(3)
        assert (await software.status())[0] == RUNNING
        await software.reply(Answer.OK)
        await software.rest(1)
        assert (await software.status())[0] == DONE

    run(program)


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


def ended(router: int, entry: int, epoch: int) -> int:
    return FREED.pack({"router": router, "entry": entry, "epoch": epoch, "valid": 1})


def test_groups_that_have_ended() -> None:
    async def program(software: Software) -> None:
        assert await software.ask(ManagerWord.FREED) == 0
        some = [(n * 999 % 1024, n * 5 % 256, n % 4) for n in range(66)]
        for router, entry, epoch in some:
            await software.reply(Answer.FREED, number=router, entry=entry, epoch=epoch)
        assert len(software.unexpected) == 2
        assert await software.ask(ManagerWord.UNEXPECTED) == COUNT
        # A write does not take one away.
        assert await software.ask(ManagerWord.FREED, 1) is None
        for one in some[:64]:
            assert await software.ask(ManagerWord.FREED) == ended(*one)
        assert await software.ask(ManagerWord.FREED) == 0
        # One that comes as it is asked for can be read by the next request.
        word = {"reply_valid": 1, "reply_flit": reply(Answer.FREED, number=7, entry=3, epoch=1)}
        assert await software.ask(ManagerWord.FREED, None, **word) == 0
        assert await software.ask(ManagerWord.FREED) == ended(7, 3, 1)
        await software.cycle(reply_valid=1, reply_flit=reply(Answer.FREED) | 1 << 34)
        assert await software.ask(ManagerWord.FREED) == 0

    run(program)


def test_a_manager_that_is_not_there() -> None:
    async def program(software: Software) -> None:
        for word in range(20):
            assert await software.ask(word) is None
            assert await software.ask(word, command(Operation.KILL, 1)) is None
        await software.reply(Answer.OK)
        await software.reply(Answer.FREED)
        assert software.offered == []
        assert software.unexpected == []

    run(program, enable=0)


def test_refusals_say_who_sent_them() -> None:
    refusals: Sequence[Answer] = (
        Answer.BUSY,
        Answer.EPOCH,
        Answer.DENIED,
        Answer.BAD,
        Answer.ENDED,
    )

    async def program(software: Software) -> None:
        await software.fill(1)
        for number, code in enumerate(refusals):
            await software.command(Operation.KILL, 1)
            await software.rest(4)
            await software.reply(code, epoch=number % 4, number=511 - number)
            await software.rest(1)
            assert await software.status() == (FAILED, code, number % 4, 511 - number)

    run(program)
