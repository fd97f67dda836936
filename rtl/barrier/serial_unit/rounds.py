"""Whom the serial unit serves next: everybody once a round."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Rounds"]


class Rounds(wiring.Component):
    """Grants the first of those that ask and have not been served in this round.

    A round ends in a cycle in which none of them asks. Grant is combinational.

    Parameters
    ----------
    count : int
        Who can ask, in order.

    Members
    -------
    request : In(count)
        Who asks, served or not.
    stops : In(1)
        Nobody is granted in this cycle, and the round goes on.
    ends : Out(1)
        The round ends.
    served : Out(count)
        Who has been served in this round.
    grant : Out(count)
        One-hot, or 0.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        super().__init__(
            {
                "request": In(count),
                "stops": In(1),
                "ends": Out(1),
                "served": Out(count),
                "grant": Out(count),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        asks = Signal(self._count)
        m.d.comb += [
            asks.eq(self.request & ~self.served),
            self.ends.eq(~self.stops & ~asks.any()),
        ]
        for i in range(self._count):
            m.d.comb += self.grant[i].eq(asks[i] & ~self.stops & ~asks[:i].any())
            with m.If(self.grant[i]):
                m.d.sync += self.served[i].eq(1)
        with m.If(self.ends):
            m.d.sync += self.served.eq(0)
        return m
