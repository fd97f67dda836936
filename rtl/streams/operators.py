"""Operators of streams: two words become one, some cycles later."""

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import LANE_BITS

__all__ = ["Operator"]


class Operator(wiring.Component):
    """Combines two words, a new pair in each cycle; what is not there is 0.

    Rules: docs/microarchitecture-streams.md, V7.

    Parameters
    ----------
    bits : int
        Of a word.
    operations : tuple of str
        What is built: ``add`` alone.
    latency : int, >= 1
        Cycles.

    Members
    -------
    a, b : In(bits), both : In(1)
        The words, and whether both are there.
    function, type : In(3)
    y : Out(bits)
    """

    def __init__(self, bits: int, operations: tuple[str, ...], latency: int) -> None:
        if operations != ("add",):
            raise ValueError(f"Operator builds add alone, not {operations!r}")
        self._latency = latency
        words = {"a": In(bits), "b": In(bits), "y": Out(bits)}
        super().__init__({**words, "both": In(1), "function": In(3), "type": In(3)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        lanes = range(len(self.a) // LANE_BITS)
        a, b = ([word.word_select(i, LANE_BITS) for i in lanes] for word in (self.a, self.b))
        word: Value = Cat((a[i] + b[i])[:LANE_BITS] for i in lanes)
        for i in range(self._latency):
            kept = Signal(len(self.y), name=f"sum_{i}", reset_less=True)
            m.d.sync += kept.eq(word)
            word = kept
        m.d.comb += self.y.eq(word)
        return m
