"""A set-up sink by itself, against registers that answer as told."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from syncfabric.models.golden.set_up_sink import SetUpSink
from syncfabric.models.golden.set_up_steps import Access, Dialect
from syncfabric.models.messages import (
    CONTROL,
    REPLY,
    REQUEST,
    Answer,
    Counter,
    Field,
    Layout,
    Request,
)

FLIT = Layout("flit", (Field("payload", 40, ""), Field("head", 1, ""), Field("tail", 1, "")))
TAIL = 1 << 41
DIALECT = Dialect(
    image={1: 0xFF, 2: 0xF}, control=(1 << CONTROL.width) - 1, state=5, busy=6, command=4
)


@dataclass
class Register:
    valid: bool = False
    gid: int = 0
    manager: int = 0
    freed: bool = False


@dataclass
class Unit:
    living: list[Register] = field(default_factory=lambda: [Register(), Register()])
    counted: list[Counter] = field(default_factory=list)

    def count(self, counter: Counter) -> None:
        self.counted.append(counter)


@dataclass
class Stage:
    """A sink with two managers; ``answers`` of accesses by address, else (False, 0)."""

    unit: Unit = field(default_factory=Unit)
    answers: dict[tuple[int, bool], tuple[bool, int]] = field(default_factory=dict)
    accesses: list[tuple[int, int, bool, int]] = field(default_factory=list)
    now: int = 0
    replies: list[tuple[int, list[int]]] = field(default_factory=list)
    takes: int = 2

    def __post_init__(self) -> None:
        self.sink = SetUpSink(self.unit, DIALECT, 5000, [100, 200], FLIT)
        self.left = 0

    def does(self, access: Access) -> tuple[bool, int]:
        self.accesses.append((self.now, *access))
        return self.answers.get(access[:2], (False, 0))

    def cycle(self, flit: int | None = None, free: bool = True) -> None:
        self.sink.begin(self.now, free, self.does)
        if flit is not None:
            assert self.sink.listening
            self.sink.accept(flit)
        if self.left:
            self.left -= 1
            if not self.left:
                self.sink.replied()
        offered = self.sink.end()
        self.now += 1
        if offered:
            self.replies.append((self.now, offered))
            self.left = self.takes

    def packet(self, *words: int) -> int:
        """Hand a packet in; return the cycle of its tail."""
        for word in words[:-1]:
            self.cycle(word)
        self.cycle(words[-1] | TAIL)
        return self.now - 1

    def wait(self, most: int = 60) -> None:
        for _ in range(most):
            self.cycle()

    def codes(self) -> list[Answer]:
        return [Answer(REPLY.unpack(flits[1])["code"]) for _, flits in self.replies]


def request(operation: int, **fields: int) -> int:
    return REQUEST.pack({"operation": operation, "gid": 7, "sequence": 33, **fields})


def test_set_up_at_a_free_place() -> None:
    stage = Stage()
    stage.unit.living[0] = Register(valid=True, gid=8)
    tail = stage.packet(1, request(Request.SETUP, manager=1, epoch=2, root=1), 0x1AB, 0xCD)
    stage.wait()
    control = CONTROL.pack({"valid": 1, "gid": 7, "manager": 1, "epoch": 2, "root": 1})
    assert stage.accesses == [
        (tail + 2, 9, True, 0xAB),
        (tail + 4, 10, True, 0xD),
        (tail + 6, 8, True, control),
    ]
    word = REPLY.pack({"code": Answer.OK, "sequence": 33, "gid": 7, "sender": 5000 % 2048})
    # ANSWER in tail + 8, chosen in tail + 9.
    assert stage.replies == [(tail + 10, [200 | 1 << 40, word | TAIL])]


@pytest.mark.parametrize("refused", [(1, True), (2, True), (0, True), (4, True)])
def test_a_refused_write_is_bad_and_ends_it(refused: tuple[int, bool]) -> None:
    stage = Stage(answers={refused: (True, 0)})
    stage.packet(1, request(Request.SETUP, fire=1), 0, 0)
    stage.wait()
    assert stage.codes() == [Answer.BAD]
    order = [1, 2, 0, 4]
    assert [access[1] for access in stage.accesses] == order[: order.index(refused[0]) + 1]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({}, Answer.OK),
        ({1: 0xAC}, Answer.EXISTS),
        ({2: 0xC}, Answer.EXISTS),
        ({0: 0}, Answer.EXISTS),
        ({5: 1}, Answer.OK),
        ({5: 2}, Answer.EXISTS),
        ({5: 4}, Answer.EXISTS),
    ],
)
def test_set_up_where_the_group_is(changed: dict[int, int], code: Answer) -> None:
    control = CONTROL.pack({"valid": 1, "gid": 7})
    answers = {0: control, 1: 0xAB, 2: 0xD, 5: 0} | changed
    stage = Stage(answers={(8 + word, False): (False, data) for word, data in answers.items()})
    stage.unit.living[1] = Register(valid=True, gid=7)
    tail = stage.packet(1, request(Request.SETUP, fire=1), 0x1AB, 0xCD)
    stage.wait()
    assert stage.codes() == [code]
    reads = [(tail + 2 + 2 * i, 8 + word, False, 0) for i, word in enumerate((1, 2, 0, 5))]
    go = [(tail + 10, 8 + 4, True, 1)] if code is Answer.OK else []
    assert stage.accesses == reads + go


def test_go_refused_where_the_group_is() -> None:
    control = CONTROL.pack({"valid": 1, "gid": 7})
    stage = Stage(answers={(0, False): (False, control), (4, True): (True, 0)})
    stage.unit.living[0] = Register(valid=True, gid=7)
    stage.packet(1, request(Request.SETUP, fire=1), 0, 0)
    stage.wait()
    assert stage.codes() == [Answer.EXISTS]


def test_no_place() -> None:
    stage = Stage()
    stage.unit.living[:] = [Register(valid=True, gid=1), Register(valid=True, gid=2)]
    tail = stage.packet(1, request(Request.SETUP), 0, 0)
    stage.wait()
    assert stage.codes() == [Answer.FULL]
    assert stage.replies[0][0] == tail + 4
    assert not stage.accesses


@pytest.mark.parametrize("operation", [Request.CLEAR, Request.KILL])
@pytest.mark.parametrize(
    ("manager", "refused", "code"),
    [(0, False, Answer.OK), (0, True, Answer.BUSY), (1, False, Answer.DENIED)],
)
def test_the_end_of_a_group(operation: Request, manager: int, refused: bool, code: Answer) -> None:
    control = CONTROL.pack({"valid": 1, "gid": 7, "manager": manager})
    word, data = (0, 0) if operation is Request.CLEAR else (4, 2)
    stage = Stage(answers={(0, False): (False, control), (word, True): (refused, 0)})
    stage.unit.living[0] = Register(valid=True, gid=7)
    tail = stage.packet(1, request(operation))
    stage.wait()
    if operation is Request.KILL and code is Answer.BUSY:
        code = Answer.OK
    assert stage.codes() == [code]
    acts = [] if code is Answer.DENIED else [(tail + 4, word, True, data)]
    assert stage.accesses == [(tail + 2, 0, False, 0), *acts]


@pytest.mark.parametrize(
    "words",
    [
        (1, request(3)),
        (1, request(Request.SETUP)),
        (1, request(Request.SETUP), 0),
        (1, request(Request.SETUP), 0, 0, 0),
        (1, request(Request.CLEAR), 0),
        (1, request(Request.KILL), 0, 0),
    ],
)
def test_packets_that_make_no_sense(words: tuple[int, ...]) -> None:
    stage = Stage()
    tail = stage.packet(*words)
    stage.wait()
    assert stage.codes() == [Answer.BAD]
    assert stage.replies[0][0] == tail + 4
    assert not stage.accesses
    assert not stage.unit.counted


@pytest.mark.parametrize("words", [(1,), (1, request(Request.CLEAR, manager=2))])
def test_packets_of_nobody_are_strays(words: tuple[int, ...]) -> None:
    stage = Stage()
    stage.packet(*words)
    stage.cycle()
    assert stage.unit.counted == [Counter.STRAY]
    assert stage.sink.listening
    stage.wait()
    assert not stage.replies


def test_a_request_that_finds_its_answer_slot_taken_is_a_stray() -> None:
    stage = Stage(takes=40)
    stage.packet(1, request(Request.CLEAR))
    stage.wait(6)
    stage.packet(1, request(Request.CLEAR, manager=1))
    stage.wait(3)
    stage.packet(1, request(Request.CLEAR))
    stage.wait(3)
    assert stage.unit.counted == [Counter.STRAY]
    stage.wait(100)
    assert [flits[0] & 0xFFF for _, flits in stage.replies] == [100, 200]


def test_freed_groups_are_told_one_after_another() -> None:
    stage = Stage(takes=3)
    stage.unit.living[:] = [
        Register(valid=True, gid=4, manager=1, freed=True),
        Register(valid=True, gid=5, manager=3, freed=True),
    ]
    stage.cycle(1)  # a packet has begun
    stage.cycle()
    assert stage.unit.living[0].freed
    stage.cycle(request(Request.CLEAR) | TAIL)
    stage.cycle()
    stage.cycle()
    assert stage.unit.living[0].freed
    stage.cycle()
    assert not stage.unit.living[0].freed
    assert stage.unit.living[1].freed
    stage.wait(10)
    # Manager 3 is not built; the slot was taken until the second reply had gone.
    assert not stage.unit.living[1].freed
    assert stage.unit.counted == [Counter.STRAY]
    assert stage.codes() == [Answer.OK, Answer.FREED]
    assert REPLY.unpack(stage.replies[1][1][1] & ~TAIL)["gid"] == 4
    assert stage.replies[1][1][0] == 200 | 1 << 40


def test_an_access_waits_for_requests_from_outside() -> None:
    stage = Stage()
    tail = stage.packet(1, request(Request.SETUP), 0, 0)
    stage.cycle()
    for _ in range(3):
        stage.cycle(free=False)
    stage.wait()
    assert [access[0] - tail for access in stage.accesses] == [5, 7, 9]


def test_nothing_to_do_is_asleep() -> None:
    stage = Stage()
    awake: Callable[[], bool] = stage.sink.is_awake
    assert not awake()
    stage.packet(1, request(Request.CLEAR))
    assert awake()
    stage.wait(20)
    assert not awake()
    stage.unit.living[1].freed = True
    assert awake()
