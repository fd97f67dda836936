"""A count that stays within its bounds, whatever happens."""

from amaranth import Module, Signal, Value

__all__ = ["bounded_count"]


def bounded_count(m: Module, most: int, more: Value, less: Value, name: str) -> Signal:
    """Return a count that goes up with ``more`` and down with ``less``, between 0 and ``most``."""
    count = Signal(range(most + 1), name=name)
    with m.If(more & ~less & (count != most)):
        m.d.sync += count.eq(count + 1)
    with m.Elif(less & ~more & (count != 0)):
        m.d.sync += count.eq(count - 1)
    return count
