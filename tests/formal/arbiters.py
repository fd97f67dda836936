"""Arbiters: one at a time, never idle, and each request is granted in the end."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.rtl.parts.arbiter import LeastRecentArbiter, RoundRobinArbiter
from tests.formal.properties import Properties


class ArbiterProof(wiring.Component):
    """An arbiter under any requests; each cycle the grant is used, or it is not.

    Parameters
    ----------
    kind : type
        LeastRecentArbiter or RoundRobinArbiter.
    count : int
        Requesters.
    """

    def __init__(
        self, kind: type[LeastRecentArbiter] | type[RoundRobinArbiter], count: int
    ) -> None:
        self._kind, self._count = kind, count
        super().__init__({"request": In(count), "used": In(1), "which": In(range(count))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, count = Properties(m), self._count
        m.submodules.arbiter = arbiter = self._kind(count)
        request, grant = self.request, arbiter.grant
        m.d.comb += arbiter.request.eq(request)
        if isinstance(arbiter, LeastRecentArbiter):
            m.d.comb += arbiter.sent.eq(Mux(self.used, grant, 0))
        else:
            m.d.comb += arbiter.advance.eq(self.used)
        who = claims.constant("who", self.which)
        claims.assume(who < count)
        claim_turn(m, claims, request, grant, self.used, who)
        return m


def claim_turn(
    m: Module, claims: Properties, request: Signal, grant: Signal, used: object, who: object
) -> None:
    """Claim what is claimed of every arbiter; `used`: the grant of this cycle counts."""
    count = len(request)
    asks, gets = request.bit_select(who, 1), grant.bit_select(who, 1)
    waited = Signal(range(count + 1))
    with m.If(~asks | (gets & used)):
        m.d.sync += waited.eq(0)
    with m.Elif(used & (waited != count)):
        m.d.sync += waited.eq(waited + 1)
    others = count - 1
    claims.holds("one at most is granted", (grant & (grant - 1)) == 0)
    claims.holds("only who asks is granted", (grant & ~request) == 0)
    claims.holds("somebody is granted whenever somebody asks", grant.any() == request.any())
    claims.holds(f"who keeps asking waits for {others} others at most", waited <= others)
    claims.reached(f"who keeps asking waits for {others} others", waited == others)
