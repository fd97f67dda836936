"""A set-up sink by itself: requests, replies and freed registers."""

from collections.abc import Callable

import pytest

from syncfabric.models.messages import CONTROL, REPLY, Answer, Counter, Request
from tests.models.golden.sink_stage import TAIL, Register, Stage, request


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
    word = REPLY.pack({"code": Answer.OK, "sequence": 33, "gid": 7, "sender": 5000 % 512})
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
