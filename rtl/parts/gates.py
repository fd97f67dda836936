"""Small logic that every part needs: one value out of many, and how many bits are set."""

from collections.abc import Sequence
from typing import Any

from amaranth import Value

__all__ = ["either", "total"]


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
