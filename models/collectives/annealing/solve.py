"""HGSA: hybrid parallel genetic simulated annealing, for a given number of steps.

Source: paper EVO, section 3.1; parameters of section 5. Beyond the paper: restarts that cool ever
slower, islands of chains, scatters, relaying over wormhole paths, and symmetry.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from syncfabric.models.collectives.annealing.checkpoint import Checkpoint, fingerprint
from syncfabric.models.collectives.annealing.island import Solution
from syncfabric.models.collectives.annealing.parameters import Parameters
from syncfabric.models.collectives.annealing.ranks import ranks
from syncfabric.models.collectives.annealing.team import Team
from syncfabric.models.collectives.annealing.worker import Begin, Outcome
from syncfabric.models.collectives.exact.symmetry import Symmetry
from syncfabric.models.collectives.progress import Found, Progress, Stop, Told
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError

__all__ = ["solve"]

EPOCH = 2_000_000
"""Moves of an island, of all its chains together, between exchanges with other islands."""

WRITE = 60.0
"""Seconds between checkpoints."""

ISLANDS = 8
"""At most, unless one asks for more."""


def solve(
    task: Task,
    steps: int,
    *,
    seed: int = 0,
    time_limit: float = 60.0,
    told: Told | None = None,
    stop: Stop | None = None,
    parameters: Parameters | None = None,
    islands: int | None = None,
    symmetry: Symmetry | None = None,
    checkpoint: Path | None = None,
) -> Found:
    """Look for a schedule with so many steps.

    The same seed gives the same schedule with as many islands, unless the time limit cuts it.

    Parameters
    ----------
    task : Task
        A forward one: broadcasts, and scatters that are not stored and forwarded.
    steps : int
    seed : int
    time_limit : float
        Seconds, without what it takes to compile the search the first time; of a run that goes on
        from a checkpoint, in all.
    told, stop : callable, optional
        Are called after each epoch.
    parameters : Parameters, optional
        By default ``Parameters.of`` the task.
    islands : int, optional
        Processes; by default one a processor, 8 at most. Under mpiexec, with ``ranks.led``, each
        rank is one.
    symmetry : Symmetry, optional
        Schedule one message of each orbit; the others are its images.
    checkpoint : Path, optional
        Written every minute, and when the search ends without a schedule. If the file is there,
        the run goes on from it, and comes to the same as if it had not stopped.

    Raises
    ------
    SpecError
        Annealing cannot do the task, or the checkpoint is of another run.
    OutputError
        The checkpoint cannot be written.
    """
    begun = time.monotonic()
    size = ranks() if ranks() > 1 else islands or min(len(os.sched_getaffinity(0)), ISLANDS)
    if size < 1:
        raise SpecError(f"annealing: islands must be 1 or more, not {size}")
    begin = Begin(task, steps, parameters or Parameters.of(task), symmetry, seed, 0)
    team = Team(begin, size)
    ready = time.monotonic()
    team.own.run(0)  # which compiles the search, the first time
    begun += time.monotonic() - ready
    try:
        return _Run(team, begun, time_limit, told, stop, checkpoint).run()
    finally:
        team.close()


class _Run:
    def __init__(
        self,
        team: Team,
        begun: float,
        time_limit: float,
        told: Told | None,
        stop: Stop | None,
        file: Path | None,
    ) -> None:
        self.team, self.begun, self.time_limit = team, begun, time_limit
        self.told, self.stop, self.file = told, stop, file
        self.key = fingerprint(team.begin, team.size)
        self.epoch = 0
        self.bests: list[Solution] = []
        self.outcomes: list[Outcome] = []
        if file is not None and file.exists():
            kept = Checkpoint.read(file, self.key, team.own)
            team.load(kept.states)
            self.epoch, self.bests = kept.epoch, kept.bests
            self.begun -= kept.seconds

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begun

    def run(self) -> Found:
        written = self.seconds
        moves = max(1, EPOCH // self.team.begin.parameters.population)
        while True:
            # The others join in the second epoch: what is found in the first needs no process.
            size = self.team.size if self.epoch else 1
            self.outcomes = self.team.run(moves, self._sent(size))
            self.bests = [outcome.best for outcome in self.outcomes]
            self.epoch += 1
            conflicts = min(outcome.least for outcome in self.outcomes)
            evaluations = sum(outcome.evaluations for outcome in self.outcomes)
            for best in self.bests:
                if best.conflicts == 0:
                    found = self.team.own.chromosome.decode(best.option, best.step)
                    return Found(found, 0, evaluations, self.seconds)
            if self.told is not None:
                self.told(Progress(conflicts, evaluations, self.seconds))
            over = self.seconds >= self.time_limit or (self.stop is not None and self.stop())
            if self.file is not None and (over or self.seconds - written > WRITE):
                written = self.seconds
                states = self.team.save()
                Checkpoint(self.epoch, written, states, self.bests).write(self.file, self.key)
            if over:
                return Found(None, conflicts, evaluations, self.seconds)

    def _sent(self, size: int) -> list[Solution | None]:
        """Return what the master sends to each island: another's best, drawn by roulette."""
        if len(self.bests) < 2:
            return [None] * size
        rng = np.random.default_rng((self.team.begin.seed, self.epoch))
        weights = np.array([1 / (1 + best.conflicts) for best in self.bests])
        drawn = rng.choice(len(self.bests), size, p=weights / weights.sum())
        return [self.bests[q] if q != i else None for i, q in enumerate(drawn)]
