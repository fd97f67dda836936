"""What conducts a scenario, whatever the kind of network: chunks to play, and what came of them."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.drive.comparison import Comparison
from syncfabric.sim.drive.driving import READ_BACK
from syncfabric.sim.drive.scenario import Job
from syncfabric.sim.drive.stepping import Chunk, Stepping
from syncfabric.sim.drive.targets import targets_of

__all__ = ["Conducting"]

T = TypeVar("T")


class Conducting(ABC, Generic[T]):
    """Hands out chunks to play, takes in what came of them, and sums up.

    Parameters
    ----------
    network : AnySpec
    job : Job
        What is to be measured.

    Attributes
    ----------
    session : Stepping
        The model's side.
    judge : Comparison
        Hardware against model, and both against the rules.
    """

    session: Stepping
    judge: Comparison

    def __init__(self, network: AnySpec, job: Job) -> None:
        self._begin, self._job = time.perf_counter(), job
        self._targets, self._nodes = targets_of(network), len(network.topology.nodes)
        self._answers: list[int] = []
        self._left = 0  # chunks that were played and not taken in

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to play."""
        return self.session.finished or bool(self.judge.mismatches)

    @property
    @abstractmethod
    def total(self) -> int:
        """How much is asked for: barriers of all groups together, and what there is beside."""

    @property
    @abstractmethod
    def done(self) -> int:
        """How much of it is over."""

    def advance(self) -> Chunk:
        """Step the model through the next chunk."""
        self._left += 1
        return self.session.advance(self._job.chunk)

    def take(self, chunk: Chunk, text: Sequence[str] | None) -> None:
        """Take in what the hardware's probe wrote in a chunk; None: there is no hardware."""
        if text is None:
            self.judge.follow(chunk, chunk.lines)
        else:
            self.judge.compare(chunk, text)
        self._left -= 1
        self._answers += [line.answer[1] for line in chunk.lines if line.answer]

    @abstractmethod
    def outcome(self, report: Sequence[Sequence[int]] | None) -> T:
        """Sum up; the hardware's traffic report is given where there is one."""

    @property
    def _seconds(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self._begin

    def _counters(self) -> tuple[int, int, int, int] | None:
        """Sum the counters that were read at the end: the last answers of the config port.

        None where the run did not get there, or was not compared to its end after a mismatch.
        """
        over = self.session.finished and self.session.hang is None and not self._left
        if not over or self._nodes > READ_BACK:
            return None
        kinds = [kind for reads in self._targets.reads for _, kind in reads]
        sums = dict.fromkeys(Counter, 0)
        for kind, count in zip(kinds, self._answers[-len(kinds) :], strict=True):
            sums[kind] += count
        overflow, stray, refused_arrives, refused_writes = sums.values()
        return overflow, stray, refused_arrives, refused_writes
