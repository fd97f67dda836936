"""Programs on 16 cores: arrivals that are far apart, reductions, and barriers under other names."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean

from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.system import with_world
from syncfabric.sim.figures.cores import (
    HARDWARE,
    SOFTWARE,
    made_of,
    mesh_of_cores,
    numbers_put,
    run_cores,
    scaling,
)
from syncfabric.sim.figures.row import Row

__all__ = ["CORES", "NAMES", "SKEWS", "core_names", "core_reductions", "core_skew", "latency"]

SIDE, CORES = 4, 16
SIZES = (2, 4, 8, 16)
SKEWS = (0, 100, 1_000, 10_000)
EPISODES = 10
NAMES = ("pthread", "UPC", "MPI")
"""In the order in which ``skins.c`` takes them."""


def core_skew() -> Iterator[Row]:
    """Barriers of cores that arrive up to so many cycles apart, 16 on a 4x4 mesh (cycles)."""
    words = ", ".join(f"{skew:,}" for skew in SKEWS)
    for barrier in (*HARDWARE, *SOFTWARE):
        took = []
        for skew in SKEWS:
            defines = {"EPISODES": str(EPISODES), "SKEW": str(skew)}
            spec, made = _spec(barrier), made_of(barrier)
            took.append(latency(run_cores("barrier", spec, made, CORES, defines)[0]))
        yield Row(f"{barrier}: {words} apart", ", ".join(f"{one:.0f}" for one in took))


def core_reductions() -> Iterator[Row]:
    """Reductions of cores on a 4x4 mesh, in hardware and software (cycles)."""
    words = ", ".join(map(str, SIZES))
    for barrier in ("engine", "routed", "tree"):
        took = scaling(SIDE, SIZES, barrier, reduces=True)
        yield Row(f"{barrier}: {words} cores", ", ".join(f"{one:.0f}" for one in took))


def core_names() -> Iterator[Row]:
    """Rounds of cores under three names, 16 on a 4x4 mesh: a message and a barrier (cycles)."""
    for barrier in (*HARDWARE, *SOFTWARE):
        result, _ = run_cores("skins", _spec(barrier), made_of(barrier), CORES)
        put = [numbers_put(result, core) for core in range(CORES)]
        rounds = (max(of[2 * place + 1] for of in put) for place in range(len(NAMES)))
        yield Row(f"{barrier}: {', '.join(NAMES)}", ", ".join(map(str, rounds)))


def latency(result: CoresResult) -> float:
    """Return the mean cycles from the last arrival to the last going on, of ``barrier.c``."""
    put = [numbers_put(result, core) for core in range(result.cores)]
    return mean(
        max(of[at + 1] for of in put) - max(of[at] for of in put) for at in range(0, len(put[0]), 2)
    )


def _spec(barrier: str) -> NetworkSpec:
    # The group of all cores is the file's for software, too.
    mesh = mesh_of_cores(SIDE, (), **HARDWARE.get(barrier, {}))
    return with_world(mesh, CORES, "engine")
