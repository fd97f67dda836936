"""What lanes of operators of streams make of any operands, beside what V7 says of them."""

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.streams import LANE_BITS, Function, Type
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.streams.floating import FloatLane
from syncfabric.rtl.streams.operators import IntegerLane
from tests.formal.properties import Properties

BIAS = 64
"""What is added to exponents, so that those below the normal range are numbers, too."""


class IntegerProof(wiring.Component):
    """A lane of integers, given any operands in any cycle."""

    def __init__(self) -> None:
        controls = {"both": In(1), "function": In(3), "type": In(3), "mine": In(1)}
        super().__init__({"a": In(LANE_BITS), "b": In(LANE_BITS), **controls})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.lane = lane = IntegerLane()
        for name in self.signature.members:
            m.d.comb += getattr(lane, name).eq(getattr(self, name))
        claims.assume(self.type <= Type.INT32, self.both | (self.a == 0) | (self.b == 0))
        for kind in (Type.INT8, Type.INT16, Type.INT32):
            bits = 8 << kind
            wanted = Cat(self._combined(low, bits) for low in range(0, LANE_BITS, bits))
            asked = claims.before(f"asked_{kind}", self.mine & (self.type == kind))
            before = claims.before(f"wanted_{kind}", Mux(self.both, wanted, self.a | self.b))
            claims.holds(f"integers of {bits} bits", ~asked | (lane.y == before))
        claims.holds("0 where it is not asked", claims.before("mine", self.mine) | (lane.y == 0))
        least = claims.before("least", self.both & (self.function == Function.MIN))
        claims.reached("a minimum of all ones", lane.y.all() & least)
        return m

    def _combined(self, low: int, bits: int) -> Value:
        a, b = self.a[low : low + bits], self.b[low : low + bits]
        below, under = a.as_signed() < b.as_signed(), a < b
        results = {
            Function.ADD: (a + b)[:bits],
            Function.MIN: Mux(below, a, b),
            Function.MAX: Mux(below, b, a),
            Function.MIN_UNSIGNED: Mux(under, a, b),
            Function.MAX_UNSIGNED: Mux(under, b, a),
            Function.AND: a & b,
            Function.OR: a | b,
            Function.XOR: a ^ b,
        }
        return Array(results[function] for function in Function)[self.function]


class FloatProof(wiring.Component):
    """A lane of floating point, all of it logic, beside sums that are exact and then rounded.

    Exponents have 8 bits. An exact sum has three places more than a fraction below the last one.
    What is so far away that it would not fit is less than a quarter of the last place, and counts
    as the least that there is: it rounds as that does.

    Parameters
    ----------
    fraction : int
        Bits of fractions.
    """

    def __init__(self, fraction: int) -> None:
        self._fraction, self._width = fraction, fraction + 9
        self._below = fraction + 3
        words = {"a": In(self._width), "b": In(self._width)}
        super().__init__({**words, "both": In(1), "function": In(3), "mine": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, size, a, b = Properties(m), self._fraction, self.a, self.b
        m.submodules.lane = lane = FloatLane(8, size, 1)
        for name in self.signature.members:
            m.d.comb += getattr(lane, name).eq(getattr(self, name))
        claims.assume(self.function <= Function.MAX, self.both | (a == 0) | (b == 0))
        y, mine, sign = lane.y, self.mine, 1 << self._width - 1
        both, infinity, quiet = self.both & mine, 0xFF << size, 0x1FF << size - 1
        nan = (a[:-1] > infinity) | (b[:-1] > infinity)
        full = [word[:-1] == infinity for word in (a, b)]

        flushed = [Mux(word[size:-1].any(), word, word & sign) for word in (a, b)]
        x, z = (Mux(word[-1], ~word, word | sign)[: self._width] for word in flushed)
        claims.holds("0 where it is not asked", mine | (y == 0))
        claims.holds("a single operand passes", self.both | ~mine | (y == a | b))
        claims.holds("NaN of NaN", ~(both & nan) | (y == quiet))
        for function, wanted in (
            (Function.MIN, Mux(x < z, *flushed)),
            (Function.MAX, Mux(x < z, *reversed(flushed))),
        ):
            asked = both & ~nan & (self.function == function)
            claims.holds(f"{function.name} but of NaN", ~asked | (y == wanted))

        differ = a[-1] ^ b[-1]
        infinite = Mux(full[0] & full[1] & differ, quiet, Mux(full[0], a, b))
        adds = both & ~nan & (self.function == Function.ADD)
        claims.holds("infinite sums", ~(adds & (full[0] | full[1])) | (y == infinite))
        large, small = Signal(self._width), Signal(self._width)
        m.d.comb += Cat(large, small).eq(Mux(a[:-1] < b[:-1], Cat(b, a), Cat(a, b)))
        distance = large[size:-1] - small[size:-1]
        finite = adds & ~full[0] & ~full[1]
        same = y == self._sum(m, large, small, distance)
        claims.holds("sums of numbers of one sign", ~(finite & ~differ) | same)
        near = (distance == 0) | (distance == 1)
        claims.holds("differences that may be small", ~(finite & differ & near) | same)
        claims.holds("other differences", ~(finite & differ & ~near) | same)
        claims.reached("a sum below the normal range", finite & (y == sign) & a[size:-1].any())
        return m

    def _sum(self, m: Module, large: Value, small: Value, distance: Value) -> Value:
        """Return the sum of finite numbers: its size by each place that may be its highest."""
        size, below = self._fraction, self._below
        one, other = (Cat(Const(0, below), word[:size], 1) for word in (large, small))
        moved = Array([*(other >> by for by in range(below + 1)), Const(1)])
        farthest = Mux(distance > below, below + 1, distance)
        other = Mux(small[size:-1].any(), moved[farthest[: (below + 1).bit_length()]], 0)
        total = Signal(below + size + 2)
        m.d.comb += total.eq(Mux(large[-1] ^ small[-1], one - other, one + other))
        sizes = []
        for place in range(len(total)):
            word = Cat(Const(0, size + 1), total)[: place + size + 2]
            kept, rest = word[place + 1 :], word[: place + 1]
            up = (rest > 1 << place) | ((rest == 1 << place) & kept[0])
            rounded = Signal(size + 2, name=f"rounded_{place}")
            exponent = Signal(10, name=f"exponent_{place}")
            m.d.comb += [
                rounded.eq(kept + up),
                exponent.eq(large[size:-1] + rounded[-1] + (place - below - size + BIAS)),
            ]
            found = Cat(Mux(rounded[-1], 0, rounded[:size]), (exponent - BIAS)[:8])
            found = Mux(exponent >= 255 + BIAS, 0xFF << size, Mux(exponent <= BIAS, 0, found))
            sizes.append(Mux(total[place] & ~total[place + 1 :].any(), found, 0))
        nothing = ~large[size:-1].any()
        sign = Mux(nothing, large[-1] & small[-1], total.any() & large[-1])
        return Cat(Mux(nothing, 0, either(sizes))[: size + 8], sign)
