"""HGSA: hybrid parallel genetic simulated annealing, for a given number of steps.

A run can be kept on file, so that it goes on another day.

Source: paper EVO, section 3.1; parameters of section 5. Beyond the paper: restarts that cool ever
slower, islands of chains, scatters, relaying over wormhole paths, and symmetry.
"""

from __future__ import annotations

import hashlib
import json
import os
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from syncfabric.models.collectives.annealing.island import (
    KEPT,
    Begin,
    Island,
    Parameters,
    Solution,
    State,
)
from syncfabric.models.collectives.annealing.team import Team, ranks
from syncfabric.models.collectives.clock import Clock, Found
from syncfabric.models.collectives.symmetry import Symmetry
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import OutputError, SpecError, check_range
from syncfabric.models.files import read_bytes, write_whole

_NO_ARRAYS = (
    *(OSError, ValueError, TypeError, KeyError, EOFError, AttributeError, RuntimeError),
    *(MemoryError, OverflowError, SyntaxError, zipfile.BadZipFile, zlib.error, tokenize.TokenError),
)
"""What numpy raises of a file that is not one of its own, or is damaged."""


def fingerprint(begin: Begin, islands: int) -> str:
    """Return a text that is another for each run that differs in anything but its length."""
    task, symmetry = begin.task, begin.symmetry
    values = [
        task.topology.to_json(),
        repr((task.collective, task.rules, task.extra)),
        begin.steps,
        repr(begin.parameters),
        None if symmetry is None else repr(symmetry.generators),
        begin.seed,
        islands,
    ]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """A run between two epochs."""

    epoch: int
    """The next one."""
    seconds: float
    """That the run has taken."""
    states: list[State]
    """Of the islands that have begun."""

    def write(self, file: Path, key: str) -> None:
        """Write it whole, or leave what was there.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        arrays: dict[str, Any] = {"key": key, "epoch": self.epoch, "seconds": self.seconds}
        for i, state in enumerate(self.states):
            arrays |= {f"{i}/{name}": values for name, values in state.items()}
        stream = BytesIO()
        np.savez(stream, **arrays)
        try:
            write_whole(file, stream.getvalue())
        except OSError as error:
            raise OutputError(f"{file}: cannot be written: {error.strerror}") from None

    @classmethod
    def read(cls, file: Path, key: str, island: Island) -> Checkpoint:
        """Read what ``write`` wrote.

        Parameters
        ----------
        file : Path
        key : str
            The run's.
        island : Island
            One of the run: all are alike.

        Raises
        ------
        SpecError
            The file is no checkpoint, or one of another run.
        """
        try:
            with np.load(BytesIO(read_bytes(file)), allow_pickle=False) as stream:
                arrays = dict(stream)
            found = str(arrays["key"])
            islands = sum(name.endswith("/option") for name in arrays)
            states = [{name: arrays[f"{i}/{name}"] for name in KEPT} for i in range(islands)]
            made = cls(int(arrays["epoch"]), float(arrays["seconds"]), states)
        except _NO_ARRAYS:
            raise _damaged(file) from None
        if found != key:
            raise SpecError(
                f"{file}: this checkpoint is of another run; task, steps, seed, parameters and "
                "islands must be the same"
            )
        if not (
            states and made.epoch >= 0 and made.seconds >= 0 and all(map(island.knows, states))
        ):
            raise _damaged(file)
        return made


def _damaged(file: Path) -> SpecError:
    return SpecError(f"{file}: it is no checkpoint, or it is damaged")


EPOCH = 2_000_000
"""Moves of an island, of all its chains together, between exchanges with other islands."""
SOLO = 6
"""Epochs of one island alone, each half as long as the next: what is found in them needs no
process."""
PACE = 3e6
"""Moves a second."""

WRITE = 60.0
"""Seconds between checkpoints."""

ISLANDS = 8
"""At most, unless one asks for more."""


def solve(
    task: Task,
    steps: int,
    seed: int,
    clock: Clock,
    *,
    parameters: Parameters | None = None,
    islands: int | None = None,
    symmetry: Symmetry | None = None,
    checkpoint: Path | None = None,
) -> Iterator[Found]:
    """Look for a schedule with so many steps, as every ``Method``.

    With as many islands the same seed gives the same schedule.

    Parameters
    ----------
    task : Task
        A forward one: broadcasts, and scatters that are not stored and forwarded.
    steps, seed : int
    clock : Clock
        The time of a run that goes on from a checkpoint is that of all its parts.
    parameters : Parameters, optional
        By default ``Parameters.of`` the task.
    islands : int, optional
        Processes; by default one a processor, 8 at most. Under mpiexec, with ``ranks.led``, each
        rank is one.
    symmetry : Symmetry, optional
        Schedule one message of each orbit; the others are its images.
    checkpoint : Path, optional
        Written every minute, and when the clock ends the search without a schedule. If the file is
        there, the run goes on from it, and comes to the same as if it had not stopped.

    Raises
    ------
    SpecError
        Annealing cannot do the task, or the checkpoint is of another run.
    OutputError
        The checkpoint cannot be written.
    """
    if task.hop_by_hop and 0 < task.extra < steps - 1:
        raise SpecError(
            f"method hgsa: {task.collective.name} stored and forwarded by minimal routes, or by "
            f"any with {steps - 1} hops more; for others use the method exact"
        )
    size = ranks() if ranks() > 1 else islands or min(len(os.sched_getaffinity(0)), ISLANDS)
    check_range("annealing: islands", size, 1)
    begin = Begin(task, steps, parameters or Parameters.of(task), symmetry, seed, 0)
    team = Team(begin, size)
    with clock.stands():
        team.own.run(0)  # which compiles the search, the first time
    try:
        yield from _run(team, clock, checkpoint)
    finally:
        team.close()


def _run(team: Team, clock: Clock, file: Path | None) -> Iterator[Found]:
    """Let islands anneal, epoch by epoch, until one has a schedule or time is over."""
    key = fingerprint(team.begin, team.size)
    epoch, bests = 0, list[Solution]()
    if file is not None and file.exists():
        kept = Checkpoint.read(file, key, team.own)
        epoch, bests = kept.epoch, team.load(kept.states)
        clock.skip(kept.seconds)
    written = clock.passed
    while True:
        size = team.size if epoch >= SOLO else 1
        moves = max(1, EPOCH // team.begin.parameters.population >> max(0, SOLO - 1 - epoch))
        outcomes = team.run(moves, _sent(bests, size, (team.begin.seed, epoch)))
        bests = [outcome.best for outcome in outcomes]
        epoch += 1
        conflicts = min(outcome.least for outcome in outcomes)
        evaluations = sum(outcome.evaluations for outcome in outcomes)
        found = Found(None, conflicts, evaluations, (evaluations + moves * size) / PACE)
        for best in bests:
            if best.conflicts == 0:
                steps = team.own.encoding.decode(best.option, best.step)
                yield replace(found, steps=steps, conflicts=0)
                return
        over = clock.over
        if file is not None and (over or clock.passed - written > WRITE):
            written = clock.passed
            Checkpoint(epoch, written, team.save()).write(file, key)
        yield found
        if over:
            return


def _sent(bests: list[Solution], size: int, seed: tuple[int, int]) -> list[Solution | None]:
    """Return what the master sends to each island: another's best, drawn by roulette."""
    if len(bests) < 2:
        return [None] * size
    weights = np.array([1 / (1 + best.conflicts) for best in bests])
    drawn = np.random.default_rng(seed).choice(len(bests), size, p=weights / weights.sum())
    return [bests[q] if q != i else None for i, q in enumerate(drawn)]
