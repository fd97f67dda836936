"""What each core does over time: it works, waits in a barrier, is released, waits for packets."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from syncfabric.models.messages.core import Activity
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.cores.barriers import episodes_of, is_lost
from syncfabric.sim.cores.events import Events, Span

__all__ = ["Kind", "Piece", "timeline"]

GAP = 8
"""Cycles outside of a barrier's code between two of its functions: they count as inside."""


class Kind(enum.Enum):
    """What is told apart; the value says it in words."""

    WORKS = "works"
    WAITS = "waits in a barrier for others"
    RELEASED = "all have arrived, and it is let go"
    PACKETS = "waits for packets, the network or the config port"
    STOPPED = "has ended"


@dataclass(frozen=True)
class Piece:
    """Cycles of one kind, the last not included."""

    begin: int
    end: int
    kind: Kind


def timeline(plan: BarrierPlan, events: Events) -> list[list[Piece]]:
    """Return the pieces of each core, without gaps, by its number.

    A barrier in hardware has all its members once its last one has arrived. One in software does
    once the last core has begun it, if all cores were in as many; else all of it counts as waiting.
    """
    barriers = {core: _barriers(spans) for core, spans in events.spans.items()}
    complete = _complete(plan, events, barriers)
    return [
        _pieces(spans, barriers[core], complete[core])
        for core, spans in sorted(events.spans.items())
    ]


def _barriers(spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return from where to where a core is in barriers."""
    found: list[tuple[int, int]] = []
    for span in spans:
        if not is_lost(span):
            continue
        if found and span.begin - found[-1][1] <= GAP * span.in_barrier:
            found[-1] = (found[-1][0], span.end)
        else:
            found.append((span.begin, span.end))
    return found


def _complete(
    plan: BarrierPlan, events: Events, barriers: dict[int, list[tuple[int, int]]]
) -> dict[int, list[int]]:
    """Return when each of a core's barriers had all its members; its end if that is not known."""
    found = {core: [end for _, end in spans] for core, spans in barriers.items()}
    counts = {len(spans) for spans in barriers.values()}
    if not events.arrivals:
        if len(counts) == 1:
            for k in range(counts.pop()):
                last = max(spans[k][0] for spans in barriers.values())
                for core in found:
                    found[core][k] = last
        return found
    index = plan.spec.network.topology.index
    let_go: dict[int, dict[int, int]] = {core: {} for core in barriers}
    for group in plan.groups:
        episodes = episodes_of(plan, group, events)
        for node, place in group.places.items():
            core = index(node)
            if place is not None and core in let_go:
                cycles = events.releases.get((core, place), [])
                let_go[core] |= dict(zip(cycles, (e.arrived for e in episodes), strict=False))
    for core, spans in barriers.items():
        for k, (begin, end) in enumerate(spans):
            known = [arrived for cycle, arrived in let_go[core].items() if begin <= cycle <= end]
            if known:
                found[core][k] = known[-1]
    return found


def _pieces(
    spans: Sequence[Span], barriers: Iterable[tuple[int, int]], complete: Iterable[int]
) -> list[Piece]:
    pieces: list[Piece] = []

    def add(begin: int, end: int, kind: Kind) -> None:
        if begin >= end:
            return
        if pieces and pieces[-1].kind is kind and pieces[-1].end == begin:
            begin = pieces.pop().begin
        pieces.append(Piece(begin, end, kind))

    ahead = list(zip(barriers, complete, strict=True))[::-1]
    done = 0
    for span in spans:
        while done < span.end:
            while ahead and ahead[-1][0][1] <= done:
                ahead.pop()
            if ahead and ahead[-1][0][0] <= done:
                (begin, end), all_in = ahead[-1]
                split = min(max(all_in, begin), end)
                add(done, split, Kind.WAITS)
                add(split, end, Kind.RELEASED)
                done = end
            else:
                end = min(span.end, ahead[-1][0][0]) if ahead else span.end
                add(done, end, _kind(span))
                done = end
    return pieces


def _kind(span: Span) -> Kind:
    if span.activity is Activity.STOPPED:
        return Kind.STOPPED
    return Kind.WORKS if span.activity is Activity.WORKS else Kind.PACKETS
