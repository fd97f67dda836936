"""Paper Reflex's Figs. 9 and 10, and what goes beyond it."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from syncfabric.models.errors import ToolError, how_to_install
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.ranks import ranks_started
from syncfabric.models.schemes.loggp import ANYWHERE, STATIC
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.barriers import barrier_ns, crossover
from syncfabric.models.timing.loggp import INFINIBAND, PRESETS, LogGP
from syncfabric.sim.experiments.alone import Barrier
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment, times_parameters
from syncfabric.sim.experiments.papers import reflex_barriers as hardware
from syncfabric.sim.experiments.papers.reflex_barriers import (
    ASSUMED,
    BUFFERS,
    CORES,
    FARTHEST,
    MEMORY,
    NETWORK,
    REFLEX,
    TREE,
    UNREAD,
    WIRES,
    at_sizes,
    buffered,
    cycle_ns,
    diameter,
    memory,
    network,
    sizes,
)
from syncfabric.sim.ranks.launch import mpiexec

SCHEMES = {scheme.name: scheme for scheme in (*STATIC, *ANYWHERE)}
MODELS = {
    REFLEX: "reflex",
    TREE: "reflex-tree",
    WIRES: "wires",
    "UDN/STN": "udn-stn",
    "dissemination by messages": "dissemination",
}
"""The scheme whose latency is the model of what is measured."""
GOOD = 0.1
"""The greatest difference of a good model."""


@experiment(
    "reflex-fig9",
    "Reflex in the model and on our RTL, in cycles",
    "paper Reflex, Fig. 9",
    axes=(Axes("cores", "cycles, arrival to last release", 2, 10),),
    caption=f"{UNREAD} {ASSUMED}",
    parameters=NETWORK,
    rtl=True,
)
def model(work: Work) -> None:
    """Fig. 9: the model against the real performance, which is that of our RTL.

    All cores of a square arrive together. The ring is always measured: its switches are small. With
    ``--rtl`` so are the other barriers that have a model. All is in cycles, a cycle of the model's
    clock beside one of the hardware's.
    """
    worst = _compare(work, (REFLEX,))
    work.claim(
        "the model is a good approximation: greatest difference, %",
        "good",
        100 * worst,
        "of our hardware, in place of TILE64; good: 10 % at most",
        holds=worst <= GOOD,
    )
    if work.rtl:
        _compare(work, tuple(MODELS)[1:])


def _compare(work: Work, names: tuple[str, ...]) -> float:
    """Report models and hardware; return their greatest difference, over the hardware's."""
    apart = []
    for name, (measured,) in hardware.cycles(work, names, ("together", 0)).items():
        rows = []
        for side, n, real in zip(hardware.SIDES, CORES, measured, strict=True):
            rows.append((n, ours := _modelled(work, name, side), real))
            work.point(f"{name}, model", n, ours)
            work.point(f"{name}, RTL", n, real)
            apart.append(abs(ours - real) / real)
        for n, ours, real in rows:
            what = f"{name}, {n} cores: cycles of the model over RTL's {real}"
            work.claim(what, None, ours / real)
    return max(apart)


def _modelled(work: Work, name: str, side: int) -> float:
    """Return what a scheme takes in the model, in cycles of the clock."""
    kind = "mesh" if name == WIRES else "static"
    place = Barrier(kind, "").network(side)
    cost = SCHEMES[MODELS[name]].cost(place, place.topology.nodes, network(work.values))
    return cost.latency_ns / cycle_ns(work.values)


SMALL = 5
"""Per cent of the time of the fewest nodes."""
HOP = "the paper's values are not in its text; a hop of 100 ns is assumed"


@experiment(
    "reflex-fig10",
    "Reflex in the model of an InfiniBand cluster",
    "paper Reflex, Fig. 10",
    axes=(Axes("nodes", "arrival to last release, µs"),),
    caption=f"{UNREAD} All times of LogGP are assumed.",
    parameters=(
        Parameter("nodes", 1_024, 8, 65_536, "the most nodes of a curve"),
        *times_parameters(INFINIBAND),
    ),
)
def cluster(work: Work) -> None:
    """Fig. 10: all nodes arrive together; a node is a hop of the ring."""
    loggp, nodes = work.times(LogGP), sizes(work.whole("nodes"))

    # L is from end to end, switches and all.
    def reflex(n: int) -> float:
        return barrier_ns("reflex", n, 0, loggp)

    def rounds(n: int) -> float:
        return barrier_ns("dissemination", n, 0, loggp)

    for n in nodes:
        work.point("Reflex", n, reflex(n) / 1_000)
        work.point("dissemination (not in the paper)", n, rounds(n) / 1_000)
    work.by_formula = True  # of LogGP, with times that are assumed
    first, last = nodes[0], nodes[-1]
    slopes = [(reflex(b) - reflex(a)) / (b - a) for a, b in pairwise(nodes)]
    words, bent = "Reflex scales linearly: greatest slope over least", min(slopes)
    work.claim(words, 1, max(slopes) / bent if bent else None)
    share = 100 * slopes[-1] / reflex(first)
    small = share <= SMALL
    work.claim("Reflex, ns that a node more costs", "very small", slopes[-1], HOP, holds=small)
    words, note = f"the same over the time of {first} nodes, %", f"very small: {SMALL} % at most"
    work.claim(words, "very small", share, note, holds=small)
    least = crossover(reflex, rounds, FARTHEST)
    work.claim(
        "Reflex scales to a large number of nodes: from how many it is slower than dissemination",
        "large",
        least,
        "the paper's figure has no other barrier; a line loses to a logarithm in the end, "
        f"looked for up to {FARTHEST:,}",
        holds=least is None,
        partly=True,
    )
    for n in (first, last):
        work.claim(f"Reflex, µs, {n:,} nodes", None, reflex(n) / 1_000)
        work.claim(f"dissemination, µs, {n:,} nodes", None, rounds(n) / 1_000)


MACHINES = ("tile64", "infiniband")
FIELDS = ("L", "o", "h")
"""Times that both barriers depend on; g and G are in neither."""
FACTORS = tuple(2.0**power for power in range(-4, 9))
GAPS = (0.25, 0.5, 0.75, 1.0, 2.0)
"""Over the g that is assumed, two hops: what decides between Reflex and UDN/STN."""


@experiment(
    "reflex-sweep",
    "cores from which on Reflex is slower than dissemination, as each time grows",
    "beyond paper Reflex",
    axes=(Axes("the time, over its default", "cores from which Reflex is slower", 2, 2),),
    caption="Not in the paper.",
    parameters=(Parameter("cores", 65_536, 16, 65_536, "how far they are looked for"),),
)
def crossovers(work: Work) -> None:
    """From how many cores on Reflex is slower than dissemination by messages, as one time grows."""
    work.by_formula = True  # of LogGP, with times that are assumed
    most = work.whole("cores")
    cases = [(machine, name, "dissemination", FACTORS) for machine in MACHINES for name in FIELDS]
    cases.append(("tile64", "g", "udn-stn", GAPS))
    jobs = [(*case, factor, most) for *case, factors in cases for factor in factors]
    found = iter(work.map(least_cores, jobs))
    for machine, name, rival, factors in cases:
        for factor in factors:
            least = next(found)
            if rival == "dissemination" and least is not None:
                work.point(f"{machine}, {name}", factor, least)
            if rival == "udn-stn" or factor in (FACTORS[0], 1.0, FACTORS[-1]):
                slower = "UDN/STN" if rival == "udn-stn" else rival
                what = f"{machine}, {name} x {factor:g}: Reflex slower than {slower} from"
                work.claim(what, None, least, f"looked for up to {most:,}" if least is None else "")


def least_cores(machine: str, name: str, rival: str, factor: float, most: int) -> int | None:
    """Return from how many cores on Reflex is slower than another, one time multiplied.

    On TILE64 paths are the diameter of the squarest mesh; in a cluster L is from end to end.
    """
    preset = PRESETS[machine]
    loggp = replace(preset, **{name: factor * getattr(preset, name)})

    def other(cores: int) -> float:
        return barrier_ns(rival, cores, diameter(cores) if machine == "tile64" else 0, loggp)

    return crossover(lambda cores: barrier_ns("reflex", cores, 0, loggp), other, most)


@experiment(
    "reflex-members",
    "all schemes on random members of a mesh: time, links and set-up",
    "beyond paper Reflex",
    runs=10,
    axes=(Axes("members", "mean latency, ns", 2, 10),),
    caption=f"Not in the paper. {ASSUMED}",
    parameters=(Parameter("side", 8, 2, 16, "side of the mesh"), *NETWORK, *MEMORY, BUFFERS),
)
def random_members(work: Work) -> None:
    """Draw members of each number, as many times as there are runs, for all schemes of a mesh."""
    side = work.whole("side")
    counts = sizes(side * side)
    values = dict(work.values)
    jobs = [(values, count, seed) for count in counts for seed in work.seeds]
    work.report(f"{len(jobs)} groups on {side}x{side}")
    found = iter(work.map(costs, jobs))
    for count in counts:
        runs = [next(found) for _ in work.seeds]
        for name in SCHEMES:
            each = [Cost(**run[name]) for run in runs]
            latency = mean(cost.latency_ns for cost in each)
            work.point(name, count, latency)
            if count not in (counts[len(counts) // 2], counts[-1]):
                continue
            others = {
                "links passed": mean(cost.traversals for cost in each),
                "height": mean(cost.height for cost in each),
                "set-up messages": mean(cost.setup_messages for cost in each),
                "nodes touched": mean(cost.setup_nodes for cost in each),
            }
            note = ", ".join(f"{what} {value:.4g}" for what, value in others.items())
            work.claim(f"{name}, {count} of {side * side}: latency, ns", None, latency, note)


def costs(values: dict[str, int | float], count: int, seed: int) -> dict[str, dict[str, Any]]:
    """Return what every scheme costs for random members, by its name."""
    side = int(values["side"])
    static = buffered(int(values["buffers"]), side, side)
    mesh = MeshSpec(kind="mesh", width=side, height=side)
    members = random.Random(seed).sample(mesh.topology.nodes, count)
    found = {}
    for scheme in SCHEMES.values():
        times = memory(values) if scheme.name == "centralized" else network(values)
        place = static if "static" in scheme.kinds else mesh
        found[scheme.name] = vars(scheme.cost(place, members, times))
    return found


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
        work.report(f"{name}, {n}: run {run + 1} of {work.runs}")
        full = [*command, str(work.whole("rounds"))]
        try:
            done = subprocess.run(full, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise ToolError(f"{name}, {n}: over {LONGEST:g} s; set fewer rounds") from None
        if done.returncode:
            raise ToolError(f"{name}, {n}: {done.stderr.strip()[-200:]}")
        found.append(float(done.stdout))
    return min(found)
