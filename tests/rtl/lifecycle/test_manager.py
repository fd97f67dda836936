"""A manager beside its golden model: its words, what it sends, and what replies do."""

import random
from collections import Counter, deque
from dataclasses import astuple

import pytest

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.lifecycle.manager import Manager as Model
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import EPOCH_BITS
from syncfabric.models.layout.flit import flit_layout
from syncfabric.models.layout.setup import COMMAND, ENTRY_BITS, REPLY, Answer, Operation
from syncfabric.models.layout.words import ManagerWord
from syncfabric.rtl.lifecycle.manager import Manager
from syncfabric.rtl.lifecycle.shape import SetUpShape
from tests.rtl.engine.lockstep import Word, differences
from tests.rtl.planes.lockstep import together
from tests.rtl.support import SEED

FLIT = flit_layout(32, cut=True)
INDEX, CHANNEL, ROUTERS, CYCLES = 1, 2, 8, 3000


class Stimuli:
    """Software that writes requests and gives commands, replies, and a link that is often busy."""

    def __init__(self, shape: SetUpShape, rng: random.Random) -> None:
        self.model = Model(INDEX, shape.image_words, shape.routers, CHANNEL, counters=True)
        self.rng, self.requests = rng, deque[Request]()
        self.most, self.stride = self.model._most, shape.stride
        self.open, self.ends = rng.choice((0.3, 0.9)), rng.choice((0.02, 0.2))
        self.requests.append(Request(True, ManagerWord.POINTER, 0))
        for _ in self.model._memory:  # what is never written is anything
            self.requests.append(Request(True, ManagerWord.DATA, rng.getrandbits(32)))

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
            write(Request(False, word if rng.random() < 0.9 else rng.getrandbits(5), 0))

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
        widths = {"epoch": EPOCH_BITS, "entry": ENTRY_BITS, "number": 16}
        fields = {name: rng.getrandbits(width) for name, width in widths.items()}
        word = REPLY.pack({**fields, "code": code, "tag": tag})
        return Flit(CHANNEL, word, False, True, rng.random() < 0.03)


class ManagerLockstep:
    """A golden manager in a bench, cycle by cycle.

    Parameters
    ----------
    words : int
        Of an image.
    rng : random.Random
    routers : int
        Of the network.
    """

    def __init__(self, words: int, rng: random.Random, routers: int = ROUTERS) -> None:
        self.shape = SetUpShape(FLIT, 2, 3, 4, 8, words, routers, (1, 2))
        self.rng, self.seen = rng, Counter[str]()
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.stimuli = Stimuli(self.shape, self.rng)
        self.request: Request | None = None

    def step(self) -> tuple[dict[str, int], dict[str, Word]]:
        """Go through a cycle; return what is driven, and what is expected."""
        rng, stimuli, model = self.rng, self.stimuli, self.stimuli.model
        if self.request is None and rng.random() < 0.7:
            if not stimuli.requests:
                stimuli.plan()
            self.request = stimuli.requests.popleft()
        request, flit, offer, answer = self.request, stimuli.reply(), model.offer, model.answer
        granted = offer is not None and rng.random() < stimuli.open
        driven = {"enable": 1, "index": INDEX, "request_leaves": int(granted)}
        driven["config__valid"] = int(request is not None)
        for name, word in (request or Request(False, 0, 0))._asdict().items():
            driven[f"config__{name}"] = int(word)
        driven["reply_valid"] = int(flit is not None)
        driven["reply_flit"] = flit_word(flit) if flit else rng.getrandbits(FLIT.width)
        driven["count"] = model._counters[ManagerWord.UNEXPECTED]
        expected = {
            "config__ready": Word(answer is not None),
            "request_valid": Word(offer is not None),
        }
        if answer:
            expected["config__error"] = Word(int(answer.error))
            expected["config__rdata"] = Word(answer.rdata)
        if offer:
            expected["request_flit"] = Word(flit_word(offer))
        state = model.state.name
        model.step(request, flit, granted=granted)
        events = len(model._counters._events)
        expected["unexpected"] = Word(events)
        self.seen[f"{state} {model.state.name}"] += state != model.state.name
        self.seen["freed"] += len(model.freed) == 64
        self.seen["unexpected"] += events
        if answer:
            self.request = None
        return driven, expected

    def differences(self, expected: dict[str, Word], seen: dict[str, int]) -> list[str]:
        """Return the output pins that show something else."""
        return differences(expected, {name: seen[name] for name in expected})


def flit_word(flit: Flit | None) -> int:
    """Return a flit's bits, 0 if there is none."""
    return FLIT.pack(dict(zip(FLIT.offsets, astuple(flit)[1:5], strict=True))) if flit else 0


def play(words: int, seed: object) -> Counter[str]:
    """Compare both in every cycle; return what has happened."""
    lockstep = ManagerLockstep(words, random.Random(f"{SEED}/{seed}"))
    return together(Manager(lockstep.shape), lockstep, SEED, CYCLES)


def test_a_manager_is_its_model() -> None:
    seen = sum((play(words, words) for words in (1, 2, 5)), Counter[str]())
    wanted = ("IDLE RUNNING", "RUNNING DONE", "RUNNING FAILED", "unexpected", "freed")
    assert min(seen[what] for what in wanted) > 0, seen


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20))
def test_a_manager_is_its_model_at_length(seed: int) -> None:
    play(1 + seed % 3, f"long {seed}")
