"""Combining data: all at once for bitwise operations, two at a time for any."""

from collections.abc import Sequence
from functools import reduce
from operator import or_, xor

from amaranth import Array, Const, Mux, Value

from syncfabric.models.messages import Op

__all__ = ["combine_bitwise", "combine_two", "gather", "identity"]

_ALWAYS = Const(1, 1)


def identity(op: Value, data_bits: int) -> Value:
    """Return the word that changes nothing under ``op``."""
    ones = (op == Op.AND) | (op == Op.MIN)
    return Mux(ones, Const(-1, data_bits), Const(0, data_bits)) if data_bits else Const(0, 0)


def combine_bitwise(
    op: Value,
    held: Value,
    words: Sequence[tuple[Value, Value]],
    keeps: Value = _ALWAYS,
) -> Value:
    """Return ``held`` combined with every word whose enable is set, by OR, AND or XOR.

    Parameters
    ----------
    op : Value
        An :class:`Op`; only its first three are known here.
    held : Value
        ``data_bits`` wide.
    words : sequence of (enable, word)
        At most one a source.
    keeps : Value, optional
        0: ``held`` is left out, so that one word alone is the result.
    """
    if len(held) == 0:
        return held
    return gather(op[:2] == Op.AND, op[:2] == Op.XOR, [*words, (keeps, held)])


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
