"""Islands over MPI ranks: rank 0 runs the program, the others are islands for it.

mpi4py is imported only where the program was started by mpiexec.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from syncfabric.models.collectives.annealing.worker import Finish, obey
from syncfabric.models.ranks import mpi, ranks_started

__all__ = ["RankLine", "led", "ranks"]

_leading: list[Any] = []
"""The communicator while the others wait for work."""


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
        # Each job ends with a Finish; None ends them all.
        while world.recv(source=0) is not None:
            obey(lambda: world.recv(source=0), lambda values: world.send(values, 0))
        yield False
        return
    _leading.append(world)
    try:
        yield True
    finally:
        _leading.clear()
        for rank in range(1, world.Get_size()):
            world.send(None, rank)


class RankLine:
    """To the island on another rank."""

    def __init__(self, rank: int) -> None:
        self.world, self.rank = _leading[0], rank
        self.world.send(True, rank)

    def send(self, message: object) -> None:
        """Send a message."""
        self.world.send(message, self.rank)

    def receive(self) -> Any:
        """Wait for an answer."""
        return self.world.recv(source=self.rank)

    def close(self, owed: bool) -> None:
        """End the job; an answer that is still owed is read first."""
        if owed:
            self.receive()
        self.send(Finish())
