"""Operators of streams: two words become one, some cycles later."""

from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Const, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import LANE_BITS, LATENCY, Type, built
from syncfabric.rtl.parts.delay import delayed
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.streams.floating import FloatLane
from syncfabric.rtl.streams.integers import IntegerLane

__all__ = ["Operator"]

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
