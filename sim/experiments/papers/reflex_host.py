"""Paper Reflex's Fig. 6 on this host: barriers of pthreads and MPI beside the model."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable
from importlib.util import find_spec
from pathlib import Path

from syncfabric.models.errors import ToolError, how_to_install
from syncfabric.models.ranks import ranks_started
from syncfabric.models.timing.barriers import barrier_ns
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment
from syncfabric.sim.experiments.papers.reflex_barriers import (
    MEMORY,
    NETWORK,
    at_sizes,
    diameter,
    memory,
    network,
)
from syncfabric.sim.ranks.launch import mpiexec

SOURCE = Path(__file__).with_name("host_barriers.cpp")
THREADS = {
    "p": "pthread_barrier_wait",
    "c": "pthreads, centralized",
    "d": "pthreads, dissemination",
}
"""By the letter that the program takes."""
MPI = {"b": "MPI_Barrier", "d": "MPI, dissemination by messages"}
RANK = """
import sys, time
from mpi4py import MPI
world, kind, rounds = MPI.COMM_WORLD, sys.argv[1], int(sys.argv[2])
me, ranks, sent, received = world.rank, world.size, bytearray(1), bytearray(1)
def wait():
    if kind == "b":
        world.Barrier()
        return
    step = 1
    while step < ranks:
        to, source = (me + step) % ranks, (me - step) % ranks
        world.Sendrecv(sent, to, recvbuf=received, source=source)
        step *= 2
for _ in range(rounds // 10 + 1):
    wait()
begin = time.perf_counter()
for _ in range(rounds):
    wait()
if me == 0:
    print(1e9 * (time.perf_counter() - begin) / rounds)
"""
"""What each rank runs: kind and rounds; rank 0 prints nanoseconds a barrier."""
LONGEST = 60.0
"""Seconds of one measurement."""
IDENTICAL = 1.1
"""Times up to which two results are the same."""


@experiment(
    "reflex-host",
    "barriers of pthreads and MPI, measured on this host beside the model of TILE64",
    "paper Reflex, Fig. 6",
    runs=5,
    axes=(Axes("threads or ranks", "a barrier in a loop, ns", across_base=2, up_base=10),),
    caption="The paper has pthreads, UPC and MPI on TILE64, whose network runs its barrier.",
    parameters=(
        *NETWORK,
        *MEMORY,
        Parameter("most", 4, 2, 64, "threads and ranks, at most"),
        Parameter("rounds", 500, 1, 1_000_000, "barriers of a measurement"),
    ),
)
def host(work: Work) -> None:
    """Measure each barrier ``runs`` times in a loop, and take the least time."""
    sizes = [2**k for k in range(1, work.whole("most").bit_length())]
    found = _by_threads(work, sizes) | _by_ranks(work, sizes)
    shared, stn = memory(work.values), network(work.values)
    models: dict[str, Callable[[int], float]] = {
        THREADS["c"]: lambda n: barrier_ns("centralized", n, diameter(n), shared),
        THREADS["d"]: lambda n: barrier_ns("memory-dissemination", n, diameter(n), shared),
        MPI["d"]: lambda n: barrier_ns("dissemination", n, diameter(n), stn),
    }
    here = len(os.sched_getaffinity(0))
    for name in (*THREADS.values(), *MPI.values()):
        times = found.get(name, {})
        work.curve(name, times.items())
        for n, ns in times.items():
            note = f"more than the {here} processors" if n > here else ""
            work.claim(f"{name}, ns, {n}", None, ns, note)
        if name in models:
            work.curve(f"{name}, model", ((n, models[name](n)) for n in sizes))
            if times:
                n = _fitting(times, here)
                what = f"{name}: this host over the model of TILE64, {n}"
                work.claim(what, None, times[n] / models[name](n))
    central, spread = found.get(THREADS["c"]), found.get(THREADS["d"])
    if central and spread:
        order = at_sizes({n: central[n] > spread[n] for n in central})
        note = "in the model from 4 cores on"
        work.claim("a centralized barrier is slower than dissemination", None, order, note)
    what = "pthreads, UPC and MPI give identical results"
    by_ranks = found.get(MPI["d"])
    if spread and by_ranks:
        n = _fitting(spread, here)
        ratio = by_ranks[n] / spread[n]
        note = (
            f"MPI over pthreads, dissemination by {n}: {ratio:.3g}; no UPC here, and no network "
            "that runs the barrier whatever calls it"
        )
        same = 1 / IDENTICAL <= ratio <= IDENTICAL
        work.claim(what, "yes", "yes" if same else "no", note, holds=same)
    else:
        work.claim(what, "yes", None, "one of them was not measured; see above")


def _fitting(sizes: Collection[int], processors: int) -> int:
    """Return the most of some sizes that have a processor each, else the least."""
    return max((n for n in sizes if n <= processors), default=min(sizes))


Times = dict[str, dict[int, float]]
"""In ns, by barrier and threads or ranks."""


def _by_threads(work: Work, sizes: Iterable[int]) -> Times:
    """Compile the program and measure threads; say so if there is no compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        work.claim("barriers of pthreads", None, None, "not measured: g++ is not there")
        return {}
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "host_barriers")
        flags = ["-std=c++11", "-O2", "-pthread", "-o", program]
        made = subprocess.run([compiler, *flags, str(SOURCE)], capture_output=True, text=True)
        if made.returncode:
            last = made.stderr.strip().splitlines()[-1:]
            work.claim("barriers of pthreads", None, None, f"not measured: g++ says {last}")
            return {}
        return {
            name: {n: _least(work, name, n, [program, kind, str(n)]) for n in sizes}
            for kind, name in THREADS.items()
        }


def _by_ranks(work: Work, sizes: Iterable[int]) -> Times:
    """Measure ranks; say so if there is no MPI, or if this is one of its ranks."""
    try:
        if find_spec("mpi4py") is None:
            raise ToolError(f"mpi4py is missing; {how_to_install('mpi')}")
        if ranks_started() is not None:
            raise ToolError("this runs under mpiexec, whose ranks cannot start others")
        return {
            name: {
                n: _least(work, name, n, mpiexec(n, [sys.executable, "-c", RANK, kind]))
                for n in sizes
            }
            for kind, name in MPI.items()
        }
    except ToolError as error:
        work.claim("barriers of MPI", None, None, f"not measured: {error}")
        return {}


def _least(work: Work, name: str, n: int, command: list[str]) -> float:
    """Return the least of ``runs`` measurements, in ns."""
    found = []
    for run in range(work.runs):
        work.tell(f"{name}, {n}: run {run + 1} of {work.runs}")
        full = [*command, str(work.whole("rounds"))]
        try:
            done = subprocess.run(full, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise ToolError(f"{name}, {n}: over {LONGEST:g} s; set fewer rounds") from None
        if done.returncode:
            raise ToolError(f"{name}, {n}: {done.stderr.strip()[-200:]}")
        found.append(float(done.stdout))
    return min(found)
