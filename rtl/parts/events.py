"""Events that are counted later than they happen, so that counting does not slow the clock."""

from collections.abc import Sequence

from amaranth import Cat, Const, Module, Signal, Value

from syncfabric.models.messages import COUNTER_BITS, Counter, LinkCounter
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import total

__all__ = ["count_events", "counters_of"]

Events = Sequence[Sequence[Value]]
"""For each counter, in the order of ``counters_of``, numbers of events."""


def counters_of(network: MessageSpec) -> list[Counter | LinkCounter]:
    """Return a router's counters, by rising number."""
    return [*Counter, *(LinkCounter if network.guarded else ())]


def count_events(
    m: Module, soon: Events, late: Events | None = None, *, counted: bool = True
) -> tuple[Value, Value]:
    """Place a counter for each kind of event.

    Parameters
    ----------
    m : Module
        Where the events are.
    soon : sequence of sequence of Value
        Numbers of events; those of t show from t + 1.
    late : sequence of sequence of Value, optional
        The same of events that show from t + 2.
    counted : bool
        There are counters; else all is 0.

    Returns
    -------
    Value, Value
        What shows, for benches; and the same of the cycle before, from flip-flops.
    """
    if not counted:
        nothing = Const(0, len(soon) * COUNTER_BITS)
        return nothing, nothing
    shown, kept = [], []
    for kind in [*Counter, *LinkCounter][: len(soon)]:
        happened = _later(m, soon[kind])
        if late:
            happened = happened + _later(m, [_later(m, late[kind])])
        counter = SaturatingCounter(COUNTER_BITS, (1 << len(happened)) - 1)
        m.submodules[f"count_{kind.name.lower()}"] = counter
        m.d.comb += counter.events.eq(happened)
        shown.append(counter.total)
        kept.append(counter.count)
    return Cat(shown), Cat(kept)


def _later(m: Module, events: Sequence[Value]) -> Value:
    """Return how many there were a cycle ago."""
    if not events:
        return Const(0, 1)
    kept = [Signal(len(event)) for event in events]
    m.d.sync += [signal.eq(event) for signal, event in zip(kept, events, strict=True)]
    return total(kept)
