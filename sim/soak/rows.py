"""A soak in words and rows."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.sim.rows import Rows
from syncfabric.sim.soak.result import Latencies, SoakResult

__all__ = ["group_rows", "phase_rows", "summary"]

NONE = "–"


def group_rows(result: SoakResult) -> Rows:
    """Return a row a group, and one of all together."""
    heads = ["group", "members", "lives", "killed", "barriers"]
    heads += ["latency (cycles)\nmin/med/99.9 %/max", "bound\n(cycles)"]
    rows = [
        [
            str(group.id),
            f"{group.members:,}",
            f"{group.lives:,}",
            f"{group.killed:,}",
            f"{group.latency.count if group.latency else 0:,}",
            _spread(group.latency),
            f"{group.bound:,}{'' if group.proved else ' alone'}",
        ]
        for group in result.groups
    ]
    if len(rows) > 1:
        lives, killed = (
            f"{sum(getattr(group, name) for group in result.groups):,}"
            for name in ("lives", "killed")
        )
        total = f"{result.episodes:,}"
        rows.append(["all", "", lives, killed, total, _spread(result.latency), ""])
    return heads, rows


def phase_rows(result: SoakResult) -> Rows:
    """Return a row for each rate of traffic, over all phases with it."""
    heads = ["offered\n(flits/node/cycle)", "accepted", "cycles", "packets"]
    rows = []
    for offered in dict.fromkeys(phase.offered for phase in result.phases):
        same = [phase for phase in result.phases if phase.offered == offered]
        cycles = sum(phase.cycles for phase in same)
        flits = sum(phase.accepted * phase.cycles for phase in same)
        packets = sum(phase.packets for phase in same)
        accepted = flits / max(1, cycles)
        rows.append([f"{offered:.3f}", f"{accepted:.3f}", f"{cycles:,}", f"{packets:,}"])
    return heads, rows


def summary(result: SoakResult) -> Iterator[str]:
    """Yield the lines below the tables."""
    episodes, cycles = result.rates
    yield (
        f"{result.episodes:,} barriers in {result.cycles:,} cycles: {episodes:,.0f} barriers and "
        f"{cycles:,.0f} cycles a second of processor time, {result.run_seconds:.0f} s in all"
    )
    if result.packets:
        yield (
            f"{result.packets:,} packets: greatest latency {result.latency_max:,} cycles, longest "
            f"wait as the first in a source's queue {result.wait_max:,} cycles"
        )
    if result.set_up_refused:
        yield f"{result.set_up_refused:,} set-ups were refused and tried again"
    if result.verdict == "clean":
        yield "nothing lost, early, wrong or stuck"


def _spread(latency: Latencies | None) -> str:
    if latency is None:
        return NONE
    return f"{latency.min}/{latency.median}/{latency.most_999}/{latency.max}"
