# amaranth: UnusedElaboratable=no
"""The manager against each rule of its contract, cycle by cycle."""

from collections.abc import Sequence

from syncfabric.models.layout.setup import FREED, Answer, ManagerWord, Operation
from tests.rtl.lifecycle.software import (
    COUNT,
    DONE,
    FAILED,
    RUNNING,
    STRIDE,
    Software,
    asked,
    command,
    memory,
    run,
)
from tests.rtl.lifecycle.stage import SHAPE, flit, reply, shape_of


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
