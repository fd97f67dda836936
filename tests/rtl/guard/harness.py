"""Two guards with a router at either end, played, and faults between them."""

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from amaranth import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.guard.ends import ReceiverGuard, SenderGuard
from syncfabric.rtl.guard.shape import GuardShape
from tests.rtl.support import simulate

PAYLOAD = 4
HEAD, TAIL, CUT = (1 << bit for bit in range(PAYLOAD, PAYLOAD + 3))
SHAPE = GuardShape(check_bits=8, ordinary=2, places=2, classes=1, credited=True, own=False)
WIDTHS = {"flit": PAYLOAD + 3, "valid": 2, "sync_valid": 1, "sequence": 2, "probe": 3, "check": 8}
FORWARD = sum(WIDTHS.values())
"""Forward wires of the link."""

Word = dict[str, int]
Fault = Callable[[Word], Word]


def inside_link() -> wiring.Signature:
    """Return the link as a router has it."""
    flit = data.StructLayout({"payload": PAYLOAD, "head": 1, "tail": 1, "cut": 1})
    return wiring.Signature(
        {
            "valid": Out(2),
            "flit": Out(flit),
            "credit": In(2),
            "sync_valid": Out(1),
            "sync_credit": In(1),
        }
    )


class _Pair(wiring.Component):
    """A guard at each end, the link left open."""

    def __init__(self) -> None:
        inside = inside_link()
        outside = wiring.Signature({**inside.members, **SHAPE.members})
        self.sender = SenderGuard(SHAPE, inside, outside)
        self.receiver = ReceiverGuard(SHAPE, inside, outside)
        super().__init__({})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.sender, m.submodules.receiver = self.sender, self.receiver
        return m


@dataclass
class Harness:
    """Packets and messages to send, faults by cycle, and what came of them.

    Parameters
    ----------
    packets : tuple of two lists of lists of int
        By channel, the payloads of each packet's flits.
    messages : int
        How many; numbered from 1.
    forward : mapping of int to callable
        By cycle, what becomes of the forward wires.
    credits : mapping of int to int
        By cycle, a mask of channels whose credit is lost.
    stall : float
        How often the receiver's router takes nothing.
    fence : range
        Cycles in which both ends are fenced.
    blocked : range
        Cycles in which the receiver's router takes nothing at all.
    """

    packets: tuple[list[list[int]], list[list[int]]]
    messages: int = 0
    forward: Mapping[int, Fault] = field(default_factory=dict)
    credits: Mapping[int, int] = field(default_factory=dict)
    stall: float = 0.3
    fence: range = range(0)
    blocked: range = range(0)
    seed: int = 1

    def __post_init__(self) -> None:
        self.have = [2, 2, 1]
        self.flits: tuple[list[int], list[int]] = ([], [])
        self.received: list[int] = []
        self.corrupt = self.lost = 0
        self.quiet = False
        self._queues = [
            deque(
                payload | HEAD * (i == 0) | TAIL * (i == len(packet) - 1)
                for packet in packets
                for i, payload in enumerate(packet)
            )
            for packets in self.packets
        ]
        self._queues.append(deque(range(1, self.messages + 1)))
        self._held: list[list[int]] = [[], [], []]
        self._freed = 0
        self._rng = random.Random(self.seed)

    def run(self, cycles: int) -> "Harness":
        """Play so many cycles."""
        pair = _Pair()

        async def drive(context: Any) -> None:
            for cycle in range(cycles):
                self._cycle(context, pair, cycle)
                await context.tick()

        simulate(pair, drive)
        return self

    def _cycle(self, context: Any, pair: _Pair, now: int) -> None:
        sender, receiver = pair.sender, pair.receiver
        context.set(sender.fence, now in self.fence)
        context.set(receiver.fence, now in self.fence)
        sends = [c for c in range(3) if self._queues[c] and self.have[c]]
        chosen = self._rng.choice(sends) if sends and self._rng.random() < 0.7 else None
        word = self._queues[chosen].popleft() if chosen is not None else 0
        context.set(sender.inside.valid, 1 << chosen if chosen in (0, 1) else 0)
        context.set(sender.inside.sync_valid, int(chosen == 2))
        context.set(sender.inside.flit.as_value(), word)

        def value(link: Any, name: str) -> Any:
            wire = getattr(link, name)
            return wire.as_value() if name == "flit" else wire

        wires = {name: context.get(value(sender.link, name)) for name in WIDTHS}
        wires = self.forward.get(now, dict)(wires)
        for name, bits in wires.items():
            context.set(value(receiver.link, name), bits)
        context.set(receiver.inside.credit, self._freed & 3)
        context.set(receiver.inside.sync_credit, self._freed >> 2)
        back = context.get(receiver.link.credit) | context.get(receiver.link.sync_credit) << 2
        back &= ~self.credits.get(now, 0)
        context.set(sender.link.credit, back & 3)
        context.set(sender.link.sync_credit, back >> 2)
        context.set(sender.link.empty, context.get(receiver.link.empty))
        came = context.get(receiver.inside.valid) | context.get(receiver.inside.sync_valid) << 2
        flit = context.get(receiver.inside.flit.as_value())
        given = context.get(sender.inside.credit) | context.get(sender.inside.sync_credit) << 2
        self.corrupt += context.get(receiver.corrupt).bit_count()
        self.lost += context.get(sender.lost)
        self._pass(came, flit, now in self.blocked)
        for c in range(3):
            self.have[c] += (given >> c & 1) - (chosen == c)
            assert 0 <= self.have[c] <= (2, 2, 1)[c]

    def _pass(self, came: int, flit: int, blocked: bool) -> None:
        """Let the receiver's router take and free."""
        self._freed = 0
        for c in range(3):
            if self._held[c] and not blocked and self._rng.random() >= self.stall:
                self._held[c].pop()
                self._freed |= 1 << c
        assert came.bit_count() <= 1
        for c in range(3):
            if came >> c & 1:
                # A place that is being freed can not be filled yet.
                assert len(self._held[c]) + (self._freed >> c & 1) < (2, 2, 1)[c], "overflow"
                self._held[c].append(flit)
                (self.received if c == 2 else self.flits[c]).append(flit)
