"""When a child's message counts, and when all have arrived: the same in register and memory."""

from amaranth import Value

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.ports import child_class
from syncfabric.rtl.parts.gates import total

__all__ = ["counted_reduces", "is_complete", "next_arrived", "used_reduces"]


def used_reduces(
    network: MeshSpec,
    candidates: list[Value],
    classes: list[Value],
    present: Value,
    arrived: Value,
) -> list[Value]:
    """Return which of a register's REDUCE messages, by port, count as a new child's arrival.

    With the reverse route the port names the child; with the paper's only the number counts.
    """
    if network.reduction_route == "reverse":
        return [
            candidates[p] & present[p] & ~arrived[p] & classes[p][1 - child_class(p)]
            for p in range(4)
        ]
    return counted_reduces(candidates, present, arrived)


def counted_reduces(candidates: list[Value], present: Value, arrived: Value) -> list[Value]:
    """Return which REDUCE messages count as a new arrival where only their number counts."""
    used: list[Value] = []
    before: Value = arrived
    for p in range(4):
        used.append(candidates[p] & (before < total(present)))
        before = before + used[p]
    return used


def next_arrived(network: MeshSpec, arrived: Value, used: Value) -> Value:
    """Return ``arrived`` with the used messages: bits, or with the paper's route a number."""
    if network.reduction_route == "reverse":
        return arrived | used
    return (arrived + total(used))[:4]


def is_complete(network: MeshSpec, arrived: Value, present: Value) -> Value:
    """Return whether all present children have arrived."""
    if network.reduction_route == "reverse":
        return (arrived & present) == present
    return arrived == total(present)
