"""Small logic that every part needs: selection, sums, comparison, and combining of data."""

from collections.abc import Sequence
from functools import reduce
from operator import or_, xor
from typing import Any

from amaranth import Array, Const, Mux, Value


def either(values: Sequence[Any]) -> Any:
    """Return the bitwise OR of ``values``; of masked ones, the one that is not 0."""
    result = values[0]
    for value in values[1:]:
        result = result | value
    return result


def total(numbers: Sequence[Any] | Value) -> Value:
    """Return the sum of bits or numbers, as wide as a tree of adders makes it.

    Of n bits it says how many are set, in ceil(log2 n) + 1 bits.
    """
    values = list(numbers)
    while len(values) > 1:
        odd = values[len(values) & ~1 :]
        values = [a + b for a, b in zip(values[::2], values[1::2], strict=False)] + odd
    return values[0]


def below(value: Value, bound: int) -> Value:
    """Return whether an unsigned ``value`` is less than ``bound``."""
    if 0 < bound < 1 << len(value):
        return value < bound
    return Const(bound > 0, 1)


def gather(invert: Value, odd: Value, words: Sequence[tuple[Value, Value]]) -> Value:
    """Return every word whose enable is set, combined by OR, with ``invert`` AND, ``odd`` XOR."""
    width = len(words[0][1])
    # AND is the OR of what is inverted, inverted. One tree then does for all operations.
    inverse = invert.replicate(width)
    leaves = [Mux(enable, word ^ inverse, 0) for enable, word in words]
    while len(leaves) > 1:
        leaves = [_join(leaves[i : i + 3], odd) for i in range(0, len(leaves), 3)]
    return (leaves[0] ^ inverse)[:width]


def _join(words: list[Value], odd: Value) -> Value:
    """Return the OR of up to three words, or with ``odd`` their XOR: a LUT4 for each bit."""
    return Mux(odd, reduce(xor, words), reduce(or_, words))


def combine_two(op: Value, held: Value, word: Value) -> Value:
    """Return ``held`` combined with ``word`` by any of the six operations, modulo 2^width."""
    width = len(held)
    if width == 0:
        return held
    larger = held > word
    choices = [
        held | word,
        held & word,
        held ^ word,
        Mux(larger, held, word),
        Mux(larger, word, held),
        (held + word)[:width],
    ]
    return Array(choices)[op][:width]
