"""Events that are counted later than they happen, so that counting does not slow the clock."""

from collections.abc import Sequence

from amaranth import Const, Module, Signal, Value

from syncfabric.models.messages import COUNTER_BITS, Counter
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import total

__all__ = ["count_events", "later"]


def count_events(
    m: Module, events: Sequence[list[Value]], slots: Sequence[list[Value]] | None = None
) -> list[Value]:
    """Place a counter for each kind of event; return their counts.

    Parameters
    ----------
    m : Module
        Where the events are.
    events : sequence of list of Value
        Numbers of events, in the order of ``Counter``. Those of t show from t + 2.
    slots : sequence of list of Value, optional
        Those of slots of barrier wires: they show from t + 1.
    """
    counts = []
    for i, kind in enumerate(Counter):
        happened = _late(m, events[i])
        if slots:
            happened = _late(m, [happened]) + _late(m, slots[i])
        most = (1 << len(happened)) - 1
        counter = SaturatingCounter(COUNTER_BITS, most, at_once=slots is not None)
        m.submodules[f"count_{kind.name.lower()}"] = counter
        m.d.comb += counter.events.eq(happened)
        counts.append(counter.count)
    return counts


def later(m: Module, events: list[Value]) -> list[Value]:
    """Return events a cycle later: counting them is not to make the clock slower."""
    kept = [Signal(len(event)) for event in events]
    m.d.sync += [signal.eq(event) for signal, event in zip(kept, events, strict=True)]
    return kept


def _late(m: Module, events: list[Value]) -> Value:
    """Return how many there were a cycle ago."""
    return total(later(m, events)) if events else Const(0, 1)
