"""What a value was some cycles ago: a line of registers."""

from typing import Any

from amaranth import Const, Module, Signal


def delayed(m: Module, value: Any, cycles: int, name: str, *, reset_less: bool = True) -> list[Any]:
    """Return a value as it is now, and as it was 1, 2, .. ``cycles`` cycles ago.

    Parameters
    ----------
    m : Module
        Gets the registers.
    value : Value or View
        A constant needs no registers.
    cycles : int, >= 0
    name : str
        Begins the registers' names; a number from 0 on ends them.
    reset_less : bool
        The registers keep what they hold through a reset.
    """
    line = [value]
    for i in range(cycles):
        kept = value
        if not isinstance(value, Const):
            kept = Signal.like(value, name=f"{name}_{i}", reset_less=reset_less)
            m.d.sync += kept.eq(line[-1])
        line.append(kept)
    return line
