"""Find a schedule: bounds first, then what needs no search, then search, until they meet."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.certificate import Bound, Solver, best
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.methods import check_method, load_method
from syncfabric.models.collectives.progress import Found, Progress, Stop
from syncfabric.models.collectives.schedule import Schedule, Step, Transfer
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import PlanError, SpecError

if TYPE_CHECKING:
    from syncfabric.models.collectives.exact.symmetry import Symmetry

__all__ = ["Result", "Standing", "search"]

_LARGE = 50_000
"""Messages from which on the collector of cycles would take most of the time."""
_EFFORT = 1.0
"""Of the exact solver before the heuristics, in its own seconds."""
_GROUPS = 3
"""Symmetries that annealing tries."""
_SHARE = 0.6
"""Of the time that is left, for an attempt that is not the last."""


@dataclass(frozen=True)
class Standing:
    """How far the whole search is."""

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


def search(
    task: Task,
    method: str = "auto",
    steps: int | None = None,
    seed: int = 1,
    time_limit: float = 60,
    told: Callable[[Standing], None] | None = None,
    stop: Stop | None = None,
    islands: int | None = None,
    checkpoint: Path | None = None,
) -> Result:
    """Find a schedule with few steps.

    Parameters
    ----------
    task : Task
    method : str
        One of ``METHODS``.
    steps : int, optional
        How many it may take. By default as few as can be found, beginning at the lower bound.
    seed : int
        The same seed gives the same schedule, unless the time limit cuts the search.
    time_limit : float
        Seconds.
    told : callable, optional
        Is told now and then how far the search is.
    stop : callable, optional
        Turns true when the search is to end with the best that it has.
    islands : int, optional
        Processes of ``hgsa``.
    checkpoint : Path, optional
        Where ``hgsa``, with ``steps``, keeps its state, and from where it goes on.

    Raises
    ------
    SpecError
        There is no such method, or it cannot do the task; the topology lacks a node of the
        collective; a checkpoint without ``hgsa`` and ``steps``.
    PlanError
        There is nothing to send, or ``steps`` is below a lower bound.
    """
    check_method(method)
    if not time_limit > 0:
        raise SpecError(f"time limit: it must be above 0 seconds, not {time_limit:g}")
    if checkpoint is not None and (method != "hgsa" or steps is None):
        raise SpecError("checkpoint: it is of one run; give method hgsa, and the steps")
    task.collective.check_on(task.topology)
    bounds = tuple(lower_bounds(task))
    proved = best(list(bounds))
    assert proved is not None
    if steps is not None and steps < proved.value:
        raise PlanError(
            f"steps: {steps} is below the lower bound {proved.value}: {proved.argument.words()}"
        )
    annealing = {"islands": islands, "checkpoint": checkpoint}
    work = _Search(task, method, seed, time_limit, told, stop, proved, annealing)
    with _collector_off(task.collective.demand > _LARGE):
        if steps is None:
            work.descend()
        else:
            work.attempt(steps, last=True)
        return work.result(bounds)


class _Turn(NamedTuple):
    """A method, until when it may work, and what only it is told."""

    method: str
    until: float
    more: dict[str, Any]


class _Search:
    """One search, with the best schedule and the best bound so far."""

    def __init__(
        self,
        task: Task,
        method: str,
        seed: int,
        time_limit: float,
        told: Callable[[Standing], None] | None,
        stop: Stop | None,
        bound: Bound,
        annealing: dict[str, Any],
    ) -> None:
        self.annealing = annealing
        self.task, self.forward = task, task.forward()
        self.method, self.seed = method, seed
        self.time_limit, self.told, self.asked = time_limit, told, stop
        self.begun = time.monotonic()
        self.bound = bound
        self.schedule: Schedule | None = None
        self.by = method
        self.tried = bound.value
        self.evaluations = 0
        self.conflicts = task.collective.demand

    @property
    def passed(self) -> float:
        """Seconds since the search began."""
        return time.monotonic() - self.begun

    @property
    def over(self) -> bool:
        """Whether the search must end."""
        return self.passed >= self.time_limit or (self.asked is not None and self.asked())

    @property
    def met(self) -> bool:
        """Whether the schedule has as few steps as it can."""
        return self.schedule is not None and len(self.schedule.steps) <= self.bound.value

    def result(self, bounds: tuple[Bound, ...]) -> Result:
        """Return what was found."""
        schedule = self.schedule
        if schedule is not None and self.met:
            schedule = replace(schedule, certificate=self.bound)
        known = bounds if self.bound in bounds else (self.bound, *bounds)
        return Result(
            schedule,
            self.tried if schedule is None else len(schedule.steps),
            tuple(sorted(known, key=lambda b: (not _sure(b), -b.value))),
            self.met,
            self.bound if self.met else None,
            self.evaluations,
            self.passed,
            self.by,
            0 if schedule is not None else self.conflicts,
        )

    def descend(self) -> None:
        """Begin at the bound; where that fails, come down to it from above."""
        if self.method == "auto":
            self.construct(self.bound.value)
            if not self.met:
                self.first_fit()
        steps, above, seed = self.bound.value, 1, self.seed
        failed = steps - 1
        while not self.met and not self.over:
            best = None if self.schedule is None else len(self.schedule.steps)
            # One step below the best is the last thing to try, and gets all the time.
            self.attempt(steps, last=best is not None and steps == best - 1 == failed)
            if self.schedule is not None and len(self.schedule.steps) <= steps:
                best = len(self.schedule.steps)
            else:
                failed = max(failed, steps)
            low = max(failed + 1, self.bound.value)
            if best is None:
                steps, above = steps + above, above * 2
            elif low < best:
                steps = (low + best - 1) // 2
            else:
                failed = steps = best - 1
                self.seed += 1
        self.seed = seed

    def attempt(self, steps: int, *, last: bool) -> None:
        """Look for a schedule with so many steps, for a share of the time or for all of it."""
        self.tried = steps
        end = self.time_limit if last else self.passed + _SHARE * (self.time_limit - self.passed)
        before = self.schedule
        if self.method != "auto":
            self.use(self.method, steps, end)
            return
        if last and before is None:
            self.construct(steps)
            if self.schedule is None:
                self.first_fit(steps)
        share = (end - self.passed) / 10
        turns = [_Turn("exact", end, {"effort": _EFFORT})]
        turns += [_Turn("hgsa", self.passed + share, {"symmetry": s}) for s in self.symmetries]
        turns += [
            _Turn("hgsa", self.passed + 7 * share, {}),
            _Turn("mboa", self.passed + 8 * share, {}),
            _Turn("exact", end, {}),
        ]
        refused = []
        for turn in turns:
            if self.schedule is not before or self.over or self.bound.value > steps:
                return
            try:
                self.use(turn.method, steps, turn.until, **turn.more)
            except SpecError as error:
                refused.append(error)
        if len(refused) == len(turns) and self.schedule is None:
            raise refused[0]

    @cached_property
    def symmetries(self) -> list[Symmetry]:
        """What annealing may try first: groups that keep the collective, large ones first."""
        from syncfabric.models.collectives.exact.symmetry import translations

        groups = translations(self.forward.topology)
        return [group for group in groups if group.keeps(self.forward.collective)][:_GROUPS]

    def construct(self, steps: int) -> None:
        """Take a schedule that needs no search, if one is known."""
        from syncfabric.models.collectives.exact.constructions import construct

        self.take(construct(self.forward, steps, self.seed), "construction")

    def first_fit(self, steps: int | None = None) -> None:
        """Take a schedule that is made at once, if it is short enough."""
        from syncfabric.models.collectives.exact.first_fit import first_fit

        found = first_fit(self.forward, self.seed)
        if found is not None and (steps is None or len(found) <= steps):
            self.take(found, "first fit")

    def use(self, name: str, steps: int, until: float, **more: Any) -> None:
        """Let a method look for a schedule until so many seconds have passed."""
        if name == "hgsa":
            more |= self.annealing
        begun, count = self.passed, self.evaluations

        def tell(progress: Progress) -> None:
            if self.told is not None:
                best = None if self.schedule is None else len(self.schedule.steps)
                self.told(
                    Standing(
                        name,
                        steps,
                        best,
                        self.bound.value,
                        progress.conflicts,
                        count + progress.evaluations,
                        self.passed,
                    )
                )

        tell(Progress(self.task.collective.demand, 0, 0))
        limit = max(0.01, until - begun)
        found = load_method(name)(
            self.forward,
            steps,
            seed=self.seed,
            time_limit=limit,
            told=tell,
            stop=self.asked,
            **more,
        )
        self.evaluations += found.evaluations
        self.conflicts = min(self.conflicts, found.conflicts)
        if found.infeasible and steps >= self.bound.value:
            self.bound = _refuted(steps, found)
        self.take(found.steps, name)

    def take(self, steps: tuple[Step, ...] | None, by: str) -> None:
        """Keep a schedule of the forward task if it is shorter, after the checker has seen it."""
        if steps is None:
            return
        steps = tuple(step for step in steps if step)
        if self.schedule is not None and len(steps) >= len(self.schedule.steps):
            return
        task = self.task
        if task.collective.reversal is not None:
            steps = _turned(steps)
        schedule = Schedule(task.topology, task.collective, task.rules, steps)
        report = check(schedule)
        if not report.right or report.detour > task.extra:
            said = report.conflicts[0].words() if report.conflicts else "its paths are too long"
            raise AssertionError(f"{by} made a schedule that is wrong: {said}")
        self.schedule, self.by = schedule, by


def _sure(bound: Bound) -> bool:
    """Tell whether a bound is more than a formula."""
    return bound.proves or isinstance(bound.argument, Solver)


def _refuted(steps: int, found: Found) -> Bound:
    from syncfabric.models.collectives.exact.solver import NAME

    proof = f"INFEASIBLE with {steps} steps, all paths allowed, {found.evaluations:,} branches"
    return Bound(steps + 1, Solver(NAME, proof))


def _turned(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps in reverse, every path and message backwards."""
    return tuple(
        tuple(Transfer((b, a), path[::-1]) for (a, b), path in step) for step in reversed(steps)
    )


@contextmanager
def _collector_off(large: bool) -> Iterator[None]:
    """Keep the collector of cycles from walking millions of tuples in which there are none."""
    was = gc.isenabled()
    if large:
        gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
