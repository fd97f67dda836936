"""The set-up sink against its model in every cycle, and all that it can say."""

import random
from collections import Counter
from typing import Any

import cocotb

from syncfabric.models.messages import CONTROL, REPLY, REQUEST, Answer
from tests.rtl.setup.cases import CASES, Case, coin, packet
from tests.rtl.setup.sink_model import Inputs, SinkModel
from tests.rtl.support import Bench, Scoreboard

ROUTER = 0x1A3


class Registers:
    """Registers that take writes, refuse some, and are busy now and then."""

    def __init__(self, rng: random.Random, case: Case) -> None:
        self.rng, self.case = rng, case
        self.words: dict[int, int] = {}
        self.count = case.spec.barrier_registers
        self.pending: tuple[int, int] | None = None

    @property
    def controls(self) -> list[int]:
        return [self.words.get(8 * r, 0) for r in range(self.count)]

    def ask(self, address: int, write: int, data: int) -> None:
        """Make an access; its answer comes in the next cycle."""
        error, value = 0, 0
        if write:
            clears = address % 8 == data == 0
            commands = address % 8 == self.case.command
            error = int(coin(self.rng, 0.7 if clears else 0.4 if commands else 0.04))
            if not error and address % 8 <= max(self.case.words):
                self.words[address] = data
        elif address % 8 == self.case.state:
            bit = self.rng.choice([self.rng.randrange(22), max(self.case.busy)])
            value = self.rng.choice([0, 0, 1 << bit])
        else:
            value = self.words.get(address, 0)
        self.pending = error, value

    def answer(self) -> tuple[int, int] | None:
        """Return what is answered in this cycle."""
        answer, self.pending = self.pending, None
        return answer

    def disturb(self) -> None:
        """Let others change a register, too: another group's, somebody else's, or none."""
        place = 8 * self.rng.randrange(self.count)
        fields = {"valid": coin(self.rng, 0.6), "gid": self.rng.randrange(5)}
        control = CONTROL.pack({**fields, "manager": self.rng.choice([0, 0, 1, 3])})
        gids = {CONTROL.unpack(word)["gid"] for word in self.controls if word & 1}
        if not (fields["valid"] and fields["gid"] in gids):
            self.words[place] = control


def request(rng: random.Random, case: Case) -> list[int]:
    """Return the flits of a request, one in ten of the wrong length."""
    asked = {
        "operation": rng.choice([0, 0, 0, 1, 1, 1, 2, 3]),
        "gid": rng.randrange(5),
        "manager": rng.choice([0, 0, 1, rng.randrange(4)]),
        "sequence": rng.getrandbits(10),
        "epoch": coin(rng, 0.2),
        "root": coin(rng, 0.2),
        "turn": coin(rng, 0.2),
        "fire": coin(rng, 0.5),
        "tag": rng.randrange(4),
    }
    images = [rng.choice([0, 0, rng.getrandbits(32)]) for _ in case.words]
    words = [rng.getrandbits(32), REQUEST.pack(asked)]
    words += images if asked["operation"] == 0 else []
    if coin(rng, 0.1):
        words = (words + [rng.getrandbits(32) for _ in range(8)])[: rng.randint(1, 10)]
    return packet(case, words)


@cocotb.test()
@cocotb.parametrize(name=list(CASES))
async def sink_agrees_with_model(dut: Any, name: str) -> None:
    """Requests good and bad; registers that others change; replies that leave soon or late."""
    case = CASES[name]
    bench, board = Bench(dut), Scoreboard(name)
    pins, rng, model = bench.pins[name], board.rng, SinkModel(case, ROUTER)
    registers = Registers(rng, case)
    flits: list[int] = []
    repeated: list[int] = []
    freed = [False] * registers.count
    codes: Counter[int] = Counter()
    strays = 0
    await bench.reset()
    pins.drive({"router": ROUTER})
    for cycle in range(5000):
        if cycle % 200 == 0:
            hurry, patience = rng.choice([0.1, 1.0]), rng.choice([0.03, 0.5, 1.0])
        if coin(rng, 0.02):
            registers.disturb()
        if coin(rng, 0.02):
            freed[rng.randrange(registers.count)] = True
        if not flits and coin(rng, hurry):
            repeated = repeated if repeated and coin(rng, 0.25) else request(rng, case)
            flits = list(repeated)
        waits = registers.pending is not None
        answer = registers.answer()
        now = Inputs(
            flit=flits[0] if flits and coin(rng, 0.9) else None,
            granted=coin(rng, 0.7),
            answer=answer,
            controls=registers.controls,
            freed=list(freed),
            taken=model.chosen is not None and coin(rng, patience),
        )
        stimulus = {
            "valid": now.flit is not None,
            "flit": now.flit or 0,
            "access__granted": now.granted,
            "access__ready": now.answer is not None if waits else coin(rng, 0.2),
            "access__error": now.answer[0] if now.answer else 0,
            "access__rdata": now.answer[1] if now.answer else rng.getrandbits(32),
            "gids": sum(CONTROL.unpack(w)["gid"] << 8 * r for r, w in enumerate(now.controls)),
            "open": sum((w & 1) << r for r, w in enumerate(now.controls)),
            "managers": sum(
                CONTROL.unpack(w)["manager"] << 2 * r for r, w in enumerate(now.controls)
            ),
            "freed": sum(flag << r for r, flag in enumerate(freed)),
            "reply_taken": now.taken,
        }
        expected = model.cycle(now)
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)

        if flits and now.flit is not None and expected["listening"]:
            flits.pop(0)
        if expected["access__request"] and now.granted:
            names = ["access__address", "access__write", "access__data"]
            registers.ask(*pins.read(names).values())
        freed = [flag and not expected["clear_freed"] >> r & 1 for r, flag in enumerate(freed)]
        if expected["reply_valid"] and now.taken:
            flit = case.spec.layout.flit.unpack(expected["reply_flit"])
            if flit["tail"]:
                codes[REPLY.unpack(flit["payload"])["code"]] += 1
        strays += expected["stray"]
        await bench.edge()
    said = set(Answer) - {Answer.ABORTED}
    assert min(codes[code] for code in said) >= 3, codes
    assert strays > 10
