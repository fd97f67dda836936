"""Visits of entries, so that what waits for too long is broken; and no visits."""

from typing import Any

from amaranth import Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["NoVisits", "Visits"]


def _members() -> dict[str, Any]:
    return {"due": Out(1), "taken": In(1)}


class Visits(wiring.Component):
    """Makes a visit due once in so many cycles. Rules: docs/microarchitecture-engine.md, E8.

    Parameters
    ----------
    period : int, >= 4

    Members
    -------
    due : Out(1)
        A visit is to be made.
    taken : In(1)
        It is.
    """

    def __init__(self, period: int) -> None:
        if period < 4:
            raise ValueError(f"Visits need a period of at least 4 cycles, not {period!r}")
        self._period = period
        super().__init__(_members())

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = Signal(range(self._period))
        ends = Signal()
        m.d.comb += ends.eq(count == self._period - 1)
        m.d.sync += [
            count.eq(count + 1),
            self.due.eq(ends | (self.due & ~self.taken)),
        ]
        with m.If(ends):
            m.d.sync += count.eq(0)
        return m


class NoVisits(wiring.Component):
    """No watchdog: nothing is ever due. Members as of :class:`Visits`."""

    def __init__(self) -> None:
        super().__init__(_members())

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.due.eq(Const(0, 1))
        return m
