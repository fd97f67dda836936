# amaranth: UnusedElaboratable=no
"""The slots of a router against their golden model, in every cycle, with whatever may come."""

import random
from collections import Counter
from itertools import product

import pytest

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.slots import RouterSlots, SlotMessage, pack
from syncfabric.models.layout.engine import COMMIT, Code, EngineLayout, Kind
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.models.layout.words import EngineWord
from syncfabric.rtl.slots.plane import SlotPlane
from tests.nightly import nightly_but
from tests.rtl.engine.lockstep import Word, differences
from tests.rtl.planes.lockstep import together
from tests.rtl.support import SEED, clocked

CYCLES = 3000
WATCHDOG = 7
WAITED = 7
"""Cycles in which words are there."""
MESH = SlotLayout(EngineLayout(4, True, 4, 3, "bitwise"), 3, True)
SHAPES = {
    "mesh": MESH,
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
            self.request = Request(True, EngineWord.IMAGE + k, word >> 32 * k & 0xFFFFFFFF)
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
    rng: random.Random, layout: SlotLayout, model: RouterSlots, rate: float
) -> tuple[dict[int, dict[int, int]], dict[int, SlotMessage]]:
    """Draw what comes: mostly what is awaited, now and then anything."""
    links: dict[int, dict[int, int]] = {}
    own: dict[int, SlotMessage] = {}
    data = layout.engine.data_bits
    for s in range(layout.slots):
        for p in range(layout.engine.ports):
            if rng.random() > (rate if p in model.awaited(s) else 0.01):
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


class SlotLockstep:
    """The golden slots of a router in a bench, cycle by cycle.

    Parameters
    ----------
    layout : SlotLayout
    rng : random.Random
    managed : bool
        Ends of groups are reported, and a watchdog visits.
    """

    def __init__(self, layout: SlotLayout, rng: random.Random, *, managed: bool) -> None:
        self.shape = self.layout = layout
        self.rng, self.managed = rng, managed
        self.seen = Counter[str]()
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.model = RouterSlots(self.layout, reports=self.managed)
        self.software, self.cycle = _Software(self.rng, self.layout), 0

    def step(self) -> tuple[dict[str, int], dict[str, Word]]:
        """Go through a cycle; return what is driven, and what is expected."""
        rng, model, software = self.rng, self.model, self.software
        software.draw(model)
        links, own = _messages(rng, self.layout, model, 0.04 if self.cycle // 150 % 2 else 0.5)
        request, ready = software.request, self.managed and rng.random() < 0.5
        asks = model.asks(request, software.staged)
        driven, expected = self.pins(links, own, request), self.shown()
        expected["engine__valid"] = Word(asks is not None)
        if model.answer:
            software.request = None
        if self.managed:
            driven["freed_ready"] = int(ready)
            expected["freed_valid"] = Word(bool(model.reported))
        if ready and (freed := model.report()):
            expected |= {"freed_entry": Word(freed.entry), "freed_epoch": Word(freed.epoch)}
            self.seen["freed"] += 1
        self.cycle += 1
        model.step(links, own, visited=self.managed and self.cycle % self.period == 0)
        if asks is not None:
            # The engine's part is the bench's: staged words are taken at once.
            at = 32 * (request.address - EngineWord.IMAGE) if request else 0
            kept = software.staged & ~(0xFFFFFFFF << at)
            software.staged, software.request = kept | asks.data << at, None
        return driven, expected

    @property
    def period(self) -> int:
        """Cycles between two visits of the watchdog."""
        return self.layout.first * WATCHDOG

    def pins(
        self,
        links: dict[int, dict[int, int]],
        own: dict[int, SlotMessage],
        request: Request | None,
    ) -> dict[str, int]:
        """Return the input pins."""
        layout, pins = self.layout, dict[str, int]()
        for p in range(layout.engine.links):
            here = {s: words[p] for s, words in links.items() if p in words}
            pins[f"in_{p}__valid"] = sum(1 << s for s in here)
            width = layout.word.width
            pins[f"in_{p}__words"] = sum(word << width * s for s, word in here.items())
        for s in range(layout.slots if layout.engine.own else 0):
            message = own.get(s, SlotMessage(0))
            pins[f"arrive_{s}__valid"] = int(s in own)
            pins[f"arrive_{s}__message"] = layout.message.message.pack(message._asdict())
        pins["config__valid"] = int(request is not None)
        for name in ("write", "address", "data"):
            pins[f"config__{name}"] = int(getattr(request, name)) if request else 0
        return pins

    def shown(self) -> dict[str, Word]:
        """Return what the output pins show, and what of them has a meaning."""
        layout, model, words = self.layout, self.model, dict[str, Word]()
        width = layout.word.width
        for p in range(layout.engine.links):
            sends = {s: b.message for s, b in model.sends.items() if p in b.ports}
            known = range(layout.slots) if layout.parity else sends
            words[f"out_{p}__valid"] = Word(sum(1 << s for s in sends))
            words[f"out_{p}__words"] = Word(
                sum(pack(layout, message) << width * s for s, message in sends.items()),
                sum((1 << width) - 1 << width * s for s in known),
            )
        for s in range(layout.slots if layout.engine.own else 0):
            burst = model.sends.get(s)
            there = burst is not None and layout.engine.links in burst.ports
            words[f"release_{s}__valid"] = Word(there)
            if there and burst:
                message = layout.message.message
                word = Word(message.pack(burst.message._asdict()), -1 << message.offsets["kind"])
                words[f"release_{s}__message"] = word
        answer = model.answer
        shown = (1, answer.error, answer.rdata) if answer else (0, 0, 0)
        for name, value in zip(("ready", "error", "rdata"), shown, strict=True):
            words[f"config__{name}"] = Word(int(value))
        words["unexpected"] = Word(model.events)
        self.seen["refused" if answer and answer.error else "done"] += answer is not None
        self.seen["events"] += model.events
        self.seen["sent"] += len(model.sends)
        self.seen["broken"] += sum(b.message.kind == Kind.BROKEN for b in model.sends.values())
        return words

    def differences(self, expected: dict[str, Word], seen: dict[str, int]) -> list[str]:
        """Return the output pins that show something else; the model only counts events."""
        return differences(expected, {**seen, "unexpected": seen["unexpected"].bit_count()})


BY_DEFAULT = (
    ("mesh", True),
    ("mesh", False),
    ("switch", True),
    ("many_ports", True),
    ("bare", False),
)


@pytest.mark.parametrize(
    ("shape", "managed"), nightly_but(BY_DEFAULT, product(SHAPES, [True, False]))
)
def test_slots_do_what_their_model_does(shape: str, managed: bool) -> None:
    layout = SHAPES[shape]
    plane = SlotPlane(layout, WATCHDOG if managed else 0, reports=managed)
    lockstep = SlotLockstep(layout, random.Random(f"{SEED} {shape} {managed}"), managed=managed)
    together(plane, lockstep, SEED, CYCLES)
    wanted = ("sent", "events", "broken", "refused", "done", *["freed"] * managed)
    assert all(lockstep.seen[name] > 1 for name in wanted), lockstep.seen


def answered(code: Code, slot: int, waits: int) -> int:
    """Return the cycle in which a command is answered; ``waits`` are high up to ``WAITED``."""
    commit = COMMIT.pack({"code": code, "epoch": 0, "entry": MESH.first + slot})
    ask = {"config__valid": 1, "config__write": 1, "config__address": EngineWord.COMMIT}
    cases = [
        {**ask, "config__data": commit, "waits": waits if cycle < WAITED else 0}
        for cycle in range(3 * WAITED)
    ]
    seen = clocked(SlotPlane(MESH, 0, reports=False, streams=2), cases)
    return next(cycle for cycle, row in enumerate(seen) if row["config__ready"])


@pytest.mark.parametrize("slot", [0, 1])
def test_setup_of_a_slot_with_a_stream_waits(slot: int) -> None:
    at_once = answered(Code.SETUP, slot, 0)
    assert answered(Code.SETUP, slot, 1 << slot) == at_once + WAITED
    assert answered(Code.SETUP, slot, 3 & ~(1 << slot)) == at_once


@pytest.mark.parametrize("code", [Code.GO, Code.READ, Code.KILL])
def test_other_commands_do_not(code: Code) -> None:
    assert answered(code, 0, 3) == answered(code, 0, 0)
    assert answered(Code.SETUP, 2, 3) == answered(Code.SETUP, 2, 0)
