"""A manager beside its golden model: its words, what it sends, and what replies do."""

import random
from collections import Counter, deque
from typing import Any

import pytest
from amaranth import Value
from amaranth.sim import Simulator

from syncfabric.models.golden.engine import Request
from syncfabric.models.golden.lifecycle.manager import Manager as Model
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.flit import flit_layout
from syncfabric.models.layout.setup import COMMAND, REPLY, Answer, ManagerWord, Operation
from syncfabric.rtl.lifecycle.manager import Manager
from syncfabric.rtl.lifecycle.shape import SetUpShape
from tests.rtl.support import SEED

FLIT = flit_layout(32, cut=True)
INDEX, CHANNEL, ROUTERS, CYCLES = 1, 2, 8, 3000


class Stimuli:
    """Software that writes requests and gives commands, replies, and a link that is often busy."""

    def __init__(self, words: int, rng: random.Random) -> None:
        self.model = Model(INDEX, words, ROUTERS, CHANNEL, counters=True)
        self.rng, self.requests, self.seen = rng, deque[Request](), Counter[str]()
        self.most, self.stride = self.model._most, 2 + words
        self.open, self.ends = rng.choice((0.3, 0.9)), rng.choice((0.02, 0.2))

    def plan(self) -> None:
        """Put accesses into the queue: a command with its requests, or one of anything."""
        rng, write = self.rng, self.requests.append
        draw, count = rng.random(), rng.randint(1, 4)
        if draw < 0.4:
            write(Request(True, ManagerWord.POINTER, rng.choice((0, 0, rng.getrandbits(16)))))
            for _ in range(count * self.stride):
                write(Request(True, ManagerWord.DATA, rng.getrandbits(32)))
        if draw < 0.6:
            count = rng.choice((count, count, count, 0, self.most, self.most + 1))
            operation = rng.choice((Operation.SETUP, Operation.KILL, Operation.START))
            word = COMMAND.pack({"operation": operation, "count": count})
            write(Request(True, ManagerWord.COMMAND, word))
        elif draw < 0.7:
            word = COMMAND.pack({"operation": Operation.ABORT, "count": rng.getrandbits(3)})
            write(Request(True, ManagerWord.COMMAND, word))
        for _ in range(rng.randint(1, 20)):
            word = rng.choice((ManagerWord.STATUS, ManagerWord.STATUS, ManagerWord.FREED))
            write(Request(False, word if rng.random() < 0.9 else rng.getrandbits(4), 0))

    def reply(self) -> Flit | None:
        """Return a flit that comes: of a reply that is awaited, mostly."""
        rng, model = self.rng, self.model
        if rng.random() < self.ends:
            code, tag = Answer.FREED, 0
        elif model._awaited and rng.random() < 0.2:
            code, tag = rng.choice((*[Answer.OK] * 6, *Answer)), model._tag
            tag = tag if rng.random() < 0.95 else rng.randrange(4)
        else:
            return Flit(CHANNEL, rng.getrandbits(32), True, False) if rng.random() < 0.1 else None
        fields = {name: rng.getrandbits(2) for name in ("epoch", "entry", "number")}
        word = REPLY.pack({**fields, "code": code, "tag": tag})
        return Flit(CHANNEL, word, False, True, rng.random() < 0.03)


def play(words: int, seed: object) -> Counter[str]:
    """Compare both in every cycle; return what has happened."""
    rng = random.Random(f"{SEED}/{seed}")
    stimuli = Stimuli(words, rng)
    model, part = stimuli.model, Manager(SetUpShape(FLIT, 2, 3, 4, 8, words, ROUTERS, (1, 2)))

    async def bench(context: Any) -> None:
        def put(port: Value, word: int) -> None:
            context.set(Value.cast(port), int(word))

        put(part.enable, 1)
        put(part.index, INDEX)
        unexpected, request = 0, None
        for cycle in range(CYCLES):
            if request is None and rng.random() < 0.7:
                if not stimuli.requests:
                    stimuli.plan()
                request = stimuli.requests.popleft()
            flit, offer, answer = stimuli.reply(), model.offer, model.answer
            taken = offer is not None and rng.random() < stimuli.open
            put(part.config.valid, request is not None)
            for name, word in (request or Request(False, 0, 0))._asdict().items():
                put(getattr(part.config, name), word)
            put(part.request_leaves, taken)
            put(part.reply_valid, flit is not None)
            fields = zip(FLIT.offsets, flit[1:5], strict=True) if flit else ()
            put(part.reply_flit, FLIT.pack(dict(fields)) if flit else 0)
            config, out = part.config, FLIT.unpack(context.get(Value.cast(part.request_flit)))
            seen = (
                (context.get(config.error), context.get(config.rdata))
                if context.get(config.ready)
                else None,
                (CHANNEL, *out.values()) if context.get(part.request_valid) else None,
            )
            expected = answer and (answer.error, answer.rdata), offer and offer[:5]
            assert seen == expected, f"cycle {cycle}, {request}, {flit}"
            unexpected += context.get(part.unexpected)
            state = model.state.name
            model.step(request, flit, taken=taken)
            stimuli.seen[f"{state} {model.state.name}"] += state != model.state.name
            stimuli.seen["freed"] += len(model.freed) == 64
            if answer:
                request = None
            await context.tick()
        model.step(None, None, taken=False)
        stimuli.seen["unexpected"] += unexpected
        assert model._counters[0] == min(255, unexpected)

    simulator = Simulator(part)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return stimuli.seen


def test_a_manager_is_its_model() -> None:
    seen = sum((play(words, words) for words in (1, 2, 5)), Counter[str]())
    wanted = ("IDLE RUNNING", "RUNNING DONE", "RUNNING FAILED", "unexpected", "freed")
    assert min(seen[what] for what in wanted) > 0, seen


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_a_manager_is_its_model_at_length(seed: int) -> None:
    play(1 + seed % 3, f"long {seed}")
