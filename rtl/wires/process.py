"""A slot's side to its process: whether it has arrived, how it was released, its patience."""

from typing import Any

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["ProcessSide"]


class ProcessSide(wiring.Component):
    """Takes the process's arrives, and releases it when they are over, for better or worse.

    A process that has arrived is released whenever it counts as arrived no more. So there is no
    event to be told apart, but for the one good one.

    Cycles as in docs/microarchitecture-wires.md, W3.

    Parameters
    ----------
    watchdog : bool
        There is one.

    Members
    -------
    member, fault, clear, renew : In(1)
        The process is among the children; the slot has a fault; is to be clear; to be valid again.
    down, ends : In(1)
        The pulse, and the same a cycle before.
    arrive : In(1), released, ready, done, broken, refused : Out(1)
        The node port.
    arrived : Out(1)
        It has arrived; looked at only while the slot has neither pulse nor fault.
    la : Out(1)
        It has arrived, in every cycle.
    accepts : Out(1)
        An arrive is accepted in this cycle.
    tick : In(1), trips : Out(1)
        Only with a watchdog: its time is over once more; the process has waited too long.
    """

    def __init__(self, *, watchdog: bool) -> None:
        self._watchdog = watchdog
        inputs = ["member", "fault", "clear", "renew", "down", "ends", "arrive"]
        outputs = ["released", "ready", "done", "broken", "refused", "arrived", "la", "accepts"]
        if watchdog:
            inputs.append("tick")
            outputs.append("trips")
        members: dict[str, Any] = {name: In(1) for name in inputs}
        super().__init__(members | {name: Out(1) for name in outputs})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # Pulse and fault end an arrival a cycle before its flip-flop knows.
        arrived, before, used, whole = self.arrived, Signal(), Signal(), Signal()
        comes = Signal()
        m.d.comb += [
            self.ready.eq(self.member & ~self.fault),
            self.la.eq(arrived & ~self.down & ~self.fault),
            comes.eq(((arrived & ~self.down) | self.arrive) & self.ready),
            self.accepts.eq(self.arrive & self.ready & ~(arrived & ~self.down)),
            self.refused.eq(self.arrive & ~self.accepts),
            self.released.eq(before & ~self.la),
            self.done.eq(used & ~self.la),
            self.broken.eq(self.done & ~whole),
        ]
        m.d.sync += [arrived.eq(comes), before.eq(comes), used.eq(used | comes)]
        with m.If(comes):
            m.d.sync += whole.eq(self.ends)
        with m.If(self.clear):
            m.d.sync += arrived.eq(0)
        with m.If(self.renew):
            m.d.sync += used.eq(0)
        if self._watchdog:
            old = Signal()
            m.d.sync += old.eq(self.la & (old | self.tick))
            m.d.comb += self.trips.eq(self.tick & old & self.la)
        return m
