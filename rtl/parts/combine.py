"""Combining data: all at once for bitwise operations, two at a time for any."""

from collections.abc import Sequence
from functools import reduce
from operator import or_, xor

from amaranth import Array, Mux, Value

__all__ = ["combine_two", "gather"]


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
