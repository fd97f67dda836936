"""Search for schedules: how often MBOA and annealing find the optimum, and how fast they are."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass
from math import inf
from multiprocessing import get_context
from statistics import mean, median
from time import process_time

from syncfabric.models.collectives.annealing.island import Begin
from syncfabric.models.collectives.annealing.island import Parameters as Annealing
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.mboa.state import Parameters
from syncfabric.models.collectives.methods import solve
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.symmetry import Symmetry, translations
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.errors import SyncfabricError, ToolError
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.experiments.papers.evo import TABLE_2, task_on

RUNS = 10
SECONDS = 60.0
"""A run."""
LONG = Parameters(), 6e8, 1800.0
"""Parameters, evaluations and seconds of a run of AAS on the hypercube of 32. It leaves no channel
free in any step, so it must cool slowly."""

RATES = {
    kind: {size: entry for size, entry in entries.items() if entry[1]}
    for kind, (method, entries) in TABLE_2.items()
    if method == "mboa"
}
"""Steps and the rate to reach, per cent, on the all-port hypercube of each size; the paper's."""
RATES["AAS"][8] = 4, 100
"""Where the paper has 60."""
MODELS: dict[str, Parameters] = {
    "trees": Parameters(),
    "independent frequencies": Parameters(leaves=1),
    "mutation alone": Parameters(leaves=0),
}
"""The search as it is, and with less of a model."""
_DRAWN = Parameters(population=256, selected=128, generation=20, least=1.0, mutation=0.0)

DRAWN: dict[str, Parameters] = {
    "trees alone, 256 chromosomes": _DRAWN,
    "frequencies alone, 256 chromosomes": _DRAWN._replace(leaves=1),
}
"""The model without mutation, which needs a larger population to learn from."""
ABLATION: tuple[tuple[str, int, int], ...] = (
    ("OAB", 32, 2), ("OAS", 64, 11), ("AAS", 8, 4), ("AAS", 16, 8),
)  # fmt: skip
"""Kind, hypercube and steps."""
FEWER = 1e7
"""Evaluations of a run there."""
OTHERS: dict[str, tuple[str, str, int]] = {
    "the Octagon": ("octagon-8", "AAS", 4),
    "the 4x4 mesh, one step less than the paper's": ("mesh-4x4", "AAS", 16),
}
"""Direct networks of Tables 3 and 4, all ports."""


@section
def mboa() -> Iterator[Claim]:
    """MBOA: success over 10 seeds and evaluations (paper EVO, Table 2)."""
    for kind, sizes in RATES.items():
        for size, (steps, least) in sizes.items():
            chosen = LONG if (kind, size) == ("AAS", 32) else (Parameters(), inf, SECONDS)
            rate, words = _runs(f"hypercube-{size}", kind, steps, *chosen)
            what = f"{kind}, hypercube of {size}, {steps} steps"
            yield figure(what, words, f">= {least} %", rate >= least)
    for words, (topology, kind, steps) in OTHERS.items():
        found = _runs(topology, kind, steps, Parameters())[1]
        yield figure(f"{kind}, {words}, {steps} steps", found)
    repeated = _runs("hypercube-32", "AAS", 16, Parameters(translations=32))[1]
    yield figure("AAS, hypercube of 32, 16 steps, the same from every node (ours)", repeated)
    for kind, size, steps in ABLATION:
        for name, parameters in (MODELS | DRAWN).items():
            words = _runs(f"hypercube-{size}", kind, steps, parameters, FEWER)[1]
            yield figure(f"{kind}, hypercube of {size}, {steps} steps: {name}", words)


def _runs(
    topology: str,
    kind: str,
    steps: int,
    parameters: Parameters,
    most: float = inf,
    seconds: float = SECONDS,
) -> tuple[float, str]:
    """Return the rate of success in per cent, and the figures in words."""
    task = task_on(topology, kind, Rules())
    found = [
        solve("mboa", task, steps, seed=seed, time_limit=seconds, parameters=parameters, most=most)
        for seed in range(RUNS)
    ]
    done = [run for run in found if run.steps is not None]
    for run in done:
        assert run.steps is not None
        assert check(Schedule(task.topology, task.collective, task.rules, run.steps)).right
    rate = 100 * len(done) / RUNS
    words = f"{rate:.0f} %"
    if done:
        evaluations = mean(run.evaluations for run in done)
        words += f", {evaluations:,.0f} evaluations, {mean(r.seconds for r in done):.1f} s"
    if len(done) < RUNS:
        left = min(run.conflicts for run in found if run.steps is None)
        words += f"; else {left} conflicts or more left"
    return rate, words


SEEDS = range(1000, 1010)
"""Others than those on which the search was tuned."""
LIMIT = 60.0
"""Seconds a seed."""
STORE = Rules(switching="store-and-forward")

OPTIMA: tuple[tuple[str, str, Rules, int], ...] = (
    ("hypercube-8", "AAS", Rules(), 4),
    ("hypercube-16", "AAS", Rules(), 8),
    ("mesh-4x4", "AAS", Rules(), 16),
    ("mesh-4x4", "AAS", Rules(1), 16),
    ("coated-mesh-4x4", "AAS", Rules(1), 16),
    ("octagon-8", "AAS", Rules(), 4),
    ("fat-octagon-16", "AAS", Rules(1), 16),
    ("hypercube-8", "AAB", STORE, 3),
    ("hypercube-16", "AAB", STORE, 4),
    ("hypercube-32", "AAB", STORE, 7),
    ("hypercube-64", "AAB", STORE, 11),
    ("hypercube-128", "AAB", STORE, 19),
)

SYMMETRIC: tuple[tuple[str, str, Rules, int], ...] = (
    ("hypercube-32", "AAS", Rules(), 16),
    ("hypercube-64", "AAS", Rules(), 32),
    ("hypercube-128", "AAS", Rules(), 64),
)


@section
def schedule_search() -> Iterator[Claim]:
    """Schedule search: annealing alone, two islands, 10 seeds of at most 60 s."""
    task = task_on("hypercube-16", "AAS", Rules())
    rate, words = _rate(task, 7), "moves a second a core, hypercube-16 AAS, 7 steps"
    yield figure(words, f"{rate / 1e6:.1f} million", ">= 3 million", rate >= 3e6)
    for name, kind, rules, steps in OPTIMA:
        yield _row(task_on(name, kind, rules), steps, LIMIT)
    for name, kind, rules, steps in SYMMETRIC:
        task = task_on(name, kind, rules)
        yield _row(task, steps, 10.0, translations(task.topology)[0])


def _rate(task: Task, steps: int) -> float:
    """Return evaluated moves a second of one core; there must be no schedule with so few steps."""
    island = Begin(task, steps, Annealing(population=1), None, 0, 0).make()
    island.run(1_000)  # compiles, or loads what was compiled
    before, begun = island.evaluations, process_time()
    while process_time() - begun < 5:
        island.run(1_000_000)
    return (island.evaluations - before) / (process_time() - begun)


def _row(task: Task, steps: int, limit: float, symmetry: Symmetry | None = None) -> Claim:
    seconds = []
    for seed in SEEDS:
        found = solve(
            "hgsa", task, steps, seed=seed, time_limit=limit, islands=2, symmetry=symmetry
        )
        if found.steps is not None and found.seconds <= limit:
            schedule = Schedule(task.topology, task.collective, task.rules, found.steps)
            if check(schedule).right:
                seconds.append(found.seconds)
    ports = "" if task.rules.ports == "all" else f", {task.rules.ports} port"
    group = f", symmetry of {symmetry.size}" if symmetry else ""
    times = f", {median(seconds):.2f} s, at most {max(seconds):.2f}" if seconds else ""
    return figure(
        f"{task.topology.name} {task.collective.kind}{ports}{group}, {steps} steps",
        f"{len(seconds)} of {len(SEEDS)}{times}",
        f"{len(SEEDS)} of {len(SEEDS)}" + (f" in {limit:.0f} s" if symmetry else ""),
        len(seconds) == len(SEEDS),
    )


CUBES = tuple(f"hypercube-{1 << d}" for d in range(3, 11))
TORI = tuple(f"torus-{side}x{side}" for side in (4, 8, 16, 32))
CASES = (
    *((name, "AAB") for name in (*CUBES, *TORI)),
    *((name, "AAS") for name in (*CUBES, *TORI[:-1])),
)
"""Topologies and collectives."""

LONGEST = 300.0
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
    found = search(Task(topology, collective(kind, topology), rules), time_limit=LONGEST)
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
