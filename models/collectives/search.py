"""Find a schedule: bounds first, then what needs no search, then search, until they meet."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

from syncfabric.models.collectives.attempts import Attempts
from syncfabric.models.collectives.bounds import bounds_in_time
from syncfabric.models.collectives.clock import Clock
from syncfabric.models.collectives.collector import collector_off
from syncfabric.models.collectives.methods import check_method
from syncfabric.models.collectives.progress import Stop
from syncfabric.models.collectives.record import Record, Result
from syncfabric.models.collectives.standing import Standing
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import PlanError, SpecError

__all__ = ["search"]

MOST_SEED = 2**31 - 1
"""What all methods take."""
_SHARE = 0.5
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
    with clock.rules(_SHARE):
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
