"""Whose turn it is to send."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["SenderTurn"]

_LAST_STAY = 0b1000
"""Where the shift register that counts a turn's 15 cycles is in the last; it begins with 0."""


class SenderTurn(wiring.Component):
    """Goes round those that have something to send; who waits for a credit keeps its turn.

    It keeps it for 15 cycles. Cycles as in docs/microarchitecture.md, section 4.4.

    Parameters
    ----------
    sources : int, >= 1
        Those that take turns.
    ahead : bool
        ``willing`` is that of the next cycle, so that ``grant`` is in flip-flops.

    Members
    -------
    willing : In(sources)
        Who has something to send, in the next cycle (supposing that nothing is sent in this one)
        or in this one.
    grant : Out(sources)
        Whose turn it is, one-hot; maybe somebody's that has nothing to send.
    asks, sends : In(1)
        Who has the turn has something to send, and something of it is sent.
    """

    def __init__(self, sources: int, *, ahead: bool) -> None:
        self._sources, self._ahead = sources, ahead
        members = {"willing": In(sources), "grant": Out(sources), "asks": In(1), "sends": In(1)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        turn = Signal(self._sources, init=1 << self._sources - 1)
        stays, keeps = Signal(4), Signal()
        m.d.comb += keeps.eq(self.asks & ~self.sends & (stays != _LAST_STAY))
        m.d.sync += stays.eq(Mux(keeps, Cat(~(stays[2] ^ stays[3]), stays[:3]), 0))
        following = Cat(self._follows(turn, i) for i in range(self._sources))
        if self._ahead:
            m.d.comb += self.grant.eq(turn)
            with m.If(~keeps):
                m.d.sync += turn.eq(following)
        else:
            m.d.comb += self.grant.eq(Mux(stays.any(), turn, following))
            m.d.sync += turn.eq(self.grant)
        return m

    def _follows(self, turn: Value, i: int) -> Value:
        """Return whether ``i`` is the first willing one after the turn, or has it and goes on."""
        first: Value = Const(0, 1)
        others = [*range(i + 1, self._sources), *range(i)]
        for j in others:
            first = turn[j] | (first & ~self.willing[j])
        alone = turn[i] & ~Cat(self.willing[j] for j in others).any()
        return (first & self.willing[i]) | alone
