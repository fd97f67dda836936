"""Pseudo-random numbers in hardware: Marsaglia's xorshift with 32 bits."""

from amaranth import Value

__all__ = ["divide", "xorshift32"]


def xorshift32(state: Value) -> Value:
    """Return the next state of a 32-bit xorshift generator, as an expression.

    Source: Marsaglia, Xorshift RNGs, Journal of Statistical Software 8(14), 2003.
    """
    state = (state ^ (state << 13))[:32]
    state = (state ^ (state >> 17))[:32]
    return (state ^ (state << 5))[:32]


def divide(value: Value, divisor: int, below: int) -> Value:
    """Return ``value // divisor`` by one multiplication, right for every value under ``below``.

    Parameters
    ----------
    value : Value
        Unsigned number.
    divisor : int, >= 1
        A constant.
    below : int
        Bound that ``value`` keeps under.
    """
    if divisor & (divisor - 1) == 0:
        return value >> divisor.bit_length() - 1
    # With 2**shift >= below * divisor, rounding the reciprocal up never carries into the quotient.
    shift = (below * divisor).bit_length()
    reciprocal = (1 << shift) // divisor + 1
    return (value * reciprocal) >> shift
