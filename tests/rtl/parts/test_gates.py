"""Sums of any number of bits and numbers."""

import random

import pytest
from amaranth import Module, Signal, Value, unsigned
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.gates import total
from tests.rtl.support import SEED, evaluate


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 31, 63, 64, 65, 128, 1000])
@pytest.mark.parametrize("bits", [1, 3])
def test_a_sum_is_as_wide_as_its_numbers_take(count: int, bits: int) -> None:
    summed = total([Signal(bits) for _ in range(count)])
    assert summed.shape() == unsigned(bits + (count - 1).bit_length())


class Sums(wiring.Component):
    """The sum of ``count`` numbers of ``bits`` bits."""

    def __init__(self, count: int, bits: int) -> None:
        self._bits = bits
        super().__init__({"numbers": In(count * bits), "sum": Out(16)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, numbers = self._bits, self.numbers
        words: list[Value] = [numbers[i : i + bits] for i in range(0, len(numbers), bits)]
        m.d.comb += self.sum.eq(total(words))
        return m


@pytest.mark.parametrize(("count", "bits"), [(3, 1), (64, 1), (128, 1), (70, 3)])
def test_what_is_summed(count: int, bits: int) -> None:
    rng = random.Random(SEED)
    full = (1 << count * bits) - 1
    numbers = [0, full, *(rng.getrandbits(count * bits) for _ in range(20))]
    seen = evaluate(Sums(count, bits), [{"numbers": n} for n in numbers])
    for number, each in zip(numbers, seen, strict=True):
        words = [number >> i & (1 << bits) - 1 for i in range(0, count * bits, bits)]
        assert each["sum"] == sum(words)
