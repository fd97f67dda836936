"""Combining data: all at once for bitwise operations, two at a time for any."""

from collections.abc import Sequence

from amaranth import Array, Const, Mux, Value

from syncfabric.models.messages import Op

__all__ = ["combine_bitwise", "combine_two", "identity"]


def identity(op: Value, data_bits: int) -> Value:
    """Return the word that changes nothing under ``op``."""
    ones = (op == Op.AND) | (op == Op.MIN)
    return Mux(ones, Const(-1, data_bits), Const(0, data_bits)) if data_bits else Const(0, 0)


def combine_bitwise(op: Value, held: Value, words: Sequence[tuple[Value, Value]]) -> Value:
    """Return ``held`` combined with every word whose enable is set, by OR, AND or XOR.

    Parameters
    ----------
    op : Value
        An :class:`Op`; only its first three are known here.
    held : Value
        ``data_bits`` wide.
    words : sequence of (enable, word)
        At most one a source.
    """
    width = len(held)
    if width == 0:
        return held
    ored, anded, xored = held, held, held
    for enable, word in words:
        masked = Mux(enable, word, 0)
        ored, xored = ored | masked, xored ^ masked
        anded = anded & Mux(enable, word, Const(-1, width))
    return Array([ored, anded, xored, ored])[op[:2]][:width]


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
