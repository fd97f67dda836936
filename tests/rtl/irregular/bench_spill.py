"""The spill engine against its contract, and all its groups at once."""

import random
from collections import Counter, deque
from typing import Any

import cocotb

from syncfabric.models.messages import CONTROL, TREE, Kind, SwitchWord
from tests.rtl.irregular.life import image, message_for
from tests.rtl.irregular.specs import network
from tests.rtl.irregular.spill_model import Request, SpillModel
from tests.rtl.irregular.sync_model import Message
from tests.rtl.support import SEED, Bench, Pins, Scoreboard

CASES = {
    "spill_switch": (network(ports=4, operations="all", spill=True), False),
    "spill_node": (network(data_bits=5, spill=True), True),
}
GIDS = (5, 77, 255)


def driven(here: dict[int, Message], request: Request | None) -> dict[str, int]:
    """Return the pins' values of messages and a request."""
    values: dict[str, int] = {
        "here": sum(1 << p for p in here),
        "config_valid": request is not None,
    }
    if request is not None:
        names = ("config_gid", "config_word", "config_write", "config_data")
        values |= dict(zip(names, request, strict=True))
    return values


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def engine_agrees_with_contract(dut: Any, case: str) -> None:
    """Three groups under messages, arrivals and requests, good and bad; sending now and then."""
    spec, node = CASES[case]
    bench, board = Bench(dut), Scoreboard(case)
    pins, rng, model = bench.pins[case], board.rng, SpillModel(spec, node=node)
    groups = [(gid, model.entries[gid]) for gid in GIDS]
    waiting: dict[int, Message] = {}
    plan: deque[Request] = deque()
    outstanding, events, started = False, Counter[str](), False
    await bench.reset()
    for cycle in range(2500):
        if cycle % 120 == 0 and not plan:
            gid, entry = groups[cycle // 120 % 3]
            plan.extend(Request(gid, word, True, data) for word, data in image(rng, entry, gid))
        hurry = 0.5 if cycle // 100 % 2 else 0.05
        for p in sorted(groups[0][1].links):
            if p not in waiting and rng.random() < rng.choice([0.02, 0.3]):
                waiting[p] = message_for(rng, groups, p)
        here = {p: m for p, m in waiting.items() if rng.random() < 0.9}
        request = None
        outstanding = outstanding and not model.answer.ready
        if not outstanding and rng.random() < 0.3:
            if plan:
                request = plan.popleft()
            elif rng.random() < 0.3:
                write, data = rng.random() < 0.2, rng.getrandbits(32) & ~1
                request = Request(rng.choice(GIDS), rng.randrange(8), write, data)
        outstanding = outstanding or request is not None
        local = None
        if node and model.holding is None and rng.random() < 0.15:
            local = (rng.choice([*GIDS, 6]), rng.getrandbits(spec.data_bits))
        sent = {p for p in model.to_send if rng.random() < hurry}
        expected: dict[str, int] = {
            "config_ready": model.answer.ready,
            "config_error": model.answer.error,
            "config_rdata": model.answer.data,
            "send__children": 0,
            "send__parent": 0,
        }
        if model.to_send:
            letter = model.letter
            way = "send__parent" if letter.kind == Kind.REDUCE else "send__children"
            expected |= {way: sum(1 << p for p in model.to_send), "send__gid": letter.gid}
            expected |= {"send__epoch": letter.epoch, "send__data": letter.data}
            expected["send__up_kind" if letter.kind == Kind.REDUCE else "send__wave"] = letter.kind
        stimulus = {**driven(here, request), "send__sent": sum(1 << p for p in sent)}
        stimulus |= {f"message_{p}": message.bits(spec) for p, message in here.items()}
        if node:
            expected |= {
                "arrive__ready": model.holding is None,
                "release__valid": model.released,
                "release__gid": model.release[0],
                "release__result": model.release[1],
            }
            stimulus |= {"started": started, "arrive__valid": local is not None}
            if local is not None:
                stimulus["arrive__gid"], stimulus["arrive__data"] = local
        outcome = model.step(here, request=request, local=local, sent=sent, started=started)
        expected |= {
            "take": 0 if outcome.taken is None else 1 << outcome.taken,
            "stray": outcome.stray,
            "refused_write": outcome.refused_write,
        }
        if node:
            expected["refused_arrive"] = outcome.refused_arrive
        pins.drive(stimulus)
        await bench.settle()
        board.compare(cycle, seen=pins.read(expected), expected=expected, stimulus=stimulus)
        if outcome.taken is not None:
            del waiting[outcome.taken]
        events["stray"] += outcome.stray
        events["refused write"] += outcome.refused_write
        events["refused arrive"] += outcome.refused_arrive
        events["sent"] += len(sent)
        events["release"] += model.released
        started = started or cycle > 50
        await bench.edge()
    wanted = ["stray", "refused write", "sent"] + ["refused arrive", "release"] * node
    assert min(events[name] for name in wanted) > 5, events
    assert events["sent"] > 50, events


class Driver:
    """Small acts on an engine, each until it is done."""

    def __init__(self, bench: Bench, pins: Pins) -> None:
        self.bench, self.pins = bench, pins

    async def cycle(self, **values: int) -> None:
        """Drive these inputs in one cycle, and let them fall after it."""
        self.pins.drive(values)
        await self.bench.edge()
        self.pins.drive(dict.fromkeys(values, 0))

    async def until(self, output: str) -> int:
        """Wait until an output is high; return in which cycle, the present one being 0."""
        for cycle in range(12):
            await self.bench.settle()
            if self.pins[output]:
                return cycle
            await self.bench.edge()
        raise AssertionError(f"{output} is not high within 12 cycles")

    async def write(self, gid: int, word: int, data: int) -> int:
        """Write a word; return in which cycle the answer came."""
        await self.cycle(**driven({}, Request(gid, word, True, data)))
        cycles = await self.until("config_ready")
        assert not self.pins["config_error"]
        await self.bench.edge()
        return cycles + 1

    async def arrive(self, gid: int) -> None:
        """Let the process arrive."""
        await self.until("arrive__ready")
        await self.cycle(arrive__valid=1, arrive__gid=gid, arrive__data=gid % 32)


@cocotb.test()
async def queue_has_a_place_for_every_group(dut: Any) -> None:
    """While the send register is blocked all 256 fire; each is sent once, in order; in 3 cycles."""
    bench = Bench(dut)
    pins, others = bench.pins["spill_node"], list(range(256))
    drive = Driver(bench, pins)
    random.Random(f"{SEED}/queue").shuffle(others)
    await bench.reset()
    pins.drive({"started": 1})
    for gid in others:
        await drive.write(gid, SwitchWord.TREE, TREE.pack({"children": 2}))
        control = CONTROL.pack({"valid": 1, "gid": gid, "epoch": gid % 4})
        assert await drive.write(gid, SwitchWord.CONTROL, control) == 3
    for gid in others:
        await drive.arrive(gid)
    for gid in others:
        await drive.until("send__parent")
        seen = pins.read(["send__children", "send__gid", "send__epoch", "send__data"])
        assert list(seen.values()) == [0, gid, gid % 4, gid % 32]
        await drive.cycle(send__sent=1)
        await bench.settle()
        assert not pins["send__parent"]
    for _ in range(8):
        await bench.edge()
        await bench.settle()
        assert not pins["send__parent"]


@cocotb.test()
async def reset_forgets_every_group(dut: Any) -> None:
    """After a reset an entry is as if never written, though the memory is still there."""
    bench = Bench(dut)
    pins = bench.pins["spill_node"]
    drive = Driver(bench, pins)
    for first in (True, False):
        await bench.reset()
        pins.drive({"started": 1})
        if first:
            await drive.write(30, SwitchWord.TREE, TREE.pack({"children": 3}))
            await drive.write(30, SwitchWord.CONTROL, CONTROL.pack({"valid": 1, "gid": 30}))
            await drive.arrive(30)
        for word in SwitchWord:
            await drive.cycle(**driven({}, Request(30, word, False, 0)))
            await drive.until("config_ready")
            expected = {SwitchWord.TREE: 3 << 4, SwitchWord.ARRIVED: 2}.get(word, 0)
            if word == SwitchWord.CONTROL:
                expected = CONTROL.pack({"valid": 1, "gid": 30})
            assert pins["config_rdata"] == (expected if first else 0), word
            await bench.edge()
