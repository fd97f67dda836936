"""Jobs of one function: carried out here while they are few, else by workers, in batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from typing import Any

from syncfabric.models.errors import ToolError
from syncfabric.sim.reproduce.workers import (
    Batch,
    Processes,
    Workers,
    breakable,
    carry_out,
    processors,
)

__all__ = ["Round", "Team"]

LOOK = 0.1
"""Seconds between two looks at what is done."""
BATCH = 0.25
"""Seconds that the jobs of a batch take together, about; a job alone may take longer."""
FEW = 2.0
"""Seconds of work for which processes are not started."""
LONG = 1.0
"""Seconds after which the first job tells how long others take: it may have had to load much."""

Done = Iterator[tuple[int, str]]
"""Places of jobs that are done, and their results as JSON."""


class Team:
    """Who works for all rounds: this process, until there is enough to do for others.

    Parameters
    ----------
    workers : Workers, optional
        By default processes, when it comes to that.
    """

    def __init__(self, workers: Workers | None = None) -> None:
        self.workers = workers
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

    def break_off(self) -> None:
        """End what the workers are doing; they do nothing more."""
        if self.workers is not None:
            self.workers.break_off()

    def close(self) -> None:
        """Let the workers end."""
        if self.workers is not None:
            self.workers.close()


class Round:
    """Jobs to be done.

    Parameters
    ----------
    team : Team
    function : callable
        Of a module.
    jobs : sequence of tuples
    places : iterable of int
        Of those among them that are to be done.
    """

    def __init__(
        self,
        team: Team,
        function: Callable[..., Any],
        jobs: Sequence[tuple[Any, ...]],
        places: Iterable[int],
    ) -> None:
        self.team, self.function, self.jobs = team, function, jobs
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
        if self.team.workers is None and self.few():
            place = self.todo.popleft()
            with breakable():
                batch = carry_out(self.function, [self.jobs[place]])
            self.here.append(batch.seconds)
            self.team.seconds += batch.seconds
            self.each = min(self.here)
            yield place, batch.texts[0]
            return
        workers = self.team.start()
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
        if self.team.seconds >= FEW:
            return False
        if not self.here or len(self.todo) == 1:
            return True
        if len(self.here) == 1 and self.here[0] < LONG:
            return True
        return self.team.seconds + min(self.here) * len(self.todo) < FEW

    def size(self, workers: int) -> int:
        """Return how many jobs the next batch takes: so that at the end all have some."""
        if self.each is None:
            return 1
        fitting = int(BATCH / max(self.each, 1e-6))
        return max(1, min(fitting, len(self.todo) // (2 * workers)))
