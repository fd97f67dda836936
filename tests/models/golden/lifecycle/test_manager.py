"""A manager alone, rule by rule with its cycles (N5)."""

import pytest

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer as Ready
from syncfabric.models.golden.lifecycle.manager import Manager
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.setup import (
    COMMAND,
    FREED,
    FREED_PLACES,
    MANAGER_STATUS,
    MOST_REQUESTS,
    REPLY,
    REQUEST,
    Answer,
    ManagerState,
    Operation,
)
from syncfabric.models.layout.words import ManagerWord

WORDS = 2
STRIDE = 2 + WORDS
IDLE, RUNNING, DONE, FAILED = ManagerState


class Bench:
    """A manager; a flit on offer leaves unless it is held."""

    def __init__(self, routers: int = 8, number: int = 3) -> None:
        self.manager = Manager(number, WORDS, routers, 2, counters=True)
        self.now = 0
        self.left: list[tuple[int, Flit]] = []

    def step(
        self, request: Request | None = None, flit: Flit | None = None, *, held: bool = False
    ) -> None:
        offer = self.manager.offer
        granted = offer is not None and not held
        if granted and offer:
            self.left.append((self.now, offer))
        self.manager.step(request, flit, granted=granted)
        self.now += 1

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.step()

    def ask(self, request: Request) -> Ready:
        """Make a request; its answer comes in the next cycle."""
        while self.manager.answer:
            self.step()
        self.step(request)
        answer = self.manager.answer
        assert answer
        self.step(request)
        return answer

    def write(self, word: int, data: int) -> bool:
        """Return whether a write is refused."""
        answer = self.ask(Request(True, word, data))
        assert answer.rdata == 0
        return answer.error

    def read(self, word: int) -> int:
        answer = self.ask(Request(False, word))
        assert not answer.error
        return answer.rdata

    def fill(self, requests: int) -> None:
        """Write requests whose word k of number i is 100 i + k."""
        self.write(ManagerWord.POINTER, 0)
        for i in range(requests):
            for k in range(STRIDE):
                word = REQUEST.pack({"entry": i, "epoch": 2}) if k == 1 else 100 * i + k
                assert not self.write(ManagerWord.DATA, word)

    def command(self, operation: int, count: int) -> int:
        """Give a command; return the cycle in which it is granted, the one before now."""
        word = COMMAND.pack({"operation": operation, "count": count})
        self.step(Request(True, ManagerWord.COMMAND, word))
        assert self.manager.answer == Ready(False)
        return self.now - 1

    def reply(self, code: int = Answer.OK, tag: int = 0, cut: bool = False, **more: int) -> None:
        """Have a reply come: its header, and in the next cycle its tail."""
        word = REPLY.pack({"code": code, "tag": tag, **more})
        self.step(flit=Flit(2, 0, True, False))
        self.step(flit=Flit(2, word, False, True, cut))

    @property
    def status(self) -> tuple[int, ...]:
        fields = MANAGER_STATUS.unpack(self.read(ManagerWord.STATUS))
        return tuple(fields[name] for name in ("state", "code", "epoch", "request"))


def bench(requests: int = 3) -> Bench:
    found = Bench()
    found.fill(requests)
    return found


def test_n5_5_6_and_7_the_cycles_of_a_kill() -> None:
    it = bench(2)
    t = it.command(Operation.KILL, 2)
    it.run(10)
    assert [cycle - t for cycle, _ in it.left] == [2, 3, 5, 6]  # t + 1 and t + 4 are steps
    heads = [flit for _, flit in it.left if flit.head]
    assert [flit.payload for flit in heads] == [0, 100]
    words = [REQUEST.unpack(flit.payload) for _, flit in it.left if flit.tail]
    stamps = {"operation": Operation.KILL, "manager": 3, "tag": 0, "epoch": 2}
    assert words == [{**stamps, "entry": i, "sequence": i} for i in range(2)]
    assert it.manager.sent == 2
    it.reply()
    assert it.manager.state is RUNNING
    it.reply()
    assert it.manager.state is RUNNING  # the reply is awaited at the start of this cycle
    it.step()
    assert it.manager.state is DONE


def test_n5_5_and_6_the_last_request_of_setup_is_a_start() -> None:
    it = bench(3)
    t = it.command(Operation.SETUP, 3)
    it.run(15)
    assert [cycle - t for cycle, _ in it.left] == [2, 3, 4, 5, 7, 8, 9, 10]
    assert [flit.payload for _, flit in it.left[4:]][2:] == [102, 103]
    it.reply()
    it.reply()
    u = it.now  # the part is over in u, and u + 1 is a step
    it.run(8)
    assert [cycle - u for cycle, _ in it.left[8:]] == [2, 3, 4, 5]
    codes = [REQUEST.unpack(flit.payload)["operation"] for _, flit in it.left[1::4]]
    assert codes == [Operation.SETUP, Operation.SETUP, Operation.START]
    it.reply()
    it.step()
    assert it.status == (DONE, Answer.OK, 0, 0)


def test_n5_6_setup_of_one_router_has_an_empty_part() -> None:
    it = bench(1)
    t = it.command(Operation.SETUP, 1)
    it.run(10)
    assert [cycle - t for cycle, _ in it.left] == [3, 4, 5, 6]
    assert REQUEST.unpack(it.left[1][1].payload)["operation"] == Operation.START


def test_n5_4_and_8_the_first_refusal_ends_a_setup() -> None:
    it = bench(3)
    it.command(Operation.SETUP, 3)
    it.run(12)
    it.reply(Answer.BUSY, epoch=3, number=1)
    it.reply(Answer.EPOCH, epoch=2, number=0)
    it.step()
    assert it.status == (FAILED, Answer.BUSY, 3, 1)
    assert it.manager.sent == 2
    it.command(Operation.KILL, 1)
    assert it.manager.state is RUNNING
    assert it.status == (RUNNING, 0, 0, 0)


def test_n5_7_a_flit_waits_until_it_leaves() -> None:
    it = bench(1)
    it.command(Operation.KILL, 1)
    it.step()
    for _ in range(5):
        assert it.manager.offer
        assert it.manager.offer.head
        it.step(held=True)
    it.step()
    assert it.manager.offer
    assert it.manager.offer.tail


def test_n5_8_what_is_unexpected() -> None:
    it = bench(2)
    it.reply()  # nothing is awaited
    it.command(Operation.KILL, 2)
    it.run(10)
    it.reply(tag=1)
    it.reply(cut=True)
    it.step(flit=Flit(2, 0, False, False))
    it.reply()
    it.step()
    assert it.manager.state is RUNNING
    it.reply()
    it.reply()
    it.run(1)  # an event of t is in the counter from t + 2
    assert it.read(ManagerWord.UNEXPECTED) == 4
    assert it.status[0] == DONE


@pytest.mark.parametrize("phase", range(1, 9))
def test_n5_9_abort(phase: int) -> None:
    """The packet that is begun goes to its end first; a header that is held is withdrawn."""
    it = bench(2)
    t = it.command(Operation.SETUP, 2)
    while it.now < t + 1 + phase:
        it.step()
    abort = Request(True, ManagerWord.COMMAND, COMMAND.pack({"operation": Operation.ABORT}))
    it.step(abort)
    assert it.manager.answer == Ready(False)
    u = it.now
    while it.manager.state is RUNNING:
        it.step()
    flits = [flit for _, flit in it.left]
    assert not flits or flits[-1].tail
    begun = {1: 3, 2: 2, 3: 1}.get(phase, 0)  # flits left when the abort is obeyed
    assert it.now - 1 - u == begun
    assert it.manager.offer is None
    assert it.status == (FAILED, Answer.ABORTED, 0, 0)
    assert it.write(ManagerWord.COMMAND, abort.data)
    it.command(Operation.KILL, 1)
    it.run(5)
    assert REQUEST.unpack(it.left[-1][1].payload)["tag"] == 1
    it.reply(tag=0)
    it.step()
    assert it.manager.state is RUNNING
    it.reply(tag=1)
    it.step()
    assert it.manager.state is DONE


def test_n5_9_a_command_that_ends_by_itself_is_not_aborted() -> None:
    it = bench(1)
    it.command(Operation.KILL, 1)
    it.run(5)
    it.reply()
    abort = Request(True, ManagerWord.COMMAND, COMMAND.pack({"operation": Operation.ABORT}))
    it.step(abort)
    assert it.manager.state is DONE
    it.run(3)
    assert it.status == (DONE, Answer.OK, 0, 0)


def test_n5_10_freed() -> None:
    it = bench(0)
    assert it.read(ManagerWord.FREED) == 0
    for number in range(FREED_PLACES + 2):
        it.reply(Answer.FREED, epoch=1, entry=7, number=number)
    found = []
    while word := it.read(ManagerWord.FREED):
        found.append(FREED.unpack(word))
    assert [report["router"] for report in found] == list(range(FREED_PLACES))
    assert {(r["valid"], r["epoch"], r["entry"]) for r in found} == {(1, 1, 7)}
    assert it.read(ManagerWord.UNEXPECTED) == 2


def test_n5_10_a_report_is_dropped_in_the_cycle_in_which_a_full_queue_is_read() -> None:
    it = bench(0)
    for number in range(FREED_PLACES):
        it.reply(Answer.FREED, number=number)
    word = REPLY.pack({"code": Answer.FREED, "number": 99})
    read = Request(False, ManagerWord.FREED)
    it.step(read, Flit(2, word, False, True))
    assert it.manager.answer
    assert FREED.unpack(it.manager.answer.rdata)["router"] == 0
    it.step(read)
    assert len(it.manager.freed) == FREED_PLACES - 1


def test_n5_3_what_is_refused() -> None:
    it = bench(1)
    for word in range(32):
        readable = word in (ManagerWord.STATUS, ManagerWord.FREED, ManagerWord.UNEXPECTED)
        assert it.ask(Request(False, word)).error == (not readable)
        if word != ManagerWord.COMMAND:
            writable = word in (ManagerWord.POINTER, ManagerWord.DATA)
            assert it.write(word, 0) == (not writable)
    for operation in Operation:
        good = operation in (Operation.SETUP, Operation.KILL)
        for count, fits in ((0, False), (9, False), (8, True)):
            it = bench(1)
            word = COMMAND.pack({"operation": operation, "count": count})
            assert it.write(ManagerWord.COMMAND, word) == (not (good and fits))
            assert it.manager.state is (RUNNING if good and fits else IDLE)
    it = bench(1)
    it.command(Operation.KILL, 1)
    it.run(1)
    for word in (ManagerWord.POINTER, ManagerWord.DATA, ManagerWord.COMMAND):
        assert it.write(word, COMMAND.pack({"operation": Operation.KILL, "count": 1}))


def test_n5_1_and_2_the_memory_wraps() -> None:
    it = Bench(routers=3)  # 3 requests of 4 words: 16 words
    it.write(ManagerWord.POINTER, 15 + 16)
    it.write(ManagerWord.DATA, 7)
    it.write(ManagerWord.DATA, 8)
    it.command(Operation.KILL, 4)
    it.run(20)
    assert [flit.payload for _, flit in it.left if flit.head] == [8, 0, 0, 0]
    big = Manager(0, 1, 1024, 0, counters=True)
    word = COMMAND.pack({"operation": Operation.KILL, "count": MOST_REQUESTS + 1})
    big.step(Request(True, ManagerWord.COMMAND, word), None, granted=False)
    assert big.answer == Ready(True)
