"""Jobs of experiments, here while they are few, else on all processors or ranks; results kept."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from syncfabric.models.errors import ToolError
from syncfabric.models.ranks import ranks_started
from syncfabric.sim.experiments.kept import Kept, key_of
from syncfabric.sim.experiments.workers import (
    Batch,
    Processes,
    Workers,
    breakable,
    carry_out,
    processors,
    ranks_lead,
)

__all__ = ["Crew", "Round", "Tally", "crew"]


@dataclass
class Tally:
    """How many jobs there are so far, are done, and were kept from before (these are done)."""

    jobs: int = 0
    done: int = 0
    kept: int = 0

    def begin(self, jobs: int, kept: int) -> None:
        """Count jobs in, of which some were kept."""
        self.jobs += jobs
        self.done += kept
        self.kept += kept


LOOK = 0.1
"""Seconds between two looks at what is done."""
BATCH = 0.25
"""Seconds that the jobs of a batch take together, about; a job alone may take longer."""
FEW = 2.0
"""Seconds of work for which processes are not started."""
LONG = 1.0
"""Seconds after which the first job tells how long others take: it may have had to load much."""

Function = Callable[..., Any]
Job = tuple[Any, ...]
Done = Iterator[tuple[int, str]]
"""Places of jobs that are done, and their results as JSON."""


class Crew:
    """Carries out jobs, but those whose results are kept: here, until there is enough for others.

    Parameters
    ----------
    workers : Workers, optional
        By default processes, when it comes to that.
    fresh : bool
        Leave aside what was kept before.
    """

    def __init__(self, workers: Workers | None = None, *, fresh: bool = False) -> None:
        self.workers, self.fresh = workers, fresh
        self.known: dict[Function, Kept] = {}
        self.seconds = 0.0
        """Of the jobs that this process has carried out."""

    @property
    def size(self) -> int:
        """How many jobs are carried out side by side, if there are so many."""
        return processors() if self.workers is None else self.workers.size

    def start(self) -> Workers:
        """Return the workers; start them if need be."""
        if self.workers is None:
            self.workers = Processes()
        return self.workers

    def map(
        self, function: Function, jobs: Sequence[Job], tally: Tally, check: Callable[[], None]
    ) -> Iterator[Any]:
        """Yield the result of each job, in their order.

        Parameters
        ----------
        function : callable
            Of a module.
        jobs : sequence of tuples
        tally : Tally
            Is kept up to date.
        check : callable
            Is called often. What it raises ends the work at once; what is done is kept.

        Raises
        ------
        OutputError
            The cache cannot be used.
        ToolError
            A worker has died; or a job has failed on a rank. Elsewhere its own exception comes.
        """
        kept, keys = self._kept(function), [key_of(job) for job in jobs]
        todo = [place for place, key in enumerate(keys) if key not in kept.results]
        tally.begin(len(jobs), len(jobs) - len(todo))
        check()
        work = Round(self, function, jobs, todo)

        def keep(place: int, text: str) -> None:
            kept.add(keys[place], text)
            tally.done += 1

        try:
            for key in keys:
                while key not in kept.results:
                    for place, text in work.some():
                        keep(place, text)
                    check()
                yield json.loads(kept.results[key])
        finally:
            for place, text in work.rest():
                keep(place, text)

    def alone(
        self,
        function: Function,
        job: Job,
        tally: Tally,
        check: Callable[[], None],
        **more: Any,
    ) -> Any:
        """Return the result of a job that takes all processors by itself.

        Parameters
        ----------
        function : callable
            Of a module.
        job : tuple
        tally : Tally
            Is kept up to date.
        check : callable
            Is called before and after. If it raises, nothing is kept.
        **more
            Arguments beside the job's that do not change its result.

        Raises
        ------
        OutputError
            The cache cannot be used.
        """
        kept, key = self._kept(function), key_of(job)
        tally.begin(1, int(key in kept.results))
        check()
        if key not in kept.results:
            result = function(*job, **more)
            check()
            kept.add(key, json.dumps(result))
            tally.done += 1
        return json.loads(kept.results[key])

    def _kept(self, function: Function) -> Kept:
        if function not in self.known:
            self.known[function] = Kept(function, fresh=self.fresh)
        return self.known[function]


class Round:
    """Jobs to be done.

    Parameters
    ----------
    crew : Crew
    function : callable
        Of a module.
    jobs : sequence of tuples
    places : iterable of int
        Of those among them that are to be done.
    """

    def __init__(
        self,
        crew: Crew,
        function: Callable[..., Any],
        jobs: Sequence[tuple[Any, ...]],
        places: Iterable[int],
    ) -> None:
        self.crew, self.function, self.jobs = crew, function, jobs
        self.todo = deque(places)
        self.begun: dict[Future[Batch], list[int]] = {}
        self.here: list[float] = []
        """Seconds of each job that was carried out here."""
        self.each: float | None = None
        """Seconds of a job, of the batch that was done last."""

    def some(self) -> Done:
        """Wait a little, and yield the jobs that are done by then.

        Raises
        ------
        ToolError
            A worker has died.
        KeyboardInterrupt
            Ctrl-C, in the midst of a job.
        """
        if self.crew.workers is None and self.few():
            place = self.todo.popleft()
            with breakable():
                batch = carry_out(self.function, [self.jobs[place]])
            self.here.append(batch.seconds)
            self.crew.seconds += batch.seconds
            self.each = min(self.here)
            yield place, batch.texts[0]
            return
        workers = self.crew.start()
        try:
            while self.todo and len(self.begun) < 2 * workers.size:
                places = [self.todo.popleft() for _ in range(self.size(workers.size))]
                batch_ = workers.submit(self.function, [self.jobs[place] for place in places])
                self.begun[batch_] = places
            wait(self.begun, LOOK, FIRST_COMPLETED)
            yield from self.done()
        except BrokenExecutor:
            raise ToolError(
                "a process that worked for this command has died, as for want of memory; "
                "what was done is kept: run it again"
            ) from None

    def done(self) -> Done:
        """Yield what the workers have done by now.

        Raises
        ------
        Exception
            What a job has raised.
        """
        for batch in [batch for batch in self.begun if batch.done()]:
            places = self.begun.pop(batch)
            texts, seconds = batch.result()
            self.each = seconds / len(places)
            yield from zip(places, texts, strict=True)

    def rest(self) -> Done:
        """Yield what the workers have done by now, and take back the rest."""
        for batch, places in self.begun.items():
            if not batch.cancel() and batch.done() and batch.exception() is None:
                yield from zip(places, batch.result().texts, strict=True)
        self.begun.clear()

    def few(self) -> bool:
        """Tell whether what is to be done is too little to start processes."""
        if self.crew.seconds >= FEW:
            return False
        if not self.here or len(self.todo) == 1:
            return True
        if len(self.here) == 1 and self.here[0] < LONG:
            return True
        return self.crew.seconds + min(self.here) * len(self.todo) < FEW

    def size(self, workers: int) -> int:
        """Return how many jobs the next batch takes: so that at the end all have some."""
        if self.each is None:
            return 1
        fitting = int(BATCH / max(self.each, 1e-6))
        return max(1, min(fitting, len(self.todo) // (2 * workers)))


@contextmanager
def crew(*, fresh: bool = False) -> Iterator[Crew | None]:
    """Give a crew: processes, or under mpiexec ranks, and there to the first of them only.

    The others get None when they have done what it asked of them.

    Raises
    ------
    ToolError
        The program runs under mpiexec, but without mpi4py.
    """
    alone = (ranks_started() or 1) == 1
    with nullcontext() if alone else ranks_lead() as ranks:
        if ranks is None and not alone:
            yield None
            return
        made = Crew(ranks, fresh=fresh)
        try:
            yield made
        except BaseException:
            if made.workers is not None:
                made.workers.break_off()
            raise
        finally:
            if made.workers is not None:
                made.workers.close()
            for kept in made.known.values():
                kept.close()
