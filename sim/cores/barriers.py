"""Barriers out of what happened: episodes of groups, and cycles that cores lost in them."""

from __future__ import annotations

from dataclasses import dataclass

from syncfabric.models.messages.core import Activity
from syncfabric.models.planning.plan import AnyGroupPlan, BarrierPlan
from syncfabric.sim.cores.events import Events, Span

__all__ = ["Episode", "Lost", "episodes_of", "is_lost", "lost_cycles"]


@dataclass(frozen=True)
class Episode:
    """One barrier in hardware: cycles of its last arrival and of its last release."""

    arrived: int
    released: int

    @property
    def latency(self) -> int:
        """Cycles between them."""
        return self.released - self.arrived


@dataclass(frozen=True)
class Lost:
    """Cycles of a core in barriers: all, and those in which it waited for hardware."""

    core: int
    cycles: int
    waiting: int


def episodes_of(plan: BarrierPlan, group: AnyGroupPlan, events: Events) -> list[Episode]:
    """Return the barriers of a group that all its members have been released from."""
    index = plan.spec.network.topology.index
    seats = [(index(node), place) for node, place in group.places.items() if place is not None]
    if not seats:
        return []
    arrivals = [events.arrivals.get(seat, []) for seat in seats]
    releases = [events.releases.get(seat, []) for seat in seats]
    whole = min(len(cycles) for cycles in (*arrivals, *releases))
    return [
        Episode(max(cycles[k] for cycles in arrivals), max(cycles[k] for cycles in releases))
        for k in range(whole)
    ]


def is_lost(span: Span) -> bool:
    """Return whether a core is in a barrier: in its code in software, or waiting for hardware."""
    waits = span.activity in (Activity.ARRIVES, Activity.WAITS, Activity.FENCED)
    return waits or (span.in_barrier and span.activity is not Activity.STOPPED)


def lost_cycles(events: Events, begin: int = 0, end: int | None = None) -> tuple[Lost, ...]:
    """Return what each core lost, by default in all cycles; the last is not included."""
    last = events.cycles if end is None else end

    def inside(span: Span) -> int:
        return max(0, min(span.end, last) - max(span.begin, begin))

    return tuple(
        Lost(
            core,
            sum(inside(span) for span in spans if is_lost(span)),
            sum(inside(span) for span in spans if span.activity is Activity.WAITS),
        )
        for core, spans in sorted(events.spans.items())
    )
