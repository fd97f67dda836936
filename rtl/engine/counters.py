"""Counters of an engine, and none."""

from typing import Any

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EngineCounter
from syncfabric.models.messages import COUNTER_BITS
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import total

__all__ = ["EngineCounters", "NoCounters"]


def _members(links: int) -> dict[str, Any]:
    return {
        "overflow": In(links),
        "unexpected": In(1),
        "refused": In(1),
        "counts": Out(len(EngineCounter) * COUNTER_BITS),
    }


class EngineCounters(wiring.Component):
    """Counts what went wrong; what happens in t is counted from t + 2.

    Parameters
    ----------
    links : int

    Members
    -------
    overflow : In(links), unexpected, refused : In(1)
        Events of this cycle, by counter.
    counts : Out
        All counters, in the order of ``EngineCounter``.
    """

    def __init__(self, links: int) -> None:
        super().__init__(_members(links))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        counts = []
        for name in ("overflow", "unexpected", "refused"):
            event = getattr(self, name)
            kept = Signal(len(event), name=f"kept_{name}")
            m.d.sync += kept.eq(event)
            m.submodules[name] = counter = SaturatingCounter(COUNTER_BITS, len(event))
            m.d.comb += counter.events.eq(total(kept))
            counts.append(counter.count)
        m.d.comb += self.counts.eq(Cat(counts))
        return m


class NoCounters(wiring.Component):
    """Counters that read 0. Members as of :class:`EngineCounters`."""

    def __init__(self, links: int) -> None:
        super().__init__(_members(links))

    def elaborate(self, platform: object) -> Module:
        return Module()
