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


def total(bits: Sequence[Any] | Value) -> Value:
    """Return how many of the bits are set."""
    result, *others = bits
    for bit in others:
        result = result + bit
    return result
