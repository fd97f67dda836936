# amaranth: UnusedElaboratable=no
"""Guards of a link beside their golden models, cycle by cycle: what is driven, and expected."""

import dataclasses
import random
from collections import Counter

from amaranth.lib import wiring

from syncfabric.models.golden.guards import ReceiverGuard, Seen, SenderGuard
from syncfabric.rtl.guard.ends import ReceiverGuard as ReceiverPart
from syncfabric.rtl.guard.ends import SenderGuard as SenderPart
from syncfabric.rtl.guard.shape import GENERATORS, GuardShape
from tests.rtl.engine.lockstep import Word, differences
from tests.rtl.guard.harness import CUT, FORWARD, HEAD, SHAPE, TAIL, WIDTHS, inside_link

PLACES = (2, 2, 1)
"""Of two channels of packets, and that of messages."""

Pins = dict[str, int]


def sealed(
    flit: int = 0, valid: int = 0, message: int = 0, probe: int = 0, sequence: int = 0
) -> Pins:
    """Return the forward wires with their check bits."""
    wires = {"flit": flit, "valid": valid, "sync_valid": message, "sequence": sequence}
    wires["probe"] = probe
    word, at = 0, 0
    for name, bits in wires.items():
        word, at = word | bits << at, at + WIDTHS[name]
    word <<= 8
    for place in range(word.bit_length() - 1, 7, -1):
        if word >> place & 1:
            word ^= (1 << 8 | GENERATORS[8]) << (place - 8)
    return {f"link__{name}": bits for name, bits in {**wires, "check": word}.items()}


class _GuardLockstep:
    """What both have in common.

    Parameters
    ----------
    rng : random.Random
    registers : int
        On links.
    """

    kind: type[ReceiverPart | SenderPart]

    def __init__(self, rng: random.Random, registers: int = 0) -> None:
        self.shape: GuardShape = dataclasses.replace(SHAPE, registers=registers)
        self.rng, self.seen = rng, Counter[str]()
        self.reset()

    @property
    def part(self) -> ReceiverPart | SenderPart:
        """The component."""
        inside = inside_link()
        return self.kind(
            self.shape, inside, wiring.Signature({**inside.members, **self.shape.members})
        )

    def reset(self) -> None:
        """Begin anew, on a link with all registers, some or none."""
        most = self.shape.registers
        self.fenced, self.registers = 0, self.rng.choice((0, self.rng.randint(0, most), most))
        self.lossy = self.rng.choice((0.0, 0.03, 0.2))

    def fence(self) -> int:
        """Return whether the link is fenced in this cycle."""
        if self.fenced:
            self.fenced -= 1
        elif self.rng.random() < 0.002:
            self.fenced = self.rng.randint(1, 12)
        self.seen["fenced"] += self.fenced > 0
        return int(self.fenced > 0)

    def differences(self, expected: dict[str, Word], seen: Pins) -> list[str]:
        """Return the output pins that show something else."""
        return differences(expected, {name: seen[name] for name in expected})


class ReceiverLockstep(_GuardLockstep):
    """Packets and messages that come, right and wrong, and a router that frees places."""

    kind = ReceiverPart

    def reset(self) -> None:
        super().reset()
        self.model = ReceiverGuard(PLACES, 2, own=False, registers=self.registers)
        self.frees = self.rng.choice((0.1, 0.5))

    def wires(self) -> Pins:
        """Return the forward wires: mostly right, and in their place."""
        rng, model = self.rng, self.model
        kind, c = rng.random(), rng.randrange(2)
        flit, valid, message, probe = rng.getrandbits(7), 0, 0, 0
        number = model.due[c] if rng.random() < 0.97 else rng.getrandbits(2)
        if kind < 0.4 and (rng.random() < 0.1 or model.inside[c] < 2):
            valid = 1 << c
            if rng.random() < 0.95:
                flit = flit & ~HEAD | (0 if model.open & valid else HEAD)
        elif kind < 0.5 and (rng.random() < 0.1 or not model.inside[2]):
            message = 1
        elif kind > 0.75:
            flit, probe = 0, rng.choice((1, 2, 4, rng.getrandbits(3)))
        else:
            flit = 0
        if rng.random() < self.lossy / 10:
            valid, message = rng.getrandbits(2), rng.getrandbits(1)
        wires, mask = sealed(flit, valid, message, probe, number if valid else 0), 0
        if rng.random() < self.lossy:
            mask = sum(1 << bit for bit in rng.sample(range(FORWARD), rng.randint(1, 3)))
        for name, width in WIDTHS.items():
            wires[f"link__{name}"] ^= mask & (1 << width) - 1
            mask >>= width
        return wires

    def step(self) -> tuple[Pins, dict[str, Word]]:
        """Go through a cycle; return what is driven, and what is expected."""
        rng, model, fence, wires = self.rng, self.model, self.fence(), self.wires()
        flit, valid, message, number, probe, check = (wires[f"link__{name}"] for name in WIDTHS)
        right = sealed(flit, valid, message, probe, number)["link__check"] == check
        late = right and valid in (1, 2) and model.open & valid and number != model.due[valid >> 1]
        held = sum((inside > 0) << c for c, inside in enumerate(model.inside))
        freed = sum((rng.random() < self.frees) << c for c in range(3))
        freed &= 7 if rng.random() < 0.02 else held
        back, empty = (0, 0) if fence else (model.credit(freed), model.empty)
        marks = bool(flit & HEAD), bool(flit & TAIL)
        seen = Seen(valid, message, *marks, probe, right, right, sequence=number)
        given = model.shut(freed) if fence else model.advance(seen, freed)
        driven = {**wires, "fence": fence, "delay": self.registers}
        driven |= {"inside__credit": freed & 3, "inside__sync_credit": freed >> 2}
        goes = [c for c in (given.flit, given.cut) if c >= 0]
        expected = {
            "inside__valid": Word(sum(1 << c for c in goes)),
            "inside__sync_valid": Word(given.sync >= 0),
            "link__credit": Word(back & 3),
            "link__sync_credit": Word(back >> 2),
            "link__empty": Word(empty),
            "corrupt": Word(given.events),
        }
        if goes or given.sync >= 0:
            expected["inside__flit"] = Word(TAIL | CUT if given.cut >= 0 else flit)
        self.seen["cut"] += given.cut >= 0
        self.seen["late"] += bool(late and not fence and not flit & HEAD)
        self.seen["flit"] += given.flit >= 0
        self.seen["message"] += given.sync >= 0
        self.seen["event"] += given.events > 0
        self.seen["empty"] += empty > 0
        return driven, expected


class SenderLockstep(_GuardLockstep):
    """A router that keeps to its credits, and a receiver that loses some, and answers probes."""

    kind = SenderPart

    def reset(self) -> None:
        super().reset()
        self.model = SenderGuard(PLACES, self.registers)
        self.have, self.busy, self.until = list(PLACES), 0.0, 0
        self.cycle = 0

    def step(self) -> tuple[Pins, dict[str, Word]]:
        """Go through a cycle; return what is driven, and what is expected."""
        rng, model, fence = self.rng, self.model, self.fence()
        if self.cycle == self.until:
            self.busy = rng.choice((0.0, 0.0, 0.02, 0.5, 0.9))
            self.until += rng.choice((20, 80, 300)) if self.busy else 300
        self.cycle += 1
        sends = [c for c in range(3) if self.have[c] and rng.random() < self.busy]
        sent = 1 << rng.choice(sends) if sends else 0
        pays = self.busy and 0.3
        credit = sum((out > 0 and rng.random() < pays) << c for c, out in enumerate(model.out))
        credit |= rng.getrandbits(3) if rng.random() < self.lossy / 10 else 0
        credit &= ~rng.getrandbits(3) if rng.random() < self.lossy else 7
        empty = model._asked & rng.getrandbits(3)
        empty |= rng.getrandbits(3) if rng.random() < 0.02 else 0
        probe, flit = model.probe, rng.getrandbits(7) if sent else 0
        number = model.number[sent >> 1] if sent & 3 else 0
        given, lost = (model.shut(sent), 0) if fence else model.advance(sent, credit, empty)
        for c in range(3):
            self.have[c] += (given >> c & 1) - (sent >> c & 1)
        driven = {
            "inside__flit": flit,
            "inside__valid": sent & 3,
            "inside__sync_valid": sent >> 2,
            "link__credit": credit & 3,
            "link__sync_credit": credit >> 2,
            "link__empty": empty,
            "fence": fence,
            "delay": self.registers,
        }
        link = sealed() if fence else sealed(flit, sent & 3, sent >> 2, probe, number)
        expected = {name: Word(word) for name, word in link.items()}
        expected["inside__credit"] = Word(given & 3)
        expected["inside__sync_credit"] = Word(given >> 2)
        expected["lost"] = Word(int(lost))
        self.seen["probe"] += probe > 0
        self.seen["lost"] += bool(lost)
        self.seen["returns"] += given & ~credit > 0
        return driven, expected
