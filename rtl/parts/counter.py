"""A counter that stops at its greatest value."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["SaturatingCounter"]


class SaturatingCounter(wiring.Component):
    """Adds the events of each cycle, and stays at its greatest value once there.

    Parameters
    ----------
    width : int
        Bits of the count.
    most : int
        Most events in one cycle.
    at_once : bool
        The count shows the events of the same cycle, too.

    Members
    -------
    events : In(range(most + 1))
        Events of this cycle.
    count : Out(width)
        Events of all earlier cycles (``at_once``: and of this one), at most 2^width - 1.
    """

    def __init__(self, width: int, most: int, *, at_once: bool = False) -> None:
        self._most, self._at_once = most, at_once
        super().__init__({"events": In(range(most + 1)), "count": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self._at_once:
            before = Signal.like(self.count)
            total = before + self.events
            m.d.comb += self.count.eq(Mux(total[len(before) :].any(), ~0, total))
            m.d.sync += before.eq(self.count)
            return m
        if self._most == 1:
            # Events come late in the cycle: let them but enable a sum that is there already.
            with m.If(self.events & ~self.count.all()):
                m.d.sync += self.count.eq(self.count + 1)
            return m
        total = Signal(len(self.count) + 1)
        m.d.comb += total.eq(self.count + self.events)
        m.d.sync += self.count.eq(Mux(total[-1], ~0, total))
        return m
