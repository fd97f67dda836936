"""A rank's part of a schedule, carried out by messages from rank to rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from syncfabric.sim.ranks.parts import Part
from syncfabric.sim.ranks.payloads import WORD, Bytes, Name

__all__ = ["Carrier"]


class Carrier:
    """One rank's part, ready to be played any number of times.

    The requests are made once, so that playing takes two calls of MPI a step: all messages of a
    step are on their way at once, and the next step begins when this rank's have come and gone.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        Its rank is the node.
    part : Part
    size : int
        Bytes of a message.
    """

    name = "schedule"

    def __init__(self, world: Any, part: Part, size: int) -> None:
        from mpi4py import MPI

        self._part = part
        self._blocks = np.zeros((part.slots, size), np.uint8)
        self._start, self._wait = MPI.Prequest.Startall, MPI.Request.Waitall
        self._steps = [
            (
                [world.Recv_init(self._blocks[slot], peer) for peer, slot in step.receives]
                + [world.Send_init(self._blocks[slot], peer) for peer, slot in step.sends],
                [(self._words(to), self._words(spare)) for to, spare in step.adds],
            )
            for step in part.steps
        ]

    def fill(self, payload: Callable[[Name], Bytes]) -> None:
        """Put what this rank has at the beginning into its slots, and wipe the others."""
        self._blocks[:] = 0
        for slot, name in self._part.own:
            self._blocks[slot] = payload(name)

    def run(self) -> None:
        """Play all steps."""
        for requests, adds in self._steps:
            self._start(requests)
            self._wait(requests)
            for total, message in adds:
                total += message

    def got(self) -> dict[Name, Bytes]:
        """Return what this rank was to have in the end."""
        return {name: self._blocks[slot] for slot, name in self._part.wanted}

    def free(self) -> None:
        """Give the requests back."""
        for requests, _ in self._steps:
            for request in requests:
                request.Free()

    def _words(self, slot: int) -> Any:
        """Return a block as numbers to be added up."""
        assert self._blocks.shape[1] % WORD == 0
        return self._blocks[slot].view(np.uint64)
