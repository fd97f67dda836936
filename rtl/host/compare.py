"""A comparison that is left out where its outcome is fixed: simulators warn of these."""

from amaranth import Const, Value

__all__ = ["below"]


def below(value: Value, bound: int) -> Value:
    """Return whether an unsigned ``value`` is less than ``bound``."""
    if 0 < bound < 1 << len(value):
        return value < bound
    return Const(bound > 0, 1)
