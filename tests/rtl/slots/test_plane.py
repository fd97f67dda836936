# amaranth: UnusedElaboratable=no
"""The slots of a router against their golden model, in every cycle, with whatever may come."""

import random
from typing import Any

import pytest
from amaranth.sim import Simulator

from syncfabric.models.golden.engine import Request
from syncfabric.models.golden.slots import RouterSlots, SlotMessage, pack
from syncfabric.models.layout.engine import COMMIT, IMAGE_ADDRESS, Code, EngineLayout, Kind
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.rtl.slots.plane import SlotPlane
from tests.rtl.support import SEED

CYCLES = 3000
WATCHDOG = 7
SHAPES = {
    "mesh": SlotLayout(EngineLayout(4, True, 4, 3, "bitwise"), 3, True),
    "switch": SlotLayout(EngineLayout(3, False, 5, 2, "all"), 2, False),
    "bare": SlotLayout(EngineLayout(4, True, 2, 0, "none"), 1, False),
    "many_ports": SlotLayout(EngineLayout(15, True, 2, 1, "bitwise"), 2, True),
}


class _Software:
    """Draws requests: mostly those that are obeyed."""

    def __init__(self, rng: random.Random, layout: SlotLayout) -> None:
        self.rng, self.layout = rng, layout
        self.request: Request | None = None
        self.staged = 0
        self._left = 0
        self._mask = (1 << layout.engine.image.width) - 1

    def draw(self, model: RouterSlots) -> None:
        """Begin a request, or keep the one that is not answered."""
        rng, engine = self.rng, self.layout.engine
        if self.request or rng.random() < 0.4:
            return
        if rng.random() < 0.5:
            parents = [0, *(1 << p for p in range(engine.links))]
            parent = rng.choice(parents)
            image = {"children": rng.getrandbits(engine.ports) & ~parent, "parent": parent}
            if engine.op_bits:
                image["op"] = rng.randrange(3 if engine.ports < 11 else 2)
            word, k = engine.image.pack(image), rng.randrange(2) if engine.ports > 10 else 0
            self.request = Request(True, IMAGE_ADDRESS + k, word >> 32 * k & 0xFFFFFFFF)
            return
        first = self.layout.first
        s = rng.randrange(self.layout.slots + (rng.random() < 0.1))
        rare = [Code.KILL, Code.READ][rng.random() < 0.6 :]
        known = s < self.layout.slots and rng.random() < 0.9
        epoch = model.epoch(s) if known else rng.randrange(4)
        code = rng.choice([Code.SETUP, Code.SETUP, Code.GO, Code.GO, Code.GO, *rare])
        word = COMMIT.pack({"code": code, "epoch": epoch, "entry": first + s})
        self.request = Request(True, 0, word)


def _messages(
    rng: random.Random, layout: SlotLayout, model: RouterSlots, chance: float
) -> tuple[dict[int, dict[int, int]], dict[int, SlotMessage]]:
    """Draw what comes: mostly what is awaited, now and then anything."""
    links: dict[int, dict[int, int]] = {}
    own: dict[int, SlotMessage] = {}
    data = layout.engine.data_bits
    for s in range(layout.slots):
        for p in range(layout.engine.ports):
            if rng.random() > (chance if p in model.awaited(s) else 0.01):
                continue
            kinds = [Kind.PLAIN, *[Kind.LAST] * 5]
            message = SlotMessage(rng.choice(kinds), rng.getrandbits(data) if data else 0)
            if p == layout.engine.links:
                own[s] = message
                continue
            odd = rng.random()
            if odd < 0.1:
                message = SlotMessage(Kind.GO if odd < 0.07 else Kind.BROKEN)
            word = pack(layout, message)
            if layout.parity and rng.random() < 0.05:
                word ^= 1 << rng.randrange(layout.word.width)
            links.setdefault(s, {})[p] = word
    return links, own


@pytest.mark.parametrize("managed", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_slots_do_what_their_model_does(shape: str, managed: bool) -> None:
    layout = SHAPES[shape]
    watchdog = WATCHDOG if managed else 0
    plane: Any = SlotPlane(layout, watchdog, reports=managed)
    model = RouterSlots(layout, reports=managed)
    rng = random.Random(f"{SEED} {shape} {managed}")
    seen = {"sent": 0, "freed": 0, "events": 0, "broken": 0, "refused": 0, "done": 0}

    async def program(ctx: Any) -> None:
        software = _Software(rng, layout)
        for cycle in range(CYCLES):
            software.draw(model)
            links, own = _messages(rng, layout, model, 0.04 if cycle // 150 % 2 else 0.5)
            request, ready = software.request, managed and rng.random() < 0.5
            _drive(ctx, plane, layout, links, own, request)
            if managed:
                ctx.set(plane.freed_ready, ready)
            _compare(ctx, plane, layout, model, cycle)
            if model.answer:
                assert ctx.get(plane.config.ready)
                seen["refused" if model.answer.error else "done"] += 1
                software.request = None
            if managed:
                assert ctx.get(plane.freed_valid) == bool(model.reported), cycle
            if managed and ready and (freed := model.report()):
                shown = ctx.get(plane.freed_entry), ctx.get(plane.freed_epoch)
                assert shown == (freed.entry, freed.epoch), cycle
                seen["freed"] += 1
            seen["events"] += model.events
            seen["sent"] += len(model.sends)
            seen["broken"] += sum(b.message.kind == Kind.BROKEN for b in model.sends.values())
            asks = model.asks(request, software.staged)
            assert ctx.get(plane.engine.valid) == (asks is not None)
            period = layout.first * watchdog
            model.step(links, own, visited=managed and (cycle + 1) % period == 0)
            if asks is not None:
                # The engine's part is the bench's: staged words are taken at once.
                at = 32 * (request.address - IMAGE_ADDRESS) if request else 0
                kept = software.staged & ~(0xFFFFFFFF << at)
                software.staged, software.request = kept | asks.data << at, None
            await ctx.tick()

    simulator = Simulator(plane)
    simulator.add_clock(1e-6)
    simulator.add_testbench(program)
    simulator.run()
    assert all(count > 1 for name, count in seen.items() if managed or name != "freed"), str(seen)


def _drive(
    ctx: Any,
    plane: Any,
    layout: SlotLayout,
    links: dict[int, dict[int, int]],
    own: dict[int, SlotMessage],
    request: Request | None,
) -> None:
    for p in range(layout.engine.links):
        link = getattr(plane, f"in_{p}")
        here = {s: words[p] for s, words in links.items() if p in words}
        ctx.set(link.valid, sum(1 << s for s in here))
        ctx.set(link.words, sum(word << layout.word.width * s for s, word in here.items()))
    for s in range(layout.slots if layout.engine.own else 0):
        arrive, message = getattr(plane, f"arrive_{s}"), own.get(s, SlotMessage(0))
        ctx.set(arrive.valid, s in own)
        ctx.set(arrive.message.kind, message.kind)
        ctx.set(arrive.message.data, message.data)
    ctx.set(plane.config.valid, request is not None)
    if request:
        ctx.set(plane.config.write, request.write)
        ctx.set(plane.config.address, request.address)
        ctx.set(plane.config.data, request.data)


def _compare(ctx: Any, plane: Any, layout: SlotLayout, model: RouterSlots, cycle: int) -> None:
    width = layout.word.width
    for p in range(layout.engine.links):
        link = getattr(plane, f"out_{p}")
        bits, words = ctx.get(link.valid), ctx.get(link.words)
        sends = {s: b.message for s, b in model.sends.items() if p in b.ports}
        assert bits == sum(1 << s for s in sends), (cycle, p)
        for s in range(layout.slots):
            word = words >> width * s & (1 << width) - 1
            if s in sends:
                assert word == pack(layout, sends[s]), (cycle, p, s)
            elif layout.parity:
                assert word == 0, (cycle, p, s)
    for s in range(layout.slots if layout.engine.own else 0):
        release = getattr(plane, f"release_{s}")
        burst = model.sends.get(s)
        there = burst is not None and layout.engine.links in burst.ports
        assert ctx.get(release.valid) == there, (cycle, s)
        if there and burst:
            said = ctx.get(release.message.kind), ctx.get(release.message.data)
            assert said == burst.message, (cycle, s)
    answer = model.answer
    shown = [ctx.get(getattr(plane.config, name)) for name in ("ready", "error", "rdata")]
    assert shown == ([1, answer.error, answer.rdata] if answer else [0, 0, 0]), cycle
    assert ctx.get(plane.unexpected).bit_count() == model.events, cycle
