"""Schedules against the number of nodes: steps, bound, seconds and memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.errors import SyncfabricError, ToolError
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section

CUBES = tuple(f"hypercube-{1 << d}" for d in range(3, 11))
TORI = tuple(f"torus-{side}x{side}" for side in (4, 8, 16, 32))
CASES = (
    *((name, "AAB") for name in (*CUBES, *TORI)),
    *((name, "AAS") for name in (*CUBES, *TORI[:-1])),
)
"""Topologies and collectives."""

LIMIT = 300.0
"""Seconds of a search."""
GIB = 2**30
MOST_MEMORY = 8 * GIB
SLACK = {"AAB": 1.0, "AAS": 1.05}
"""Steps that are allowed for each step of the bound."""
SOON = 10.0
"""Seconds for AAB."""
TACOS = {"torus-16x16": "TACOS 65 in 38 tries", "torus-32x32": "TACOS 258 in 29 s"}
"""What TACOS, the fastest open synthesizer, finds for AAB on a machine like this one."""


@dataclass(frozen=True)
class Growth:
    """One row."""

    topology: str
    collective: str
    nodes: int
    steps: int | None
    """None if no schedule was found."""
    bound: int
    optimal: bool
    method: str
    seconds: float
    """Of the whole search, the bounds and the checker's pass included."""
    processor_seconds: float
    """Of all processes."""
    peak_bytes: int
    """Most resident memory of the process, and of the largest of its own processes."""

    @property
    def met(self) -> bool:
        """Whether it has few steps, in time, and without much memory."""
        if self.steps is None or self.steps > SLACK[self.collective] * self.bound:
            return False
        late = self.collective == "AAB" and self.seconds > SOON
        return not late and self.peak_bytes < MOST_MEMORY


@section
def schedule_growth() -> Iterator[Claim]:
    """Schedule growth: steps, bound, seconds and memory against nodes."""
    for name, kind in CASES:
        row = in_a_process(name, kind)
        steps = "no schedule" if row.steps is None else f"{row.steps} steps"
        target = "the bound in 10 s" if kind == "AAB" else "1.05 bounds in minutes"
        beside = f"; {TACOS[name]}" if kind == "AAB" and name in TACOS else ""
        yield figure(
            f"{kind}, {name}, {row.nodes} nodes",
            f"{steps}, bound {row.bound}, {row.seconds:.1f} s "
            f"({row.processor_seconds:.1f} of processors), {row.peak_bytes / GIB:.2f} GiB",
            f"{target}, < 8 GiB{beside}",
            row.met,
        )


def in_a_process(name: str, kind: str) -> Growth:
    """Measure in a fresh process, so that memory is that of this row alone.

    Raises
    ------
    ToolError
        The process failed.
    """
    try:
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            return process.submit(measure, name, kind).result()
    except (SyncfabricError, BrokenExecutor) as error:
        raise ToolError(f"schedule growth: {kind} on {name} failed: {error}") from error


def measure(name: str, kind: str) -> Growth:
    """Search a schedule in this process.

    Parameters
    ----------
    name : str
        Of the topology.
    kind : str
        AAB, which is stored and forwarded, or AAS, by wormhole switching; all ports.
    """
    begun = time.perf_counter()
    topology = named(name)
    rules = Rules(switching="store-and-forward" if kind == "AAB" else "wormhole")
    found = search(Task(topology, collective(kind, topology), rules), time_limit=LIMIT)
    seconds = time.perf_counter() - begun
    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Growth(
        name,
        kind,
        topology.nodes,
        None if found.schedule is None else found.steps,
        found.bounds[0].value,
        found.optimal,
        found.method,
        round(seconds, 3),
        round(own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime, 3),
        1024 * (own.ru_maxrss + others.ru_maxrss),
    )
