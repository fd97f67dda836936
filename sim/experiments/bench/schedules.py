"""Search for schedules: how often MBOA and annealing find the optimum, and how fast they are."""

import resource
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from functools import partial
from math import inf
from multiprocessing import get_context
from statistics import geometric_mean, mean, median, stdev
from time import process_time
from typing import Any

from syncfabric.models.collectives.annealing.island import Begin
from syncfabric.models.collectives.annealing.island import Parameters as Annealing
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.clock import Found
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.mboa.solve import Parameters
from syncfabric.models.collectives.methods import known, searches, solve
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.symmetry import Symmetry, translations
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.errors import SyncfabricError, ToolError
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.experiments.papers.evo import TABLE_2
from syncfabric.sim.experiments.papers.evo_runs import task_on

RUNS = 30
"""Of a row; of one that is ``LONG``, the few there is time for."""
SECONDS = 10.0
"""Of a processor, for a run."""
LONG = {("AAS", 32): (3, 1800.0)}
"""Runs and seconds: it leaves no channel free in any step, so it must cool slowly."""

RATES = {
    kind: {size: entry for size, entry in entries.items() if entry[1]}
    for kind, (method, entries) in TABLE_2.items()
    if method == "mboa"
}
"""Steps and the rate to reach, per cent, on the all-port hypercube of each size; the paper's."""
MODELS: dict[str, dict[str, Any]] = {
    "trees": {},
    "frequencies of each gene": {"leaves": 1},
    "moves alone": {"leaves": 0},
}
"""The search as it is, and with less of a model."""
ABLATION: tuple[tuple[str, str, int], ...] = (
    ("AAS", "hypercube-16", 8),
    ("AAS", "mesh-4x4", 16),
    ("OAB", "hypercube-64", 3),
)
"""Kind, topology and steps."""
ABLATED = 20, 5.0
"""Runs of a row, and the processor's seconds of one."""


@section
def mboa() -> Iterator[Claim]:
    """MBOA and HGSA: how often they reach the bound (paper EVO, Table 2)."""
    for kind, sizes in RATES.items():
        for size, (steps, least) in sizes.items():
            task = task_on(f"hypercube-{size}", kind, Rules())
            found, words = _runs("mboa", task, steps, *LONG.get((kind, size), (RUNS, SECONDS)))
            what = f"{kind}, hypercube of {size}, {steps} steps"
            yield figure(what, words, f">= {least} %", found >= least)
    task = task_on("hypercube-128", "OAB", Rules())
    found, words = _runs("hgsa", task, 3, RUNS, 60.0, islands=1)
    yield figure("OAB, hypercube of 128, 3 steps, by HGSA", words, ">= 100 %", found >= 100)


@section
def ablation() -> Iterator[Claim]:
    """Ablation: what a model adds to moves, and crossover in its place, four chains each."""
    for kind, name, steps in ABLATION:
        task = task_on(name, kind, Rules())
        chosen = Parameters.of(task)
        fields = {f.name: getattr(chosen, f.name) for f in dataclass_fields(Annealing)}
        variants: dict[str, Annealing] = {
            words: replace(chosen, **less) for words, less in MODELS.items()
        } | {"crossover": Annealing(**fields | {"exchange": Annealing.exchange})}
        for words, parameters in variants.items():
            found = _runs("hgsa", task, steps, *ABLATED, islands=1, parameters=parameters)
            yield figure(f"{kind}, {name}, {steps} steps: {words}", found[1])


def _runs(
    method: str, task: Task, steps: int, runs: int, seconds: float, **more: Any
) -> tuple[float, str]:
    """Return the rate of success in per cent, and the figures in words."""
    solve(method, task, steps, most=1, **more)  # compiles, or loads what was compiled
    done, used = list[Found](), list[float]()
    for seed in range(runs):
        begun = process_time()
        over = partial(_passed, _processors() + seconds)
        run = solve(method, task, steps, seed=seed, time_limit=10 * seconds, stop=over, **more)
        if run.steps is not None:
            assert check(Schedule(task.topology, task.collective, task.rules, run.steps)).right
            done.append(run)
            used.append(process_time() - begun)
    low, high = wilson(len(done), runs)
    words = f"{len(done)} of {runs} ({100 * low:.0f} to {100 * high:.0f} %)"
    if done:
        evaluations = [run.evaluations / 1e6 for run in done]
        error = stdev(evaluations) / len(done) ** 0.5 if len(done) > 1 else 0.0
        words += f", {mean(evaluations):.2f} ± {error:.2f} million evaluations, {mean(used):.2f} s"
    return 100 * len(done) / runs, words


def wilson(successes: int, runs: int) -> tuple[float, float]:
    """Return the interval of 95 % of a rate (Wilson, 1927)."""
    z = 1.96
    rate, spread = successes / runs, z * z / runs
    middle = (rate + spread / 2) / (1 + spread)
    half = (rate * (1 - rate) * spread + spread * spread / 4) ** 0.5 / (1 + spread)
    return middle - half, middle + half


COSTS: tuple[tuple[str, str, Rules], ...] = (
    ("octagon-8", "AAS", Rules()),
    ("mesh-4x4", "AAS", Rules()),
    ("mesh-4x4", "AAS", Rules(1)),
    ("torus-4x4", "AAS", Rules()),
    ("fat-octagon-16", "AAS", Rules(1)),
    ("fat-tree-2x3", "AAS", Rules()),
    ("mesh-4x4", "AAB", Rules(1, switching="store-and-forward")),
    ("mesh-4x4", "AAB", Rules(1, "strict", "store-and-forward")),
    ("fat-octagon-16", "AAB", Rules(1)),
    ("hypercube-32", "OAB", Rules()),
    ("hypercube-64", "OAB", Rules()),
    ("hypercube-64", "OAS", Rules()),
)
"""Tasks at whose bound some method arrives in seconds, and no construction is known."""
COST_SEEDS, COST = 3, 30.0
"""Searches of each, besides one that compiles, and the processor's seconds that one may take."""
BESIDE = 4.0
"""Times what the best takes, after which another method is given up."""


@section
def auto_cost() -> Iterator[Claim]:
    """Cost of auto: processor time against the best method alone, bounds and checks included."""
    ratios = []
    for name, kind, rules in COSTS:
        task = task_on(name, kind, rules)
        auto = _cost(task, "auto", COST)
        alone = inf, "none"
        for method in searches()[1:]:
            # What takes longer than the best so far is not the best.
            limit = min(COST, max(1.0, BESIDE * min(auto, alone[0])))
            alone = min(alone, (_cost(task, method, limit), method))
        ports = "" if rules.ports == "all" else f", {rules.ports} port, {rules.one_port}"
        if auto == inf:
            yield figure(f"{name} {kind}{ports}", f"no optimum in {COST:g} s", "one", False)
            continue
        if alone[0] == inf:
            words = f"{auto:.2f} s, no method alone in {limit:.2f}"
            yield figure(f"{name} {kind}{ports}", words)
            continue
        ratios.append(auto / alone[0])
        words = f"{auto:.2f} s, {alone[0]:.2f} by {alone[1]}: {ratios[-1]:.2f}"
        yield figure(f"{name} {kind}{ports}", words)
    found = geometric_mean(ratios)
    yield figure("in the mean", f"{found:.2f}, at most {max(ratios):.2f}", "<= 1.5", found <= 1.5)


def _cost(task: Task, method: str, limit: float) -> float:
    """Return the mean processor time, in seconds, until the bound is met; infinite if it is not.

    Limits are of processor time, too, so that other programs do not change what is measured.
    """
    if method != "auto" and known()[method].unfit(task) is not None:
        return inf
    used = []
    for seed in range(COST_SEEDS + 1):
        begun = _processors()
        over = partial(_passed, begun + limit)
        found = search(task, method, seed=seed, time_limit=LONGEST, stop=over)
        used.append(_processors() - begun)
        if not found.optimal:
            return inf
    return mean(used[1:])  # without what it takes to compile


def _passed(until: float) -> bool:
    return _processors() > until


def _processors() -> float:
    """Return the processor time of this process and of those that it has had, in seconds."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


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
        f"{task.topology.name} {task.collective.name}{ports}{group}, {steps} steps",
        f"{len(seconds)} of {len(SEEDS)}{times}",
        f"{len(SEEDS)} of {len(SEEDS)}" + (f" in {limit:.0f} s" if symmetry else ""),
        len(seconds) == len(SEEDS),
    )


CUBES = tuple(f"hypercube-{1 << d}" for d in range(3, 11))
TORI = tuple(f"torus-{side}x{side}" for side in (4, 8, 16, 32))
CONSTRUCTED = (
    *("ring-64", "octagon-64", "torus-4x8"),
    *(f"mesh-{side}x{side}" for side in (5, 6, 8, 16)),
)
"""Where AAS has to meet the bound."""
CASES = (
    *((name, "AAB") for name in (*CUBES, *TORI)),
    *((name, "AAS") for name in (*CUBES, *TORI[:-1], *CONSTRUCTED)),
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
        slack = 1.0 if self.topology in CONSTRUCTED else SLACK[self.collective]
        if self.steps is None or self.steps > slack * self.bound:
            return False
        late = self.collective == "AAB" and self.seconds > SOON
        return not late and self.peak_bytes < MOST_MEMORY


@section
def schedule_growth() -> Iterator[Claim]:
    """Schedule growth: steps, bound, seconds and memory against nodes."""
    for name, kind in CASES:
        row = in_a_process(name, kind)
        steps = "no schedule" if row.steps is None else f"{row.steps} steps"
        near = "the bound" if name in CONSTRUCTED else "1.05 bounds"
        target = "the bound in 10 s" if kind == "AAB" else f"{near} in minutes"
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
        round(_processors(), 3),
        1024 * (own.ru_maxrss + others.ru_maxrss),
    )
