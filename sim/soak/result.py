"""What a soak found, as values and as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any, Literal

from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.fabric.program import Wrong
from syncfabric.sim.tables import NONE, Rows, table


@dataclass(frozen=True)
class Latencies:
    """A histogram of barriers by their latency, in cycles, summed up."""

    count: int
    min: int
    median: int
    most_999: int
    """99.9 % of the barriers take no longer."""
    max: int

    @classmethod
    def of(cls, histogram: Mapping[int, int]) -> Latencies | None:
        """Sum a histogram up; None if it is empty."""
        if not histogram:
            return None
        latencies = sorted(histogram)
        sums = list(accumulate(histogram[latency] for latency in latencies))
        count, steps = sums[-1], list(zip(latencies, sums, strict=True))
        median, most = (
            next(latency for latency, seen in steps if seen * 1000 >= count * share)
            for share in (500, 999)
        )
        return cls(count, latencies[0], median, most, latencies[-1])

    def __str__(self) -> str:
        return f"{self.min}/{self.median}/{self.most_999}/{self.max}"


@dataclass(frozen=True)
class SoakGroup:
    """What a group has been through."""

    id: int
    members: int
    """Of the network file; most instances have fewer."""
    instances: int
    killed: int
    """Instances that were killed during a barrier."""
    latency: Latencies | None
    bound: int
    """Of the network file's group: alone, on an idle network."""
    proved: bool
    """Whether no barrier may take longer than its bound, whatever others do: then it is checked."""
    histogram: Mapping[int, int]


@dataclass(frozen=True)
class SoakPhase:
    """A part of a soak with the same traffic."""

    offered: float
    """Flits a node a cycle; 1 is far beyond saturation."""
    accepted: float
    cycles: int
    packets: int


@dataclass(frozen=True)
class Finding:
    """What is not as it must be."""

    cycle: int
    group: int | None
    node: tuple[int, int] | None
    text: str

    @classmethod
    def of(cls, wrong: Wrong, spec: NetworkSpec) -> Finding:
        """Name group and node."""
        node = None if wrong.node < 0 else spec.network.topology.node(wrong.node)
        return cls(wrong.cycle, None if wrong.group < 0 else wrong.group, node, wrong.text)

    def __str__(self) -> str:
        group = "" if self.group is None else f", group {self.group}"
        node = "" if self.node is None else f", node {self.node}"
        return f"cycle {self.cycle}{group}{node}: {self.text}"


@dataclass(frozen=True)
class SoakResult:
    """A soak's result."""

    network: str
    verdict: Literal["clean", "wrong", "interrupted"]
    findings: tuple[Finding, ...]
    episodes: int
    cycles: int
    build_seconds: float
    run_seconds: float
    processor_seconds: float
    """Of the hardware's process."""
    groups: tuple[SoakGroup, ...]
    phases: tuple[SoakPhase, ...]
    """Those that have ended."""
    packets: int
    flits: int
    latency_max: int | None
    """Of a packet, from its creation to its last flit, in a queue of 64 packets at its source."""
    wait_max: int | None
    """Of a packet as the first in its source's queue, until its last flit is sent."""
    set_up_refused: int
    """Set-ups that a manager was refused, and that were tried again."""
    streams: int
    """Streams that came whole; those that a group's end has cut are checked as far as they came."""
    seed: int
    repeat: str | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return self.verdict != "wrong"

    @property
    def latency(self) -> Latencies | None:
        """Of all groups together."""
        total: Counter[int] = Counter()
        for group in self.groups:
            total.update(group.histogram)
        return Latencies.of(total)

    @property
    def rates(self) -> tuple[float, float]:
        """Episodes and cycles, a second of the hardware's processor time."""
        seconds = self.processor_seconds or float("inf")
        return self.episodes / seconds, self.cycles / seconds

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return asdict(self)


def group_rows(result: SoakResult) -> Rows:
    """Return a row a group, and one of all together."""
    heads, rows = table(
        result.groups,
        {
            "group": "id",
            "members": "members",
            "instances": "instances",
            "killed": "killed",
            "barriers": lambda group: group.latency.count if group.latency else 0,
            "latency (cycles)\nmin/med/99.9 %/max": lambda group: str(group.latency or NONE),
            "bound\n(cycles)": lambda group: f"{group.bound:,}{'' if group.proved else ' alone'}",
        },
    )
    if len(rows) > 1:
        instances = sum(group.instances for group in result.groups)
        killed = sum(group.killed for group in result.groups)
        sums = (f"{count:,}" for count in (instances, killed, result.episodes))
        rows.append(["all", "", *sums, str(result.latency or NONE), ""])
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
    if result.streams:
        yield f"{result.streams:,} streams, every word checked"
    if result.set_up_refused:
        yield f"{result.set_up_refused:,} set-ups were refused and tried again"
    if result.verdict == "clean":
        yield "nothing lost, early, wrong or stuck"
