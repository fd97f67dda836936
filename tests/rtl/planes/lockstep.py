"""Parts of a node beside their golden models, cycle by cycle: what is driven, and expected."""

import random
from collections import Counter, deque
from typing import Any, Protocol

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from syncfabric.models.golden.engine.memory import Answer, Message
from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.layout.words import ADDRESS_BITS
from tests.models.golden.chain_stimuli import ConfigNodeStimuli
from tests.models.golden.node_port_stimuli import NodePortStimuli
from tests.rtl.engine.lockstep import Word, word_of
from tests.rtl.support import Panel, ports

Pins = dict[str, int]
Words = dict[str, Word]


class Lockstep(Protocol):
    """A golden model in a bench."""

    seen: Counter[str]
    """What has happened."""

    def reset(self) -> None:
        """Begin anew."""

    def step(self) -> tuple[Pins, Words]:
        """Go through a cycle; return what is driven, and what is expected."""


def packed(numbers: Any, width: int = 1) -> int:
    """Return words of so many bits, by number, as one."""
    return sum(word << width * number for number, word in dict(numbers).items())


def mask(numbers: Any) -> int:
    """Return a bit for each of the numbers."""
    return sum(1 << number for number in numbers)


def together(part: wiring.Component, lockstep: Any, seed: int, cycles: int) -> Counter[str]:
    """Compare all outputs in every cycle; return what has happened."""
    panel = Panel(part)
    there = {name for name, (flow, width) in ports(part).items() if flow == "in" and width}

    async def bench(context: Any) -> None:
        for cycle in range(cycles):
            pins, expected = lockstep.step()
            panel.drive(context, {name: word for name, word in pins.items() if name in there})
            wrong = lockstep.differences(expected, panel.read(context))
            assert not wrong, f"seed {seed}, cycle {cycle}: {wrong}; {lockstep.shape!r}"
            await context.tick()

    panel.play(bench)
    seen: Counter[str] = lockstep.seen
    return seen


class PortLockstep:
    """A node port between a process and an engine."""

    def __init__(self, layout: EngineLayout, registers: int, rng: random.Random) -> None:
        self.layout, self.registers, self.rng = layout, registers, rng
        self.seen = Counter[str]()
        self.reset()

    def reset(self) -> None:
        layout = self.layout
        self.stimuli = NodePortStimuli(
            self.registers, layout.data_bits, self.rng, entries=layout.entries
        )
        self.stimuli.seen = self.seen

    def word(self, message: Message | None) -> int:
        """Return a message's bits, or others if there is none."""
        if message is None:
            return self.rng.getrandbits(self.layout.message.width)
        return word_of(self.layout, message)

    def step(self) -> tuple[Pins, Words]:
        stimuli, bits = self.stimuli, self.layout.data_bits
        inputs, refused = stimuli.inputs(), stimuli.port.refused
        outputs, offer = stimuli.step(inputs)
        arrive = inputs.arrive
        driven = {
            "arrive": mask(arrive),
            "last": mask(r for r, one in arrive.items() if one.last),
            "data": packed({r: one.data for r, one in arrive.items()}, bits),
            "granted": int(inputs.ready),
            "answer__valid": int(inputs.message is not None),
            "answer__message": self.word(inputs.message),
        }
        known = {r: (1 << bits) - 1 for r, word in enumerate(outputs.result) if word is not None}
        result = {r: outputs.result[r] or 0 for r in known}
        expected = {
            "released": Word(mask(outputs.released)),
            "ready": Word(mask(outputs.ready)),
            "done": Word(mask(outputs.done)),
            "broken": Word(mask(outputs.broken)),
            "result": Word(packed(result, bits), packed(known, bits)),
            "send__valid": Word(offer is not None),
            "send__message": Word(word_of(self.layout, offer)) if offer else Word(0, 0),
            "refused_arrives": Word(refused),
        }
        return driven, expected


class ChainLockstep:
    """A config node with some targets."""

    def __init__(self, number: int, targets: tuple[int, ...], rng: random.Random) -> None:
        self.number, self.targets, self.rng = number, targets, rng
        self.seen = Counter[str]()
        self.reset()

    def reset(self) -> None:
        there = set(self.targets)
        self.stimuli = ConfigNodeStimuli(self.number, self.number + 3, there, self.rng)

    def answer(self, name: str, answer: Answer | None) -> Pins:
        """Return the pins of an answer."""
        said = answer or Answer(False)
        valid = "ready" if name.startswith("target") else "answer_valid"
        rest = "" if name.startswith("target") else "answer_"
        return {
            f"{name}__{valid}": int(answer is not None),
            f"{name}__{rest}error": int(said.error),
            f"{name}__{rest}rdata": said.rdata,
        }

    def word(self, request: Any) -> int:
        """Return a request's bits on the chain, or others if there is none."""
        rng = self.rng
        if request is None:
            return rng.getrandbits(57)
        address = request.write | request.address << 1
        return int(request.node | address << 16 | request.data << 17 + ADDRESS_BITS + 3)

    def step(self) -> tuple[Pins, Words]:
        stimuli, node = self.stimuli, self.stimuli.node
        at, passing, answer = stimuli.at_target(), node.passing, node.answer
        inputs = stimuli.inputs()
        node.step(*inputs)
        driven = {
            "index": self.number,
            "host__request_valid": int(inputs.request is not None),
            "host__request": self.word(inputs.request),
            **self.answer("next", inputs.further),
        }
        expected = {name: Word(value) for name, value in self.answer("host", answer).items()}
        expected["next__request_valid"] = Word(passing is not None)
        expected["next__request"] = Word(self.word(passing), -1 if passing else 0)
        for target in self.targets:
            name = f"target_{target}"
            request = at[1] if at and at[0] == target else None
            driven |= self.answer(name, inputs.target if request else None)
            expected[f"{name}__valid"] = Word(request is not None)
            if request:
                for wire in ("write", "address", "data"):
                    expected[f"{name}__{wire}"] = Word(int(getattr(request, wire)))
        self.seen["passed"] += passing is not None
        self.seen["error"] += answer is not None and answer.error
        self.seen["asked"] += at is not None
        return driven, expected


class RegistersLockstep:
    """Registers on a link: what is driven, as many cycles ago."""

    def __init__(self, signature: wiring.Signature, registers: int, rng: random.Random) -> None:
        self.signature, self.registers, self.rng = signature, registers, rng
        self.seen = Counter[str]()
        self.reset()

    def reset(self) -> None:
        """What was on the wires before has not been seen."""
        self.kept: deque[Pins | None] = deque([None] * self.registers)

    def step(self) -> tuple[Pins, Words]:
        driven, there = {}, {}
        for path, member, wire in self.signature.flatten(self.signature.create()):
            width = len(getattr(wire, "as_value", lambda w=wire: w)())
            name = "__".join(map(str, path))
            ends = ("near", "far") if member.flow == Out else ("far", "near")
            word = self.rng.getrandbits(width)
            driven[f"{ends[0]}__{name}"] = there[f"{ends[1]}__{name}"] = word
        self.kept.append(there)
        before = self.kept.popleft()
        self.seen["delayed"] += before is not None
        return driven, {name: Word(word) for name, word in before.items()} if before else {}
