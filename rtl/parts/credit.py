"""The sender's side of credit-based flow control."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class CreditCounter(wiring.Component):
    """Counts the places that the receiver of a link has free, as far as the sender knows.

    A credit that comes in one cycle can be spent from the next.

    Parameters
    ----------
    places : int, >= 1
        Places of the receiver, all free after reset.
    exposed : bool
        The number of them is, too.

    Members
    -------
    credit : In(1)
        A place was freed.
    spend : In(1)
        A flit is sent; only while ``available``.
    available : Out(1)
        At least one place is free.
    left : Out(range(places + 1))
        Only with ``exposed``: how many are.
    """

    def __init__(self, places: int, *, exposed: bool = False) -> None:
        if places < 1:
            raise ValueError(f"CreditCounter needs at least 1 place, not {places!r}")
        self._places = places
        left = {"left": Out(range(places + 1))} if exposed else {}
        super().__init__({"credit": In(1), "spend": In(1), "available": Out(1), **left})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        if self._places == 1:
            # A credit only comes while there is none.
            none = Signal()
            m.d.comb += self.available.eq(~none)
            if hasattr(self, "left"):
                m.d.comb += self.left.eq(~none)
            m.d.sync += none.eq(~self.credit & (none | self.spend))
            return m
        # One less than there are: the sign is all that the sender looks at.
        count = Signal(range(-1, self._places), init=self._places - 1)
        m.d.comb += self.available.eq(count >= 0)
        if hasattr(self, "left"):
            m.d.comb += self.left.eq(count + 1)
        with m.If(self.credit ^ self.spend):
            m.d.sync += count.eq(count + Mux(self.credit, 1, -1))
        return m
