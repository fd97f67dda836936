"""The master and its islands: one here, the others in processes or on MPI ranks.

    python -m syncfabric.models.collectives.annealing.team

is an island: it reads messages from standard input and answers on standard output, both pickled.
Over MPI the same messages go between ranks; mpi4py is imported only where the program was started
by mpiexec. There rank 0 runs the program, and the others are islands for it.

A message has the number of a job, as there can be many, and the name of what an island is to do,
with its arguments; the answer is what that returns. ``begin`` with a ``Begin`` begins a job and
``end`` ends it: neither is answered. None ends all.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any

from syncfabric.models.collectives.annealing.island import Begin, Island, Outcome, Solution, State
from syncfabric.models.errors import ToolError
from syncfabric.models.ranks import mpi, ranks_started

_jobs = count()
_leading: list[Any] = []
"""The communicator while the others wait for work."""


def _obey(receive: Callable[[], Any], answer: Callable[[Any], None]) -> None:
    """Be an island until a message says that it is over."""
    islands = dict[int, Island]()
    while (message := receive()) is not None:
        job, name, *values = message
        if name == "begin":
            islands[job] = values[0].make()
        elif name == "end":
            del islands[job]
        else:
            answer(getattr(islands[job], name)(*values))


def ranks() -> int:
    """Return how many islands the ranks are, with this one; 1 if no others wait for work."""
    return _leading[0].Get_size() if _leading else 1


@contextmanager
def led() -> Iterator[bool]:
    """Yield whether this process is to run the program; the other ranks work meanwhile.

    Under mpiexec rank 0 does. On the others it yields False when rank 0 has left the block.

    Raises
    ------
    ToolError
        The program runs under mpiexec, but without mpi4py.
    """
    if (ranks_started() or 1) == 1:
        yield True
        return
    world = mpi().COMM_WORLD
    if world.Get_rank() > 0:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is rank 0's to hear
        _obey(lambda: world.recv(source=0), lambda values: world.send(values, 0))
        yield False
        return
    _leading.append(world)
    try:
        yield True
    finally:
        _leading.clear()
        for rank in range(1, world.Get_size()):
            world.send(None, rank)


class _RankLine:
    """To the island on another rank."""

    def __init__(self, rank: int) -> None:
        self.world, self.rank = _leading[0], rank
        self.job = next(_jobs)

    def send(self, *message: object) -> None:
        self.world.send((self.job, *message), self.rank)

    def receive(self) -> Any:
        return self.world.recv(source=self.rank)

    def close(self, owes: bool) -> None:
        """End the job; an answer that is still owed is read first."""
        if owes:
            self.receive()
        self.send("end")


class _ProcessLine:
    """To the island of a process on this machine."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def send(self, *message: object) -> None:
        assert self.process.stdin is not None
        try:
            pickle.dump((0, *message), self.process.stdin, pickle.HIGHEST_PROTOCOL)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise ToolError("annealing: an island's process has died") from None

    def receive(self) -> Any:
        assert self.process.stdout is not None
        try:
            return pickle.load(self.process.stdout)
        except EOFError:
            raise ToolError("annealing: an island's process has died") from None

    def close(self, owes: bool) -> None:
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
        self.lines: list[_RankLine | _ProcessLine] = []
        self.owing: list[_RankLine | _ProcessLine] = []

    def run(self, moves: int, solutions: list[Solution | None]) -> list[Outcome]:
        """Let as many islands as there are solutions take them and anneal.

        All end the epoch, also when one has found a schedule: what they weighed until then counts.
        """
        self._send([("epoch", moves, solution) for solution in solutions[1:]])
        return [self.own.epoch(moves, solutions[0]), *self._answers()]

    def save(self) -> list[State]:
        """Return the state of every island that has begun."""
        self._send([("save",)] * len(self.lines))
        return [self.own.save(), *self._answers()]

    def load(self, states: list[State]) -> list[Solution]:
        """Go on from what ``save`` returned; return each island's best."""
        self._send([("load", state) for state in states[1:]])
        return [self.own.load(states[0]), *self._answers()]

    def close(self) -> None:
        """End the other islands."""
        for line in self.lines:
            line.close(line in self.owing)
        self.lines.clear()

    def _send(self, messages: list[tuple[Any, ...]]) -> None:
        """Ask something of the other islands, which are started if they are not there yet."""
        while messages and len(self.lines) < self.size - 1:
            number = len(self.lines) + 1
            self.lines.append(_RankLine(number) if ranks() > 1 else _ProcessLine())
            self.lines[-1].send("begin", replace(self.begin, number=number))
        for line, message in zip(self.lines, messages, strict=False):
            line.send(*message)
            self.owing.append(line)

    def _answers(self) -> list[Any]:
        found = []
        while self.owing:
            found.append(self.owing[0].receive())
            del self.owing[0]
        return found


def main() -> None:
    """Obey the process that started this one, until it closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the master's to hear
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not get between the answers

    def answer(values: Any) -> None:
        pickle.dump(values, out, pickle.HIGHEST_PROTOCOL)
        out.flush()

    try:
        _obey(lambda: pickle.load(sys.stdin.buffer), answer)
    except (EOFError, BrokenPipeError):
        os._exit(0)


if __name__ == "__main__":
    main()
