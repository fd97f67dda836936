"""Search for schedules: moves a second, and how often annealing finds the optimum."""

from collections.abc import Iterator
from dataclasses import replace
from statistics import median
from time import process_time

from syncfabric.models.collectives.annealing.parameters import Parameters
from syncfabric.models.collectives.annealing.solve import solve
from syncfabric.models.collectives.annealing.worker import Begin
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.symmetry import Symmetry, translations
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Rules, Schedule
from syncfabric.models.collectives.task import Task
from syncfabric.sim.figures.row import Row

__all__ = ["schedule_search"]

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


def schedule_search() -> Iterator[Row]:
    """Schedule search: annealing alone, two islands, 10 seeds of at most 60 s."""
    task = _task("hypercube-16", "AAS", Rules())
    rate = _rate(task, 7)
    yield Row(
        "moves a second a core, hypercube-16 AAS, 7 steps",
        f"{rate / 1e6:.1f} million",
        ">= 3 million",
        rate >= 3e6,
    )
    for name, kind, rules, steps in OPTIMA:
        yield _row(_task(name, kind, rules), steps, LIMIT)
    for name, kind, rules, steps in SYMMETRIC:
        task = _task(name, kind, rules)
        yield _row(task, steps, 10.0, translations(task.topology)[0])


def _task(name: str, kind: str, rules: Rules) -> Task:
    topology = named(name)
    return Task(topology, collective(kind, topology), rules)


def _rate(task: Task, steps: int) -> float:
    """Return evaluated moves a second of one core; there must be no schedule with so few steps."""
    island = Begin(task, steps, replace(Parameters(), population=1), None, 0, 0).make()
    island.run(1_000)  # compiles, or loads what was compiled
    before, begun = island.evaluations, process_time()
    while process_time() - begun < 5:
        island.run(1_000_000)
    return (island.evaluations - before) / (process_time() - begun)


def _row(task: Task, steps: int, limit: float, symmetry: Symmetry | None = None) -> Row:
    seconds = []
    for seed in SEEDS:
        found = solve(task, steps, seed=seed, time_limit=limit, islands=2, symmetry=symmetry)
        if found.steps is not None and found.seconds <= limit:
            schedule = Schedule(task.topology, task.collective, task.rules, found.steps)
            if check(schedule).right:
                seconds.append(found.seconds)
    ports = "" if task.rules.ports == "all" else f", {task.rules.ports} port"
    group = f", symmetry of {symmetry.size}" if symmetry else ""
    times = f", {median(seconds):.2f} s, at most {max(seconds):.2f}" if seconds else ""
    return Row(
        f"{task.topology.name} {task.collective.kind}{ports}{group}, {steps} steps",
        f"{len(seconds)} of {len(SEEDS)}{times}",
        f"{len(SEEDS)} of {len(SEEDS)}" + (f" in {limit:.0f} s" if symmetry else ""),
        len(seconds) == len(SEEDS),
    )
