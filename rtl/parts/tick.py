"""A tick every so many cycles."""

from amaranth import Module, Mux, Signal, Value

__all__ = ["tick_of"]


def tick_of(m: Module, every: int) -> Value:
    """Return what is high in the last of every ``every`` cycles since reset, from a flip-flop.

    Parameters
    ----------
    m : Module
        Where the count is; it never stands still.
    every : int, >= 1
        Cycles.
    """
    most = every - 1
    age, tick = Signal(range(most + 1)), Signal(init=int(most == 0))
    m.d.sync += [age.eq(Mux(tick, 0, age + 1)), tick.eq(age == most - 1 if most else 1)]
    return tick
