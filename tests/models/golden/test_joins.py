"""Operators of streams against exact arithmetic, and by hand where the contract says a word."""

import random
from fractions import Fraction

import pytest

from syncfabric.models.golden.joins import Operators
from syncfabric.models.layout.streams import Function, Type
from tests.mixed import mixed
from tests.models.golden.stream_bench import layout_of

ALL = layout_of(bits=64, operations=("integer", "bf16", "fp32"))
BITS = {Type.INT8: 8, Type.INT16: 16, Type.INT32: 32, Type.BF16: 16, Type.FP32: 32}
FRACTION = {Type.BF16: 7, Type.FP32: 23}


def signed(word: int, bits: int) -> int:
    return word - (word >> bits - 1 << bits)


def of_integers(function: Function, a: int, b: int, bits: int) -> int:
    match function:
        case Function.ADD:
            return (a + b) % (1 << bits)
        case Function.MIN:
            return min(a, b, key=lambda word: signed(word, bits))
        case Function.MAX:
            return max(a, b, key=lambda word: signed(word, bits))
        case Function.MIN_UNSIGNED:
            return min(a, b)
        case Function.MAX_UNSIGNED:
            return max(a, b)
        case Function.AND:
            return a & b
        case Function.OR:
            return a | b
    return a ^ b


def lanes(word: int, bits: int) -> list[int]:
    return [word >> at & (1 << bits) - 1 for at in range(0, ALL.bits, bits)]


@pytest.mark.parametrize("kind", [Type.INT8, Type.INT16, Type.INT32])
@pytest.mark.parametrize("function", Function)
def test_integers(function: Function, kind: Type) -> None:
    rng, bits = random.Random(1), BITS[kind]
    combine = Operators(ALL).of(function, kind)
    for _ in range(300):
        a, b = (rng.getrandbits(64) & rng.choice((-1, 0x7F7F80FF8000FFFF)) for _ in range(2))
        pairs = zip(lanes(a, bits), lanes(b, bits), strict=True)
        assert lanes(combine(a, b), bits) == [of_integers(function, *pair, bits) for pair in pairs]


class Exact:
    """Numbers of 8 bits of exponent, as fractions."""

    def __init__(self, fraction: int) -> None:
        self.fraction, self.bits = fraction, fraction + 9
        self.sign, self.infinity = 1 << fraction + 8, 0xFF << fraction
        self.nan = self.infinity | 1 << fraction - 1

    def is_nan(self, word: int) -> bool:
        return word & ~self.sign > self.infinity

    def value(self, word: int) -> Fraction:
        exponent, rest = word >> self.fraction & 0xFF, word & (1 << self.fraction) - 1
        scale = Fraction(2) ** (exponent - 127 - self.fraction)
        magnitude = (rest | 1 << self.fraction) * scale if exponent else Fraction(0)
        return -magnitude if word & self.sign else magnitude

    def rounded(self, value: Fraction) -> int:
        """Return the nearest number, of two the even one; below the normal range 0."""
        sign, value = (self.sign if value < 0 else 0), abs(value)
        exponent = 0
        while value >= 2:
            value, exponent = value / 2, exponent + 1
        while value < 1:
            value, exponent = value * 2, exponent - 1
        if exponent < -126:  # exact, so that no number is rounded up to a normal one
            return sign
        scaled = value * (1 << self.fraction)
        whole = round(scaled)  # ties to even
        word = (exponent + 127 << self.fraction) + whole - (1 << self.fraction)
        return sign | min(word, self.infinity)

    def add(self, a: int, b: int) -> int:
        if self.is_nan(a) or self.is_nan(b):
            return self.nan
        ends = [word for word in (a, b) if word & ~self.sign == self.infinity]
        if ends:
            return ends[0] if len({*ends}) == 1 else self.nan
        total = self.value(a) + self.value(b)
        if total:
            return self.rounded(total)
        return a & b & self.sign  # -0 of two negative zeros alone

    def choose(self, a: int, b: int, *, least: bool) -> int:
        if self.is_nan(a) or self.is_nan(b):
            return self.nan
        flushed = [word if word & self.infinity else word & self.sign for word in (a, b)]

        def key(word: int) -> tuple[float | Fraction, bool]:
            ends = word & ~self.sign == self.infinity
            value = float("inf") * (-1 if word & self.sign else 1) if ends else self.value(word)
            return value, not word & self.sign

        return (min if least else max)(flushed, key=key)


@pytest.mark.parametrize("function", [Function.ADD, Function.MIN, Function.MAX])
@pytest.mark.parametrize("kind", [Type.BF16, Type.FP32])
def test_floating_point(kind: Type, function: Function) -> None:
    rng, exact = random.Random(2), Exact(FRACTION[kind])
    combine, bits = Operators(ALL).of(function, kind), BITS[kind]

    def drawn() -> int:
        """Return a number near others, at an end of the range, or any."""
        exponent = rng.choice((0, 0, 1, 2, 126, 127, 128, 254, 254, 255, rng.getrandbits(8)))
        ones = (1 << exact.fraction) - 1
        rest = rng.choice((0, 1, ones, ones >> 1, rng.getrandbits(exact.fraction)))
        return rng.getrandbits(1) << bits - 1 | exponent << exact.fraction | rest

    seen = set()
    for _ in range(1500):
        pairs = [(drawn(), drawn()) for _ in range(64 // bits)]
        a, b = (sum(pair[k] << bits * i for i, pair in enumerate(pairs)) for k in range(2))
        if function == Function.ADD:
            wanted = [exact.add(*pair) for pair in pairs]
        else:
            wanted = [exact.choose(*pair, least=function == Function.MIN) for pair in pairs]
        assert lanes(combine(a, b), bits) == wanted, (hex(a), hex(b))
        seen |= {word & ~exact.sign for word in wanted}
    assert {0, exact.infinity, exact.nan} <= seen


@pytest.mark.parametrize(
    ("function", "a", "b", "result"),
    [
        (Function.ADD, 0x80000000, 0x80000000, 0x80000000),  # -0 + -0
        (Function.ADD, 0x3F800000, 0xBF800000, 0x00000000),  # 1 - 1
        (Function.ADD, 0x807FFFFF, 0x80000001, 0x80000000),  # both count as -0
        (Function.ADD, 0x00800000, 0x80800001, 0x80000000),  # below the normal range
        (Function.ADD, 0x7F7FFFFF, 0x73000000, 0x7F800000),  # half a step above the greatest
        (Function.ADD, 0x7F7FFFFF, 0x72FFFFFF, 0x7F7FFFFF),
        (Function.ADD, 0x3F800000, 0x33800000, 0x3F800000),  # a tie, to even
        (Function.ADD, 0x3F800001, 0x33800000, 0x3F800002),
        (Function.ADD, 0x7F800000, 0xFF800000, 0x7FC00000),
        (Function.ADD, 0xFFC12345, 0x3F800000, 0x7FC00000),
        (Function.MIN, 0x00000000, 0x80000000, 0x80000000),
        (Function.MAX, 0x80000000, 0x00000000, 0x00000000),
        (Function.MAX, 0x00000001, 0x80800000, 0x00000000),
        (Function.MIN, 0xFFFFFFFF, 0xFF800000, 0x7FC00000),
    ],
)
def test_single_precision_by_hand(function: Function, a: int, b: int, result: int) -> None:
    layout = layout_of(operations=("fp32",))
    assert Operators(layout).of(function, Type.FP32)(a, b) == result
    assert Operators(layout).of(function, Type.FP32)(b, a) == result


def test_order_of_a_tree_and_of_a_serial_join() -> None:
    """Of ports 0, 1, 2 and 5: ((0 1) (2)) (5), or each with the next."""
    calls: list[tuple[int, int]] = []

    def combine(a: int, b: int, op: int) -> int:
        assert op == Function.XOR
        calls.append((a, b))
        return 10 * a + b

    unit = mixed()
    vars(unit)["function"] = combine
    operands = {5: 6, 0: 1, 2: 3, 1: 2}
    tree = Operators(layout_of(ports=6, operations=("offload",), offload=unit))
    found = tree.joined(Function.XOR, Type.OFFLOAD, operands)
    assert (calls, found) == ([(1, 2), (12, 3), (123, 6)], 1236)
    calls.clear()
    operands[3] = 4
    assert tree.joined(Function.XOR, Type.OFFLOAD, operands) == 10 * 154 + 6
    assert calls == [(1, 2), (3, 4), (12, 34), (154, 6)]
    serial = Operators(layout_of(ports=6, operations=("offload",), join="serial", offload=unit))
    assert serial.joined(Function.XOR, Type.OFFLOAD, operands) == 12346


def test_what_is_built_and_what_passes_unchanged() -> None:
    some = Operators(layout_of(operations=("add", "bf16")))
    assert some.has(Function.ADD, Type.INT32)
    assert not some.has(Function.ADD, Type.INT16)
    assert some.has(Function.MAX, Type.BF16)
    assert not some.has(Function.XOR, Type.BF16)
    assert not some.has(Function.ADD, 6)
    assert some.joined(Function.ADD, Type.BF16, {3: 0x7F81_0001}) == 0x7F81_0001
    own = Operators(layout_of(bits=64, operations=("offload",), offload=mixed()))
    assert own.of(Function.MAX, Type.OFFLOAD)((1 << 64) - 1, 2) == 7
    assert own.joined(Function.MAX, Type.OFFLOAD, {3: 5}) == 5
