"""Operators of streams: what comes of two words (V7), by numpy's and ml_dtypes' arithmetic."""

from collections.abc import Callable, Mapping
from functools import cache
from operator import and_, or_, xor
from typing import Any, TypeAlias

from syncfabric.models.layout.streams import Function, StreamLayout, Type, built

Combine: TypeAlias = Callable[[int, int], int]
"""Makes one word's data of two."""

_BITWISE: dict[Function, Combine] = {Function.AND: and_, Function.OR: or_, Function.XOR: xor}
_BITS = {Type.INT8: 8, Type.INT16: 16, Type.INT32: 32}
_UNSIGNED = (Function.MIN_UNSIGNED, Function.MAX_UNSIGNED)
_LEAST = (Function.MIN, Function.MIN_UNSIGNED)


@cache
def adds(bits: int, lane: int) -> Combine:
    """Return the sum modulo 2^lane of each lane of a word.

    Parameters
    ----------
    bits, lane : int
        Of a word, and of a lane.
    """
    ones = sum(1 << at for at in range(0, bits, lane))
    high = ones << lane - 1
    low = ones * ((1 << lane - 1) - 1)
    # The carry into a lane's highest bit is there, and the one out of it is not.
    return lambda a, b: ((a & low) + (b & low)) ^ (a ^ b) & high


class Operators:
    """What the operators of a router do.

    Parameters
    ----------
    layout : StreamLayout
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout = layout
        self._built = built(layout.operations)
        self._made: dict[tuple[int, int], Combine] = {}

    def has(self, function: int, kind: int) -> bool:
        """Return whether an operation is built."""
        return (function, kind) in self._built

    def of(self, function: int, kind: int) -> Combine:
        """Return an operation that is built."""
        found = self._made.get((function, kind))
        if found is None:
            found = self._made[function, kind] = self._make(Function(function), Type(kind))
        return found

    def _make(self, function: Function, kind: Type) -> Combine:
        bits = self._layout.bits
        if kind == Type.OFFLOAD:
            assert self._layout.offload
            return self._layout.offload.of(function, bits)
        if kind in _BITS:
            return _integers(function, bits, _BITS[kind])
        return _floats(function, bits, kind)

    def joined(self, function: int, kind: int, operands: Mapping[int, int]) -> int:
        """Return what a join makes of the data of its ports (V7.3)."""
        combine, order = self.of(function, kind), sorted(operands)
        if self._layout.join == "serial":
            result = operands[order[0]]
            for p in order[1:]:
                result = combine(result, operands[p])
            return result
        level = {p: operands[p] for p in order}
        while len(level) > 1:
            above: dict[int, int] = {}
            for p, data in level.items():
                above[p >> 1] = combine(above[p >> 1], data) if p >> 1 in above else data
            level = above
        return level.popitem()[1]


def _integers(function: Function, bits: int, lane: int) -> Combine:
    """Return an operation on integers."""
    if function == Function.ADD:
        return adds(bits, lane)
    if function in _BITWISE:
        return _BITWISE[function]
    import numpy as np

    sign = "u" if function in _UNSIGNED else "i"
    choose = np.minimum if function in _LEAST else np.maximum
    return _by_lanes(bits, f"<{sign}{lane // 8}", choose)


def _by_lanes(bits: int, lane: str, of: Callable[[Any, Any], Any]) -> Combine:
    """Return what an operation on arrays does to words; ``lane`` is numpy's name of a lane."""
    import numpy as np

    size = bits // 8

    def combine(a: int, b: int) -> int:
        left, right = (np.frombuffer(word.to_bytes(size, "little"), lane) for word in (a, b))
        return int.from_bytes(of(left, right).tobytes(), "little")

    return combine


def _floats(function: Function, bits: int, kind: Type) -> Combine:
    """Return an operation on floating-point numbers (V7.4)."""
    import ml_dtypes
    import numpy as np

    if kind == Type.BF16:
        number, size, exponent, quiet = np.dtype(ml_dtypes.bfloat16), 2, 0x7F80, 0x7FC0
    else:
        number, size, exponent, quiet = np.dtype("<f4"), 4, 0x7F800000, 0x7FC00000
    unsigned, signed, sign = f"<u{size}", f"<i{size}", 1 << 8 * size - 1

    def flushed(word: Any) -> Any:
        """Make 0 of numbers below the normal range."""
        return np.where(word & exponent, word, word & sign).astype(unsigned)

    def is_nan(word: Any) -> Any:
        return (word & (sign - 1)) > exponent

    def add(a: Any, b: Any) -> Any:
        with np.errstate(all="ignore"):
            return flushed((a.view(number) + b.view(number)).view(unsigned))

    def order(word: Any) -> Any:
        """Return integers in the numbers' order, -0 before +0."""
        return np.where(word & sign, ~word | sign, word).astype(unsigned).view(signed)

    def choose(a: Any, b: Any) -> Any:
        first = order(a) <= order(b) if function in _LEAST else order(a) >= order(b)
        return np.where(first, a, b)

    compute = add if function == Function.ADD else choose

    def combine(left: Any, right: Any) -> Any:
        a, b = flushed(left), flushed(right)
        result = compute(a, b)
        return np.where(is_nan(a) | is_nan(b) | is_nan(result), quiet, result).astype(unsigned)

    return _by_lanes(bits, unsigned, combine)
