"""Programs on many cores: what a barrier costs them, in hardware and in software."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.cores.barriers import Episode, episodes_of
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.events import Events
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.run import run_program
from syncfabric.sim.cores.system import with_channels, with_world
from syncfabric.sim.figures.row import Row

__all__ = [
    "HARDWARE",
    "SIDE",
    "SIZES",
    "SOFTWARE",
    "beyond",
    "core_barriers",
    "core_groups",
    "core_programs",
    "every_barrier",
    "made_of",
    "mesh_of_cores",
    "numbers_put",
    "run_cores",
    "scaling",
]

SIDE = 8
SIZES = (2, 4, 8, 16, 32, 64)
SOFTWARE = ("dissemination", "tree", "tournament", "central")
EPISODES = 10
BEYOND, TIMED, SKEW = 8, 40, 500
"""Cycles that cores add to the network's own at most; barriers looked at for it, and cycles of work
before each, at most."""

HARDWARE: dict[str, dict[str, object]] = {
    "engine": {},
    "routed": {"transport": "routed"},
    "wires": {"wires": 8},
}
"""Ways of barriers in hardware, ``engine`` all of them, and the keys of their meshes."""

SWITCHES: dict[str, dict[str, object]] = {"local": {}, "manager": {"setup": "manager"}}
"""Five cores on two switches, ``twins``: who sets groups up, and what is set beside its links."""

RATES = {16: 10_000, 64: 1_000}
"""Simulated cycles a second at least, by the cores."""


def scaling(side: int, sizes: Sequence[int], barrier: str, *, reduces: bool = False) -> list[float]:
    """Measure barriers of the first cores of a mesh, nested groups of all sizes in one run.

    Parameters
    ----------
    side : int
        Of the mesh.
    sizes : sequence of int
        Cores of each group; of the last, all.
    barrier : str
        A way in ``HARDWARE``, or what ``sf_barrier`` is made of in software.
    reduces : bool
        Whether they are reductions.

    Returns
    -------
    list of float
        Mean cycles from the last member's arrival to the last one's going on, as programs see it:
        all arrive together.
    """
    spec = _nested(side, sizes, barrier)
    defines = {"GROUPS": str(len(sizes)), "EPISODES": str(EPISODES)}
    defines["REDUCE"] = str(int(reduces))
    result, _ = run_cores("scaling", spec, made_of(barrier), side * side, defines)
    found = []
    for place, size in enumerate(sizes):
        took = []
        # What a core puts begins with the smallest group that it is a member of.
        starts = [place - sum(core >= smaller for smaller in sizes) for core in range(size)]
        put = [numbers_put(result, core) for core in range(size)]
        for episode in range(EPISODES):
            at = [2 * (EPISODES * start + episode) for start in starts]
            arrived = max(of[i] for of, i in zip(put, at, strict=True))
            took.append(max(of[i + 1] for of, i in zip(put, at, strict=True)) - arrived)
        found.append(mean(took))
    return found


def every_barrier() -> Iterator[tuple[str, list[float]]]:
    """Measure barriers of the sizes in ``SIZES``; yield a kind at a time."""
    for barrier in (*HARDWARE, *SOFTWARE):
        yield barrier, scaling(SIDE, SIZES, barrier)


def made_of(way: str) -> str:
    """Return what ``sf_barrier`` is made of, for a way in hardware or in software."""
    return "engine" if way in HARDWARE else way


def core_barriers() -> Iterator[Row]:
    """Barriers of cores on an 8x8 mesh, in hardware and software (cycles)."""
    words = ", ".join(map(str, SIZES))
    took = {}
    for barrier, cycles in every_barrier():
        took[barrier] = cycles
        yield Row(f"{barrier}: {words} cores", ", ".join(f"{one:.0f}" for one in cycles))
    least = [min(took[name][place] for name in SOFTWARE) for place in range(len(SIZES))]
    ratios = [soft / hard for soft, hard in zip(least, took["engine"], strict=True)]
    yield Row("best in software over engine", ", ".join(f"{ratio:.1f}" for ratio in ratios))


def core_programs() -> Iterator[Row]:
    """Programs of cores, 16 of them: hardware barriers against software; simulation speed."""
    # The group of all cores is the file's for software too, which would have to make one else.
    spec = with_world(mesh_of_cores(4), 16, "engine")
    for name in ("jacobi", "sort", "bfs"):
        fast = run_cores(name, spec, "engine", 16)[0].cycles
        slow = {barrier: run_cores(name, spec, barrier, 16)[0].cycles for barrier in SOFTWARE}
        best = min(slow, key=lambda barrier: slow[barrier])
        ratio = slow[best] / fast
        yield Row(f"{name}: engine, {best}", f"{fast:,}, {slow[best]:,} cycles: {ratio:.2f}")
    for cores, side in ((16, 4), (64, 8)):
        spec = with_world(mesh_of_cores(side), cores, "engine")
        defines = {"EPISODES": str(TIMED), "SKEW": str(SKEW)}
        result, events = run_cores("barrier", spec, "engine", cores, defines)
        if cores == 16:
            more, figure = beyond(spec, result, events), "16 cores, beyond the network's own"
            yield Row(figure, f"{more} cycles", f"<= {BEYOND}", more <= BEYOND)
        rate, target = result.cycles / result.run_seconds, RATES[cores]
        figure = f"{cores} cores, cycles a second"
        yield Row(figure, f"{rate:,.0f}", f">= {target:,}", rate >= target)


def mesh_of_cores(side: int, groups: Sequence[GroupSpec] = (), **keys: object) -> NetworkSpec:
    """Return a square mesh that cores can send packets over."""
    network = {"kind": "mesh", "width": side, "height": side, "channels": 2, **keys}
    values = {"name": "figure", "network": network, "groups": tuple(groups)}
    return NetworkSpec.model_validate(values)


def core_groups() -> Iterator[Row]:
    """Groups that programs make and free, five cores on two switches (cycles)."""
    names = {"kind", "ports", "switches", "links", "nodes"}
    links = load("twins").network.model_dump(include=names)
    for who, keys in SWITCHES.items():
        values = {"name": "figure", "network": {**links, **keys}}
        spec = with_world(with_channels(NetworkSpec.model_validate(values)), 5, "engine")
        put = [numbers_put(run_cores("teams", spec, "engine", 5)[0], core) for core in range(5)]
        made, freed = (max(max(of[first::2]) for of in put) for first in (0, 1))
        yield Row(f"setup by {who}: made, freed", f"{made:,}, {freed:,}")


def _nested(side: int, sizes: Sequence[int], barrier: str) -> NetworkSpec:
    nodes = mesh_of_cores(side).network.topology.nodes
    groups = (GroupSpec(id=gid, members=tuple(nodes[:size])) for gid, size in enumerate(sizes, 1))
    return mesh_of_cores(side, tuple(groups), **HARDWARE.get(barrier, {}))


def run_cores(
    name: str, spec: NetworkSpec, barrier: str, cores: int, defines: dict[str, str] | None = None
) -> tuple[CoresResult, Events]:
    """Run a ready-made program.

    Raises
    ------
    RuntimeError
        It does not end as it should.
    """
    program = compile_program(Path(name), spec=spec, barrier=barrier, defines=defines or {})
    result, events = run_program(spec, program, cores=cores)
    if not result.ok:
        raise RuntimeError(f"{name}, {barrier}, {cores} cores: {result.verdict}")
    return result, events


def numbers_put(result: CoresResult, core: int) -> list[int]:
    """Return the numbers that a core wrote to the console."""
    return [put.value for put in result.console if put.core == core and isinstance(put.value, int)]


def beyond(spec: NetworkSpec, result: CoresResult, events: Events) -> int:
    """Return what cores add to the network's own latency, in the worst barrier of ``barrier.c``.

    From the last arrive's store to the cycle in which the last core to go on makes its next load,
    that of the clock; less the cycles from the last arrive to the last release. The first
    instruction after the WAIT is fetched before that load is made.

    Raises
    ------
    RuntimeError
        What cores tell does not fit what the network did.
    """
    plan = make_plan(spec)
    (group,) = plan.groups
    _, *episodes = episodes_of(plan, group, events)  # the first one is before the cores' clocks
    told = [numbers_put(result, core) for core in range(result.cores)]
    if {len(of) for of in told} != {2 * len(episodes)}:
        raise RuntimeError(f"{len(episodes)} barriers, and cores tell of others")
    return max(
        _added(episode, [of[2 * k] for of in told], [of[2 * k + 1] for of in told])
        for k, episode in enumerate(episodes)
    )


def _added(episode: Episode, before: Sequence[int], after: Sequence[int]) -> int:
    if not max(before) < episode.arrived < episode.released < max(after):
        raise RuntimeError(f"{episode}: cores came at {max(before)}, went on at {max(after)}")
    return max(after) - episode.released
