"""Load curves: latency and accepted throughput of ordinary packets against the offered load.

As BookSim2 does it: sources go on all the time; after a warm-up, packets that are created while the
measurement lasts are followed until all of them have come out (drain). The hardware runs alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, astuple, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from syncfabric.models.errors import SpecError, about
from syncfabric.models.files import csv_text
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.patterns import Pattern, pattern_of
from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.sim.assemble.script import traffic
from syncfabric.sim.experiments.frame import Axes, Experiment, Work
from syncfabric.sim.experiments.output import figure_of
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.simulators import find_simulator
from syncfabric.sim.simulators.base import Built, Design
from syncfabric.sim.tables import Titled, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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

    def parts(self, *, seeded: bool = False) -> Iterator[Titled]:
        """Yield a table for each curve; titles have the seed on request."""
        seed = f", seed {self.seed}" if seeded else ""
        heads = ("offered", "accepted", "packets", "latency\nmean", "99 %\nup to", "max")
        columns = dict(zip(heads, (field.name for field in fields(LoadPoint)), strict=True))
        for each in self.curves:
            yield Titled(
                f"{self.network}: {each.pattern}, {each.senders} nodes send{seed}",
                table(each.points, columns),
                f"zero-load latency {each.zero_load} cycles; saturation at "
                f"{each.saturation or 'none of these'}, at most {each.throughput} accepted",
            )


def to_csv(results: Sequence[LoadResult]) -> str:
    """Return a line a point; of several results with network and seed."""
    heads = ("pattern", *(field.name for field in fields(LoadPoint)))
    rows = [
        ((each.network, each.seed), (curve.pattern, *astuple(point)))
        for each in results
        for curve in each.curves
        for point in curve.points
    ]
    if len(results) == 1:
        return csv_text(heads, (row for _, row in rows))
    return csv_text(("network", "seed", *heads), ((*of, *row) for of, row in rows))


def figure(results: Sequence[LoadResult]) -> Figure:
    """Draw latencies of the loads that are stable, and what all loads accept."""
    networks = list(dict.fromkeys(each.network for each in results))
    seeds = {each.seed for each in results}
    work = Work(replace(LOAD, title=f"load of {', '.join(networks)}"))
    for each in results:
        before = f"{each.network} " if len(networks) > 1 else ""
        behind = f", seed {each.seed}" if len(seeds) > 1 else ""
        for curve in each.curves:
            name = f"{before}{curve.pattern}{behind}"
            for point in curve.points:
                if point.latency is not None and point.stable(curve.zero_load):
                    work.point(f"latency {name}", point.offered, point.latency)
                work.point(name, point.offered, point.accepted)
    return figure_of(work)


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


Search: TypeAlias = Generator[Sequence[float], Sequence[LoadPoint], LoadCurve]
"""Yields loads, is sent what was measured at them, and returns the curve."""


def search(pattern: str, senders: int, rates: Sequence[float] = (), points: int = 10) -> Search:
    """Measure a curve at these rates, else at so many up to saturation; and find saturation.

    Raises
    ------
    SpecError
        The network is saturated at `ZERO`.
    """
    zero, *seen = yield [ZERO, *(rates or [1.0])]
    if zero.latency is None:
        raise SpecError(f"pattern {pattern}: the network is saturated at a load of {ZERO} already")
    seen.append(zero)
    while True:
        high = min((p.offered for p in seen if not p.stable(zero.latency)), default=2.0)
        low = max(p.offered for p in seen if p.offered < high)
        if high > 1 or high - low <= FINE:
            break
        seen += yield [round(low + (high - low) * part / 3, 4) for part in (1, 2)]
    if not rates:
        seen += yield [round(low * part / points, 4) for part in range(1, points)]
    seen.sort(key=lambda point: point.offered)
    most = max(point.accepted for point in seen)
    return LoadCurve(pattern, senders, zero.latency, None if high > 1 else low, most, seen)


def side_by_side(
    searches: Sequence[Search],
    measure: Callable[[Sequence[tuple[int, float]]], Iterable[LoadPoint]],
) -> list[LoadCurve]:
    """Return the curves of searches, whose loads are measured together, round by round.

    Parameters
    ----------
    searches : sequence of generators
    measure : callable
        Measures loads, each with the number of its search, in their order.
    """
    curves: dict[int, LoadCurve] = {}
    asked = {number: list(next(each)) for number, each in enumerate(searches)}
    while asked:
        loads = [(number, rate) for number, rates in asked.items() for rate in rates]
        found: dict[int, list[LoadPoint]] = {number: [] for number in asked}
        for (number, _), point in zip(loads, measure(loads), strict=True):
            found[number].append(point)
        asked.clear()
        for number, points in found.items():
            try:
                asked[number] = list(searches[number].send(points))
            except StopIteration as end:
                curves[number] = end.value
    return [curves[number] for number in range(len(searches))]


def curve(
    pattern: str,
    senders: int,
    measure: Callable[[Iterable[float]], Iterator[LoadPoint]],
    rates: Sequence[float] = (),
    points: int = 10,
) -> LoadCurve:
    """Return one curve; see ``search``."""
    searches = [search(pattern, senders, rates, points)]
    return side_by_side(searches, lambda loads: measure(rate for _, rate in loads))[0]


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
    specs: Sequence[NetworkSpec],
    patterns: Sequence[str],
    rates: Sequence[float] = (),
    *,
    points: int = 10,
    seeds: Sequence[int] = (1,),
) -> list[LoadResult]:
    """Measure curves under Verilator, side by side, one build a network; see ``search``.

    Returns
    -------
    list of LoadResult
        By network, and in it by seed, with a curve of each pattern.

    Raises
    ------
    SpecError
        A network carries no packets, or does not allow a pattern; with several, it is named.
    ToolError
        Verilator or the C++ compiler is missing.
    """
    chosen: list[tuple[NetworkSpec, list[Pattern]]] = []
    for spec in specs:
        with _named(spec, specs):
            chosen.append((spec, _patterns_of(spec, patterns)))
    find_simulator("verilator")
    jobs: list[tuple[tuple[Any, ...], int]] = []
    searches: list[Search] = []
    for spec, known in chosen:
        work.report(f"build {spec.name}" if len(chosen) > 1 else "build")
        built = build_fabric(spec.network)
        for seed in seeds:
            for p in known:
                program = str(built.program), str(built.data)
                jobs.append(((program, p.goals, p.share, p.senders), seed))
                searches.append(_search(spec, specs, search(p.name, p.senders, rates, points)))
    work.report(", ".join(dict.fromkeys(p.name for _, known in chosen for p in known)))

    def measure(loads: Sequence[tuple[int, float]]) -> Iterator[LoadPoint]:
        todo = ((*jobs[number][0], rate, jobs[number][1]) for number, rate in loads)
        yield from (LoadPoint(*row) for row in work.map(_measured, todo))

    curves = iter(side_by_side(searches, measure))
    return [
        LoadResult(spec.name, seed, [next(curves) for _ in known])
        for spec, known in chosen
        for seed in seeds
    ]


def _named(spec: NetworkSpec, specs: Sequence[NetworkSpec]) -> AbstractContextManager[None]:
    """Let a refusal say which of several networks it is about."""
    return about((spec.source or spec.name) if len(specs) > 1 else "")


def _search(spec: NetworkSpec, specs: Sequence[NetworkSpec], inner: Search) -> Search:
    with _named(spec, specs):
        return (yield from inner)


def _patterns_of(spec: NetworkSpec, patterns: Sequence[str]) -> list[Pattern]:
    """Return the patterns of a network that can be measured."""
    spec.network.check_packets("load", "take another network")
    if len(spec.network.topology.nodes) < 2:
        raise SpecError(f"load: {spec.name} has one node, which sends nothing")
    return [pattern_of(spec.network.topology, text) for text in dict.fromkeys(patterns)]
