"""A set-up sink beside a spill engine: groups beyond the registers."""

import pytest

from syncfabric.models.golden.living_spill import Report
from syncfabric.models.messages import CONTROL, REPLY, SPILL_BASE, Answer, Counter, Request
from tests.models.golden.sink_stage import TAIL, Engine, Register, Stage, request

ENTRY = SPILL_BASE + 7 * 8


def full(engine: Engine, free: int | None) -> Stage:
    """Return a sink beside an engine, and registers of which at most one is free."""
    stage = Stage(engine)
    stage.unit.living[:] = [Register(valid=r != free, gid=r) for r in range(2)]
    return stage


@pytest.mark.parametrize("takes", [2, 4])
def test_a_group_beyond_the_registers_has_an_entry(takes: int) -> None:
    """Accesses follow one another four cycles apart, if the engine takes them at once."""
    stage = full(Engine(takes=takes), None)
    tail = stage.packet(1, request(Request.SETUP, fire=1), 0x1AB, 0xCD)
    stage.wait()
    each = takes + 2
    control = CONTROL.pack({"valid": 1, "gid": 7})
    assert stage.accesses == [
        (tail + 2, ENTRY, False, 0),
        (tail + 2 + each, ENTRY + 1, True, 0xAB),
        (tail + 2 + 2 * each, ENTRY + 2, True, 0xD),
        (tail + 2 + 3 * each, ENTRY, True, control),
        (tail + 2 + 4 * each, ENTRY + 4, True, 1),
    ]
    assert stage.codes() == [Answer.OK]
    assert stage.replies[0][0] == tail + 2 + 5 * each + 2


def test_a_register_that_was_free_at_first_comes_before_an_entry() -> None:
    stage = full(Engine(), 1)
    tail = stage.packet(1, request(Request.SETUP), 0, 0)
    stage.cycle()
    stage.unit.living[:] = [Register(valid=False, gid=0), Register(valid=True, gid=1)]
    stage.wait()
    assert [access[:2] for access in stage.accesses] == [
        (tail + 2, ENTRY),
        (tail + 6, 9),
        (tail + 8, 10),
        (tail + 10, 8),
    ]


def test_an_entry_is_found_though_a_register_is_free() -> None:
    stage = full(Engine(), 0)
    control = CONTROL.pack({"valid": 1, "gid": 7})
    stage.answers = {(ENTRY, False): (False, control), (ENTRY + 5, False): (False, 0)}
    stage.packet(1, request(Request.SETUP, fire=1), 0, 0)
    stage.wait()
    assert [access[1] - ENTRY for access in stage.accesses] == [0, 1, 2, 0, 5, 4]
    assert stage.codes() == [Answer.OK]


def test_a_register_is_found_before_an_entry_is_looked_for() -> None:
    stage = full(Engine(), 0)
    stage.unit.living[1].gid = 7
    stage.packet(1, request(Request.CLEAR))
    stage.wait()
    assert [access[1] for access in stage.accesses] == [8, 8]


@pytest.mark.parametrize("operation", [Request.CLEAR, Request.KILL])
@pytest.mark.parametrize("valid", [False, True])
def test_the_end_of_an_entry(operation: Request, valid: bool) -> None:
    stage = full(Engine(), 0)
    stage.answers[ENTRY, False] = (False, CONTROL.pack({"valid": valid, "gid": 7, "manager": 1}))
    stage.packet(1, request(operation, manager=1))
    stage.wait()
    act = (ENTRY, True, 0) if operation is Request.CLEAR else (ENTRY + 4, True, 2)
    acts = [(ENTRY, False, 0), act] if valid else []
    assert [access[1:] for access in stage.accesses] == [(ENTRY, False, 0), *acts]
    assert stage.codes() == [Answer.OK]


def test_a_spilled_group_is_freed_after_those_in_registers() -> None:
    engine = Engine(report=Report(9, 1))
    stage = full(engine, None)
    stage.unit.living[1].freed = True
    assert stage.sink.is_awake()
    stage.cycle()
    assert engine.report is not None
    stage.wait(10)
    assert engine.report is None
    assert [REPLY.unpack(flits[1] & ~TAIL)["gid"] for _, flits in stage.replies] == [1, 9]
    assert [flits[0] for _, flits in stage.replies] == [100 | 1 << 40, 200 | 1 << 40]
    assert not stage.sink.is_awake()
    engine.report = Report(8, 2)  # of a manager that is not built
    assert stage.sink.is_awake()
    stage.cycle()
    assert engine.report is None
    assert stage.unit.counted == [Counter.STRAY]
