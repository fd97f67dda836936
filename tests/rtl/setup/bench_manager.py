"""The manager against its model in every cycle, with routers that answer as they like."""

import random
from collections import Counter
from typing import Any

import cocotb

from syncfabric.models.messages import (
    MANAGER_COMMAND,
    MANAGER_STATUS,
    REPLY,
    REQUEST,
    Answer,
    ManagerState,
    ManagerWord,
    Request,
)
from tests.rtl.setup.cases import CASES, Case, coin, packet
from tests.rtl.setup.manager_model import BASE, FREED_PLACES, ManagerModel
from tests.rtl.support import Bench, Scoreboard

INDEX = 2
DEPTHS = {"irregular": 16, "mesh": 32}
OFF = "off"
"""A manager that is not built."""


class Routers:
    """Answer each request after a while, in any order; say FREED now and then."""

    def __init__(self, rng: random.Random, case: Case) -> None:
        self.rng, self.case = rng, case
        self.waiting: list[tuple[int, int, int]] = []
        self.flits: list[int] = []
        self.words: list[int] = []
        self.kinds: Counter[int] = Counter()
        self.kindness, self.haste = 0.9, 0.4

    def hear(self, flit: int) -> None:
        """Take in a flit of a request."""
        fields = self.case.spec.layout.flit.unpack(flit)
        self.words.append(fields["payload"])
        if fields["tail"]:
            asked = REQUEST.unpack(self.words[1])
            self.kinds[asked["operation"]] += 1
            code: int = Answer.OK
            if not coin(self.rng, self.kindness):
                code = Answer(self.rng.randrange(6))
            if coin(self.rng, 0.3) and asked["operation"]:
                code = Answer.BUSY
            self.waiting.append((code, asked["sequence"], asked["tag"]))
            self.words = []

    def say(self, *, idle: bool) -> int | None:
        """Return the flit of a reply that comes in this cycle; unasked only to idle managers."""
        if not self.flits and coin(self.rng, self.haste):
            if self.waiting and coin(self.rng, 0.8):
                self.rng.shuffle(self.waiting)
                code, sequence, tag = self.waiting.pop()
                gid = self.rng.randrange(256)
                self._reply(code=code, sequence=sequence, tag=tag, gid=gid)
            elif coin(self.rng, 0.1):
                self._reply(code=Answer.FREED, gid=self.rng.randrange(256))
            elif idle and coin(self.rng, 0.1):
                word = REPLY.pack({"code": Answer.BUSY, "sequence": self.rng.randrange(16)})
                return self.case.flit(word, head=False, tail=True)
        return self.flits.pop(0) if self.flits and coin(self.rng, 0.7) else None

    def _reply(self, **fields: int) -> None:
        word = REPLY.pack({**fields, "sender": self.rng.getrandbits(9)})
        self.flits = packet(self.case, [self.rng.getrandbits(32), word])


def request(rng: random.Random, model: ManagerModel) -> tuple[int, bool, int] | None:
    """Return what software asks in a cycle: often the status, sometimes nonsense."""
    if coin(rng, 0.5):
        return None
    if coin(rng, 0.3):
        return BASE + ManagerWord.DATA, True, rng.getrandbits(32)
    most = model.depth // model.stride
    if model.state is not ManagerState.RUNNING and coin(rng, 0.1):
        command = {"operation": rng.randrange(3), "count": rng.randint(1, most)}
        return BASE + ManagerWord.COMMAND, True, MANAGER_COMMAND.pack(command)
    fields = {"operation": rng.choice([0, 0, 1, 2, 3]), "count": rng.choice([1, most, most + 1, 0])}
    fields["count"] = rng.choice([fields["count"], rng.randint(1, most)])
    data = rng.choice([MANAGER_COMMAND.pack(fields), rng.getrandbits(32)])
    if data & 3 == Request.ABORT and coin(rng, 0.5):
        data ^= 1  # KILL, so that most commands come to their end
    word = rng.choice([*ManagerWord, ManagerWord.STATUS, ManagerWord.COMMAND])
    return rng.choice([BASE + word, BASE + rng.randrange(-9, 9)]), coin(rng, 0.5), data


def driven(asks: tuple[int, bool, int] | None, reply: int | None, taken: bool) -> dict[str, int]:
    """Return the pins' values for a cycle."""
    address, write, data = asks or (0, 0, 0)
    return {
        "enabled": 1,
        "index": INDEX,
        "valid": asks is not None,
        "address": address,
        "write": write,
        "data": data,
        "request_taken": taken,
        "reply_valid": reply is not None,
        "reply_flit": reply or 0,
    }


@cocotb.test()
@cocotb.parametrize(name=list(CASES))
async def manager_agrees_with_model(dut: Any, name: str) -> None:
    """Commands of all kinds and lengths, refused and obeyed; replies of all kinds."""
    case = CASES[name]
    bench, board = Bench(dut), Scoreboard(name)
    pins, rng = bench.pins[name], board.rng
    model, routers = ManagerModel(case, DEPTHS[name], INDEX), Routers(rng, case)
    ends: Counter[ManagerState] = Counter()
    strays, aborted, late, patience = 0, 0, 0, 1.0
    await bench.reset()
    for cycle in range(6000):
        if cycle % 100 == 0:
            routers.kindness, patience = rng.choice([0.5, 1.0]), rng.choice([0.2, 1.0, 1.0])
            routers.haste = rng.choice([0.4, 0.4, 0.02])
        asks, before = request(rng, model), model.state
        taken = model.offered is not None and coin(rng, patience)
        offered, reply = model.offered, routers.say(idle=before is not ManagerState.RUNNING)
        expected = model.cycle(asks, reply, taken=taken)
        stimulus = driven(asks, reply, taken)
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        if taken and offered is not None:
            routers.hear(offered)
        if model.state is not before:
            ends[model.state] += 1
            aborted += model.refusal == (Answer.ABORTED, 0)
        strays += expected["stray"]
        late += expected["stray"] and model.awaited > 0
        await bench.edge()
    assert min(ends[end] for end in (ManagerState.DONE, ManagerState.FAILED)) > 4, ends
    kinds = (Request.SETUP, Request.CLEAR, Request.KILL)
    assert min(routers.kinds[kind] for kind in kinds) > 6, routers.kinds
    assert strays
    assert aborted > 4
    assert late, "no reply of an aborted command came while others were awaited"


@cocotb.test()
async def flits_follow_each_other(dut: Any) -> None:
    """The first two cycles after the command, one a cycle, one cycle between packets."""
    bench, name = Bench(dut), "irregular"
    pins = bench.pins[name]
    await bench.reset()
    command = MANAGER_COMMAND.pack({"operation": Request.SETUP, "count": 4})
    seen = ""
    for cycle in range(15):
        asks = (BASE + ManagerWord.COMMAND, True, command) if cycle == 0 else None
        pins.drive(driven(asks, None, True))
        await bench.settle()
        valid = pins["request_valid"]
        pins.drive({"request_taken": valid})
        seen += "x" if valid else "."
        await bench.edge()
    assert seen == "..xxx.xxx.xxx.."


@cocotb.test()
async def a_full_queue_takes_no_more(dut: Any) -> None:
    """256 GIDs wait for software; the next is dropped and counted."""
    case, bench = CASES["mesh"], Bench(dut)
    pins = bench.pins["mesh"]
    await bench.reset()

    async def read_freed() -> int:
        pins.drive(driven((BASE + ManagerWord.FREED, False, 0), None, False))
        await bench.edge()
        return pins["rdata"]

    for gid in range(FREED_PLACES + 1):
        flit = case.flit(REPLY.pack({"code": 6, "gid": gid % 256}), head=False, tail=True)
        pins.drive(driven(None, flit, False))
        await bench.settle()
        assert pins["stray"] == (gid == FREED_PLACES), gid
        await bench.edge()
    for gid in range(FREED_PLACES):
        assert await read_freed() == 256 | gid
    assert await read_freed() == 0


@cocotb.test()
async def a_manager_that_is_not_built_does_nothing(dut: Any) -> None:
    """Nobody answers at its addresses, and replies come and go."""
    case, bench = CASES["irregular"], Bench(dut)
    pins = bench.pins[OFF]
    rng = Scoreboard(OFF).rng
    await bench.reset()
    for word in [*ManagerWord] * 3:
        flit = case.flit(REPLY.pack({"code": rng.randrange(7)}), head=False, tail=True)
        command = MANAGER_COMMAND.pack({"operation": Request.KILL, "count": 1})
        pins.drive({**driven((BASE + word, coin(rng, 0.5), command), flit, False), "enabled": 0})
        await bench.settle()
        names = ("mine", "ready", "request_valid", "refused_write", "stray")
        assert not any(pins.read(names).values()), word
        await bench.edge()


@cocotb.test()
async def status_says_who_refused_first(dut: Any) -> None:
    """Two of three refuse: the first is named, the third's OK is undone, and the end is FAILED."""
    case, bench = CASES["irregular"], Bench(dut)
    pins = bench.pins["irregular"]
    routers = Routers(Scoreboard("refusals").rng, case)
    await bench.reset()
    command = MANAGER_COMMAND.pack({"operation": Request.SETUP, "count": 4})
    answers = {(0, 0): Answer.EXISTS, (0, 1): Answer.FULL}
    asks: tuple[int, bool, int] | None = (BASE + ManagerWord.COMMAND, True, command)
    sent: list[tuple[int, int]] = []
    words: list[int] = []
    for _ in range(60):
        reply = routers.flits.pop(0) if routers.flits else None
        pins.drive(driven(asks, reply, False))
        asks = None
        await bench.settle()
        if pins["request_valid"]:
            pins.drive({"request_taken": 1})
            flit = case.spec.layout.flit.unpack(pins["request_flit"])
            words.append(flit["payload"])
            if flit["tail"]:
                asked = REQUEST.unpack(words[1])
                sent.append((asked["operation"], asked["sequence"]))
                code = answers.get(sent[-1], Answer.OK)
                word = REPLY.pack({"code": code, "sequence": asked["sequence"]})
                routers.flits += packet(case, [0, word])
                words = []
        await bench.edge()
    pins.drive(driven((BASE + ManagerWord.STATUS, False, 0), None, False))
    await bench.edge()
    assert sent == [*((Request.SETUP, entry) for entry in range(3)), (Request.CLEAR, 2)]
    status = MANAGER_STATUS.unpack(pins["rdata"])
    assert status == {"state": ManagerState.FAILED, "code": Answer.EXISTS, "entry": 0}
