"""Runs of HGSA and MBOA, a seed each, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import mean
from typing import Any, Literal

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.methods import load_method
from syncfabric.models.collectives.progress import Found, Progress, Stop
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Task
from syncfabric.sim.reproduce.evo.islands import islands
from syncfabric.sim.reproduce.evo.tasks import task_from, task_json
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["TIMES", "Entry", "Method", "hgsa", "make_runs", "mboa"]

Method = Literal["hgsa", "mboa"]

TIMES = 5
"""An entry's runs together, or the search by all methods for it, may take so many time limits."""

LONGER: dict[tuple[Method, str, str], int] = {("mboa", "AAS", "hypercube-32"): 30}
"""Where a run may take so many time limits, for it has up to 1000 million chromosomes to weigh."""

Run = dict[str, Any]
"""Of a run: whether it found a schedule, and its conflicts, evaluations and seconds."""


@dataclass(frozen=True)
class Entry:
    """What the runs of one entry of a table came to."""

    runs: int
    evaluations: tuple[int, ...]
    """Of each run that found a schedule."""
    seconds: tuple[float, ...]
    """Of the same runs."""
    left: int | None
    """Conflicts that the best of the others left; None if all found one."""
    wanted: int = 0
    """Runs that were to be made, had there been time."""

    @property
    def rate(self) -> float:
        """Runs that found a schedule, per cent."""
        return 100 * len(self.evaluations) / self.runs

    @property
    def mean(self) -> float | None:
        """Mean evaluations until a schedule was found, of the runs that found one."""
        return mean(self.evaluations) if self.evaluations else None

    def note(self, paper: float) -> str:
        """Say whether the rate is below the paper's, and what the other runs left."""
        notes = ["below the paper"] if self.rate < paper else []
        if self.runs < self.wanted:
            notes.append(f"{self.runs} of {self.wanted} runs, then its time was over")
        if self.left is not None:
            conflicts = f"{self.left} conflict{'' if self.left == 1 else 's'}"
            notes.append(f"the best of the others left {conflicts}")
        return "; ".join(notes)


def make_runs(work: Work, method: Method, task: Task, steps: int) -> Entry:
    """Make the runs of one entry, and let the checker see what they found.

    HGSA takes all processors for a run, MBOA one, with as many runs side by side. When its runs
    together have taken ``TIMES`` time limits, or what one of them may take by ``LONGER``, an entry
    has no more of them.

    Raises
    ------
    KeyboardInterrupt
        The user has asked to stop.
    """
    kind, name = task.collective.kind, task.topology.name
    limits = LONGER.get((method, kind, name), 1)
    words = f"{kind} on {name}, {steps} steps, {method.upper()}"
    work.tell(words)
    limit, whole = limits * work.time_limit, max(TIMES, limits) * work.time_limit
    jobs = [(task_json(task), steps, seed, limit) for seed in work.seeds]
    found: list[Run] = []
    while jobs and sum(run["seconds"] for run in found) < whole:
        if method == "hgsa":
            found.append(work.alone(hgsa, (*jobs.pop(0), islands()), words))
        else:
            found += work.map(mboa, jobs[: work.beside])
            del jobs[: work.beside]
    done = [run for run in found if run["found"]]
    return Entry(
        len(found),
        tuple(run["evaluations"] for run in done),
        tuple(run["seconds"] for run in done),
        min((run["conflicts"] for run in found if not run["found"]), default=None),
        work.runs,
    )


def mboa(values: dict[str, Any], steps: int, seed: int, time_limit: float) -> Run:
    """Make a run of MBOA.

    Parameters
    ----------
    values : dict
        Of the task.
    steps, seed : int
    time_limit : float
        Seconds.
    """
    task = task_from(values)
    solve = load_method("mboa")
    found = solve(task, steps, seed=seed, time_limit=time_limit, told=None, stop=None)
    return _checked(task, found)


def hgsa(
    values: dict[str, Any],
    steps: int,
    seed: int,
    time_limit: float,
    islands: int,
    told: Callable[[str], None],
    stop: Stop,
) -> Run:
    """Make a run of HGSA.

    Parameters
    ----------
    values : dict
        Of the task.
    steps, seed : int
    time_limit : float
        Seconds.
    islands : int
        A processor each.
    told : callable
        Is told how far it is.
    stop : callable
        Turns true when it is to end.
    """

    def tell(progress: Progress) -> None:
        told(f"{progress.conflicts} conflicts left")

    task = task_from(values)
    solve = load_method("hgsa")
    options: dict[str, Any] = {"seed": seed, "time_limit": time_limit, "islands": islands}
    return _checked(task, solve(task, steps, told=tell, stop=stop, **options))


def _checked(task: Task, found: Found) -> Run:
    if found.steps is not None:
        report = check(Schedule(task.topology, task.collective, task.rules, found.steps))
        if not report.right or report.detour > task.extra:
            raise AssertionError(
                f"{task.collective.kind} on {task.topology.name}: "
                f"a schedule that is wrong: {report.conflicts}"
            )
    return {
        "found": found.steps is not None,
        "conflicts": found.conflicts,
        "evaluations": found.evaluations,
        "seconds": found.seconds,
    }
