"""An island in a process of its own: it does what the master's messages say.

    python -m syncfabric.models.collectives.annealing.worker

reads messages from standard input and answers on standard output, both pickled. Over MPI the same
messages go between ranks.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from syncfabric.models.collectives.annealing.encode import encode
from syncfabric.models.collectives.annealing.island import Island, Solution, State
from syncfabric.models.collectives.annealing.parameters import Parameters
from syncfabric.models.collectives.exact.symmetry import Symmetry
from syncfabric.models.collectives.task import Task

__all__ = ["Begin", "Finish", "Load", "Outcome", "Run", "Save", "obey"]


@dataclass(frozen=True)
class Begin:
    """Make the island. No answer."""

    task: Task
    steps: int
    parameters: Parameters
    symmetry: Symmetry | None
    seed: int
    number: int

    def make(self) -> Island:
        """Return the island."""
        chromosome = encode(
            self.task,
            self.steps,
            paths=self.parameters.paths,
            seed=self.seed,
            symmetry=self.symmetry,
            printed=self.parameters.printed,
        )
        return Island(chromosome, self.parameters, self.seed, self.number)


@dataclass(frozen=True)
class Run:
    """Take a solution, if there is one, and try so many moves. The answer is an Outcome."""

    moves: int
    solution: Solution | None


class Outcome(NamedTuple):
    """What an island has after a run."""

    best: Solution
    evaluations: int
    least: int
    """Conflicts that it has had at least."""

    @classmethod
    def of(cls, island: Island, run: Run) -> Outcome:
        """Run an island."""
        if run.solution is not None:
            island.take(run.solution)
        island.run(run.moves)
        return cls(island.best, island.evaluations, island.least)


@dataclass(frozen=True)
class Save:
    """The answer is a State."""


@dataclass(frozen=True)
class Load:
    """Go on from a state. No answer."""

    state: State


@dataclass(frozen=True)
class Finish:
    """There is nothing more to do. No answer."""


def obey(receive: Callable[[], Any], answer: Callable[[Any], None]) -> None:
    """Be an island until a message says that it is over."""
    island: Island | None = None
    while not isinstance(message := receive(), Finish):
        if isinstance(message, Begin):
            island = message.make()
            continue
        assert island is not None
        match message:
            case Run():
                answer(Outcome.of(island, message))
            case Save():
                answer(island.save())
            case Load():
                island.load(message.state)


def main() -> None:
    """Obey the process that started this one, until it closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the master's to hear
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not get between the answers

    def answer(values: Any) -> None:
        pickle.dump(values, out, pickle.HIGHEST_PROTOCOL)
        out.flush()

    try:
        obey(lambda: pickle.load(sys.stdin.buffer), answer)
    except (EOFError, BrokenPipeError):
        os._exit(0)


if __name__ == "__main__":
    # The messages' classes are those of the module as others import it, not of __main__.
    from syncfabric.models.collectives.annealing import worker

    worker.main()
