"""Random inputs of a set-up port without a manager, legal and not, that follow its golden model."""

import random
from collections import Counter, deque
from dataclasses import astuple, dataclass
from typing import NamedTuple

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer, Freed
from syncfabric.models.golden.lifecycle.port import SetUpParameters, SetUpPort
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import COMMIT, EngineLayout
from syncfabric.models.layout.setup import REQUEST, share_of


@dataclass(frozen=True)
class SinkBuild:
    """What a set-up port is built for."""

    layout: EngineLayout
    managers: int
    channels: int
    buffer_flits: int
    reply_bit: int
    router: int

    @property
    def headers(self) -> list[int]:
        return [3 * m + 1 | 1 << self.reply_bit for m in range(self.managers)]

    @property
    def port(self) -> SetUpPort:
        has = SetUpParameters(self.headers, self.reply_bit, self.router, 64)
        return SetUpPort(has, self.layout, self.channels, self.buffer_flits, 0, None)


def draw_sink(rng: random.Random) -> SinkBuild:
    """Draw parameters."""
    layout = EngineLayout(rng.choice((1, 2, 4, 8)), False, rng.choice((2, 4, 16, 256)), 0, "none")
    sizes = rng.randint(1, 4), rng.choice((1, 2, 4))
    managers = rng.randint(1, min(4, layout.entries))
    return SinkBuild(layout, managers, *sizes, rng.choice((4, 9)), rng.randrange(512))


class SinkInputs(NamedTuple):
    """Inputs in a cycle."""

    came: Flit | None
    chain: Request | None
    answer: Answer | None
    freed: Freed | None
    credit: bool


class SinkStimuli:
    """A golden set-up port, packets of requests and other ones, and an engine of any answers.

    Attributes
    ----------
    seen : Counter of str
        What has happened.
    """

    def __init__(self, build: SinkBuild, rng: random.Random) -> None:
        self.build, self.rng, self.port = build, rng, build.port
        self.flits = deque[Flit]()
        self.chain: Request | None = None
        self.asked: Request | None = None  # at the engine in the cycle before
        self.answered = True
        self.owed = 0
        self.busy = rng.choice((0.2, 0.9))
        self.drain = rng.choice((0.05, 0.5, 1.0))
        self.quick = rng.choice((0.2, 1.0))
        self.ends = rng.choice((0.01, 0.3))
        self.seen = Counter[str]()

    def packet(self) -> list[Flit]:
        """Draw a packet, mostly a good request."""
        rng, build = self.rng, self.build
        words, entries = build.layout.image_words, build.layout.entries
        operation = rng.choice((0, 0, 1, 1, 2, 3))
        manager = rng.randrange(4) if rng.random() < 0.2 else rng.randrange(build.managers)
        share = share_of(min(manager, build.managers - 1), build.managers, entries)
        entry = rng.choice(share) if share and rng.random() < 0.8 else rng.randrange(256)
        fields = {"operation": operation, "manager": manager, "entry": entry}
        fields |= {name: rng.randrange(4) for name in ("tag", "epoch")}
        request = REQUEST.pack(fields | {"sequence": rng.randrange(512)})
        length = 2 if operation == 2 else 2 + words
        if rng.random() < 0.2:
            length = rng.randint(1, words + 4)
        header = rng.getrandbits(16) & ~(1 << build.reply_bit)
        if rng.random() < 0.1:
            header |= 1 << build.reply_bit
        payloads = [header, request, *(rng.getrandbits(40) for _ in range(length))][:length]
        last, c = len(payloads) - 1, build.channels
        flits = [Flit(c, word, k == 0, k == last) for k, word in enumerate(payloads)]
        if rng.random() < 0.1:
            flits[-1] = Flit(c, 0, len(flits) == 1, True, True)
        return flits

    def inputs(self) -> SinkInputs:
        """Draw the inputs of a cycle; the engine's answer is to what was asked before."""
        rng, build = self.rng, self.build
        came = None
        if rng.random() < self.busy:
            if not self.flits:
                self.flits.extend(self.packet())
            full = len(self.port._buffer) >= build.buffer_flits
            if not full:
                came = self.flits.popleft()
            elif rng.random() < 0.02:
                came = self.flits[0]
        if came is None and rng.random() < 0.05:
            c = rng.randrange(build.channels)
            came = Flit(c, rng.getrandbits(16), rng.random() < 0.5, rng.random() < 0.5)
        if self.chain is None and rng.random() < 0.1:
            commit = COMMIT.pack({"code": rng.randrange(4), "entry": rng.randrange(4)})
            word = Request(True, rng.choice((1, 1, 2)), rng.getrandbits(32))
            self.chain = rng.choice((Request(True, 0, commit), word, Request(False, 16)))
        answer = None
        if self.asked and not self.answered and rng.random() < self.quick:
            alive, error = rng.random() < 0.5, rng.random() < 0.4
            wanted = self.asked.data >> 2 & 3
            epoch = rng.choice((wanted, (wanted + 1) % 4, rng.randrange(4)))
            answer = Answer(error, alive | epoch << 1)
        freed = None
        if rng.random() < self.ends:
            freed = Freed(rng.randrange(build.layout.entries), rng.randrange(4))
        credit = self.owed > 0 and rng.random() < self.drain
        return SinkInputs(came, self.chain, answer, freed, credit)

    def step(self, inputs: SinkInputs) -> dict[str, object]:
        """Go through a cycle; return what is on the ports."""
        port, credit = self.port, self.port.freed
        asks = port.asks(inputs.chain)
        chain = port.to_chain(inputs.answer)
        driven = port.drive(None)
        state = port.sink.state.name
        parts = inputs.came, driven, None, inputs.answer, inputs.freed, None
        events = port.step(*parts)
        self.asked, self.answered = asks, inputs.answer is not None
        if chain:
            self.chain = None
        self.owed += (driven is not None) - inputs.credit
        port.tokens += inputs.credit
        self.seen[state] += 1
        self.seen["refused"] += chain is not None and inputs.answer is None
        self.seen["replies"] += driven is not None and driven.tail
        self.seen["unexpected"] += events.unexpected
        self.seen["overflows"] += events.overflows
        return {
            "engine": asks and tuple(asks),
            "chain": chain and (chain.error, chain.rdata),
            "sends": driven and astuple(driven)[:5],
            "credit": credit,
            "unexpected": events.unexpected,
            "overflows": events.overflows,
        }
