"""Load curves: latency and accepted throughput of ordinary packets against the offered load.

As BookSim2 does it: sources go on all the time; after a warm-up, packets that are created while the
measurement lasts are followed until all of them have come out (drain). The hardware runs alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from syncfabric.models.errors import SpecError
from syncfabric.models.files import csv_text
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.patterns import Pattern, pattern_of
from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.sim.assemble.script import traffic
from syncfabric.sim.experiments.frame import Axes, Experiment, Work
from syncfabric.sim.experiments.output import figure_of
from syncfabric.sim.fabric.program import Fabric, build_fabric
from syncfabric.sim.request import check_packets
from syncfabric.sim.simulators import Built, Design, find_simulator
from syncfabric.sim.tables import Titled, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LOAD", "LoadCurve", "LoadPoint", "LoadResult", "curve", "load", "rates_of"]

WARM_UP, MEASURED, DRAIN, LOOK = 3_000, 10_000, 10_000, 250
"""Cycles of the phases, the drain's at most, and between two looks at the drain."""
ZERO = 0.01
"""Flits a node a cycle at which packets hardly meet."""
KNEE, FINE = 3, 0.01
"""A load is stable up to so many times the latency at `ZERO`; saturation is found this closely."""
OFFERED = "offered, flits a node a cycle"
LOAD = Experiment(
    "load",
    "load",
    "packets of 5 flits, created at random times",
    lambda _: None,
    axes=(
        Axes(OFFERED, "mean latency, cycles", prefix="latency "),
        Axes(OFFERED, "accepted, flits a node a cycle"),
    ),
    caption=f"Latencies up to {KNEE} times that without load.",
)


@dataclass(frozen=True)
class LoadPoint:
    """One load, in flits a cycle of a node that sends; latencies in cycles, None if not drained."""

    offered: float
    accepted: float
    packets: int
    latency: float | None = None
    latency_99: int | None = None
    latency_max: int | None = None

    def stable(self, zero_load: float) -> bool:
        """Return whether the latency is near that without load."""
        return self.latency is not None and self.latency <= KNEE * zero_load


@dataclass(frozen=True)
class LoadCurve:
    """A pattern's points by rising load: docs/results.md says what the fields are."""

    pattern: str
    senders: int
    zero_load: float
    saturation: float | None
    throughput: float
    points: Sequence[LoadPoint]


@dataclass(frozen=True)
class LoadResult:
    """Curves of a network."""

    network: str
    seed: int
    curves: list[LoadCurve]

    def to_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {**asdict(self), "warm_up": WARM_UP, "measured": MEASURED, "drain": DRAIN}

    def to_csv(self) -> str:
        """Return a line a point."""
        rows = ((each.pattern, *astuple(point)) for each in self.curves for point in each.points)
        return csv_text(("pattern", *(field.name for field in fields(LoadPoint))), rows)

    def figure(self) -> Figure:
        """Draw latencies of the loads that are stable, and what all loads accept."""
        work = Work(replace(LOAD, title=f"load of {self.network}"))
        for each in self.curves:
            for point in each.points:
                if point.latency is not None and point.stable(each.zero_load):
                    work.point(f"latency {each.pattern}", point.offered, point.latency)
                work.point(each.pattern, point.offered, point.accepted)
        return figure_of(work)

    def parts(self) -> Iterator[Titled]:
        """Yield a table for each curve."""
        heads = ("offered", "accepted", "packets", "latency\nmean", "99 %\nup to", "max")
        columns = dict(zip(heads, (field.name for field in fields(LoadPoint)), strict=True))
        for each in self.curves:
            yield Titled(
                f"{self.network}: {each.pattern}, {each.senders} nodes send",
                table(each.points, columns),
                f"zero-load latency {each.zero_load} cycles; saturation at "
                f"{each.saturation or 'none of these'}, at most {each.throughput} accepted",
            )


def _measured(
    build: Sequence[str],
    goals: Sequence[int],
    share: int,
    senders: int,
    rate: float,
    seed: int,
) -> tuple[Any, ...]:
    """Return a `LoadPoint`; all that decides it is in the arguments."""
    first = 2 + WARM_CYCLES + WARM_UP
    program, data = map(Path, build)
    with Fabric(Built("verilator", Design("", ()), program, True, 0, data)) as fabric:
        fabric.give(traffic(1, seed, rate, Pattern("", tuple(goals), share)))
        fabric.run(first)
        fabric.measure(first, first + MEASURED)
        before = fabric.report()
        fabric.run(MEASURED)
        rows = list(zip(before, fabric.report(), strict=True))
        created, flits = (sum(b[of] - a[of] for a, b in rows) for of in ("created", "flits"))
        for _ in range(DRAIN // LOOK):
            came = fabric.latencies()
            if sum(came.values()) == created:
                break
            fabric.run(LOOK)
        if any(row["errors"] or row["overflow"] for row in fabric.report()):
            raise RuntimeError(f"wrong or lost packets at {rate} flits a node a cycle")
    point = rate, round(flits / MEASURED / senders, 4), created
    if sum(came.values()) < created or not created:
        return point
    every = np.repeat(list(came), list(came.values()))
    most = int(every[math.ceil(0.99 * created) - 1])
    return *point, round(float(every.mean()), 2), most, int(every[-1])


def curve(
    pattern: str,
    senders: int,
    measure: Callable[[Iterable[float]], Iterator[LoadPoint]],
    rates: Sequence[float] = (),
    points: int = 10,
) -> LoadCurve:
    """Measure a curve at these rates, else at so many up to saturation; and find saturation.

    Raises
    ------
    SpecError
        The network is saturated at `ZERO`.
    """
    zero, *seen = measure([ZERO, *(rates or [1.0])])
    if zero.latency is None:
        raise SpecError(f"pattern {pattern}: the network is saturated at a load of {ZERO} already")
    seen.append(zero)
    while True:
        high = min((p.offered for p in seen if not p.stable(zero.latency)), default=2.0)
        low = max(p.offered for p in seen if p.offered < high)
        if high > 1 or high - low <= FINE:
            break
        seen += measure(round(low + (high - low) * part / 3, 4) for part in (1, 2))
    if not rates:
        seen += measure(round(low * part / points, 4) for part in range(1, points))
    seen.sort(key=lambda point: point.offered)
    most = max(point.accepted for point in seen)
    return LoadCurve(pattern, senders, zero.latency, None if high > 1 else low, most, seen)


def rates_of(text: str, points: int) -> list[float]:
    """Return so many loads evenly apart, from ``FROM:TO``.

    Raises
    ------
    SpecError
        It is not of this form, or a load is none that can be offered.
    """
    match = re.fullmatch(r"(\d*\.?\d+):(\d*\.?\d+)", text)
    first, last = map(float, match.groups()) if match else (0.0, 0.0)
    if not 0 < first <= last <= 1:
        raise SpecError(
            "--rates: it must be FROM:TO in flits a node a cycle, above 0 and up to 1, as "
            f'0.05:0.5, not "{text}"'
        )
    return [round(float(rate), 4) for rate in np.linspace(first, last, points)]


def load(
    work: Work,
    spec: NetworkSpec,
    patterns: Iterable[str],
    rates: Sequence[float] = (),
    *,
    points: int = 10,
    seed: int = 1,
) -> LoadResult:
    """Measure the curve of each pattern under Verilator, one build for all; see ``curve``.

    Raises
    ------
    SpecError
        The network carries no packets, or does not allow a pattern.
    ToolError
        Verilator or the C++ compiler is missing.
    """
    network = spec.network
    check_packets(network, "load", "take another network")
    if len(network.topology.nodes) < 2:
        raise SpecError(f"load: {spec.name} has one node, which sends nothing")
    chosen = [pattern_of(network.topology, text) for text in dict.fromkeys(patterns)]
    find_simulator("verilator")
    work.tell("build")
    built = build_fabric(network)

    def measure(pattern: Pattern, at: Iterable[float]) -> Iterator[LoadPoint]:
        work.tell(pattern.name)
        job = (str(built.program), str(built.data)), pattern.goals, pattern.share, pattern.senders
        yield from (LoadPoint(*row) for row in work.map(_measured, ((*job, r, seed) for r in at)))

    curves = [curve(p.name, p.senders, partial(measure, p), rates, points) for p in chosen]
    return LoadResult(spec.name, seed, curves)
