"""Broadcasts between ranks of MPI along a tree that follows their latencies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Any

from syncfabric.sim.ranks.broadcast.member import ROOT, Member, Setting
from syncfabric.sim.ranks.broadcast.results import Broadcasts, Wrong
from syncfabric.sim.ranks.payloads import (
    Times,
    first_wrong,
    library_words,
    now,
    processors,
    slowest,
)

if TYPE_CHECKING:
    from syncfabric.models.broadcast.strategies import Strategy

WARM = 2
"""Calls of the library that are not timed."""


def broadcast(world: Any, setting: Setting, strategy: Strategy) -> tuple[Broadcasts | None, bool]:
    """Broadcast in rounds as a script says; every rank calls this.

    Parameters
    ----------
    world : mpi4py.MPI.Comm
        As many ranks as the script has. mpiexec must let ranks outlive one that dies.
    setting : Setting
    strategy : str
        What the tree does when a link takes longer.

    Returns
    -------
    Broadcasts or None
        On rank 0; None on the others.
    bool
        Whether all ranks are still there. If not, MPI cannot be ended in order, for that waits for
        all: leave by ``os._exit``.
    """
    from mpi4py import MPI

    library, wrong, checked = _library(world, setting)
    near = world.Split_type(MPI.COMM_TYPE_SHARED)
    member = Member(world.Dup(), setting, shared=near.Get_size() > processors())
    if member.rank != ROOT:
        member.serve()
        return None, member.finalize is True

    # The tree is rank 0's alone, and takes long to import.
    from syncfabric.models.broadcast.policy import Policy
    from syncfabric.sim.ranks.broadcast.root import Root

    root = Root(member, Policy(rise=strategy))
    root.run()
    checked, wrong = checked + root.checked, [*wrong, *root.wrong]
    whole = member.finalize is True
    mpi = library_words()
    return Broadcasts(setting, mpi, library, root.rows, root.lost, checked, wrong, whole), whole


def _library(world: Any, setting: Setting) -> tuple[Times, list[Wrong], int]:
    """Time the library's Bcast as often as there are rounds, and compare every byte.

    Returns
    -------
    Times
    list of Wrong
    int
        Bytes compared; like the rest, of all ranks.
    """
    rank, seconds, wrong = world.Get_rank(), [], []
    turns = range(WARM + setting.script.rounds)
    with _guard(setting.timeout * len(turns), rank):
        for turn in turns:
            right = setting.payload(turn)
            block = right.copy() if rank == ROOT else right * 0
            world.Barrier()
            start = now()
            world.Bcast(block, ROOT)
            if turn >= WARM:
                seconds.append(now() - start)
            byte = first_wrong(block, right)
            if byte is not None:
                wrong.append(Wrong(rank, None, byte))
        rows = world.allgather((seconds, wrong))
    checked = len(turns) * (world.Get_size() - 1) * setting.size
    return slowest("Bcast", [row[0] for row in rows]), [w for row in rows for w in row[1]], checked


@contextmanager
def _guard(seconds: float, rank: int) -> Iterator[None]:
    """End this rank if the library does not come back: it waits for the dead for ever."""

    def give_up() -> None:
        if rank == ROOT:
            sys.stderr.write(f"error: Bcast does not come back in {seconds:g} s: a rank is gone\n")
            sys.stderr.flush()
        os._exit(1)

    timer = Timer(seconds, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
