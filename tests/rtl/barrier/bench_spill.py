"""The spill engine: the golden engine in every cycle, and its timing, step by step."""

import random
from typing import Any

import cocotb

from syncfabric.models.messages import (
    CONTROL,
    NODE_WORD,
    PARENT_WORD,
    STATUS,
    Counter,
    Kind,
    Op,
    RegisterWord,
    spill_address,
)
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from tests.rtl.barrier.unit_model import UnitInputs, UnitModel, message_of
from tests.rtl.barrier.unit_stimuli import UnitStimuli
from tests.rtl.support import SEED, Bench, Pins, Scoreboard

NODE = 4
X, Y = 1, 1
PARENT = 4


def network(**options: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=3, height=3, barrier_registers=1, spill=True, **options)


CASES = {
    "all": network(data_bits=6, operations="all"),
    "bitwise": network(),
}
SPEC = CASES["all"]
FULL = "full"
"""An engine for the test that needs all groups; the others have different ones each."""

EVENTS = {
    "stray": Counter.STRAY,
    "refused_arrive": Counter.REFUSED_ARRIVE,
    "refused_write": Counter.REFUSED_WRITE,
}


def driven(inputs: UnitInputs, started: bool, sent: int) -> dict[str, int]:
    """Return the pins' values for a cycle."""
    values: dict[str, int] = {
        "x": X,
        "y": Y,
        "started": started,
        "here": sum(1 << port for port in inputs.here),
        "send__sent": sent,
        "arrive__valid": inputs.spill_arrive is not None,
        "config_valid": inputs.request is not None,
    }
    for port, message in inputs.here.items():
        values |= {f"class_{port}": 1 << message.turn, f"message_{port}": message.raw}
    if inputs.spill_arrive is not None:
        values["arrive__gid"], values["arrive__data"] = inputs.spill_arrive
    if inputs.request is not None:
        address, write, contents = inputs.request
        values |= {"config_gid": address // 8 % 256, "config_word": address % 8}
        values |= {"config_write": write, "config_data": contents}
    return values


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def engine_agrees_with_golden_engine(dut: Any, case: str) -> None:
    """Three groups under messages, arrivals and requests, good and bad; sending now and then."""
    spec = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, UnitModel(spec, NODE)
    stimuli, spill = UnitStimuli(rng, model), model.spill
    assert spill is not None
    releases = answers = sends = 0
    await bench.reset()
    for cycle in range(2500):
        if cycle % 100 == 0 and not stimuli.requests:
            stimuli.set_up(1 + (cycle // 100) % 3)
        inputs = stimuli.inputs(rng.choice([0.05, 0.3]))
        inputs.arrive, inputs.overflows = {}, 0
        if inputs.request is not None and inputs.request[0] < spill_address(0, RegisterWord(0)):
            inputs.request = None
        # All of the send register's messages have a credit; the bench sends some of them.
        inputs.credits, pending = 0xFF, set(spill.send.pending)
        letters = {place: spill.send.letters[place] for place in pending}
        hurry = 0.4 if cycle // 100 % 2 else 0.04
        places = [place for place in sorted(pending) if rng.random() < hurry]
        ports = {letter.port for p, letter in letters.items() if letter and p in places}
        gid, result = model.spill_release[0] if model.spill_release else (0, 0)
        expected: dict[str, int] = {
            "arrive__ready": model.spill_ready,
            "release__valid": bool(model.spill_release),
            "release__gid": gid,
            "release__result": result,
            "send__pending": sum(1 << place for place in pending),
            "config_ready": model.answer[0],
            "config_error": model.answer[1],
            "config_rdata": model.answer[2],
        }
        if pending:
            expected["send__data"] = spill.send.data
            first = letters[min(pending)]
            if pending == {PARENT} and first is not None:
                expected["send__up_port"] = 1 << first.port
        started, counts = model.started, list(model.unit.counters)
        model.step(inputs, sum(1 << port for port in ports), {})
        for name, counter in EVENTS.items():
            expected[name] = model.unit.counters[counter] - counts[counter]
            model.unit.counters[counter] = 0
        expected["take"] = sum(1 << port for port in model.taken)
        left = set(spill.send.pending) if pending else set()
        sent = pending - left
        stimulus = driven(inputs, started, sum(1 << place for place in sent))
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        stimuli.took(inputs, model.taken)
        releases += len(model.spill_release)
        answers += model.answer[0]
        sends += len(sent)
        await bench.edge()
    assert min(releases, answers, sends) > 20, (releases, answers, sends)


class Driver:
    """Small acts on the engine, each until it is done; counts the cycles that they took."""

    def __init__(self, bench: Bench, pins: Pins) -> None:
        self.bench, self.pins = bench, pins

    async def cycle(self, **values: int) -> None:
        """Drive these inputs in one cycle, and let the valid ones fall after it."""
        self.pins.drive(values)
        await self.bench.edge()
        low = ("here", "arrive__valid", "config_valid", "send__sent")
        self.pins.drive({name: 0 for name in low if name in values})

    async def rest(self) -> None:
        """Let the engine finish what it has."""
        for _ in range(8):
            await self.bench.edge()

    async def until(self, output: str, most: int = 20) -> int:
        """Wait until an output is high; return in which cycle, the present one being 0."""
        for cycle in range(most):
            await self.bench.settle()
            if self.pins[output]:
                return cycle
            await self.bench.edge()
        raise AssertionError(f"{output} is not high within {most} cycles")

    async def request(
        self, gid: int, word: RegisterWord, data: int | None = None
    ) -> tuple[int, int]:
        """Write or read a word; return error and data."""
        await self.cycle(
            config_valid=1,
            config_gid=gid,
            config_word=word,
            config_write=data is not None,
            config_data=data or 0,
        )
        await self.until("config_ready")
        answer = self.pins["config_error"], self.pins["config_rdata"]
        await self.bench.edge()
        return answer

    async def set_up(
        self, gid: int, children: dict[Port, tuple[int, int]], *, relay: int = 0, **control: int
    ) -> None:
        """Write an image; the parent is the neighbour in the east."""
        parent = NODE_WORD.pack({"x": X + 1, "y": Y}) | PARENT_WORD.pack({"relay": relay})
        await self.request(gid, RegisterWord.PARENT, parent)
        for port, (x, y) in children.items():
            word = NODE_WORD.pack({"x": x, "y": y, "present": 1})
            await self.request(gid, RegisterWord(RegisterWord.EAST + port), word)
        fields = {"valid": 1, "gid": gid, **control}
        assert await self.request(gid, RegisterWord.CONTROL, CONTROL.pack(fields)) == (0, 0)

    async def message(self, port: Port, **fields: int) -> None:
        """Present a message until it is taken, and let the engine work it in."""
        bits = SPEC.layout.sync.pack(fields)
        turn = message_of(SPEC, bits).turn
        self.pins.drive({"here": 1 << port, f"class_{port}": 1 << turn, f"message_{port}": bits})
        await self.until("take")
        await self.cycle(here=1 << port)


async def ready(dut: Any, part: str) -> Driver:
    """Return a driver of an engine after reset, barriers begun."""
    bench = Bench(dut)
    await bench.reset()
    pins = bench.pins[part]
    pins.drive({"x": X, "y": Y, "started": 1})
    return Driver(bench, pins)


@cocotb.test()
async def everything_takes_three_cycles(dut: Any) -> None:
    """Answer, release and send register come in t + 3; the next message is taken in t + 3."""
    drive = await ready(dut, "all")
    pins, bench = drive.pins, drive.bench
    await drive.set_up(9, {Port.NORTH: (1, 2)}, root=1, op=Op.SUM)
    pins.drive({"config_valid": 1, "config_gid": 9, "config_word": RegisterWord.STATUS})
    await bench.edge()
    pins.drive({"config_valid": 0})
    assert await drive.until("config_ready") == 2  # given in t, answered in t + 3
    await bench.edge()

    bits = SPEC.layout.sync.pack({"kind": Kind.REDUCE, "gid": 9, "turn": 0, "data": 5})
    pins.drive({"here": 2, "class_1": 1, "message_1": bits})
    await bench.settle()
    assert pins["take"] == 2
    await bench.edge()
    taken = []
    for _ in range(6):  # the same message again and again: strays, one in three cycles
        await bench.settle()
        taken.append(pins["take"])
        await bench.edge()
    assert taken == [0, 0, 2, 0, 0, 2]
    pins.drive({"here": 0})
    await drive.rest()

    pins.drive({"arrive__valid": 1, "arrive__gid": 9, "arrive__data": 60})
    await bench.settle()
    assert pins["arrive__ready"] == 1
    await bench.edge()
    pins.drive({"arrive__valid": 0})  # held from t + 1 on, accepted there, released in t + 4
    assert await drive.until("release__valid") == 3
    assert pins.read(["release__gid", "release__result"]) == {
        "release__gid": 9,
        "release__result": (5 + 60) % 64,
    }
    assert await drive.until("send__pending") == 3  # the FETCH is accepted with the release
    assert pins["send__pending"] == 1 << Port.NORTH
    assert pins["send__data"] == 1


@cocotb.test()
async def busy_entries_refuse_writes(dut: Any) -> None:
    """Control words while an episode runs, other words while valid, words to read always."""
    drive = await ready(dut, "all")
    control = CONTROL.pack({"valid": 1, "gid": 3, "epoch": 2})
    for word in (RegisterWord.STATUS, RegisterWord.RESULT):
        assert await drive.request(3, word, 1) == (1, 0)
    await drive.set_up(3, {})
    assert await drive.request(3, RegisterWord.PARENT, 0) == (1, 0)
    assert await drive.request(3, RegisterWord.PARENT) == (0, NODE_WORD.pack({"x": 2, "y": 1}))
    await drive.cycle(arrive__valid=1, arrive__gid=3, arrive__data=7)
    await drive.until("send__pending")
    assert await drive.request(3, RegisterWord.CONTROL, control) == (1, 0)
    status = STATUS.pack({"local": 1, "fired": 1})
    assert await drive.request(3, RegisterWord.STATUS) == (0, status)
    await drive.message(Port.EAST, kind=Kind.DISTRIBUTE, gid=3, turn=1)
    await drive.until("stray")  # its REDUCE has not left yet
    await drive.cycle(send__sent=1 << PARENT)
    assert await drive.request(3, RegisterWord.CONTROL, control) == (1, 0)  # it has fired
    await drive.message(Port.EAST, kind=Kind.DISTRIBUTE, gid=3, turn=1, data=21)
    await drive.until("release__valid")
    assert await drive.request(3, RegisterWord.RESULT) == (0, 21)
    assert await drive.request(3, RegisterWord.CONTROL, control) == (0, 0)
    assert await drive.request(3, RegisterWord.CONTROL) == (0, control)


@cocotb.test()
async def arrivals_are_refused(dut: Any) -> None:
    """Of an unknown group, a second time, and before ``start``; a refused one changes nothing."""
    drive = await ready(dut, "all")
    pins = drive.pins
    await drive.set_up(200, {Port.WEST: (0, 1)})

    async def refused(gid: int) -> int:
        """Let the process arrive; return whether that is refused."""
        await drive.until("arrive__ready")
        await drive.cycle(arrive__valid=1, arrive__gid=gid, arrive__data=1)
        seen = 0
        for _ in range(4):
            await drive.bench.settle()
            seen |= pins["refused_arrive"]
            await drive.bench.edge()
        return seen

    assert await refused(201)
    pins.drive({"started": 0})
    assert await refused(200)
    pins.drive({"started": 1})
    assert not await refused(200)
    assert await refused(200)
    status = await drive.request(200, RegisterWord.STATUS)
    assert status == (0, STATUS.pack({"local": 1}))


@cocotb.test()
async def a_relay_waits_for_its_children_alone(dut: Any) -> None:
    """It has no process: none arrives, and none is released; it fires when all children are in."""
    drive = await ready(dut, "all")
    pins = drive.pins
    await drive.set_up(77, {Port.NORTH: (1, 2), Port.WEST: (0, 1)}, relay=1, op=Op.SUM)
    await drive.until("arrive__ready")
    await drive.cycle(arrive__valid=1, arrive__gid=77, arrive__data=1)
    await drive.until("refused_arrive")
    await drive.rest()
    await drive.message(Port.NORTH, kind=Kind.REDUCE, gid=77, turn=0, data=5)
    await drive.rest()
    assert pins["send__pending"] == 0
    await drive.message(Port.WEST, kind=Kind.REDUCE, gid=77, turn=1, data=6)
    await drive.until("send__pending")
    assert (pins["send__pending"], pins["send__data"]) == (1 << PARENT, 11)
    await drive.cycle(send__sent=1 << PARENT)
    await drive.message(Port.EAST, kind=Kind.DISTRIBUTE, gid=77, turn=1, data=21)
    released = 0
    for _ in range(12):
        await drive.bench.settle()
        released |= pins["release__valid"]
        if pins["send__pending"] == 1 << Port.NORTH | 1 << Port.WEST:
            break
        await drive.bench.edge()
    else:
        raise AssertionError("its children are not told")
    assert not released


@cocotb.test()
async def reset_forgets_every_group(dut: Any) -> None:
    """After a reset an entry is as if never written, whatever it was in the middle of."""
    drive = await ready(dut, "all")
    await drive.set_up(30, {Port.NORTH: (1, 2)})
    await drive.cycle(arrive__valid=1, arrive__gid=30, arrive__data=1)
    await drive.rest()
    assert await drive.request(30, RegisterWord.STATUS) == (0, STATUS.pack({"local": 1}))
    drive = await ready(dut, "all")
    assert await drive.request(30, RegisterWord.STATUS) == (0, 0)
    assert await drive.request(30, RegisterWord.CONTROL) == (0, 0)


@cocotb.test()
async def queue_has_a_place_for_every_group(dut: Any) -> None:
    """While the send register is blocked all 256 fire, its own group again; each is sent, in order.

    That one fires again because a child arrives unasked; the others do nothing but right.
    """
    drive, others = await ready(dut, FULL), list(range(1, 256))
    random.Random(f"{SEED}/queue").shuffle(others)
    await drive.set_up(0, {Port.NORTH: (1, 2)}, root=1)
    for gid in others:
        await drive.set_up(gid, {})
    for gid in (0, 0, *others):
        if gid == 0:
            await drive.message(Port.NORTH, kind=Kind.REDUCE, gid=0, turn=0)
        await drive.until("arrive__ready")
        await drive.cycle(arrive__valid=1, arrive__gid=gid, arrive__data=gid % 64)
        if gid == 0:
            await drive.until("release__valid")
    await drive.rest()
    pins = drive.pins
    for gid in (0, 0, *others):
        await drive.until("send__pending")
        assert CONTROL.unpack(pins["send__control"])["gid"] == gid
        sent = 1 << (PARENT if gid else Port.NORTH)
        assert pins.read(["send__pending", "send__data"]) == {
            "send__pending": sent,
            "send__data": gid % 64,
        }
        await drive.cycle(send__sent=sent)
    for _ in range(10):
        await drive.bench.settle()
        assert pins["send__pending"] == 0
        await drive.bench.edge()
