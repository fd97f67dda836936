"""Find a schedule: bounds first, then what needs no search, then search, until they meet."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

from syncfabric.models.collectives.bounds import bounds_in_time
from syncfabric.models.collectives.clock import Clock, Progress, Stop, TimeUpError
from syncfabric.models.collectives.methods import METHODS, Turn, check_method, load_method, turns
from syncfabric.models.collectives.record import Record, Result, Standing
from syncfabric.models.collectives.schedule import collector_off
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import PlanError, SpecError

__all__ = ["Attempts", "search"]

_SHARE, _HASTE = 0.75, 2.0
"""Of the time limit: when first fit is cut off, and when what is then done in haste is."""
_BEGIN = 1.0
"""Seconds in which a method that has its turn may begin, so that it leaves a checkpoint."""


class Attempts:
    """What a search can do for a number of steps; what it finds goes into the record.

    Parameters
    ----------
    record : Record
    clock : Clock
    method : str
        One of ``METHODS``.
    seed : int
    told : callable, optional
        Is told now and then how far the search is.
    annealing : dict
        What only ``hgsa`` is told.
    """

    def __init__(
        self,
        record: Record,
        clock: Clock,
        method: str,
        seed: int,
        told: Callable[[Standing], None] | None,
        annealing: dict[str, Any],
    ) -> None:
        self.record, self.clock = record, clock
        self.method, self.seed = method, seed
        self.told, self.annealing = told, annealing
        self.refused: dict[str, SpecError] = {}

    @property
    def over(self) -> bool:
        """Whether nothing more can be done: no time is left, or no method that does the task."""
        return self.clock.over or not self.methods - self.refused.keys()

    @property
    def methods(self) -> set[str]:
        """Who may have a turn."""
        return set(METHODS[1:]) if self.method == "auto" else {self.method}

    def at_once(self, steps: int, most: float = inf) -> None:
        """Take a schedule that needs no search: one that is known, or first fit's.

        Parameters
        ----------
        steps : int
            Of a construction.
        most : float
            Steps that first fit may take.
        """
        from syncfabric.models.collectives.exact.constructions import construct
        from syncfabric.models.collectives.exact.first_fit import first_fit
        from syncfabric.models.collectives.exact.matching import broadcast_by_matching

        record, by = self.record, "first fit"
        with suppress(TimeUpError), self.clock.rules(_SHARE):
            record.take(construct(record.forward, steps, self.seed), "construction")
        if record.settled(steps):
            return
        with suppress(TimeUpError), self.clock.rules(_SHARE):
            record.take(broadcast_by_matching(record.forward, self.seed), "matching")
        if record.settled(steps):
            return
        try:
            with self.clock.rules(_SHARE):
                found = first_fit(record.forward, self.seed)
        except TimeUpError:
            # There is no schedule yet, so even Ctrl-C waits for this one; a second ends all.
            found, by = None, "first fit in haste"
            with suppress(TimeUpError), self.clock.rules(_HASTE, heeds=False):
                found = first_fit(record.forward, self.seed, hasty=True)
        if found is not None and len(found) <= most:
            record.take(found, by)

    def whole(self, steps: int) -> None:
        """Let the one method look for so many steps as long as there is time."""
        self.record.tried = steps
        self.use(Turn(self.method, inf, {}), steps, self.seed)

    def round(self, steps: int, number: int) -> None:
        """Let every method have its turn of a round.

        Raises
        ------
        SpecError
            None of them can do the task, and there is no schedule.
        """
        self.record.tried = steps
        for turn in turns(self.method, self.record.forward, number):
            if self.record.settled(steps) or self.over:
                return
            if turn.method in self.refused:
                continue
            try:
                self.use(turn, steps, self.seed + number)
            except SpecError as error:
                self.refused[turn.method] = error
        if not self.methods - self.refused.keys() and self.record.schedule is None:
            raise next(iter(self.refused.values()))

    def use(self, turn: Turn, steps: int, seed: int) -> None:
        """Let a method have a turn."""
        record, told = self.record, self.told
        before, done = record.evaluations, 0

        def tell(progress: Progress) -> None:
            nonlocal done
            done = progress.evaluations
            if told is not None:
                told(
                    Standing(
                        turn.method,
                        steps,
                        record.steps,
                        record.bound.value,
                        progress.conflicts,
                        before + done,
                        self.clock.passed,
                    )
                )

        tell(Progress(record.task.collective.demand, 0, 0))
        more = turn.more | (self.annealing if turn.method == "hgsa" else {})
        with suppress(TimeUpError), self.clock.rules(least=_BEGIN):
            found = load_method(turn.method)(
                record.forward,
                steps,
                seed=seed,
                time_limit=max(0.01, self.clock.left),
                told=tell,
                stop=lambda: done >= turn.most or self.clock.asked,
                **more,
            )
            record.note(found, steps, turn.method)


MOST_SEED = 2**31 - 1
"""What all methods take."""
_BOUNDS_SHARE = 0.5
"""Of the time limit that the bounds may take."""


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
        There is no such method, or it cannot do the task; the seed is out of range; the topology
        lacks a node of the collective; a checkpoint without ``hgsa`` and ``steps``.
    PlanError
        There is nothing to send, or ``steps`` is below a lower bound, or more than anything takes.
    """
    check_method(method)
    if not 0 <= seed <= MOST_SEED:
        raise SpecError(f"seed must be 0 to {MOST_SEED}, not {seed}")
    if not time_limit > 0:
        raise SpecError(f"time limit: it must be above 0 seconds, not {time_limit:g}")
    if checkpoint is not None and (method != "hgsa" or steps is None):
        raise SpecError("checkpoint: it is of one run; give method hgsa, and the steps")
    task.collective.check_on(task.topology)
    clock = Clock(time_limit, stop)
    with clock.rules(_BOUNDS_SHARE):
        bounds, cut_off = bounds_in_time(task)
    record = Record(task, tuple(bounds), method, cut_off)
    bound = record.bound
    if steps is not None and steps < bound.value:
        raise PlanError(
            f"steps: {steps} is below the lower bound {bound.value}: {bound.argument.words()}"
        )
    if steps is not None and steps > (most := _most_steps(task)):
        raise PlanError(
            f"steps: {steps:,} is more than {most:,}, in which one message goes at a time"
        )
    annealing = {"islands": islands, "checkpoint": checkpoint}
    attempts = Attempts(record, clock, method, seed, told, annealing)
    with collector_off(task.collective.demand):
        if steps is None:
            _descend(attempts)
        else:
            _attempt(attempts, steps)
        return record.result(clock.passed)


def _most_steps(task: Task) -> int:
    """Return steps that are enough for anything: each hop of each message in one of its own."""
    return task.collective.demand * (int(task.topology.distances.max()) + task.extra)


def _attempt(attempts: Attempts, steps: int) -> None:
    """Look for a schedule with so many steps."""
    if attempts.method != "auto":
        attempts.whole(steps)
        return
    attempts.at_once(steps, steps)
    for number in count():
        if attempts.record.settled(steps) or attempts.over:
            return
        attempts.round(steps, number)


def _descend(attempts: Attempts) -> None:
    """Begin at the bound; where that fails, come down to it from above."""
    record = attempts.record
    if attempts.method == "auto":
        attempts.at_once(record.bound.value)
    steps, above, number = record.bound.value, 1, 0
    failed = steps - 1
    while not record.met and not attempts.over:
        attempts.round(steps, number)
        if record.steps is None or record.steps > steps:
            failed = max(failed, steps)
        low = max(failed + 1, record.bound.value)
        if record.steps is None:
            steps, above = steps + above, above * 2
        elif low < record.steps:
            steps = (low + record.steps - 1) // 2
        else:
            # One step fewer has failed: it is tried again, and again, for longer each time.
            failed = steps = record.steps - 1
            number += 1
