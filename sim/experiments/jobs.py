"""Jobs of experiments: kept from before, else done here while they are few, or on all processors.

Under mpiexec the other ranks do them, in place of processes. A file keeps the results of one
function by one state of the sources, a line a job: a checksum, the job's key, and the result as
JSON. A line that is cut short or damaged is as if it were not there.
"""

import functools
import hashlib
import inspect
import json
import multiprocessing
import os
import platform
import signal
import threading
import time
import traceback
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from io import FileIO
from pathlib import Path
from typing import Any

from syncfabric.models.cache import cache_folder, fingerprint
from syncfabric.models.errors import SyncfabricError, ToolError
from syncfabric.models.files import read_bytes
from syncfabric.models.ranks import mpi, rank_started, ranks_started
from syncfabric.sim.simulators.cache import RESULTS_BYTES, unusable

PACKAGES = ("syncfabric.models", "syncfabric.rtl", "syncfabric.sim")
"""All that a job can depend on of this project, and of others:"""
LIBRARIES = ("networkx", "numba", "numpy", "ortools", "scipy")
SUFFIXES = frozenset((".py", ".toml", ".csv", ".v", ".sv", ".cpp", ".h", ".vlt"))


class Kept:
    """What a function has returned before.

    Parameters
    ----------
    function : callable
        Of a module.
    fresh : bool
        Leave aside what is there; new results take its place.

    Raises
    ------
    OutputError
        The cache cannot be used. So for its methods.
    """

    def __init__(self, function: Callable[..., Any], *, fresh: bool = False) -> None:
        name = f"{function.__module__.rpartition('.experiments.')[2]}.{function.__qualname__}"
        self.path = cache_folder() / "results" / f"{name}-{_sources_of(function)}.jsonl"
        self.file: FileIO | None = None
        self.results = {} if fresh else dict(self._read())

    def add(self, key: str, text: str) -> None:
        """Keep the result of a job, as JSON; it is written to the disk when this returns."""
        self.results[key] = text
        line = f"{key} {text}".encode()
        try:
            if self.file is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                _prune(self.path.parent)
                # Unbuffered, so that a line is written at once, beside those of other commands.
                self.file = FileIO(self.path, "a")
                self.file.write(b"\n")  # what was cut short before ends here
            self.file.write(b"%08x %s\n" % (zlib.crc32(line), line))
        except OSError as error:
            raise unusable(error) from None

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()

    def _read(self) -> Iterator[tuple[str, str]]:
        """Yield the key and the result of every whole line, later ones of a job later."""
        try:
            data = read_bytes(self.path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise unusable(error) from None
        for line in data.split(b"\n"):
            check, _, rest = line.partition(b" ")
            if check == b"%08x" % zlib.crc32(rest):
                with suppress(UnicodeDecodeError):
                    key, _, text = rest.decode().partition(" ")
                    yield key, text


def key_of(job: tuple[Any, ...]) -> str:
    """Return the key of a function's jobs."""
    return hashlib.sha256(json.dumps(job).encode()).hexdigest()[:24]


@functools.cache
def sources() -> str:
    """Fingerprint all sources that can decide what a job returns."""
    folders = [Path(str(files(package))) for package in PACKAGES]
    found = [file for folder in folders for file in folder.rglob("*") if file.suffix in SUFFIXES]
    settings = {name: version(name) for name in LIBRARIES}
    return fingerprint(settings | {"python": platform.python_version()}, sorted(found))[:16]


def _sources_of(function: Callable[..., Any]) -> str:
    """Fingerprint what decides a function's results: that of another package by its file, too."""
    if function.__module__.startswith("syncfabric."):
        return sources()
    return fingerprint({"": sources()}, [Path(inspect.getfile(function))])[:16]


def _prune(folder: Path) -> None:
    """Remove those to which nothing was added for longest until the rest is within the limit."""
    known = sorted((file.stat().st_mtime, file.stat().st_size, file) for file in folder.iterdir())
    excess = sum(size for _, size, _ in known) - RESULTS_BYTES
    for _, size, file in known:
        if excess <= 0:
            return
        file.unlink(missing_ok=True)
        excess -= size


LOOK = 0.1
"""Seconds between two looks at what is done."""
FEW = 2.0
"""Seconds of work for which processes are not started."""

Function = Callable[..., Any]
Job = tuple[Any, ...]
"""Arguments of a function of a module; what it returns can be written as JSON."""


@dataclass
class Tally:
    """How many jobs there are so far, are done, and were kept from before (these are done)."""

    jobs: int = 0
    done: int = 0
    kept: int = 0

    def begin(self, jobs: int, kept: int) -> None:
        """Count jobs in, of which some were kept."""
        self.jobs += jobs
        self.done += kept
        self.kept += kept


class Pool:
    """Carries out jobs, except those whose results are kept.

    Parameters
    ----------
    ranks : Executor, optional
        Other ranks; by default processes, when there is enough work for them.
    size : int, optional
        How many jobs are carried out side by side; by default one a processor.
    fresh : bool
        Leave aside what was kept before.
    """

    def __init__(
        self, ranks: Executor | None = None, size: int | None = None, *, fresh: bool = False
    ) -> None:
        self.executor, self.fresh = ranks, fresh
        self.size = size or len(os.sched_getaffinity(0))
        self.known: dict[Function, Kept] = {}
        self.seconds = 0.0
        """Of the jobs that this process has carried out."""
        self._carry_out = _carry_out if ranks is None else _carry_out_on_a_rank

    def map(
        self, function: Function, jobs: Sequence[Job], tally: Tally, check: Callable[[], None]
    ) -> Iterator[Any]:
        """Yield the result of each job, in their order.

        Parameters
        ----------
        function : callable
        jobs : sequence of tuples
        tally : Tally
            Is kept up to date.
        check : callable
            Is called often. What it raises ends the work at once; what is done is kept.

        Raises
        ------
        OutputError
            The cache cannot be used.
        ToolError
            A process has died; or a job has failed on a rank. Elsewhere its own exception comes.
        """
        kept, keys = self._kept(function), [key_of(job) for job in jobs]
        both = zip(keys, jobs, strict=True)
        todo = deque((key, job) for key, job in both if key not in kept.results)
        tally.begin(len(jobs), len(jobs) - len(todo))
        check()
        begun: dict[Future[str], str] = {}

        def keep(key: str, text: str) -> None:
            kept.add(key, text)
            tally.done += 1

        try:
            for key in keys:
                while key not in kept.results:
                    if self.few(len(todo)):
                        next_, job = todo.popleft()
                        keep(next_, self._here(function, job))
                    else:
                        self._submit(function, todo, begun)
                        for future in wait(begun, LOOK, FIRST_COMPLETED).done:
                            keep(begun.pop(future), future.result())
                    check()
                yield json.loads(kept.results[key])
        except BrokenExecutor:
            raise ToolError(
                "a process that worked for this command has died, as for want of memory; "
                "what was done is kept: run it again"
            ) from None
        finally:
            for future, key in begun.items():
                if not future.cancel() and future.done() and future.exception() is None:
                    keep(key, future.result())

    def alone(
        self, function: Function, job: Job, tally: Tally, check: Callable[[], None], **more: Any
    ) -> Any:
        """Return the result of a job that takes all processors by itself.

        Parameters
        ----------
        function, job, tally
            As of ``map``.
        check : callable
            Is called before and after. If it raises, nothing is kept.
        **more
            Arguments beside the job's that do not change its result.

        Raises
        ------
        OutputError
            The cache cannot be used.
        """
        kept, key = self._kept(function), key_of(job)
        tally.begin(1, int(key in kept.results))
        check()
        if key not in kept.results:
            result = function(*job, **more)
            check()
            kept.add(key, json.dumps(result))
            tally.done += 1
        return json.loads(kept.results[key])

    def few(self, left: int) -> bool:
        """Return whether the next of the jobs that are left is carried out in this process."""
        return self.executor is None and left > 0 and (self.seconds < FEW or left == 1)

    def close(self, *, at_once: bool) -> None:
        """End all workers at once, with their running jobs and what these have started."""
        for kept in self.known.values():
            kept.close()
        if self.executor is None:
            return
        if at_once and isinstance(self.executor, ProcessPoolExecutor):
            for child in multiprocessing.active_children():
                assert child.pid is not None
                with suppress(ProcessLookupError):  # it has no group yet
                    os.killpg(child.pid, signal.SIGKILL)
                child.kill()
        # What ranks do, Ctrl-C ends, which all of them get.
        self.executor.shutdown(cancel_futures=True)

    def _kept(self, function: Function) -> Kept:
        if function not in self.known:
            self.known[function] = Kept(function, fresh=self.fresh)
        return self.known[function]

    def _here(self, function: Function, job: Job) -> str:
        begin = time.perf_counter()
        with _breakable():
            text = _carry_out(function, job)
        self.seconds += time.perf_counter() - begin
        return text

    def _submit(
        self, function: Function, todo: deque[tuple[str, Job]], begun: dict[Future[str], str]
    ) -> None:
        """Let as many jobs begin as keep all busy."""
        if self.executor is None:
            # Not forked: compiled code has threads.
            context = multiprocessing.get_context("spawn")
            self.executor = ProcessPoolExecutor(self.size, context, _begin)
        # This may start a process. At a terminal Ctrl-C is for it, too, until it is in its own
        # group.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while todo and len(begun) < 2 * self.size:
                key, job = todo.popleft()
                begun[self.executor.submit(self._carry_out, function, job)] = key
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _carry_out(function: Function, job: Job) -> str:
    return json.dumps(function(*job))


def _carry_out_on_a_rank(function: Function, job: Job) -> str:
    """Carry out a job, and report in one line what goes wrong, and where."""
    try:
        with _breakable():
            return _carry_out(function, job)
    except SyncfabricError:
        raise
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise ToolError(
            f"rank {rank_started()} of {ranks_started()}: {function.__qualname__} failed: "
            f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
        ) from None


@contextmanager
def _breakable() -> Iterator[None]:
    """Let Ctrl-C break off at once what runs meanwhile in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _begin() -> None:
    """Prepare a process of the pool."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # Should that one be killed, nothing else would end this one.
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.killpg(0, signal.SIGKILL)


@contextmanager
def _ranks() -> Iterator[Executor | None]:
    """Give the first rank the others; and the others nothing, when they have worked for it."""
    world = mpi().COMM_WORLD
    from mpi4py.futures import MPICommExecutor

    if world.Get_rank() > 0:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # but within a job
    # The ranks run this program already: they need not import its main module.
    others: Any = MPICommExecutor(world, root=0, main=False)
    with others as executor:
        yield executor


@contextmanager
def pool(*, fresh: bool = False) -> Iterator[Pool | None]:
    """Give a pool: processes, or under mpiexec ranks, and there to the first of them only.

    The others get None when they have done what it asked of them.

    Raises
    ------
    ToolError
        The program runs under mpiexec, but without mpi4py.
    """
    started = ranks_started() or 1
    with nullcontext() if started == 1 else _ranks() as ranks:
        if ranks is None and started > 1:
            yield None
            return
        made = Pool(ranks, started - 1 if ranks else None, fresh=fresh)
        at_once = True
        try:
            yield made
            at_once = False
        finally:
            made.close(at_once=at_once)
