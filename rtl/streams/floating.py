"""Sums, minima and maxima of floating-point numbers: a lane of a stream's operator."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import Function

_KEPT: dict[int, tuple[str, ...]] = {
    1: (),
    3: ("ordered", "summed"),
    4: ("ordered", "aligned", "shifted"),
}
"""By latency: what is in flip-flops, beside what ``y`` goes into."""

_FINE = 2
"""Levels of the shift to the left that come after those by which most is shifted."""


class FloatLane(wiring.Component):
    """Adds two numbers, or takes one of them, in a pipeline that never stalls.

    Rules: docs/microarchitecture-streams.md, V7 (4, 5).

    The operand of the larger magnitude, or the one that a minimum or maximum takes, is the *first*,
    and keeps its place; the other one is shifted to the right and added or taken away, with two
    guard bits and a sticky bit. A result that is no sum is a first operand to which 0 is added: so
    minima, maxima, infinities, NaN and single operands go the way of sums, and cost little.

    Parameters
    ----------
    exponent_bits, fraction_bits : int
        8 and 7: bf16; 8 and 23: fp32.
    latency : {1, 3, 4}
        Cycles from the operands until ``y`` is in a register.

    Members
    -------
    a, b : In(1 + exponent_bits + fraction_bits)
        Operands: fraction, exponent, sign, from bit 0.
    both : In(1)
        Both are there; else one is 0, and the other one passes unchanged.
    function : In(3)
        ADD, MIN or MAX.
    mine : In(1)
        Operands are this lane's; else ``y`` will be 0.
    y : Out(1 + exponent_bits + fraction_bits)
        The result, ``latency`` − 1 cycles later, and out of logic: the last register is outside.
    """

    def __init__(self, exponent_bits: int, fraction_bits: int, latency: int) -> None:
        if latency not in _KEPT:
            raise ValueError(f"FloatLane has a latency of 1, 3 or 4 cycles, not {latency!r}")
        self._exponent, self._fraction, self._kept = exponent_bits, fraction_bits, _KEPT[latency]
        width = 1 + exponent_bits + fraction_bits
        super().__init__(
            {
                "a": In(width),
                "b": In(width),
                "both": In(1),
                "function": In(3),
                "mine": In(1),
                "y": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ordered = self._order(m)
        aligned = self._align(m, ordered)
        summed = self._sum(m, aligned)
        shifted = self._shift(m, summed)
        self._round(m, shifted)
        return m

    def _place(self, m: Module, name: str, **values: Any) -> Any:
        """Return values under their names, a cycle later where the pipeline is cut."""
        words = {key: Value.cast(value) for key, value in values.items()}
        layout = data.StructLayout({key: len(word) for key, word in words.items()})
        place: Any = Signal(layout, name=name, reset_less=True)
        domain = m.d.sync if name in self._kept else m.d.comb
        for key, word in words.items():
            domain += place[key].eq(word)
        return place

    def _order(self, m: Module) -> Any:
        """Compare magnitudes, exchange operands, and find what is no sum.

        One subtraction compares and gives the distance of exponents, less what its fractions
        borrow: that is seen in a place between fraction and exponent.
        """
        size, width = self._fraction, self._exponent
        (a, a_exponent, a_sign), (b, b_exponent, b_sign) = (
            (word[:size], word[size:-1], word[-1]) for word in (self.a, self.b)
        )
        gap, zero = Signal(size + width + 2), Const(0, 1)
        m.d.comb += gap.eq(Cat(a, zero, a_exponent) - Cat(b, zero, b_exponent))
        borrows, exponents, less = gap[size], gap[size + 1 : -1], gap[-1]
        adds, takes = Signal(), Signal()
        high = self.function == Function.MAX
        m.d.comb += [
            adds.eq(self.both & (self.function == Function.ADD)),
            # The larger magnitude is the minimum if it is negative, the maximum if it is not.
            takes.eq(Mux(self.both & ~adds, Mux(less, b_sign ^ high, ~(a_sign ^ high)), less)),
        ]
        no_a, no_b = ~a_exponent.any(), ~b_exponent.any()
        full_a, full_b = a_exponent.all(), b_exponent.all()
        differ = a_sign ^ b_sign
        nan = Signal()
        m.d.comb += nan.eq(
            self.both
            & self.mine
            & ((full_a & a.any()) | (full_b & b.any()) | (adds & full_a & full_b & differ))
        )
        sign = Mux(takes, b_sign, a_sign)
        sign = Mux(adds & no_a & no_b, a_sign & b_sign, Mux(self.both, sign, a_sign | b_sign))
        first = Mux(self.mine, Mux(takes, Cat(b, b_exponent), Cat(a, a_exponent)), 0)
        # A subnormal first operand stays: its exponent of 0 makes it 0 in the end.
        lone = ~adds | ~self.mine | no_a | no_b | full_a | full_b
        return self._place(
            m,
            "ordered",
            sign=sign & self.mine & ~nan,
            exponent=Mux(nan, -1, first[size:])[:width],
            fraction=Mux(nan, 1 << (size - 1), first[:size]),
            other=Mux(lone, 0, Cat(Mux(takes, a, b), 1)),
            distance=((exponents ^ less.replicate(width)) + (less ^ borrows))[:width],
            subtracts=differ,
            unchanged=~self.both,
        )

    def _align(self, m: Module, ordered: Any) -> Any:
        """Shift the other operand to the right; one bit says whether any was lost.

        What is so far away that nothing is left cannot change how the first operand is rounded.
        """
        size = self._fraction + 3
        levels = (size - 1).bit_length()
        word, distance = Cat(Const(0, 2), ordered.other), ordered.distance
        far = distance[levels:].any()
        lost = []
        for level in reversed(range(levels)):
            by = 1 << level
            lost.append(distance[level] & word[:by].any())
            moved = Signal(size, name=f"right_{by}")
            m.d.comb += moved.eq(Mux(distance[level], word >> by, word))
            word = Mux(far, 0, moved) if level == levels - 1 else moved
        return self._place(
            m,
            "aligned",
            sign=ordered.sign,
            exponent=ordered.exponent,
            fraction=ordered.fraction,
            other=word ^ ordered.subtracts.replicate(size),
            subtracts=ordered.subtracts,
            sticky=Cat(lost).any(),
            unchanged=ordered.unchanged,
        )

    def _sum(self, m: Module, aligned: Any) -> Any:
        """Add the other operand, or take it away."""
        carry = aligned.subtracts & ~aligned.sticky
        first = Cat(carry, Const(0, 2), aligned.fraction, 1)
        total = first + Cat(carry, aligned.other, aligned.subtracts)
        return self._place(
            m,
            "summed",
            sign=aligned.sign,
            exponent=aligned.exponent,
            total=total[1 : self._fraction + 5],
            sticky=aligned.sticky,
            unchanged=aligned.unchanged,
        )

    def _shift(self, m: Module, summed: Any) -> Any:
        """Count leading zeros by powers of two, from the sum itself, and shift to the left."""
        total = summed.total
        word, size = total, len(total)
        counted: list[Value] = []

        def clear(top: int, by: int, levels: list[Value]) -> Value:
            """Return whether ``by`` bits from ``top`` down are 0 after the shifts of ``levels``."""
            if levels:
                most = by << len(levels)
                moved = clear(top - most, by, levels[1:])
                return Mux(levels[0], moved, clear(top, by, levels[1:]))
            return ~total[max(top - by, 0) : max(top, 0)].any()

        for level in reversed(range(_FINE, (size - 1).bit_length())):
            by = 1 << level
            counts, word = _left(m, word, by, clear(size, by, counted))
            counted.append(counts)
        return self._place(
            m,
            "shifted",
            sign=summed.sign,
            exponent=summed.exponent,
            total=word,
            count=Cat(reversed(counted)),
            # The greatest exponent, and a carry.
            over=total[-1] & summed.exponent[1:].all(),
            sticky=summed.sticky,
            unchanged=summed.unchanged,
        )

    def _round(self, m: Module, shifted: Any) -> None:
        """Shift by what is left, round, and put the result together.

        The first operand's highest bit is below a place for the carry: its exponent, 1, and less
        the zeros that are counted, is the result's. What is rounded may carry into it.
        """
        size, width = self._fraction, self._exponent
        word, count = shifted.total, shifted.count
        for level in reversed(range(_FINE)):
            by = 1 << level
            counts, word = _left(m, word, by, ~word[-by:].any())
            count = Cat(counts, count)
        last, half, nothing = word[3], word[2], ~word[-1]
        up = half & (last | word[1] | word[0] | shifted.sticky)
        minus = Cat(~count, Const(-1, width - len(count)))
        rounded = Cat(up, word[3:-1], shifted.exponent + 2) + Cat(up, Const(0, size), minus)
        low, large = shifted.exponent[: len(count)], shifted.exponent[len(count) :].any()
        none = nothing | ((low < count) & ~large & ~shifted.unchanged)
        fraction, exponent = rounded[1 : size + 1], rounded[size + 1 : size + 1 + width]
        m.d.comb += self.y.eq(
            Cat(
                Mux(none | shifted.over, 0, fraction),
                Mux(none, 0, exponent),
                shifted.sign & ~nothing,
            )
        )


def _left(m: Module, word: Value, by: int, clear: Value) -> tuple[Value, Value]:
    """Shift a word to the left if it is clear at its upper end; return whether, and the word."""
    counts, moved = Signal(name=f"counts_{by}"), Signal(len(word), name=f"left_{by}")
    m.d.comb += [counts.eq(clear), moved.eq(Mux(counts, word << by, word))]
    return counts, moved
