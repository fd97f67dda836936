"""Figures beside a least or greatest value; times, also of builds uncached; and runs of cores."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from typing import Any, TypeVar

from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, MessageSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.cores.compile import MEMORY_KIB, compile_program
from syncfabric.sim.cores.events import Events
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.run import run_program
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.results import RunResult

Result = TypeVar("Result")
CACHE = "SYNCFABRIC_CACHE"
TOPOLOGIES = (
    *("mesh-8x8", "torus-8x8", "mesh-4x4x4", "torus-4x4x4", "hypercube-64", "ring-64"),
    *("k-ring-64", "octagon-8x8", "amp-64", "moore-hoffman-singleton", "star-15", "complete-15"),
    *("fat-tree-4x3", "fat-octagon-64", "dragonfly-2x4x2"),
)
"""Of some 64 nodes, or as many as a router has ports for."""


def at_least(name: str, value: float, target: float, measured: str = "") -> Claim:
    """Return a figure that is to be so much or more; in words of its own, if it has some."""
    return figure(name, measured or f"{value:,}", f">= {target:,}", value >= target)


def at_most(name: str, value: float, target: float, measured: str = "") -> Claim:
    """Return a figure that is to be so much or less; in words of its own, if it has some."""
    return figure(name, measured or f"{value:,}", f"<= {target:,}", value <= target)


def below(name: str, seconds: float, limit: float | None, digits: int = 0) -> Claim:
    """Return seconds that are to be below a limit, if there is one."""
    measured = f"{seconds:.{digits}f} s"
    if limit is None:
        return figure(name, measured)
    return figure(name, measured, f"< {limit:g} s", seconds < limit)


def per_second(name: str, result: RunResult, target: float = 0) -> Claim:
    """Return simulated cycles a second, to be so many or more, of a run that is to be right."""
    rate = result.cycles / result.seconds.run
    words = f">= {target:,}" if target else "match"
    return figure(name, f"{rate:,.0f}", words, rate >= target and result.ok)


def timed(function: Callable[..., Result], *arguments: Any) -> tuple[Result, float]:
    """Return what a function returns, and the seconds that it takes."""
    begin = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - begin


def mesh(width: int, height: int, keys: Mapping[str, object]) -> MeshSpec:
    """Return a mesh with some keys."""
    shape = {"kind": "mesh", "width": width, "height": height}
    return MeshSpec.model_validate({**shape, **keys})


def network_of(topology: str, **keys: str | int) -> MessageSpec:
    """Return a network with the topology of a name, without packets unless ``keys`` say so."""
    given = {"channels": 0, "setup": "local", **keys}
    lines = [f"{key} = {value!r}" for key, value in given.items() if value != ""]
    head = f'name = "figure"\n[network]\nkind = "irregular"\ntopology = "{topology}"\n'
    return loads(head + "\n".join(lines) + "\n").message_network


def planned(network: MessageSpec, groups: Sequence[GroupSpec] = ()) -> BarrierPlan:
    """Return the plan of a network with some groups."""
    return make_plan(NetworkSpec(name="figure", network=network, groups=tuple(groups)))


@contextmanager
def empty_cache() -> Iterator[None]:
    """Build into a passing cache meanwhile."""
    kept = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[CACHE] = folder
        try:
            yield
        finally:
            if kept is None:
                del os.environ[CACHE]
            else:
                os.environ[CACHE] = kept


def run_cores(
    name: str,
    spec: NetworkSpec,
    barrier: str,
    cores: int,
    defines: dict[str, str] | None = None,
    memory_kib: int = MEMORY_KIB,
) -> tuple[CoresResult, Events]:
    """Run a ready-made program.

    Raises
    ------
    RuntimeError
        It does not end as it should.
    """
    program = compile_program(
        Path(name), spec=spec, barrier=barrier, memory_kib=memory_kib, defines=defines or {}
    )
    result, events = run_program(spec, program, cores=cores)
    if not result.ok:
        raise RuntimeError(f"{name}, {barrier}, {cores} cores: {result.verdict}")
    return result, events


def numbers_of(result: CoresResult, core: int) -> list[int]:
    """Return the numbers that a core wrote to the console."""
    return [put.value for put in result.console if put.core == core and isinstance(put.value, int)]


def mean_latency(put: Sequence[Sequence[int]]) -> float:
    """Return the mean cycles from the last arrival to the last going on.

    Each member puts its arrival and its going on, episode by episode.
    """
    return mean(
        max(of[at + 1] for of in put) - max(of[at] for of in put) for at in range(0, len(put[0]), 2)
    )


def last_to_last(result: CoresResult) -> float:
    """Return the mean cycles from the last begin to the last end, of which cores put the cycles."""
    return mean_latency([numbers_of(result, core) for core in range(result.cores)])
