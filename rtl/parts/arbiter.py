"""Arbiters: least recently sent and round robin, both with a flip-flop for each pair."""

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


def _grant_first(m: Module, request: Signal, grant: Signal) -> dict[tuple[int, int], Signal]:
    """Grant the requester that stands first; return who does, for each pair i < j: 1 if i does.

    A grant waits for the requests alone, as the order is in flip-flops.
    """
    count = len(request)
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    first = {(i, j): Signal(name=f"first_{i}_{j}", init=1) for i, j in pairs}
    for i in range(count):
        ahead = [
            request[j] & (first[j, i] if j < i else ~first[i, j]) for j in range(count) if j != i
        ]
        m.d.comb += grant[i].eq(request[i] & ~Cat(ahead).any())
    return first


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
        first = _grant_first(m, self.request, self.grant)
        for i, j in first:
            m.d.sync += first[i, j].eq(~self.sent[i] & (self.sent[j] | first[i, j]))
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
        first = _grant_first(m, self.request, self.grant)
        with m.If(self.advance & self.request.any()):
            for i, j in first:
                # The pointer comes to stand beyond i and up to j if one of i to j - 1 is granted.
                m.d.sync += first[i, j].eq(~self.grant[i:j].any())
        return m
