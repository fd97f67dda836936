"""Programs on many cores: what a barrier costs them, in hardware and in software."""

from collections.abc import Iterable, Iterator, Sequence

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.cores.events import Episode, Events, episodes_of
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.system import FLITS, with_channels, with_world
from syncfabric.sim.cores.system import HARDWARE as AGENTS
from syncfabric.sim.experiments.bench.measures import (
    at_least,
    at_most,
    last_to_last,
    mean_latency,
    numbers_of,
    run_cores,
)
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import BENCH, Axes, Work, experiment, section

SIDE = 8
SIZES = (2, 4, 8, 16, 32, 64)
SOFTWARE = ("dissemination", "tree", "tournament", "central")
EPISODES = 10
OVERHEAD, TIMED, SKEW = 8, 40, 500
"""Cycles that cores add to the network's own at most; barriers looked at for it, and cycles of work
before each, at most."""
HARDWARE: dict[str, dict[str, object]] = {
    "engine": {},
    "routed": {"transport": "routed"},
    "wires": {"wires": 8},
}
"""Kinds of barriers in hardware, ``engine`` all of them, and the keys of their meshes."""
MADE = 1_500
"""Cycles at most, in which a manager makes a group of five cores on two switches, ``twins``."""
RATES = {16: 10_000, 64: 1_000}
"""Simulated cycles a second at least, by the cores."""
FEW_SIDE, FEW = 4, 16
"""Cores that arrive far apart, reduce, and meet under other names; the side of their mesh."""
SKEWS = (0, 100, 1_000, 10_000)
NAMES = ("pthread", "UPC", "MPI")
"""In the order in which ``skins.c`` takes them."""
STATIC_SIDES = (2, 4, 8)
REFLEX = {"reflex": "reflex-software", "reflex-tree": "reflex-tree-software"}
"""A barrier by agents, and the same in software."""


def scaling(side: int, sizes: Sequence[int], barrier: str, *, reduces: bool = False) -> list[float]:
    """Measure barriers of the first cores of a mesh, nested groups of all sizes in one run.

    Parameters
    ----------
    side : int
        Of the mesh.
    sizes : sequence of int
        Cores of each group; of the last, all.
    barrier : str
        A kind in ``HARDWARE``, or what ``sf_barrier`` is made of in software.
    reduces : bool
        Whether they are reductions.

    Returns
    -------
    list of float
        Mean cycles from the last member's arrival to the last one's going on, as programs see it:
        all arrive together.
    """
    nodes = _mesh(side).network.topology.nodes
    groups = (GroupSpec(id=gid, members=tuple(nodes[:size])) for gid, size in enumerate(sizes, 1))
    spec = _mesh(side, tuple(groups), **HARDWARE.get(barrier, {}))
    defines = {"GROUPS": str(len(sizes)), "EPISODES": str(EPISODES), "REDUCE": str(int(reduces))}
    result, _ = run_cores("scaling", spec, _made_of(barrier), side * side, defines)
    found = []
    for place, size in enumerate(sizes):
        # What a core puts begins with the smallest group that it is a member of.
        starts = [place - sum(core >= smaller for smaller in sizes) for core in range(size)]
        firsts = [2 * EPISODES * start for start in starts]
        put = [numbers_of(result, core) for core in range(size)]
        own = [of[i : i + 2 * EPISODES] for of, i in zip(put, firsts, strict=True)]
        found.append(mean_latency(own))
    return found


def _made_of(kind: str) -> str:
    """Return what ``sf_barrier`` is made of, for a kind in hardware or in software."""
    return "engine" if kind in HARDWARE else kind


def _row(barrier: str, what: str, cycles: Iterable[float]) -> Claim:
    return figure(f"{barrier}: {what}", ", ".join(f"{one:.0f}" for one in cycles))


def _over(slow: Iterable[float], fast: Iterable[float]) -> str:
    return ", ".join(f"{one / other:.1f}" for one, other in zip(slow, fast, strict=True))


@experiment(
    "core_barriers",
    "Barriers of cores on an 8x8 mesh, in hardware and software (cycles)",
    BENCH,
    axes=(Axes("cores", "cycles, last arrival to last core that goes on", 2, 10),),
    caption="First cores of a mesh 8x8, all arriving together; mean, as programs see it.",
)
def core_barriers(work: Work) -> None:
    """Measure every kind in nested groups, and the best in software beside engines."""
    took = {barrier: scaling(SIDE, SIZES, barrier) for barrier in (*HARDWARE, *SOFTWARE)}
    for barrier, cycles in took.items():
        work.claims.append(_row(barrier, f"{', '.join(map(str, SIZES))} cores", cycles))
        label = barrier if barrier in HARDWARE else f"{barrier}, software"
        work.curve(label, zip(SIZES, cycles, strict=True))
    least = [min(times) for times in zip(*(took[name] for name in SOFTWARE), strict=True)]
    work.claims.append(figure("best in software over engine", _over(least, took["engine"])))


@section
def core_skew() -> Iterator[Claim]:
    """Barriers of cores that arrive up to so many cycles apart, 16 on a 4x4 mesh (cycles)."""
    words = ", ".join(f"{skew:,}" for skew in SKEWS)
    for barrier in (*HARDWARE, *SOFTWARE):
        took = []
        for skew in SKEWS:
            defines = {"EPISODES": str(EPISODES), "SKEW": str(skew)}
            made = _made_of(barrier)
            took.append(last_to_last(run_cores("barrier", _few(barrier), made, FEW, defines)[0]))
        yield _row(barrier, f"{words} apart", took)


@section
def core_reductions() -> Iterator[Claim]:
    """Reductions of cores on a 4x4 mesh, in hardware and software (cycles)."""
    sizes = (2, 4, 8, 16)
    for barrier in ("engine", "routed", "tree"):
        took = scaling(FEW_SIDE, sizes, barrier, reduces=True)
        yield _row(barrier, f"{', '.join(map(str, sizes))} cores", took)


@section
def core_names() -> Iterator[Claim]:
    """Rounds of cores under three names, 16 on a 4x4 mesh: a message and a barrier (cycles)."""
    for barrier in (*HARDWARE, *SOFTWARE):
        result, _ = run_cores("skins", _few(barrier), _made_of(barrier), FEW)
        put = [numbers_of(result, core) for core in range(FEW)]
        rounds = (max(of[2 * place + 1] for of in put) for place in range(len(NAMES)))
        yield _row(barrier, ", ".join(NAMES), rounds)


@section
def core_programs() -> Iterator[Claim]:
    """Programs of cores, 16 of them: hardware barriers against software; simulation speed."""
    # The group of all cores is the file's for software too, which would have to make one else.
    spec = _few("engine")
    for name in ("jacobi", "sort", "bfs"):
        fast = run_cores(name, spec, "engine", FEW)[0].cycles
        slow = {barrier: run_cores(name, spec, barrier, FEW)[0].cycles for barrier in SOFTWARE}
        best = min(slow, key=lambda barrier: slow[barrier])
        ratio = slow[best] / fast
        yield figure(f"{name}: engine, {best}", f"{fast:,}, {slow[best]:,} cycles: {ratio:.2f}")
    for cores, side in ((16, 4), (64, 8)):
        spec = with_world(_mesh(side), cores, "engine")
        defines = {"EPISODES": str(TIMED), "SKEW": str(SKEW)}
        result, events = run_cores("barrier", spec, "engine", cores, defines)
        if cores == 16:
            more = overhead(spec, result, events)
            yield at_most("16 cores, beyond the network's own", more, OVERHEAD, f"{more} cycles")
        rate = result.cycles / result.seconds.run
        yield at_least(f"{cores} cores, cycles a second", rate, RATES[cores], f"{rate:,.0f}")


@section
def core_groups() -> Iterator[Claim]:
    """Groups that programs make and free, five cores on two switches (cycles)."""
    names = {"kind", "ports", "switches", "links", "nodes"}
    links = load("twins").network.model_dump(include=names)
    for setup in ("manager", "local"):  # with the latter programs have messages alone
        values = {"name": "figure", "network": {**links, "setup": setup}}
        spec = with_world(with_channels(NetworkSpec.model_validate(values)), 5, "engine")
        put = [numbers_of(run_cores("teams", spec, "engine", 5)[0], core) for core in range(5)]
        made, freed = (max(max(of[first::2]) for of in put) for first in (0, 1))
        name, measured = f"setup by {setup}: made, freed", f"{made:,}, {freed:,}"
        yield at_most(name, made, MADE, measured) if setup == "manager" else figure(name, measured)


def _mesh(side: int, groups: Sequence[GroupSpec] = (), **keys: object) -> NetworkSpec:
    """Return a square mesh that cores can send packets over."""
    network = {"kind": "mesh", "width": side, "height": side, "channels": 2, **keys}
    values = {"name": "figure", "network": network, "groups": tuple(groups)}
    return NetworkSpec.model_validate(values)


def _few(barrier: str) -> NetworkSpec:
    """Return the mesh of few cores; the group of all is the file's for software, too."""
    return with_world(_mesh(FEW_SIDE, (), **HARDWARE.get(barrier, {})), FEW, "engine")


def overhead(spec: NetworkSpec, result: CoresResult, events: Events) -> int:
    """Return what cores add to the network's own latency, in the worst barrier of ``barrier.c``.

    From the last arrive's store to the cycle in which the last core to go on makes its next load,
    that of the clock; less the cycles from the last arrive to the last release. The first
    instruction after the WAIT is fetched before that load is made.

    Raises
    ------
    RuntimeError
        What cores report does not fit what the network did.
    """
    plan = make_plan(spec)
    (group,) = plan.groups
    _, *episodes = episodes_of(plan, group, events)  # the first one is before the cores' clocks
    puts = [numbers_of(result, core) for core in range(result.cores)]
    if {len(of) for of in puts} != {2 * len(episodes)}:
        raise RuntimeError(f"{len(episodes)} barriers, and cores report others")
    return max(
        _added(episode, [of[2 * k] for of in puts], [of[2 * k + 1] for of in puts])
        for k, episode in enumerate(episodes)
    )


def _added(episode: Episode, before: Sequence[int], after: Sequence[int]) -> int:
    if not max(before) < episode.arrived < episode.released < max(after):
        raise RuntimeError(f"{episode}: cores came at {max(before)}, went on at {max(after)}")
    return max(after) - episode.released


def squares(side: int, sides: Sequence[int], barrier: str) -> list[float]:
    """Measure barriers of the cores in squares of a static network; the others end at once.

    Parameters
    ----------
    side : int
        Of the network, each of whose nodes has a core.
    sides : sequence of int
        Of the squares, all in the same corner; each is the one group of a run.
    barrier : str
        What ``sf_barrier`` is made of: a kind of a static network's own.

    Returns
    -------
    list of float
        As of ``scaling``.
    """
    network = StaticSpec(kind="static", width=side, height=side)
    (planner,) = (AGENTS | FLITS)[barrier]
    found = []
    for square in sides:
        members = tuple((x, y) for y in range(square) for x in range(square))
        group = GroupSpec(id=1, members=members, planner=planner)
        spec = NetworkSpec(name="figure", network=network, groups=(group,))
        defines = {"GROUPS": "1", "EPISODES": str(EPISODES)}
        result, _ = run_cores("scaling", spec, barrier, side * side, defines)
        cores = map(network.topology.index, members)
        found.append(mean_latency([numbers_of(result, core) for core in cores]))
    return found


@section
def core_reflex() -> Iterator[Claim]:
    """Reflex barriers of cores, by agents and in software (cycles)."""
    words = ", ".join(str(side * side) for side in STATIC_SIDES)
    for kind, software in REFLEX.items():
        agents, programs = (squares(SIDE, STATIC_SIDES, barrier) for barrier in (kind, software))
        yield _row(kind, f"{words} cores", agents)
        yield _row(software, f"{words} cores", programs)
        yield figure(f"{software} over {kind}", _over(programs, agents))
