"""A router beside its golden model, cycle by cycle: what is driven, and expected."""

import itertools
import random
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from syncfabric.models.golden.router import Flit
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.router.routing import DimensionRouting, Routing, SourceRouting, TableRouting
from tests.models.golden.router_stimuli import RouterBuild, RouterInputs, RouterStimuli
from tests.rtl.engine.lockstep import Word


@dataclass(frozen=True)
class RouterCase:
    """A router's parameters, and the width of the messages that share its links but the last.

    With channels of streams they are words.
    """

    build: RouterBuild
    message_bits: int = 0
    cut: bool = False
    streams: int = 0

    @property
    def sharer(self) -> str:
        return "stream" if self.streams else "message"

    @property
    def part(self) -> Router:
        build = self.build
        outputs = tuple(tuple(sorted(build.pairs[i])) for i in range(build.ports))
        routing: Routing = SourceRouting(outputs)
        if build.kind in ("dimension", "adaptive"):
            ordinary = build.ordinary or build.channels
            adaptive = range(build.escapes, ordinary if build.escapes else 0)
            routing = DimensionRouting(build.grid, build.ports, build.own, adaptive)
        elif build.kind == "table":
            routing = TableRouting(outputs, len(build.routes))
        return Router(
            routing,
            channels=build.channels,
            buffer_flits=build.buffer_flits,
            flit_bits=build.flit_bits,
            output_register=build.output_register,
            messages=tuple(range(build.ports - 1)) if self.message_bits else (),
            message_bits=self.message_bits,
            classes=self.streams,
            sharer=self.sharer,
            cut=self.cut,
            dated=(build.ordinary or build.channels) if build.datelines else 0,
        )


class RouterLockstep:
    """A golden router, and random flits, credits and messages for it."""

    def __init__(self, case: RouterCase, rng: random.Random) -> None:
        self.case, self.rng = case, rng
        self.build = replace(case.build, messages=case.message_bits > 0)
        # Each bench has other ones, so that a few have all.
        self.shares = itertools.cycle(((0.9, 0.5, 0.1), (0.1, 0.0, 0.5), (0.5, 0.05, 0.0)))
        self.seen = Counter[str]()
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self.stimuli = RouterStimuli(self.build, self.rng)
        self.stimuli.seen = self.seen
        self.stimuli.busy, self.stimuli.wrong, holds = next(self.shares)
        self.stimuli.holds = holds if self.build.messages else 0.0
        self.leaving: deque[dict[int, int]] = deque([{}] * self.build.output_register)

    def inputs(self) -> RouterInputs:
        """Draw the inputs of a cycle."""
        rng, inputs = self.rng, self.stimuli.inputs()
        messages = {o: rng.getrandbits(self.case.message_bits) for o in inputs.messages}
        flits = {
            i: replace(flit, cut=self.case.cut and rng.random() < 0.5)
            for i, flit in inputs.flits.items()
        }
        return inputs._replace(messages=messages, flits=flits)

    def word(self, flit: Flit) -> int:
        """Return the bits of a flit on a link."""
        flags = flit.head | flit.tail << 1 | flit.cut << 2
        return flit.payload | flags << self.build.flit_bits

    def step(self) -> tuple[dict[str, int], dict[str, Word]]:
        build, inputs = self.build, self.inputs()
        shown = self.stimuli.router.freed
        outputs = self.stimuli.step(inputs)
        driven, expected = {}, {"overflows": Word(outputs.dropped)}
        ones = [1 << c for c in range(self.case.streams)]
        classes = {o: self.rng.choice(ones) if ones else 1 for o in inputs.messages}
        self.leaving.append(classes)
        shown_classes = self.leaving.popleft()
        if self.case.streams:
            expected["late"] = Word(self.stimuli.router.late)
            self.seen["late"] += self.stimuli.router.late
        width = build.flit_bits + 2 + self.case.cut
        for port in range(build.ports):
            flit, sent = inputs.flits.get(port), outputs.links.get(port)
            driven[f"in_{port}__valid"] = 1 << flit.channel if flit else 0
            driven[f"in_{port}__flit"] = self.word(flit) if flit else 0
            credits = [(port, c) for c in range(build.channels)]
            driven[f"out_{port}__credit"] = _mask(at in inputs.credits for at in credits)
            expected[f"in_{port}__credit"] = Word(_mask(at in shown for at in credits))
            valid, word = 0, 0
            if isinstance(sent, Flit):
                valid, word = 1 << sent.channel, self.word(sent)
            elif sent is not None:
                word = sent
            expected[f"out_{port}__valid"] = Word(valid)
            expected[f"out_{port}__flit"] = Word(word & (1 << width) - 1)
            if self.case.message_bits and port < build.ports - 1:
                name, message = f"{port}__{self.case.sharer}", inputs.messages.get(port)
                driven[f"message_{port}_valid"] = classes.get(port, 0)
                driven[f"message_{port}"] = message or 0
                expected[f"out_{name}_valid"] = Word(shown_classes.get(port, 0))
                if self.case.message_bits > width:
                    expected[f"out_{name}_rest"] = Word(0 if valid else word >> width)
                if self.case.streams:
                    credit = self.rng.getrandbits(self.case.streams)
                    driven[f"message_{port}_credit"] = credit
                    expected[f"in_{name}_credit"] = Word(credit)
        if build.kind in ("dimension", "adaptive"):
            driven |= dict(zip(build.grid.names, build.place, strict=True))
        if build.kind == "table":
            bits = max(1, (build.ports - 1).bit_length())
            driven["number"] = build.number
            driven["routes"] = sum(port << bits * r for r, port in enumerate(build.routes))
        if build.datelines:
            driven["dateline"] = _mask(port in build.datelines for port in range(build.ports))
        return driven, expected


def _mask(bits: Iterable[bool]) -> int:
    return sum(bit << i for i, bit in enumerate(bits))
