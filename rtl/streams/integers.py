"""Integers of 8, 16 and 32 bits side by side: a lane of a stream's operator."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import LANE_BITS, Function, Type

__all__ = ["IntegerLane"]

_BYTES = LANE_BITS // 8


class IntegerLane(wiring.Component):
    """Combines 32 bits of integers of 8, 16 or 32 bits.

    Rules: docs/microarchitecture-streams.md, V7.

    One adder, cut between integers, adds or compares. Sums go into one register, and what comes of
    single bits into another one, of which one is 0; a minimum or maximum takes what is in them, its
    first operand, or its second one.

    Members
    -------
    a, b : In(32)
        Operands.
    both : In(1)
        Both are there; else one is 0, and the other one passes unchanged.
    function, type : In(3)
        Any function, of type INT8, INT16 or INT32.
    mine : In(1)
        Operands are this lane's; else ``y`` will be 0.
    y : Out(32)
        The result, one cycle later, and out of logic: the last register is outside.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "a": In(LANE_BITS),
                "b": In(LANE_BITS),
                "both": In(1),
                "function": In(3),
                "type": In(3),
                "mine": In(1),
                "y": Out(LANE_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        function = self.function
        adds, compares = Signal(), Signal()
        m.d.comb += [
            adds.eq(self.both & (function == Function.ADD)),
            compares.eq(self.both & (function != Function.ADD) & (function < Function.AND)),
        ]
        total, not_below = self._add(m, adds)
        summed, plain, second = (
            Signal(LANE_BITS, name=name, reset_less=True) for name in ("summed", "plain", "second")
        )
        of_second, kind = Signal(_BYTES, reset_less=True), Signal(2, reset_less=True)
        m.d.sync += [
            summed.eq(Mux(adds & self.mine, total, 0)),
            plain.eq(Mux(adds | ~self.mine, 0, self._bits(m))),
            second.eq(self.b),
            of_second.eq(Mux(compares & self.mine, self._ahead(not_below), 0)),
            kind.eq(self.type),
        ]
        # The last byte of an integer decides for all of it.
        halves = Cat(of_second[1], of_second[1], of_second[3], of_second[3])
        whole = of_second[3].replicate(_BYTES)
        takes = Mux(kind[1], whole, Mux(kind[0], halves, of_second))
        m.d.comb += [
            self.y[8 * k : 8 * k + 8].eq(
                Mux(takes[k], second.word_select(k, 8), (summed | plain).word_select(k, 8))
            )
            for k in range(_BYTES)
        ]
        return m

    def _bits(self, m: Module) -> Value:
        """Return what is no sum; two wires say which of four functions of two bits, a LUT4."""
        a, b, function = self.a, self.b, self.function
        meets, joins = Signal(), Signal()
        one = ~self.both | (function == Function.OR)
        m.d.comb += [
            meets.eq(one | (function == Function.AND)),
            joins.eq(one | (function == Function.XOR)),
        ]
        return Mux(meets, Mux(joins, a | b, a & b), Mux(joins, a ^ b, a))

    def _ahead(self, not_below: Value) -> Value:
        """Return of which bytes, if they are an integer's last, the second operand is taken."""
        function = self.function
        lasts = range(7, LANE_BITS, 8)
        signed = (function == Function.MIN) | (function == Function.MAX)
        differ = Cat((self.a[i] ^ self.b[i]) & signed for i in lasts)
        # Of minima and maxima, the numbers of the latter are even.
        return not_below ^ differ ^ ~function[0].replicate(_BYTES)

    def _add(self, m: Module, adds: Value) -> tuple[Value, Value]:
        """Return the sum, or else the difference, and of which bytes that is not below 0.

        Above each byte the adder has a place which hands on the carry, or ends an integer: there
        the carry is seen, and the next byte begins with none, or with one for a difference.
        """
        minus = ~adds
        byte, half = self.type == Type.INT8, self.type != Type.INT32
        first: list[Value] = [minus]
        second: list[Value] = [minus]
        for k, ends in enumerate((byte, half, byte, Const(1))):
            first += [self.a.word_select(k, 8), ~ends | minus]
            second += [self.b.word_select(k, 8) ^ minus.replicate(8), ends & minus]
        total = Signal(1 + 9 * _BYTES)
        m.d.comb += total.eq(Cat(first) + Cat(second))
        places = [total[9 * k + 1 : 9 * k + 10] for k in range(_BYTES)]
        return Cat(place[:8] for place in places), Cat(place[8] for place in places)
