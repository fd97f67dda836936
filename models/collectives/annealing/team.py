"""The master and its islands: one here, the others in processes or on MPI ranks."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from typing import Any, Protocol

from syncfabric.models.collectives.annealing.island import Island, Solution, State
from syncfabric.models.collectives.annealing.ranks import RankLine, ranks
from syncfabric.models.collectives.annealing.worker import Begin, Load, Outcome, Run, Save
from syncfabric.models.errors import ToolError

__all__ = ["Team"]


class _Line(Protocol):
    """To an island elsewhere."""

    def send(self, message: object) -> None: ...

    def receive(self) -> Any: ...

    def close(self, owed: bool) -> None: ...


class _ProcessLine:
    """To the island of a process on this machine."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "syncfabric.models.collectives.annealing.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def send(self, message: object) -> None:
        assert self.process.stdin is not None
        try:
            pickle.dump(message, self.process.stdin, pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise ToolError("annealing: an island's process has died") from None

    def receive(self) -> Any:
        assert self.process.stdout is not None
        try:
            return pickle.load(self.process.stdout)
        except EOFError:
            raise ToolError("annealing: an island's process has died") from None

    def close(self, owed: bool) -> None:
        self.process.kill()
        self.process.communicate()


class Team:
    """Islands that anneal at the same time. The first is in this process.

    The others are started with the first run in which they take part: what the first finds at once
    costs no process.

    Parameters
    ----------
    begin : Begin
        Of island 0.
    size : int
        Islands.
    """

    def __init__(self, begin: Begin, size: int) -> None:
        self.begin, self.size = begin, size
        self.own: Island = begin.make()
        self.lines: list[_Line] = []
        self.owed: set[int] = set()

    def start(self) -> None:
        """Start the other islands, if they are not there yet."""
        while len(self.lines) < self.size - 1:
            number = len(self.lines) + 1
            self.lines.append(RankLine(number) if ranks() > 1 else _ProcessLine())
            self.lines[-1].send(replace(self.begin, number=number))

    def run(self, moves: int, solutions: list[Solution | None]) -> list[Outcome]:
        """Let as many islands as there are solutions take them and anneal.

        All end the epoch, also when one has found a schedule: what they weighed until then counts.
        """
        if len(solutions) > 1:
            self.start()
        others = list(enumerate(zip(self.lines, solutions[1:], strict=False)))
        for i, (line, solution) in others:
            line.send(Run(moves, solution))
            self.owed.add(i)
        outcomes = [Outcome.of(self.own, Run(moves, solutions[0]))]
        for i, (line, _) in others:
            outcomes.append(line.receive())
            self.owed.discard(i)
        return outcomes

    def save(self) -> list[State]:
        """Return the state of every island that has begun."""
        for line in self.lines:
            line.send(Save())
        return [self.own.save(), *(line.receive() for line in self.lines)]

    def load(self, states: list[State]) -> None:
        """Go on from what ``save`` returned."""
        self.own.load(states[0])
        if len(states) > 1:
            self.start()
        for line, state in zip(self.lines, states[1:], strict=False):
            line.send(Load(state))

    def close(self) -> None:
        """End the other islands."""
        for i, line in enumerate(self.lines):
            line.close(i in self.owed)
        self.lines.clear()
