"""Pins of an engine for random stimuli, and what its golden model shows on them."""

import random
from collections.abc import Mapping
from typing import NamedTuple

from syncfabric.models.golden.engine.engine import Outputs
from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.golden.link import GENERATORS
from syncfabric.models.layout.engine import EngineLayout
from tests.models.golden.engine_stimuli import Build, EngineStimuli, Inputs

MOST_QUIET = 2500
"""Most cycles of a spell without messages."""


class Word(NamedTuple):
    """What is expected on a pin, and which of its bits have a meaning."""

    value: int
    meaning: int = -1


def build(
    links: int,
    groups: int,
    stages: int,
    operations: str = "none",
    bits: int = 0,
    *,
    own: bool = True,
    watchdog: int = 0,
    counters: bool = True,
    read_back: bool = True,
    shared: bool = False,
    key_bits: int = 0,
) -> Build:
    """Return a set of parameters in one line."""
    layout = EngineLayout(links, own, groups, bits, operations, key_bits=key_bits)
    return Build(layout, stages, watchdog, counters, read_back, shared)


def word_of(layout: EngineLayout, message: Message, *, on_link: bool = False) -> int:
    """Return a message's bits; on a link its tag is its key and check bits of the rest (E2)."""
    fields, key_bits = message._asdict(), layout.key_bits
    if not key_bits:
        del fields["tag"]
    elif on_link:
        rest = at = 0
        for field in layout.message.fields:
            if field.name != "tag":
                rest, at = rest | fields[field.name] << at, at + field.width
        rest <<= key_bits
        for place in range(at - 1, -1, -1):
            if rest >> place + key_bits & 1:
                rest ^= (1 << key_bits | GENERATORS[key_bits]) << place
        fields["tag"] ^= rest
    return layout.message.pack(fields)


def differences(expected: Mapping[str, Word], seen: Mapping[str, int]) -> list[str]:
    """Return the pins that show something else."""
    return [
        f"{name} = {seen[name]:#x}, expected {word.value:#x}, meaning {word.meaning:#x}"
        for name, word in expected.items()
        if (seen[name] ^ word.value) & word.meaning
    ]


class Lockstep:
    """The golden engine in a bench, cycle by cycle.

    Parameters
    ----------
    build : Build
    rng : random.Random
    """

    def __init__(self, build: Build, rng: random.Random) -> None:
        self.build, self.layout, self.rng = build, build.layout, rng
        self.reset()

    def reset(self) -> None:
        """Begin anew; no message comes before the sweep has ended."""
        rng = self.rng
        right = rng.choice((0.7, 0.95, 1.0))
        self.stimuli = EngineStimuli(self.build, rng, 0.0, right)
        self.busy, self.asks = rng.choice((0.1, 0.2, 0.4)), self.stimuli.asks
        self.cycle, self.until = 0, 3 * self.layout.entries

    def step(self) -> tuple[dict[str, int], dict[str, Word]]:
        """Go through a cycle; return what is driven, and what is expected."""
        stimuli = self.stimuli
        if self.cycle == self.until:
            self.change()
        inputs = stimuli.inputs()
        outputs = stimuli.engine.step(*inputs[:3], hold=inputs.hold)
        driven = self.pins(inputs)
        stimuli.observe(outputs)
        self.cycle += 1
        return driven, self.shown(outputs)

    def change(self) -> None:
        """Go on with more messages or fewer, or with so few that the watchdog expires."""
        period = min(2 * self.layout.entries * self.build.watchdog, MOST_QUIET)
        if period and self.rng.random() < 0.15:
            self.stimuli.busy, self.stimuli.asks = 0.0, 0.01
            self.until += period
        else:
            self.stimuli.busy = self.rng.choice((self.busy, self.busy, 0.02, 1.0))
            self.stimuli.asks = self.asks
            self.until += self.rng.choice((60, 150))

    def pins(self, inputs: Inputs) -> dict[str, int]:
        """Return the input pins; what is not valid is random."""
        layout = self.layout
        pins = {}
        ports: dict[str, Message | None] = {
            f"in_{p}": inputs.links.get(p) for p in range(layout.links)
        }
        if layout.own:
            ports["arrive"] = inputs.arrive
        for name, message in ports.items():
            pins[f"{name}__valid"] = int(message is not None)
            garbage = self.rng.getrandbits(layout.message.width)
            pins[f"{name}__message"] = self.word(name, message) if message else garbage
        request = inputs.request
        words = request or (self.rng.getrandbits(1), self.rng.getrandbits(5), 0)
        pins["config__valid"] = int(request is not None)
        for name, value in zip(("write", "address", "data"), words, strict=True):
            pins[f"config__{name}"] = int(value)
        if self.build.shared:
            pins["hold"] = int(inputs.hold)
        return pins

    def word(self, name: str, message: Message) -> int:
        """Return the bits of a message at a port."""
        return word_of(self.layout, message, on_link=name not in ("arrive", "release"))

    def shown(self, outputs: Outputs) -> dict[str, Word]:
        """Return the output pins, and what of them has a meaning."""
        layout, answer, pins = self.layout, outputs.answer, {}
        ports = {f"out_{p}": outputs.links.get(p) for p in range(layout.links)}
        if layout.own:
            ports["release"] = outputs.release
            pins["arrive_ready"] = Word(outputs.arrive_ready)
        for name, message in ports.items():
            pins[f"{name}__valid"] = Word(message is not None)
            if message:
                pins[f"{name}__message"] = Word(self.word(name, message))
        pins["config__ready"] = Word(answer is not None)
        pins["config__error"] = Word(answer is not None and answer.error)
        pins["config__rdata"] = Word(answer.rdata, answer.meaning) if answer else Word(0)
        pins["freed_valid"] = Word(outputs.freed is not None)
        if outputs.freed is not None:
            pins["freed_entry"] = Word(outputs.freed.entry)
            pins["freed_epoch"] = Word(outputs.freed.epoch)
        return pins
