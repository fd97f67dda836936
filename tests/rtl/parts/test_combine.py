"""Combining against plain arithmetic: all operations, two to five words at a time."""

import random
from functools import reduce
from itertools import product

import pytest
from amaranth import Const, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.registers import Op
from syncfabric.rtl.parts.gates import combine_two, gather
from tests.rtl.support import SEED, evaluate

BITWISE = (Op.OR, Op.AND, Op.XOR)


def combined(op: int, a: int, b: int, bits: int) -> int:
    """Return two words combined by an operation, modulo 2^bits."""
    return {
        Op.OR: a | b,
        Op.AND: a & b,
        Op.XOR: a ^ b,
        Op.MAX: max(a, b),
        Op.MIN: min(a, b),
        Op.SUM: (a + b) % (1 << bits),
    }[Op(op)]


class Combiner(wiring.Component):
    """All that the module makes, for words of ``bits`` bits."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        members = {f"word_{i}": In(bits) for i in range(4)}
        super().__init__(
            {
                "op": In(3),
                "held": In(bits),
                "enable": In(4),
                **members,
                "two": Out(bits),
                "many": Out(bits),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        words: list[tuple[Value, Value]] = [
            (self.enable[i], getattr(self, f"word_{i}")) for i in range(4)
        ]
        words.append((Const(1, 1), self.held))
        m.d.comb += [
            self.two.eq(combine_two(self.op, self.held, self.word_0)),
            self.many.eq(gather(self.op == Op.AND, self.op == Op.XOR, words)),
        ]
        return m


@pytest.mark.parametrize("bits", [1, 3, 32])
def test_words_combine_as_arithmetic_says(bits: int) -> None:
    rng = random.Random(SEED)
    cases = [
        {
            "op": op,
            "enable": enable,
            "held": rng.getrandbits(bits),
            **{f"word_{i}": rng.getrandbits(bits) for i in range(4)},
        }
        for op, enable in product(Op, range(16))
        for _ in range(4)
    ]
    for case, seen in zip(cases, evaluate(Combiner(bits), cases), strict=True):
        op, held = Op(case["op"]), case["held"]
        assert seen["two"] == combined(op, held, case["word_0"], bits), case
        if op in BITWISE:
            words = [case[f"word_{i}"] for i in range(4) if case["enable"] >> i & 1]
            assert seen["many"] == reduce(lambda a, b: combined(op, a, b, bits), words, held), case


def test_every_pair_of_small_words() -> None:
    cases = [
        {"op": op, "held": a, "word_0": b, "enable": 1}
        for op, a, b in product(Op, range(8), range(8))
    ]
    for case, seen in zip(cases, evaluate(Combiner(3), cases), strict=True):
        assert seen["two"] == combined(case["op"], case["held"], case["word_0"], 3), case
