"""The best schedule and the best bound that a search has so far."""

from dataclasses import dataclass, replace

from syncfabric.models.collectives.certificate import Bound, Solver, best
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.clock import Found
from syncfabric.models.collectives.schedule import Schedule, Step, turned
from syncfabric.models.collectives.task import Task


@dataclass(frozen=True)
class Standing:
    """How far a search is."""

    method: str
    steps: int
    """That it is trying to do with."""
    best: int | None
    """Steps of the shortest schedule so far."""
    bound: int
    """What is proved to be needed."""
    conflicts: int
    """Left in the best attempt of this method."""
    evaluations: int
    """Of all methods."""
    seconds: float
    """Since the search began."""


@dataclass(frozen=True)
class Result:
    """What a search found.

    Parameters
    ----------
    schedule : Schedule or None
        It keeps every rule: the checker has seen it. With its certificate if it is optimal.
    steps : int
        Of the schedule; without one, those that were tried last.
    bounds : tuple of Bound
        The greatest first, the paper's last.
    optimal : bool
        Whether a bound that is proved is met, or the solver's.
    certificate : Bound or None
        Why there are not fewer steps, if the schedule is optimal.
    evaluations : int
        Moves, individuals, and the solver's branches.
    seconds : float
    method : str
        That found it; "construction" and "first fit" need no search.
    conflicts : int
        Left in the best attempt if there is no schedule.
    cut_off : tuple of str
        Kinds of bounds that were looked for until time was over: there may be greater ones.
    """

    schedule: Schedule | None
    steps: int
    bounds: tuple[Bound, ...]
    optimal: bool
    certificate: Bound | None
    evaluations: int
    seconds: float
    method: str
    conflicts: int
    cut_off: tuple[str, ...] = ()


class Record:
    """What is found is tested and kept here.

    Parameters
    ----------
    task : Task
    bounds : sequence of Bound
        One of them at least is proved.
    method : str
        What a result without a schedule is called after.
    cut_off : tuple of str
        Kinds of bounds for which there was no time.
    """

    def __init__(
        self, task: Task, bounds: tuple[Bound, ...], method: str, cut_off: tuple[str, ...] = ()
    ) -> None:
        proved = best(list(bounds))
        assert proved is not None
        self.task, self.forward = task, task.forward()
        self.bounds, self.bound, self.cut_off = bounds, proved, cut_off
        self.schedule: Schedule | None = None
        self.by = method
        self.tried = proved.value
        self.evaluations = 0
        self.conflicts = task.collective.demand

    @property
    def steps(self) -> int | None:
        """Of the schedule, if there is one."""
        return None if self.schedule is None else len(self.schedule.steps)

    @property
    def met(self) -> bool:
        """Whether the schedule has as few steps as it can."""
        return self.steps is not None and self.steps <= self.bound.value

    def decided(self, steps: int) -> bool:
        """Return whether it is known if so many steps do."""
        return self.bound.value > steps or (self.steps is not None and self.steps <= steps)

    def take(self, steps: tuple[Step, ...] | None, by: str) -> None:
        """Keep a schedule of the forward task if it is shorter, after the checker has seen it."""
        if steps is None:
            return
        steps = tuple(step for step in steps if step)
        if self.steps is not None and len(steps) >= self.steps:
            return
        task = self.task
        if task.collective.reversal is not None:
            steps = turned(steps)
        schedule = Schedule(task.topology, task.collective, task.rules, steps)
        report = check(schedule)
        if not report.right or report.detour > task.extra:
            said = report.conflicts[0].words() if report.conflicts else "its paths are too long"
            raise AssertionError(f"{by} made a schedule that is wrong: {said}")
        self.schedule, self.by = schedule, by

    def keep(self, found: Found, before: Found | None, steps: int, by: str) -> None:
        """Take in what a method has that looks for so many steps, and had before."""
        self.evaluations += found.evaluations - (before.evaluations if before is not None else 0)
        self.conflicts = min(self.conflicts, found.conflicts)
        if found.infeasible and steps >= self.bound.value:
            self.bound = _refuted(steps, found)
        self.take(found.steps, by)

    def result(self, seconds: float) -> Result:
        """Return what was found in so many seconds."""
        schedule = self.schedule
        if schedule is not None and self.met:
            schedule = replace(schedule, certificate=self.bound)
        known = self.bounds if self.bound in self.bounds else (self.bound, *self.bounds)
        return Result(
            schedule,
            self.tried if schedule is None else len(schedule.steps),
            tuple(sorted(known, key=lambda b: (not _sure(b), -b.value))),
            self.met,
            self.bound if self.met else None,
            self.evaluations,
            seconds,
            self.by,
            0 if schedule is not None else self.conflicts,
            self.cut_off,
        )


def _sure(bound: Bound) -> bool:
    """Return whether a bound is more than a formula."""
    return bound.proves or isinstance(bound.argument, Solver)


def _refuted(steps: int, found: Found) -> Bound:
    from syncfabric.models.collectives.exact.model import NAME

    proof = f"INFEASIBLE with {steps} steps, all paths allowed, {found.evaluations:,} branches"
    return Bound(steps + 1, Solver(NAME, proof))
