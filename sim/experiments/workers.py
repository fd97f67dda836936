"""Where jobs run beside this process: processes of this computer, or the other ranks of MPI."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from syncfabric.models.errors import SyncfabricError, ToolError
from syncfabric.models.ranks import mpi, rank_started, ranks_started

__all__ = [
    "Batch",
    "Processes",
    "Ranks",
    "Workers",
    "breakable",
    "carry_out",
    "processors",
    "ranks_lead",
]

Function = Callable[..., Any]


class Batch(NamedTuple):
    """What some jobs came to."""

    texts: list[str]
    """Their results as JSON."""
    seconds: float
    """That they took together."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


def carry_out(function: Function, jobs: Sequence[Any]) -> Batch:
    """Carry out some jobs here.

    Raises
    ------
    TypeError
        JSON cannot hold a result.
    """
    begin = time.perf_counter()
    texts = [json.dumps(function(*job)) for job in jobs]
    return Batch(texts, time.perf_counter() - begin)


@contextmanager
def breakable() -> Iterator[None]:
    """Let Ctrl-C break off at once what runs meanwhile in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Processes:
    """A process for each processor that this one may use; started with the first batches."""

    def __init__(self) -> None:
        self.size = processors()
        # Not forked: compiled code has threads.
        context = multiprocessing.get_context("spawn")
        self.pool = ProcessPoolExecutor(self.size, context, _begin)

    def submit(self, function: Function, jobs: Sequence[Any]) -> Future[Batch]:
        """Let one of them carry out some jobs."""
        # This may start one. At a terminal Ctrl-C is for it, too, until it is in its own group.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return self.pool.submit(carry_out, function, jobs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def break_off(self) -> None:
        """Kill them, and what they have started."""
        for child in multiprocessing.active_children():
            assert child.pid is not None
            with suppress(ProcessLookupError):  # it has no group yet
                os.killpg(child.pid, signal.SIGKILL)
            child.kill()

    def close(self) -> None:
        """Let them end."""
        self.pool.shutdown(cancel_futures=True)


def _begin() -> None:
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # Should that one be killed, nobody would end this one.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.killpg(0, signal.SIGKILL)


class Ranks:
    """All ranks but this one, which leads them."""

    def __init__(self, pool: Executor, size: int) -> None:
        self.pool, self.size = pool, size
        self.begun: list[Future[Batch]] = []

    def submit(self, function: Function, jobs: Sequence[Any]) -> Future[Batch]:
        """Let one of them carry out some jobs."""
        self.begun = [batch for batch in self.begun if not batch.done()]
        self.begun.append(self.pool.submit(_carry_out_on_a_rank, function, jobs))
        return self.begun[-1]

    def break_off(self) -> None:
        """Take back what no rank has begun. What they do, Ctrl-C ends, which all of them get."""
        for batch in self.begun:
            batch.cancel()

    def close(self) -> None:
        """Nothing: they end with ``ranks_lead``."""


Workers = Processes | Ranks


@contextmanager
def ranks_lead() -> Iterator[Ranks | None]:
    """Give the first rank the others; and the others nothing, when they have worked for it.

    Raises
    ------
    ToolError
        The program runs under mpiexec, but without mpi4py.
    """
    world = mpi().COMM_WORLD
    from mpi4py.futures import MPICommExecutor

    if world.Get_rank() > 0:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # but within a job
    # The ranks run this program already: they need not import its main module.
    others: Any = MPICommExecutor(world, root=0, main=False)
    with others as pool:
        yield None if pool is None else Ranks(pool, world.Get_size() - 1)


def _carry_out_on_a_rank(function: Function, jobs: Sequence[Any]) -> Batch:
    """Carry out some jobs, and tell in one line what goes wrong, and where."""
    try:
        with breakable():
            return carry_out(function, jobs)
    except SyncfabricError:
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise ToolError(
            f"rank {rank_started()} of {ranks_started()}: {function.__qualname__} failed: "
            f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
        ) from None
