# amaranth: UnusedElaboratable=no
"""The set-up sink against each rule of its contract, cycle by cycle."""

from collections.abc import Sequence
from typing import Any

import pytest

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import Answer, Operation
from syncfabric.rtl.lifecycle.sink import Sink
from tests.rtl.lifecycle.stage import SHAPE, Stage, flit, play, reply, request, shape_of

NUMBER = 5
WORDS = (0x1234_5678, 0x9ABC_DEF0)


def status(alive: bool, epoch: int) -> int:
    return alive | epoch << 1


class Desk:
    """Sends a packet to a sink, and is the engine that it asks.

    Parameters
    ----------
    stage : Stage
    answers : sequence of (bool, int)
        Error and status of the engine's answers to commits, in order.
    delay : int
        Cycles from an access's first to its answer.
    """

    def __init__(
        self, stage: Stage, answers: Sequence[tuple[bool, int]] = (), delay: int = 1
    ) -> None:
        self.stage, self.answers, self.delay = stage, list(answers), delay
        self.accesses: list[tuple[int, int, int]] = []
        """Cycle, address and data of each."""
        self.waits = 0
        self.locked: list[int] = []
        self.dropped: list[tuple[int, int]] = []
        self.listens: list[int] = []
        self.replies: list[tuple[int, int]] = []

    async def cycle(self, **inputs: int) -> dict[str, int]:
        """Go through a cycle; the engine answers in its time."""
        stage = self.stage
        now, seen = stage.now, stage.drive(**inputs)
        if seen["access__valid"]:
            if not self.waits:
                assert seen["access__write"]
                access = seen["access__address"], seen["access__data"]
                self.accesses.append((now, *access))
            if self.waits == self.delay:
                commits = seen["access__address"] == 0
                error, word = self.answers.pop(0) if commits else (False, 0)
                inputs |= {
                    "access__ready": 1,
                    "access__error": int(error),
                    "access__rdata": word,
                }
                self.waits = 0
            else:
                self.waits += 1
        seen = await stage.cycle(**inputs)
        if seen["locks"]:
            self.locked.append(now)
        if seen["dropped"]:
            self.dropped.append((now, seen["dropped"]))
        if seen["listens"]:
            self.listens.append(now)
        if seen["reply_valid"] and inputs.get("reply_leaves"):
            self.replies.append((now, seen["reply_flit"]))
        return seen

    async def send(self, packet: list[int], **inputs: int) -> None:
        """Send a packet, each flit as soon as the sink listens."""
        for word in packet:
            while not (await self.cycle(valid=1, flit=word, **inputs))["listens"]:
                pass

    async def rest(self, cycles: int, **inputs: int) -> None:
        """Wait so long; replies leave."""
        for _ in range(cycles):
            await self.cycle(reply_leaves=1, **inputs)


def commit(code: Code, epoch: int, entry: int) -> int:
    return COMMIT.pack({"code": code, "epoch": epoch, "entry": entry})


def run(program: Any, shape: Any = SHAPE) -> None:
    play(Sink(shape), program, number=NUMBER)


@pytest.mark.parametrize("delay", [1, 3])
def test_a_setup_in_every_cycle(delay: int) -> None:
    async def program(stage: Stage) -> None:
        desk = Desk(stage, [(False, status(False, 3))], delay)
        packet = request(manager=1, tag=2, epoch=3, entry=6, sequence=77, words=WORDS)
        await desk.send(packet)
        await desk.rest(12 + delay)
        # Header and request in cycles 0 and 1; then a word, and its access from the next cycle on.
        first, second = 3, 3 + delay + 2
        judges = second + delay + 1
        assert desk.accesses == [
            (first, 1, WORDS[0]),
            (second, 2, WORDS[1]),
            (judges + 1, 0, commit(Code.SETUP, 3, 6)),
        ]
        answers = judges + 1 + delay + 1
        # From the first access to the cycle before ANSWER, and no longer.
        assert [c for c in desk.locked if c > first] == list(range(first + 1, answers))
        assert desk.listens[:4] == [0, 1, 2, first + delay + 1]
        assert desk.listens[4] == answers + 1
        assert desk.dropped == []
        # The slot is taken from answers + 1, chosen then, and on offer in the next cycle.
        header = flit(SHAPE.headers[1], head=True)
        word = reply(Answer.OK, tag=2, epoch=0, entry=6, number=77)
        assert desk.replies == [(answers + 2, header), (answers + 3, word)]

    run(program)


TABLE = [
    # operation, COMMIT's error, alive, epoch: code, true epoch. The request's epoch is 1.
    (Operation.SETUP, False, False, 1, Answer.OK, 2),
    (Operation.SETUP, True, True, 2, Answer.OK, 2),
    (Operation.SETUP, True, True, 1, Answer.BUSY, 1),
    (Operation.SETUP, True, True, 3, Answer.BUSY, 3),
    (Operation.SETUP, True, False, 2, Answer.ENDED, 2),
    (Operation.SETUP, True, False, 3, Answer.EPOCH, 3),
    (Operation.START, True, False, 2, Answer.ENDED, 2),
    (Operation.START, True, True, 1, Answer.BUSY, 1),
    (Operation.START, True, False, 0, Answer.EPOCH, 0),
    (Operation.KILL, False, True, 1, Answer.OK, 1),
    (Operation.KILL, True, True, 2, Answer.DENIED, 2),
    (Operation.KILL, False, False, 3, Answer.OK, 1),
]


@pytest.mark.parametrize(("operation", "error", "alive", "epoch", "code", "true"), TABLE)
def test_what_commit_answers(
    operation: Operation, error: bool, alive: bool, epoch: int, code: Answer, true: int
) -> None:
    async def program(stage: Stage) -> None:
        desk = Desk(stage, [(error, status(alive, epoch))])
        kills = operation == Operation.KILL
        words = () if kills else WORDS
        await desk.send(request(operation, epoch=1, entry=2, sequence=9, words=words))
        await desk.rest(12)
        asked = commit(Code.KILL if kills else Code.SETUP, 1, 2)
        assert [access[1:] for access in desk.accesses if access[1] == 0] == [(0, asked)]
        word = reply(code, epoch=true, entry=2, number=9)
        assert [word for _, word in desk.replies] == [flit(SHAPE.headers[0], head=True), word]

    run(program)


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(
    ("error", "alive", "epoch", "code"),
    [
        (False, True, 2, Answer.OK),
        (True, True, 2, Answer.OK),
        (True, True, 3, Answer.ENDED),
        (True, False, 2, Answer.ENDED),
    ],
)
def test_what_go_answers(again: bool, error: bool, alive: bool, epoch: int, code: Answer) -> None:
    """With and without a first SETUP that found the entry set up already."""

    async def program(stage: Stage) -> None:
        first = (True, status(True, 2)) if again else (False, status(False, 1))
        desk = Desk(stage, [first, (error, status(alive, epoch))])
        await desk.send(request(Operation.START, epoch=1, entry=3, words=WORDS))
        await desk.rest(14)
        setup, go = desk.accesses[2:]
        assert go == (setup[0] + 2, 0, commit(Code.GO, 2, 3))
        assert desk.replies[1][1] == reply(code, epoch=epoch, entry=3)

    run(program)


@pytest.mark.parametrize(
    "packet",
    [
        [flit(5, head=True, tail=True)],
        request(Operation.KILL, cut=True),
        request(Operation.KILL, manager=2),
        request(Operation.KILL, manager=3),
        request(words=WORDS, cut=True),
    ],
    ids=["one flit", "cut", "no manager 2", "no manager 3", "cut after words"],
)
def test_packets_that_are_dropped(packet: list[int]) -> None:
    async def program(stage: Stage) -> None:
        desk = Desk(stage)
        await desk.send(packet)
        judges = desk.stage.now + (2 if len(packet) > 2 else 0)
        await desk.rest(8)
        assert desk.dropped == [(judges, 1)]
        assert judges + 1 in desk.listens
        assert judges not in desk.listens
        # The chain waits no longer from the cycle of the drop on.
        assert not [cycle for cycle in desk.locked if cycle >= judges]
        assert [access[1] for access in desk.accesses] == ([1, 2] if len(packet) > 2 else [])
        assert desk.replies == []
        # The next is served; nothing of the one that was cut is left.
        desk.answers = [(False, status(True, 0))]
        await desk.send(request(Operation.KILL))
        await desk.rest(8)
        assert desk.replies[1][1] == reply(Answer.OK)

    run(program)


def test_a_request_is_dropped_while_its_managers_reply_waits() -> None:
    async def program(stage: Stage) -> None:
        desk = Desk(stage, [(False, status(True, 0))] * 3)
        await desk.send(request(Operation.KILL, sequence=1))
        for _ in range(6):
            await desk.cycle()
        await desk.send(request(Operation.KILL, sequence=2))
        for _ in range(6):
            await desk.cycle()
        assert len(desk.dropped) == 1
        # The other manager's slot is empty.
        await desk.send(request(Operation.KILL, manager=1, entry=4, sequence=3))
        for _ in range(6):
            await desk.cycle()
        assert len(desk.dropped) == 1
        await desk.rest(10)
        assert [word for _, word in desk.replies] == [
            flit(SHAPE.headers[0], head=True),
            reply(Answer.OK, number=1),
            flit(SHAPE.headers[1], head=True),
            reply(Answer.OK, entry=4, number=3),
        ]
        await desk.send(request(Operation.KILL, sequence=4))
        await desk.rest(10)
        assert len(desk.dropped) == 1
        assert desk.replies[-1][1] == reply(Answer.OK, number=4)

    run(program)


BAD = [
    request(3, words=WORDS),
    request(3),
    request(),
    request(words=WORDS[:1]),
    request(words=(*WORDS, 7)),
    request(words=(*WORDS, 7, 8)),
    request(words=(*WORDS, *range(9))),
    request(Operation.START),
    request(Operation.START, words=WORDS[:1]),
    request(Operation.KILL, words=WORDS[:1]),
    request(Operation.KILL, words=WORDS),
    request(3, entry=200),
]


@pytest.mark.parametrize("packet", BAD)
def test_lengths_and_operations_that_are_bad(packet: list[int]) -> None:
    async def program(stage: Stage) -> None:
        desk = Desk(stage)
        await desk.send(packet)
        await desk.rest(8)
        # Words that the image has are written, whatever the operation.
        assert [a[1] for a in desk.accesses] == [1, 2][: max(0, len(packet) - 2)]
        code = desk.replies[1][1] & 7
        assert code == Answer.BAD
        assert not desk.locked or desk.locked[-1] < desk.replies[0][0] - 1

    run(program)


@pytest.mark.parametrize(
    ("managers", "entries", "manager", "allowed"),
    [
        (1, 8, 0, range(8)),
        (2, 8, 0, range(4)),
        (2, 8, 1, range(4, 8)),
        (3, 8, 2, range(4, 6)),
        (4, 2, 1, range(0)),
        (1, 256, 0, range(256)),
        (4, 256, 3, range(192, 256)),
    ],
)
def test_entries_of_others_are_denied(
    managers: int, entries: int, manager: int, allowed: range
) -> None:
    async def program(stage: Stage) -> None:
        for entry in sorted({0, 3, 4, 5, 6, 7, 8, 64, 128, 191, 192, 255}):
            desk = Desk(stage, [(False, status(True, 2))])
            await desk.send(
                request(Operation.KILL, manager=manager, epoch=2, entry=entry, sequence=3)
            )
            await desk.rest(8)
            code = Answer.OK if entry in allowed else Answer.DENIED
            assert desk.replies[1][1] == reply(code, epoch=2, entry=entry, number=3), entry
            assert bool(desk.accesses) == (entry in allowed)

    run(program, shape_of(managers, entries=entries))


def test_ends_of_groups_are_reported_before_replies() -> None:
    async def program(stage: Stage) -> None:
        desk = Desk(stage, [(False, status(True, 0))])
        # Of eight entries two are manager 0's, two 1's, two 2's, and the last two the chain's.
        assert desk.stage.now == 0
        for entry, epoch in ((3, 1), (6, 2), (4, 3)):
            await desk.cycle(freed_valid=1, freed_entry=entry, freed_epoch=epoch)
        # In the queue from 1, chosen in it, and on offer from 2; a slot that comes later waits.
        await desk.send(request(Operation.KILL, manager=1, entry=2))
        for _ in range(5):
            await desk.cycle()
        await desk.rest(10)
        headers = [flit(header, head=True) for header in shape.headers]
        assert [word for _, word in desk.replies] == [
            headers[1],
            reply(Answer.FREED, epoch=1, entry=3, number=NUMBER),
            headers[2],
            reply(Answer.FREED, epoch=3, entry=4, number=NUMBER),
            headers[1],
            reply(Answer.OK, entry=2),
        ]
        # Two cycles a packet, and one in which the next is chosen.
        start = desk.replies[0][0]
        assert [cycle - start for cycle, _ in desk.replies] == [0, 1, 3, 4, 6, 7]
        assert desk.dropped == []
        before = stage.now
        await desk.rest(3, freed_valid=1, freed_entry=1)
        assert desk.replies[-1] == (before + 2, headers[0])

    shape = shape_of(3)
    run(program, shape)


def test_the_queue_of_ends_has_a_place_for_each_entry() -> None:
    async def program(stage: Stage) -> None:
        desk = Desk(stage)
        for count in range(10):
            await desk.cycle(freed_valid=1, freed_entry=count % 8)
        assert desk.dropped == [(8, 2), (9, 2)]
        await desk.rest(40)
        assert len(desk.replies) == 16
        # Room again, and the queue goes round.
        for count in range(8):
            await desk.cycle(freed_valid=1, freed_entry=count)
        await desk.rest(40)
        assert len(desk.replies) == 32
        assert len(desk.dropped) == 2

    run(program)
