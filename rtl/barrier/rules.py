"""When a child's message counts, and when all have arrived: the same in register and memory."""

from amaranth import Value

from syncfabric.rtl.barrier.ports import child_class

__all__ = ["is_complete", "used_reduces"]


def used_reduces(
    candidates: list[Value],
    classes: list[Value],
    present: Value,
    arrived: Value,
) -> list[Value]:
    """Return which of a register's REDUCE messages, by port, count as a new child's arrival.

    The port names the child.
    """
    return [
        candidates[p] & present[p] & ~arrived[p] & classes[p][1 - child_class(p)] for p in range(4)
    ]


def is_complete(arrived: Value, present: Value) -> Value:
    """Return whether all present children have arrived."""
    return (arrived & present) == present
