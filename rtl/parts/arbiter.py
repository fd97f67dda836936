"""Arbiters: least recently sent (a matrix of flip-flops) and round robin (a pointer)."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["LeastRecentArbiter", "RoundRobinArbiter"]


class LeastRecentArbiter(wiring.Component):
    """Grants the requester that was sent least recently. Grant is combinational.

    Parameters
    ----------
    count : int, >= 1
        Requesters. Initially the lowest number stands first.

    Members
    -------
    request : In(count)
        Who asks in this cycle.
    grant : Out(count)
        One-hot, or 0 when nobody asks.
    sent : In(count)
        Who moves to the end of the order after this cycle; usually ``grant``.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"LeastRecentArbiter needs at least 1 requester, not {count!r}")
        self._count = count
        super().__init__({"request": In(count), "grant": Out(count), "sent": In(count)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        pairs = [(i, j) for i in range(self._count) for j in range(i + 1, self._count)]
        first = {(i, j): Signal(name=f"first_{i}_{j}", init=1) for i, j in pairs}
        for i, j in pairs:
            with m.If(self.sent[i]):
                m.d.sync += first[i, j].eq(0)
            with m.Elif(self.sent[j]):
                m.d.sync += first[i, j].eq(1)
        for i in range(self._count):
            ahead = [
                self.request[j] & (first[j, i] if j < i else ~first[i, j])
                for j in range(self._count)
                if j != i
            ]
            m.d.comb += self.grant[i].eq(self.request[i] & ~Cat(ahead).any())
        return m


class RoundRobinArbiter(wiring.Component):
    """Grants the first requester at or after a pointer. Grant is combinational.

    Parameters
    ----------
    count : int, >= 1
        Requesters, in circular order; the pointer starts at 0.

    Members
    -------
    request : In(count)
        Who asks in this cycle.
    grant : Out(count)
        One-hot, or 0 when nobody asks.
    advance : In(1)
        Put the pointer just after the requester granted in this cycle.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"RoundRobinArbiter needs at least 1 requester, not {count!r}")
        self._count = count
        super().__init__({"request": In(count), "grant": Out(count), "advance": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # The pointer as a mask: bit i is set for every requester at or after it.
        after = Signal(self._count, init=-1)
        later = Signal(self._count)
        m.d.comb += later.eq(self.request & after)
        chosen = Signal(self._count)
        m.d.comb += chosen.eq(Mux(later.any(), later, self.request))
        m.d.comb += self.grant.eq(chosen & -chosen)
        with m.If(self.advance & self.request.any()):
            # All bits above the granted one; none above the last wraps around to all.
            above = Signal(self._count)
            m.d.comb += above.eq(~(self.grant | (self.grant - 1)))
            m.d.sync += after.eq(Mux(above.any(), above, ~0))
        return m
