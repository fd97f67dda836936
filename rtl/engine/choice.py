"""Which source is served: one-hot in flip-flops, chosen a cycle ahead."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Choice"]


class Choice(wiring.Component):
    """Grants the sources in turn; what arrives alone is granted without arbitration.

    Rules: docs/microarchitecture-engine.md, E5.

    Parameters
    ----------
    sources : int
        The last one is the local source, which is granted after reset.
    interval : int, 1 to 3
        Cycles of a service.

    Members
    -------
    waits, comes : In(sources)
        Sources that will have a head in the next cycle; sources whose head arrives in this one.
    hold : In(1)
        No service begins in this cycle, and nothing is chosen.
    grant : Out(sources)
        Sources tried in this cycle, or of the service in flight.
    begins : Out(1)
        Exactly one is, so that its service begins.
    executes : Out(1)
        The last cycle of a service.
    """

    def __init__(self, sources: int, interval: int) -> None:
        self._interval = interval
        super().__init__(
            {
                "waits": In(sources),
                "comes": In(sources),
                "hold": In(1),
                "grant": Out(sources, init=1 << sources - 1),
                "begins": Out(1),
                "executes": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beyond, waited = Signal.like(self.grant, init=0), Signal()
        among, before = Signal.like(self.grant), Signal.like(self.grant)
        some, several = _some_and_several(list(self.grant))
        # What is granted in turn stays in its flip-flops: sources beyond it are the next.
        later = self.waits & beyond
        m.d.comb += [
            beyond.eq(Mux(waited, _below(self.grant), 0)),
            among.eq(Mux(later.any(), later, self.waits)),
            before.eq(_below(among)),
        ]
        # In flight from the second cycle to the last, where the next choice is made.
        flight = Signal(self._interval - 1)
        m.d.sync += flight.eq(Cat(self.begins, flight)[: self._interval - 1])
        m.d.comb += [
            self.begins.eq(some & ~several & ~self.hold & ~flight.any()),
            self.executes.eq(Cat(self.begins, flight)[-1]),
        ]
        # What arrives is known late: it has but one LUT to pass.
        chosen = (among & ~before) | Mux(self.waits.any(), 0, self.comes)
        idle = ~Cat(self.begins, flight).any() & ~self.hold
        with m.If(self.executes | idle):
            m.d.sync += [self.grant.eq(chosen), waited.eq(self.waits.any())]
        return m


def _below(bits: Value) -> Value:
    """Return, for each bit, whether a lower one is set."""
    return Cat(bits[:i].any() for i in range(len(bits)))


def _some_and_several(bits: list[Value]) -> tuple[Value, Value]:
    """Return whether any bit is set, and whether more than one is."""
    if len(bits) == 1:
        return bits[0], bits[0] & ~bits[0]
    half = len(bits) // 2
    some, several = _some_and_several(bits[:half])
    others, many = _some_and_several(bits[half:])
    return some | others, several | many | (some & others)
