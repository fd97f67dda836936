"""Find a schedule: bounds first, then what needs no search, then search, until they meet."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing, nullcontext, suppress
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from syncfabric.models.collectives.bounds import bounds_in_time
from syncfabric.models.collectives.clock import (
    Clock,
    Found,
    Stop,
    TimeUpError,
    check_seed_and_limit,
)
from syncfabric.models.collectives.methods import Method, known, method, searches
from syncfabric.models.collectives.record import Record, Result, Standing
from syncfabric.models.collectives.schedule import Step, Transfer, collector_off
from syncfabric.models.collectives.symmetry import translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.plugins import guarded

_SHARE, _HASTE = 0.75, 2.0
"""Of the time limit: when first fit is cut off, and when what is then done in haste is."""
_BEGIN = 1.0
"""Seconds in which a part of a search may begin, so that it leaves a checkpoint."""
_TURN, _ALONE = 6.0, 16.0
"""Seconds of work, as methods count it, on a number of steps in the first round; and how many times
as long a method alone works."""


def _are_steps(steps: object) -> bool:
    """Return whether they are a method's steps: None, or tuples of transfers of numbers."""
    return steps is None or (
        isinstance(steps, tuple)
        and all(isinstance(step, tuple) for step in steps)
        and all(
            isinstance(each, Transfer)
            and isinstance(each.message, tuple)
            and isinstance(each.path, tuple)
            and len(each.message) == 2
            and all(isinstance(x, int | np.integer) for x in (*each.message, *each.path))
            for step in steps
            for each in step
        )
    )


class _Run:
    """A method at work on a number of steps."""

    def __init__(self, method: Method, share: float, *args: Any, **more: Any) -> None:
        self.method, self.share = method, share
        self.last: Found | None = None
        self.parts = self._parts(args, more)

    def _parts(self, args: tuple[Any, ...], more: dict[str, Any]) -> Generator[Found]:
        """Yield what it finds; errors of another package's method are of one line."""
        if self.method.own:
            yield from self.method.run(*args, **more)
            return
        with guarded(f"method {self.method.name}", TimeUpError):
            for found in self.method.run(*args, **more):
                if not isinstance(found, Found) or not _are_steps(found.steps):
                    raise SpecError(
                        f"method {self.method.name}: it must yield a Found whose steps are None or"
                        " tuples of Transfers; correct or uninstall the package"
                    )
                yield found

    @property
    def turn(self) -> float:
        """When it is its turn: whose is least goes on."""
        return 0.0 if self.last is None else self.last.work / self.share


class Attempts:
    """What a search can do for a number of steps; what it finds goes into the record.

    Parameters
    ----------
    record : Record
    clock : Clock
    method : str
        ``auto``, or a method's name.
    seed : int
    progress : callable, optional
        Receives now and then how far the search is.
    annealing : dict
        Options of ``hgsa`` alone.
    """

    def __init__(
        self,
        record: Record,
        clock: Clock,
        method: str,
        seed: int,
        progress: Callable[[Standing], None] | None,
        annealing: dict[str, Any],
    ) -> None:
        self.record, self.clock, self.seed = record, clock, seed
        self.auto = method == "auto"
        self.progress, self.annealing = progress, annealing
        wanted = [known()[name] for name in (searches()[1:] if self.auto else (method,))]
        self.fit = [one for one in wanted if not self.auto or one.unfit(record.forward) is None]
        self.runs: dict[int, list[_Run]] = {}
        self.refused: list[SpecError] = []

    @property
    def over(self) -> bool:
        """Whether nothing more can be done: no time is left, or no method that does the task."""
        return self.clock.over or not self.fit

    def at_once(self, steps: int, most: float = inf) -> None:
        """Take a schedule that needs no search, while there is none of so many steps.

        Parameters
        ----------
        steps : int
        most : float
            Steps that it may take.
        """
        record = self.record
        for one in (each for each in known().values() if each.at_once):
            by, last = one.name, one.name == "first fit"
            try:
                with self.clock.rules(_SHARE):
                    found = one.run(record.forward, steps, self.seed)
                    for made in found if isinstance(found, Iterator) else [found]:
                        self._take(made, by, most)
            except TimeUpError:
                if last and record.schedule is None:
                    # There is no schedule yet, so even Ctrl-C waits for this; a second ends all.
                    by = "first fit in haste"
                    with suppress(TimeUpError), self.clock.rules(_HASTE, heeds=False):
                        made = one.run(record.forward, steps, self.seed, eager=True)
                        self._take(made, by, most)
            if record.decided(steps):
                return

    def _take(self, made: tuple[Step, ...] | None, by: str, most: float) -> None:
        if made is not None and len(made) <= most:
            self.record.take(made, by)

    def round(self, steps: int, number: int) -> bool:
        """Let methods look for so many steps by turns, in each round for twice as long.

        Returns
        -------
        bool
            Whether there is more that can be done for so many.

        Raises
        ------
        SpecError
            None of them can do the task, and there is no schedule.
        """
        self.record.tried = steps
        self.close(lambda others: self.record.decided(others))
        if steps not in self.runs:
            self.runs[steps] = [*self._begun(steps)]
        runs, spent = self.runs[steps], 0.0
        turn = _TURN if self.auto else _ALONE * _TURN
        while runs and spent < turn * 2**number and not self.record.decided(steps):
            # What has a checkpoint has to begin, if there is time or not.
            if self.over and (self.auto or spent):
                break
            run = min(runs, key=lambda each: each.turn)
            before = run.last.work if run.last is not None else 0.0
            if not self._goes_on(run, steps):
                runs.remove(run)
                run.parts.close()
            spent += run.last.work - before if run.last is not None else 0.0
        if not self.fit and self.record.schedule is None:
            raise self.refused[0]
        return bool(runs)

    def close(self, useless: Callable[[int], bool] = lambda _: True) -> None:
        """End what looks for steps that are of no use any more."""
        for steps in [*filter(useless, self.runs)]:
            for run in self.runs.pop(steps):
                run.parts.close()

    def _begun(self, steps: int) -> Iterator[_Run]:
        """Yield a run of each method, and of some with each of the largest symmetries."""
        task = self.record.forward
        for one in self.fit:
            more = self.annealing if one.name == "hgsa" else {}
            args = (task, steps, self.seed, self.clock)
            yield _Run(one, one.share, *args, **more)
            if self.auto and one.symmetric:
                groups = [g for g in translations(task.topology) if g.keeps(task.collective)]
                for group in groups[: one.symmetric]:
                    yield _Run(one, 1.0, *args, symmetry=group, **more)

    def _goes_on(self, run: _Run, steps: int) -> bool:
        """Let a run do a part of its work; return whether it has more to do."""
        self._report(run, steps)
        try:
            with self.clock.rules(least=_BEGIN):
                found = next(run.parts, None)
        except TimeUpError:
            return False
        except SpecError as error:
            # It cannot do this task, unless it can without a symmetry.
            self.refused.append(error)
            if not any(
                other.method is run.method for other in self.runs[steps] if other is not run
            ):
                self.fit.remove(run.method)
            return False
        if found is None:
            return False
        with guarded(f"method {run.method.name}") if not run.method.own else nullcontext():
            self.record.keep(found, run.last, steps, run.method.name)
        run.last = found
        self._report(run, steps)
        return not found.done

    def _report(self, run: _Run, steps: int) -> None:
        if self.progress is not None:
            record, last = self.record, run.last
            conflicts = record.task.collective.demand if last is None else last.conflicts
            standing = (record.steps, record.bound.value, conflicts, record.evaluations)
            self.progress(Standing(run.method.name, steps, *standing, self.clock.passed))


_BOUNDS_SHARE = 0.5
"""Of the time limit that the bounds may take."""


def search(
    task: Task,
    method: str = "auto",
    steps: int | None = None,
    seed: int = 1,
    time_limit: float = 60,
    progress: Callable[[Standing], None] | None = None,
    stop: Stop | None = None,
    islands: int | None = None,
    checkpoint: Path | None = None,
) -> Result:
    """Find a schedule with few steps.

    Parameters
    ----------
    task : Task
    method : str
        ``auto``, or a method's name.
    steps : int, optional
        How many it may take. By default as few as can be found, beginning at the lower bound.
    seed : int
        The same seed gives the same schedule, unless the time limit cuts the search.
    time_limit : float
        Seconds.
    progress : callable, optional
        Receives now and then how far the search is.
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
    _check(task, method, steps, seed, time_limit, checkpoint)
    clock = Clock(time_limit, stop)
    with clock.rules(_BOUNDS_SHARE):
        bounds, cut_off = bounds_in_time(task)
    record = Record(task, tuple(bounds), method, cut_off)
    bound = record.bound
    if steps is not None and steps < bound.value:
        raise PlanError(
            f"steps: {steps} is below the lower bound {bound.value}: {bound.argument.words()}"
        )
    # Each hop of each message in a step of its own.
    most = task.collective.demand * (int(task.topology.distances.max()) + task.extra)
    if steps is not None and steps > most:
        raise PlanError(
            f"steps: {steps:,} is more than {most:,}, in which one message goes at a time"
        )
    annealing = {"islands": islands, "checkpoint": checkpoint}
    attempts = Attempts(record, clock, method, seed, progress, annealing)
    with collector_off(task.collective.demand), closing(attempts):
        if attempts.auto:
            attempts.at_once(steps or bound.value, steps or inf)
        if steps is None:
            _descend(attempts, most)
        elif not record.decided(steps):
            attempts.round(steps, 1000)
        return record.result(clock.passed)


def _check(
    task: Task,
    name: str,
    steps: int | None,
    seed: int,
    time_limit: float,
    checkpoint: Path | None,
) -> None:
    """Refuse what ``search`` cannot do, before it begins."""
    check_seed_and_limit(seed, time_limit)
    if checkpoint is not None and (name != "hgsa" or steps is None):
        raise SpecError("checkpoint: it is of one run; give method hgsa, and the steps")
    task.collective.check_on(task.topology)
    if name != "auto":
        method(name).check(task.forward())


def _descend(attempts: Attempts, most: int) -> None:
    """Begin at the bound; where that fails, come down to it from above."""
    record = attempts.record
    steps, above, number = record.bound.value, 1, 0
    failed = steps - 1
    while not record.met and not attempts.over:
        more = attempts.round(steps, number)
        if record.steps is None or record.steps > steps:
            failed = max(failed, steps)
        low = max(failed + 1, record.bound.value)
        if record.steps is None:
            if steps >= most and not more:
                return  # all methods have ended without a schedule
            steps, above = min(steps + above, max(steps, most)), above * 2
        elif low < record.steps:
            steps = (low + record.steps - 1) // 2
        elif not more and steps == record.steps - 1:
            return
        else:
            # One step fewer has failed: it is tried again, and again, for longer each time.
            failed = steps = record.steps - 1
            number += 1
