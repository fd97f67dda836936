"""Check bits against division of polynomials, and how many flips they find."""

import random
from itertools import combinations

import pytest

from syncfabric.models.golden.link import GENERATORS, Check


def divided(word: int, bits: int) -> int:
    """Return the remainder of word(x)·x^bits by the generator, a step a power."""
    short = (0, 1, 3, 3, 3, 5, 3, 0x45, 7)
    long = (0x45, 0x8F, 0x163, 0x20F, 0x40F, 0x805, 0x100F, 0x8005)
    generator = 1 << bits | (short + long)[bits]
    rest = word << bits
    while rest.bit_length() > bits:
        rest ^= generator << rest.bit_length() - bits - 1
    return rest


@pytest.mark.parametrize("bits", range(1, 17))
def test_check_bits_are_the_remainder_of_a_division(bits: int) -> None:
    rng = random.Random(bits)
    for width in (1, 7, 8, 9, 38, 64, 147):
        check = Check(bits, width)
        assert check.of(0) == 0
        for _ in range(20):
            word = rng.getrandbits(width)
            assert check.of(word) == divided(word, bits)
        for place in range(width):
            assert check.of(1 << place) == divided(1 << place, bits)


@pytest.mark.parametrize(
    ("bits", "flips", "width"),
    [
        *((1, 1, 60), (2, 2, 1), (3, 2, 4), (4, 2, 11), (5, 2, 26), (6, 2, 57), (7, 3, 56)),
        *((8, 3, 119), (9, 3, 246), (10, 3, 501), (11, 3, 1012), (12, 3, 2035)),
    ],
)
def test_so_many_flips_are_found_in_words_up_to_this_width(
    bits: int, flips: int, width: int
) -> None:
    """Flips of word and check bits change the sum of their remainders; in a wider word not all."""

    def missed(width: int) -> bool:
        check = Check(bits, width)
        changes = [1 << place for place in range(bits)]
        changes += [check.of(1 << place) for place in range(width)]
        if 0 in changes or (flips > 1 and len(set(changes)) < len(changes)):
            return True
        known = set(changes)
        return flips > 2 and any(a ^ b in known for a, b in combinations(changes, 2))

    assert not missed(width)
    assert bits == 1 or missed(width + 1)


def test_there_is_a_generator_for_every_number_of_bits() -> None:
    assert len(GENERATORS) == 17
