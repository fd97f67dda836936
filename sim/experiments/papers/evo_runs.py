"""Searches of paper EVO's experiments: runs of its methods, and ``auto``, as jobs."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import mean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.clock import Clock, Found, Stop
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.files import read
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.methods import solve
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.search import search
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.sim.experiments.frame import Work

if TYPE_CHECKING:
    from syncfabric.models.collectives.record import Result, Standing

Method = Literal["hgsa", "mboa"]
Progress = Callable[[str], None]
Run = dict[str, Any]
"""Of a run: whether it found a schedule, and its conflicts, evaluations and seconds."""

TIMES = 5
"""An entry's runs together, or the search by all methods for it, may take so many time limits."""
LONGER: dict[tuple[Method, str, str], int] = {("mboa", "AAS", "hypercube-32"): 30}
"""Where a run may take so many time limits, for it has up to 1000 million chromosomes to weigh."""


def task_on(name: str, kind: str, rules: Rules) -> Task:
    """Return a collective on a topology by their names."""
    topology = named(name)
    return Task(topology, collective(kind, topology), rules)


def task_json(task: Task) -> dict[str, Any]:
    """Return a task as a schedule without steps, and by how much paths may be longer."""
    empty = Schedule(task.topology, task.collective, task.rules, ())
    return {"schedule": empty.to_json(), "extra": task.extra}


def task_from(values: dict[str, Any]) -> Task:
    """Return the task that ``task_json`` gave."""
    empty = read(values["schedule"])
    return Task(empty.topology, empty.collective, empty.rules, values["extra"])


def islands() -> int:
    """Return how many islands a search has by default on this machine."""
    from syncfabric.models.collectives.annealing.solve import ISLANDS

    return min(len(os.sched_getaffinity(0)), ISLANDS)


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
    work.report(words)
    limit, whole = limits * work.time_limit, max(TIMES, limits) * work.time_limit
    jobs = [(method, task_json(task), steps, seed, limit) for seed in work.seeds]
    found: list[Run] = []
    while jobs and sum(run["seconds"] for run in found) < whole:
        if method == "hgsa":
            found.append(work.alone(one_run, (*jobs.pop(0), islands()), words))
        else:
            found += work.map(one_run, jobs[: work.beside])
            del jobs[: work.beside]
    done = [run for run in found if run["found"]]
    return Entry(
        len(found),
        tuple(run["evaluations"] for run in done),
        tuple(run["seconds"] for run in done),
        min((run["conflicts"] for run in found if not run["found"]), default=None),
        work.runs,
    )


def one_run(
    method: Method,
    values: dict[str, Any],
    steps: int,
    seed: int,
    time_limit: float,
    islands: int | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Run:
    """Make a run of a method.

    Parameters
    ----------
    method : str
    values : dict
        Of the task.
    steps, seed : int
    time_limit : float
        Seconds.
    islands : int, optional
        Of HGSA, a processor each.
    progress : callable, optional
        Takes words on how far it is.
    stop : callable, optional
        Turns true when it is to end.
    """

    def report(now: Found) -> None:
        if progress is not None:
            progress(f"{now.conflicts} conflicts left")

    more: dict[str, Any] = {} if islands is None else {"islands": islands}
    task = task_from(values)
    limits: dict[str, Any] = {"time_limit": time_limit, "stop": stop}
    found = solve(method, task, steps, seed=seed, progress=report, **limits, **more)
    if found.steps is not None:
        verdict = check(Schedule(task.topology, task.collective, task.rules, found.steps))
        if not verdict.right or verdict.detour > task.extra:
            what = f"{task.collective.kind} on {task.topology.name}"
            raise AssertionError(f"{what}: a schedule that is wrong: {verdict.conflicts}")
    return {
        "found": found.steps is not None,
        "conflicts": found.conflicts,
        "evaluations": found.evaluations,
        "seconds": found.seconds,
    }


class Shortest(NamedTuple):
    """The shortest schedule that ``auto`` found, and what is known of it."""

    steps: int | None
    """None if no schedule was found."""
    tried: int
    """Its steps, or those that were tried last."""
    why: str
    """By what it is optimal, or that nothing proves it."""
    bound: int
    """The greatest bound of the steps."""
    argument: str
    """Of that bound."""
    found: dict[str, Any] | None
    """The schedule as JSON."""

    @property
    def schedule(self) -> Schedule | None:
        """The schedule itself."""
        return None if self.found is None else read(self.found)


def shortest(work: Work, task: Task, what: str) -> Shortest:
    """Search by all methods, ``TIMES`` time limits long at most.

    Raises
    ------
    KeyboardInterrupt
        The user has asked to stop.
    """
    work.report(f"{what}: auto")
    job = (task_json(task), work.seed, TIMES * work.time_limit, islands())
    return Shortest(*work.alone(auto, job, what))


def auto(
    values: dict[str, Any],
    seed: int,
    time_limit: float,
    islands: int,
    progress: Progress,
    stop: Stop,
) -> Shortest:
    """Search by all methods; see ``one_run`` for the arguments."""

    def report(standing: Standing) -> None:
        best = "" if standing.best is None else f", best so far {standing.best}"
        progress(f"auto tries {standing.steps} steps by {standing.method}{best}")

    options: dict[str, Any] = {"seed": seed, "time_limit": time_limit, "islands": islands}
    found = search(task_from(values), progress=report, stop=stop, **options)
    bound, schedule = found.bounds[0], found.schedule
    return Shortest(
        None if schedule is None else found.steps,
        found.steps,
        why(found),
        bound.value,
        bound.argument.words(),
        None if schedule is None else schedule.to_json(),
    )


def why(found: Result) -> str:
    """Say by what a schedule is optimal, or that nothing proves it."""
    if found.certificate is not None:
        return f"optimal: {found.certificate.argument.words()}"
    least = found.bounds[0].value
    return f"not proved optimal in {found.seconds:.0f} s: at least {least} are needed"


PATHS = 1000
"""Of a message, at most."""


def detours(schedule: Schedule) -> int:
    """Return how many messages of a scatter take a path that is not a shortest one."""
    return sum(_longer(schedule, transfer.path) for step in schedule.steps for transfer in step)


def straightened(work: Work, task: Task, schedule: Schedule) -> Schedule:
    """Return a schedule with as many steps, and as few longer paths as are found in time."""
    from syncfabric.models.collectives.encoding import encode
    from syncfabric.models.collectives.exact.model import Model, run

    encoding = encode(task, len(schedule.steps), paths=PATHS, whole=True)
    model = Model(encoding)
    longer = [sent for sent, _, path, _ in model.sent if _longer(schedule, encoding.path(path))]
    model.sat.minimize(sum(longer))
    answer = run(model, seed=work.seed, clock=Clock(work.time_limit, work.stop))
    work.check()
    if answer.steps is None:
        return schedule
    found = replace(schedule, steps=answer.steps)
    if not check(found).right:
        raise AssertionError("straightened: a schedule that is wrong")
    return found


def _longer(schedule: Schedule, path: tuple[int, ...]) -> bool:
    return len(path) - 1 > schedule.topology.to_go(path[-1])[path[0]]
