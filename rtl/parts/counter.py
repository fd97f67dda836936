"""A counter that stops at its greatest value."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class SaturatingCounter(wiring.Component):
    """Adds the events of each cycle, and stays at its greatest value once there.

    Parameters
    ----------
    width : int
        Bits of the count.
    most : int
        Most events in one cycle.

    Members
    -------
    events : In(range(most + 1))
        Events of this cycle.
    count : Out(width)
        Events of all earlier cycles, at most 2^width - 1: a flip-flop.
    total : Out(width)
        The same, and the events of this cycle.
    """

    def __init__(self, width: int, most: int) -> None:
        self._most = most
        super().__init__({"events": In(range(most + 1)), "count": Out(width), "total": Out(width)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        width = len(self.count)
        summed = Signal(max(width, len(self.events)) + 1)
        m.d.comb += [
            summed.eq(self.count + self.events),
            self.total.eq(Mux(summed[width:].any(), ~0, summed)),
        ]
        if self._most == 1:
            # Events come late in the cycle: let them but enable a sum that is there already.
            with m.If(self.events & ~self.count.all()):
                m.d.sync += self.count.eq(self.count + 1)
        else:
            m.d.sync += self.count.eq(self.total)
        return m
