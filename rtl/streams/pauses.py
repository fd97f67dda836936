"""Cycles in which words of streams let packets go first, on links that both share."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import StreamLayout

_BETWEEN = 3


class Pauses(wiring.Component):
    """Says when no word may be taken for a link, after a flit has been kept back.

    Rules: docs/microarchitecture-streams.md, V13 (4 to 6).

    Parameters
    ----------
    wide : int, >= 1
        Cycles that a pause lasts.
    lag : int, >= 0
        Cycles after ``joins`` that ``forks`` pause.

    Members
    -------
    late : In(1)
        A word is on a link in this cycle in place of a flit.
    joins, forks : Out(1)
        No credit of a port V counts in this cycle; none of other ports.
    """

    def __init__(self, wide: int = 1, lag: int = 0) -> None:
        self._wide, self._lag = wide, lag
        super().__init__({"late": In(1), "joins": Out(1), "forks": Out(1)})

    @classmethod
    def of_router(cls, layout: StreamLayout) -> "Pauses":
        """Return those of a router."""
        return cls(wide=2) if layout.join == "serial" else cls(lag=layout.latency - 1)

    def of(self, target: Value) -> Value:
        """Return the outputs of a channel, whose V is one of them, of which no credit counts."""
        return Mux(self.joins, target, 0) | Mux(self.forks, ~target, 0)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        late, past = Signal(), Signal(max(_BETWEEN, self._lag))
        begins = late & ~past[:_BETWEEN].any()
        times = Cat(begins, past)
        m.d.sync += [late.eq(self.late), past.eq(times)]
        m.d.comb += [
            self.joins.eq(times[: self._wide].any()),
            self.forks.eq(times[self._lag : self._lag + self._wide].any()),
        ]
        return m
