"""Operators of streams: two words become one, some cycles later."""

from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import LANE_BITS, LATENCY, Function, Type, built
from syncfabric.rtl.parts.delay import delayed
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.streams.floating import FloatLane

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


_FLOATS = {"bf16": (8, 7), "fp32": (8, 23)}
"""Bits of exponents and fractions."""
_DEEPEST = 4
"""Cycles of the float lane that has the most."""


class Operator(wiring.Component):
    """Combines two words, a new pair in each cycle, and never stalls.

    Rules: docs/microarchitecture-streams.md, V7.

    Parameters
    ----------
    bits : int
        W: bits of a word, in lanes of 32.
    operations : sequence of str
        Operators that are built, as of ``StreamLayout``.
    latency : int
        λ; shorter operators are delayed.
    offload_latency : int, 1 to 8
        Cycles of a designer's own unit.

    Members
    -------
    a, b : In(bits)
        Operands; one that is absent is 0.
    both : In(1)
        Both are there. Else the one passes unchanged, whatever it is. With ``add`` alone it is not
        looked at: nothing is added to what passes.
    function, type : In(3)
        What they are combined by, and what they hold: something that is built.
    clear : In(1)
        ``y`` is 0 in the next cycle, whatever it would be.
    y : Out(bits)
        The result, ``latency`` cycles later, from flip-flops.
    offload_a, offload_b : Out(bits), offload_function : Out(3), offload_valid : Out(1)
        Only with ``offload``: in the same cycle, what the designer's unit is to combine, if valid.
    offload_y : In(bits)
        Its result, ``offload_latency`` cycles later.
    """

    def __init__(
        self, bits: int, operations: Sequence[str], latency: int, offload_latency: int = 1
    ) -> None:
        own = {**LATENCY, "offload": LATENCY["offload"] + offload_latency}
        least = max(own[name] for name in operations)
        if latency < least:
            what = ", ".join(operations)
            raise ValueError(f"Operator of {what} takes {least} cycles, not {latency!r}")
        # Integers' adder does for `add`.
        self._names = [name for name in own if name in operations]
        if "integer" in operations and "add" in operations:
            self._names.remove("add")
        self._latency, self._offload = latency, offload_latency
        members: dict[str, Any] = {
            "a": In(bits),
            "b": In(bits),
            "both": In(1),
            "function": In(3),
            "type": In(3),
            "clear": In(1),
            "y": Out(bits),
        }
        if "offload" in operations:
            members |= {
                "offload_a": Out(bits),
                "offload_b": Out(bits),
                "offload_function": Out(3),
                "offload_valid": Out(1),
                "offload_y": In(bits),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        results = list[tuple[Value, int]]()
        for i, name in enumerate(self._names):
            # The first one of them passes on what is alone.
            mine = Mux(self.both, self._asked(name), i == 0) if len(self._names) > 1 else Const(1)
            if name == "add":
                results.append((Mux(mine, Cat(_sums(self.a, self.b)), 0), 1))
            elif name == "offload":
                results += self._show(m, alone=i == 0)
            else:
                results.append(self._lanes(m, name, mine))
        words = [delayed(m, word, self._latency - latency, "late")[-1] for word, latency in results]
        m.d.sync += self.y.eq(Mux(self.clear, 0, either(words)))
        return m

    def _asked(self, name: str) -> Value:
        """Return whether the type is of an operator."""
        return Cat(self.type == kind for kind in sorted({kind for _, kind in built([name])})).any()

    def _lanes(self, m: Module, name: str, mine: Value) -> tuple[Value, int]:
        """Place lanes side by side; return what comes of them, before the last of their cycles."""
        latency = LATENCY[name] if name == "integer" else min(self._latency, _DEEPEST)
        words = list[Value]()
        while (low := len(Cat(words))) < len(self.y):
            lane: Any = IntegerLane() if name == "integer" else FloatLane(*_FLOATS[name], latency)
            m.submodules[f"{name}_{low}"] = lane
            word = slice(low, low + len(lane.y))
            if name == "integer":
                m.d.comb += lane.type.eq(self.type)
            m.d.comb += [
                lane.a.eq(self.a[word]),
                lane.b.eq(self.b[word]),
                lane.both.eq(self.both),
                lane.function.eq(self.function),
                lane.mine.eq(mine),
            ]
            words.append(lane.y)
        return Cat(words), latency

    def _show(self, m: Module, *, alone: bool) -> list[tuple[Value, int]]:
        """Show a designer's unit what it is to combine, and take its result."""
        valid = self.both & (self.type == Type.OFFLOAD)
        m.d.comb += [
            self.offload_a.eq(self.a),
            self.offload_b.eq(self.b),
            self.offload_function.eq(self.function),
            self.offload_valid.eq(valid),
        ]
        asked = delayed(m, valid, self._offload, "asked")[-1]
        results = [(Mux(asked, self.offload_y, 0), 1 + self._offload)]
        return [*results, (Mux(self.both, 0, self.a | self.b), 1)] if alone else results


def _sums(a: Value, b: Value) -> list[Value]:
    """Return the sums of two words' lanes."""
    lanes = [slice(low, low + LANE_BITS) for low in range(0, len(a), LANE_BITS)]
    return [(a[lane] + b[lane])[:LANE_BITS] for lane in lanes]
