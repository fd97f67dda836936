"""Runs of HGSA and MBOA, a seed each, and what they come to."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import mean
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.methods import load_method
from syncfabric.models.collectives.progress import Found, Progress
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Task
from syncfabric.sim.reproduce.experiment import Work

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

__all__ = ["Entry", "Method", "Runner", "runner"]

Method = Literal["hgsa", "mboa"]

LOOK = 0.2
"""Seconds between two looks at whether the user has asked to stop."""


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
        if self.left is not None:
            conflicts = f"{self.left} conflict{'' if self.left == 1 else 's'}"
            notes.append(f"the best of the others left {conflicts}")
        return "; ".join(notes)


class Runner:
    """Makes the runs of entries."""

    def __init__(self, work: Work, pool: ProcessPoolExecutor) -> None:
        self.work, self.pool = work, pool

    def __call__(self, method: Method, task: Task, steps: int) -> Entry:
        """Make the runs of one entry, and let the checker see what they found.

        HGSA takes all processors for a run, MBOA one, with as many runs side by side.

        Raises
        ------
        KeyboardInterrupt
            The user has asked to stop.
        """
        words = f"{task.collective.kind} on {task.topology.name}, {steps} steps, {method.upper()}"
        found = (
            self._in_turn(task, steps, words)
            if method == "hgsa"
            else self._beside(task, steps, words)
        )
        self.work.check()
        done = [run for run in found if run.steps is not None]
        for run in done:
            assert run.steps is not None
            report = check(Schedule(task.topology, task.collective, task.rules, run.steps))
            if not report.right or report.detour > task.extra:
                raise AssertionError(f"{words}: a schedule that is wrong: {report.conflicts}")
        return Entry(
            len(found),
            tuple(run.evaluations for run in done),
            tuple(run.seconds for run in done),
            min((run.conflicts for run in found if run.steps is None), default=None),
        )

    def _in_turn(self, task: Task, steps: int, words: str) -> list[Found]:
        solve, found = load_method("hgsa"), []

        def tell(place: int, progress: Progress) -> None:
            self.work.told(
                f"{words}: run {place} of {self.work.runs}, {progress.conflicts} conflicts left"
            )

        for place, seed in enumerate(self.work.seeds, 1):
            self.work.tell(f"{words}: run {place} of {self.work.runs}")
            options: dict[str, Any] = {"time_limit": self.work.time_limit, "stop": self.work.stop}
            found.append(solve(task, steps, seed=seed, told=partial(tell, place), **options))
        return found

    def _beside(self, task: Task, steps: int, words: str) -> list[Found]:
        begun = [
            self.pool.submit(_mboa, task, steps, seed, self.work.time_limit)
            for seed in self.work.seeds
        ]
        waiting: set[Future[Found]] = set(begun)
        while waiting:
            self.work.tell(f"{words}: {len(begun) - len(waiting)} of {len(begun)} runs done")
            waiting = wait(waiting, timeout=LOOK).not_done
        return [run.result() for run in begun]


@contextmanager
def runner(work: Work) -> Iterator[Runner]:
    """Give what makes runs; processes that it has started end with the block."""
    # Not forked: compiled code has threads.
    context = multiprocessing.get_context("spawn")
    stopped = context.Event()
    size = len(os.sched_getaffinity(0))
    pool = ProcessPoolExecutor(size, context, _begin, (stopped,))
    try:
        yield Runner(work, pool)
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)


_stopped: list[Event] = []
"""In a process of the pool: what turns true when its run is to end."""


def _begin(stopped: Event) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    _stopped.append(stopped)
    # Should that one be killed, nobody would end this one.
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _mboa(task: Task, steps: int, seed: int, time_limit: float) -> Found:
    (stopped,) = _stopped
    solve = load_method("mboa")
    return solve(task, steps, seed=seed, time_limit=time_limit, told=None, stop=stopped.is_set)
