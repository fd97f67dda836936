"""Random stimuli of an engine, legal and illegal, that follow its golden model."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.engine import Engine, Outputs
from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.layout.engine import COMMIT, WORD_BITS, Code, EngineLayout, Kind

OPS = {"none": 1, "bitwise": 3, "all": 6}


@dataclass(frozen=True)
class Build:
    """Parameters of an engine, E1."""

    layout: EngineLayout
    stages: int
    watchdog: int = 0
    counters: bool = True
    read_back: bool = True
    shared: bool = False

    @property
    def options(self) -> dict[str, Any]:
        return {
            "stages": self.stages,
            "watchdog": self.watchdog,
            "counters": self.counters,
            "read_back": self.read_back,
            "shared": self.shared,
        }


def draw_build(rng: random.Random) -> Build:
    """Draw parameters, small ones often, and stages that the table of cycles allows."""
    own = rng.random() < 0.8
    links = rng.choice((1, 2, 3, 4, 4, 5, 8, 16 - own))
    groups = rng.choice((1, 2, 2, 3, 4, 4, 5, 8, 16, 17, 32, 33, 40, 256))
    operations = rng.choice(("none", "bitwise", "all"))
    bits = rng.choice((1, 2, 4, 6, 8, 9, 32)) if operations != "none" else 0
    least = 1 if bits <= (8 if operations == "bitwise" else 4) else 3
    stages = rng.randint(4 if groups > 32 else least, 4)
    watchdog = rng.choice((0, 4, 4, 5, 7, 19, 64))
    shared = stages > 1 and rng.random() < 0.4
    routed = shared and links == 4 and groups <= 32 and rng.random() < 0.7
    place, key_bits = (2, 1) if routed else (), rng.choice((0, 0, 1, 3, 16))
    layout = EngineLayout(links, own, groups, bits, operations, place, key_bits=key_bits)
    return Build(layout, stages, watchdog, rng.random() < 0.8, rng.random() < 0.8, shared)


class Inputs(NamedTuple):
    """What is on the input ports in a cycle."""

    links: Mapping[int, Message]
    arrive: Message | None
    request: Request | None
    hold: bool


class EngineStimuli:
    """A golden engine, and inputs for it.

    Parameters
    ----------
    build : Build
    rng : random.Random
    busy : float
        Share of cycles in which a link has a message.
    right : float
        Share of messages that are expected.

    Attributes
    ----------
    engine : Engine
    seen : Counter of str
        What has happened.
    """

    def __init__(self, build: Build, rng: random.Random, busy: float, right: float) -> None:
        self.build, self.layout, self.rng = build, build.layout, rng
        self.busy, self.right = busy, right
        self.holds = rng.choice((0.1, 0.5))
        self.asks = rng.choice((0.1, 0.5, 0.9))
        self.lasts = rng.choice((0.2, 0.5, 0.8))
        self.engine = Engine(build.layout, **build.options)
        self.staged = 0
        self.request: Request | None = None
        self.arrival: Message | None = None
        few = rng.randint(1, min(self.layout.entries, 3))
        self.used = rng.sample(range(self.layout.entries), few)
        self.seen = Counter[str]()

    def inputs(self) -> Inputs:
        """Draw the inputs of a cycle."""
        layout = self.layout
        links = {p: self.message(p) for p in range(layout.links) if self.sends(p)}
        if self.request is None:
            self.request = self.ask()
        if layout.own and self.sends(layout.links):
            self.arrival = self.message(layout.links)
        hold = self.rng.random() < self.holds
        return Inputs(links, self.arrival, self.request, hold)

    def message(self, port: int) -> Message:
        """Draw a message for a port."""
        rng, layout = self.rng, self.layout
        kind = Kind.LAST if rng.random() < self.lasts else Kind.PLAIN
        data = rng.getrandbits(layout.data_bits) if layout.data_bits else 0
        number = rng.choice(self.used)
        hits = [x for x in self.used if port in self.engine.entry(x).missing]
        if hits and rng.random() < self.right:
            number = rng.choice(hits)
        entry = self.engine.entry(number)
        epoch = entry.epoch
        if entry.turn and entry.fresh and not entry.last and rng.random() < 0.9:
            kind = Kind.GO
        if rng.random() > self.right:
            epoch, kind = rng.choice(((epoch, rng.choice(list(Kind))), (rng.randrange(4), kind)))
        if port in entry.image.parent and rng.random() < 0.02:
            kind = Kind.BROKEN
        key = entry.image.key if layout.key_bits else 0
        if layout.key_bits and rng.random() > self.right:
            key = rng.getrandbits(layout.key_bits)
        return Message(number, epoch, kind, data, key)

    def sends(self, port: int) -> bool:
        """Draw whether a message comes; if all are right, only where one is expected."""
        if self.rng.random() > self.busy:
            return False
        return self.right < 1 or any(port in self.engine.entry(x).missing for x in self.used)

    def image(self) -> int:
        """Draw an image, mostly of a tree."""
        rng, layout = self.rng, self.layout
        children = {p for p in range(layout.ports) if rng.random() < 0.4}
        parent = {rng.randrange(layout.links)} if rng.random() < 0.6 else set()
        if rng.random() < 0.5 if layout.routed else rng.random() < 0.9:
            children -= parent
        elif rng.random() < 0.3:
            parent |= {rng.randrange(layout.links)}
        if not children and rng.random() < 0.9:
            children = {layout.ports - 1} - parent
        fields = {
            "children": sum(1 << p for p in children),
            "parent": sum(1 << p for p in parent),
            "op": rng.randrange(OPS[layout.operations]),
        }
        for p in layout.named:
            fields |= {
                f"{name.name}_{p}": rng.getrandbits(name.width) for name in layout.name.fields
            }
        if layout.key_bits:
            fields["key"] = rng.getrandbits(layout.key_bits)
        return layout.image.pack(fields)

    def command(self) -> int:
        """Draw a COMMIT word, of a sensible command mostly."""
        rng = self.rng
        number = rng.choice(self.used)
        entry = self.engine.entry(number)
        code = rng.choice(list(Code))
        if rng.random() < 0.9:
            code = Code.READ if rng.random() < 0.3 else Code.KILL
            if not entry.alive:
                code = Code.KILL if rng.random() < 0.05 else Code.SETUP
            elif not entry.missing:
                code = Code.GO
            elif code == Code.KILL and entry.image.children and rng.random() < 0.8:
                code = Code.READ
        known = rng.random() < 0.9 and (entry.alive or code != Code.KILL)
        epoch = entry.epoch if known else rng.randrange(4)
        word = rng.choice((0, 1, 2, 3, rng.randrange(16)))
        fields = {"code": code, "epoch": epoch, "entry": number, "word": word}
        return COMMIT.pack(fields) | rng.getrandbits(16) << 16

    def ask(self) -> Request | None:
        """Draw a request, or none."""
        rng, layout = self.rng, self.layout
        if rng.random() > self.asks:
            return None
        if rng.random() < 0.5:
            return Request(True, 0, self.command())
        if rng.random() < 0.6:
            return self.stage(rng.randrange(layout.image_words), self.image())
        if rng.random() < 0.7:
            return Request(False, 16 + rng.randrange(3))
        write = rng.random() < 0.5
        free = 1 + write * layout.image_words
        return Request(write, rng.randrange(free, 32), rng.getrandbits(WORD_BITS))

    def stage(self, k: int, image: int) -> Request | None:
        """Write a word of an image; none if that mixes two operations to one without a name."""
        layout, word = self.layout, (1 << WORD_BITS) - 1
        staged = self.staged & ~(word << WORD_BITS * k) | image & word << WORD_BITS * k
        if layout.image.unpack(staged)["op"] >= OPS[layout.operations]:
            return None
        self.staged = staged
        return Request(True, 1 + k, image >> WORD_BITS * k & word)

    def observe(self, got: Outputs) -> None:
        """Count what has happened, and go on to the next request and arrival."""
        for message in got.links.values():
            self.seen[Kind(message.kind).name] += 1
        if got.freed is not None:
            self.seen["freed"] += 1
        if got.release:
            self.seen[f"release {Kind(got.release.kind).name}"] += 1
        if got.arrive_ready and self.arrival:
            self.arrival = None
            self.seen["arrive"] += 1
        if got.answer and self.request:
            commit = self.request[:2] == (True, 0)
            name = Code(self.request.data & 3).name if commit else "access"
            if name == "KILL" and not got.answer.rdata & 1:
                name += " of no group"
            self.seen[name + (" refused" if got.answer.error else "")] += 1
            self.request = None
