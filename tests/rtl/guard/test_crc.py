# amaranth: UnusedElaboratable=no
"""Check bits by long division, and what they find."""

import random
from itertools import combinations

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.guard.shape import GENERATORS, check_of
from tests.rtl.support import SEED, evaluate

WIDTH = 60


class Checks(wiring.Component):
    """All lengths of check bits of one word."""

    def __init__(self) -> None:
        checks = {f"check_{bits}": Out(bits) for bits in GENERATORS}
        super().__init__({"word": In(WIDTH), **checks})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for bits in GENERATORS:
            m.d.comb += getattr(self, f"check_{bits}").eq(check_of(self.word, bits))
        return m


def remainder(word: int, bits: int) -> int:
    """Divide, bit by bit from the highest."""
    word, generator = word << bits, 1 << bits | GENERATORS[bits]
    for place in range(word.bit_length() - 1, bits - 1, -1):
        if word >> place & 1:
            word ^= generator << (place - bits)
    return word


def test_a_check_is_the_remainder_of_a_division() -> None:
    rng = random.Random(SEED)
    words = [0, *(1 << bit for bit in range(WIDTH)), *(rng.getrandbits(WIDTH) for _ in range(20))]
    for word, seen in zip(words, evaluate(Checks(), [{"word": w} for w in words]), strict=True):
        assert seen == {f"check_{bits}": remainder(word, bits) for bits in GENERATORS}


@pytest.mark.parametrize(
    ("bits", "flips", "width"),
    [
        (1, 1, 200),
        (3, 2, 4),
        (4, 2, 11),
        (5, 2, 26),
        (6, 2, 57),
        (7, 3, 56),
        (8, 3, 119),
        (16, 3, 300),
    ],
)
def test_flips_within_the_distance_are_found(bits: int, flips: int, width: int) -> None:
    signs = [*(remainder(1 << bit, bits) for bit in range(width)), *(1 << b for b in range(bits))]
    for count in range(1, min(flips, 2) + 1):
        for some in combinations(signs, count):
            assert sum(some) != 0 if count == 1 else some[0] != some[1]
    if flips == 3:  # three cancel out only if one is what two others make together
        pairs = {a ^ b for a, b in combinations(signs, 2)}
        assert pairs.isdisjoint(signs)
