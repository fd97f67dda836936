"""Collectives: of the static network, by schedules in chunks, and by switches that combine."""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, pairwise
from math import ceil

from syncfabric.models.collectives.chunks.bounds import time_of_a_byte
from syncfabric.models.collectives.chunks.checker import proved_in_parts
from syncfabric.models.collectives.chunks.schedule import Chunked
from syncfabric.models.collectives.chunks.search import Found, search
from syncfabric.models.collectives.chunks.trees import best_trees
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import linked
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.drive.backends import measure_runs, plan_of
from syncfabric.sim.drive.scenario import Policy, Scenario
from syncfabric.sim.drive.static.operations import FROM_ROOT, KINDS, Collective, bound_of
from syncfabric.sim.experiments.alone import Barrier, Wish
from syncfabric.sim.experiments.bench.measures import at_most
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.replay.chunks import replay_chunks
from syncfabric.sim.replay.in_network import WORD_BYTES, plan_in_network, play

SIDES = (2, 4, 8, 16)
PLANNERS = {
    "ring": Barrier("static", "ring"),
    "tree": Barrier("static", "tree"),
    "shortest": Barrier("mesh", "shortest"),
    "wires": Barrier("mesh", "wires", "", {"wires": 1}),
}
"""The last two are in routers."""
WISHES: dict[str, Wish] = {
    "all together": ("together", 0),
    "back to back": ("back_to_back", 0),
    **{f"one late by {late}, the worst": ("late", late) for late in (50, 200, 1000)},
}
EACH_LATE = 64
"""Cores up to which each is late once."""


@section
def static_latency() -> Iterator[Claim]:
    """Barriers on a static network, rings and trees, and in routers, all cores (cycles)."""
    for side in SIDES:
        each_late = side**2 <= EACH_LATE
        wishes = {words: wish for words, wish in WISHES.items() if each_late or wish[0] != "late"}
        for planner, barrier in PLANNERS.items():
            group, cycles = barrier.cycles(side, wishes.values())
            assert group.bound is not None
            for words, worst in zip(wishes, cycles, strict=True):
                yield at_most(f"{side}x{side}, {planner}, {words}", worst, group.bound)


SQUARES = (2, 4, 6, 8)
"""Sides of the networks that collectives by software (section VI) are measured on."""
WORDS: tuple[tuple[int, Policy], ...] = ((1, "together"), (1, "last"), (32, "together"))
"""Flits of a word (with links of one bit, its bits), and when members begin."""
WORK = 1
"""Cycles that a flit of a reduction takes a core."""
IN_ROUTERS = {
    "messages": Barrier("mesh", "shortest", "", {"data_bits": 32, "flit_bits": 64}),
    "wires": Barrier("mesh", "wires", "", {"wires": 1, "data_bits": 32}),
}
"""Barriers that combine a word on their path."""

Case = tuple[str, str, int, Policy]
"""Planner, kind, flits, and when members begin."""


@section
def collectives() -> Iterator[Claim]:
    """Collectives by software on static networks, all cores of a square (cycles)."""
    sizes = " / ".join(str(side * side) for side in SQUARES)
    found = [_collectives(side) for side in SQUARES]
    for case in found[0]:
        planner, kind, flits, policy = case
        cycles, formula = zip(*(times[case] for times in found), strict=True)
        word = "1 flit" if flits == 1 else f"{flits} flits"
        together = policy == "together"
        said = "all together" if together else "each the last in turn, worst"
        yield figure(
            f"{sizes} cores, {planner}, {kind} of {word}, {said}",
            " / ".join(map(str, cycles)),
            "formula " + " / ".join(map(str, formula)),
            # If others came before, no more than the formula's.
            all(a == b if together else a <= b for a, b in zip(cycles, formula, strict=True)),
        )
    for name, barrier in IN_ROUTERS.items():
        measured = [barrier.cycles(side, [("together", 0)]) for side in SQUARES]
        times = [cycles for _, (cycles,) in measured]
        bounds = [group.bound for group, _ in measured]
        yield figure(
            f"{sizes} cores, barrier by {name}, allreduce of 32 bits (or, and, xor), all together",
            " / ".join(map(str, times)),
            "bound " + " / ".join(map(str, bounds)),
            times == bounds,
        )


def _collectives(side: int) -> dict[Case, tuple[int, int]]:
    """Return what each collective takes in a square, under Verilator, and its formula."""
    network = StaticSpec(kind="static", width=side, height=side)
    cases: dict[Case, int] = {}
    runs = []
    for planner, kinds in (("ring", KINDS), ("tree", FROM_ROOT)):
        plan = plan_of(network, planner=planner)
        group = plan.groups[0]
        for kind in kinds:
            for flits, policy in WORDS:
                asked = Collective(1, kind, flits, work=WORK)
                cases[planner, kind, flits, policy] = bound_of(network, group, asked)
                episodes = 1 if policy == "together" else side * side
                scenario = Scenario(episodes=episodes, policy=policy, collectives=(asked,))
                runs.append((plan, scenario))
    worst = [max(outcome.collectives[0].cycles) for outcome in measure_runs(runs)]
    return {case: (cycles, cases[case]) for case, cycles in zip(cases, worst, strict=True)}


FORESTCOLL = {
    "hypercube-8": Fraction(7, 3),
    "octagon-8": Fraction(7, 3),
    "torus-4x4": Fraction(15, 4),
    "mesh-4x4": Fraction(15, 2),
    "hypercube-32": Fraction(31, 5),
    "hypercube-64": Fraction(21, 2),
    "torus-16x16": Fraction(255, 4),
}
"""Time of a byte of allgather with unit links, by ForestColl's program; of the last two it has the
bound alone."""
SIZE = 2**26
TIME_LIMIT = 300.0
"""Seconds of a search, so many that it ends by itself."""
SEARCHES: tuple[tuple[str, Chunked, tuple[int, ...], float], ...] = (
    ("torus-8x8", "allreduce", (1, 2, 4, 8), 1.02),
    ("dgx-1", "allreduce", (6, 12, 24), 1.02),
    ("dgx-1-pair", "allreduce", (1, 2, 4, 5, 6, 8), 1.05),
    ("dgx-a100-pair", "allgather", (4, 13, 26), 1.15),
    ("mesh-8x8", "allreduce", (32,), 1.1),
    ("hypercube-64", "allgather", (1, 6, 12, 24), 1.02),
    ("mesh-8x8", "allgather", (1, 2, 4, 8), 1.02),
    ("torus-16x16", "allgather", (1, 4), 1.02),
    ("fat-tree-4x3", "allreduce", (1,), 1.02),
    ("ring-8", "alltoall", (1,), 1.02),
    ("torus-4x4", "alltoall", (1,), 1.02),
    ("hypercube-8", "alltoall", (1,), 1.02),
    ("dgx-1", "alltoall", (3,), 1.02),
    ("dgx-a100-pair", "alltoall", (1,), 1.02),
    ("fat-tree-2x4", "alltoall", (1,), 1.02),
    ("fat-octagon-16", "alltoall", (1,), 1.02),
    ("coated-mesh-4x4", "alltoall", (1, 2), 1.05),
    ("dgx-a100-pair", "gather", (4,), 1.05),
    ("dgx-a100-pair", "scatter", (1, 2, 3), 1.15),
    ("dragonfly-2x4x2", "alltoall", (1,), 1.35),
)
"""Topology, collective, numbers of chunks, and the time in bounds to reach."""


@section
def throughputs() -> Iterator[Claim]:
    """Allgather in chunks: time of a byte, unit links, trees beside ForestColl's bounds."""
    for name, theirs in FORESTCOLL.items():
        topology = linked(named(name), Fraction(0), Fraction(1))
        ranks = range(topology.nodes)
        least, _ = time_of_a_byte(topology, ranks)
        load, each = Counter[tuple[int, int]](), 0
        for tree in best_trees(topology, ranks) or ():
            for channel in chain.from_iterable(map(pairwise, tree.edges)):
                load[channel] += tree.weight
            each += tree.weight if tree.owner == 0 else 0
        rates = dict(zip(topology.channels, topology.rates, strict=True))
        ours = max(Fraction(n, each) / rates[channel] for channel, n in load.items())
        words = f"{float(ours):g}, {each} trees a rank; bound {float(least):g}"
        wanted = f"{float(theirs):g} (ForestColl)"
        yield figure(f"{name}, {topology.nodes} ranks", words, wanted, ours == least == theirs)


@section
def times() -> Iterator[Claim]:
    """Schedules in chunks: 64 MiB, alpha 1,000 ns and beta 1 ns a byte, or the machine's links."""
    for name, kind, chunks, wanted in SEARCHES:
        topology = linked(named(name), Fraction(1000), Fraction(1))
        best = (found := search(topology, kind, SIZE, chunks, time_limit=TIME_LIMIT)).best
        ratio, own = float(best.time / found.bound), proved_in_parts(best.schedule)
        words = f"{ratio:.3f} of the bound: {best.method}, {best.parts} chunks"
        if own > found.bound:
            words += f" ({float(best.time / own):.3f} of the bound for as many)"
        yield figure(f"{kind}, {name}", words, f"at most {wanted:g}", ratio <= wanted)


PLACES: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("mesh-4x4", (256, 1024, 4096)),
    ("torus-4x4", (256, 1024, 4096)),
    ("fat-tree-4x2", (256, 1024, 4096)),
    ("mesh-8x8", (1024,)),
    ("torus-8x8", (1024,)),
    ("fat-tree-8x2", (1024,)),
)
"""Topologies, and the bytes of a vector."""
HOP = Fraction(4)
"""Cycles of a packet in which no data are on a link, for the search: a head and two hops."""
CYCLES_PER_BYTE = Fraction(1, 4)
CHUNKS = (1, 2, 4)
PLAYED = 3
"""Schedules of the search that are played, the fastest of which counts."""
LEAST = 3
"""Times, at 1 KiB, that software with as many ports takes."""


def _software(schedules: Sequence[Found], ports: int | None) -> tuple[int, str]:
    """Return the cycles of the best schedule of software, and its method."""
    taken = list[tuple[int, str]]()
    for found in schedules:
        played = replay_chunks(found.schedule, ports=ports, sim="model")
        assert played.ok
        assert played.cycles is not None
        taken.append((played.cycles, f"{found.method} {found.parts}"))
    return min(taken)


@section
def in_network() -> Iterator[Claim]:
    """All-reduce in the network beside schedules of software over the same links (cycles).

    Software has as many ports a node as there are trees, and in brackets one for each link; it
    answers in the cycle after a packet has come, and combines in no time. It is played on the
    golden model, the network on the RTL.
    """
    for name, sizes in PLACES:
        for size in sizes:
            made = plan_in_network(named(name), size)
            played = play(made)
            trees = len(made.words)
            topology = linked(named(name), HOP, CYCLES_PER_BYTE)
            found = search(topology, "allreduce", size, CHUNKS, time_limit=TIME_LIMIT).found
            alike, method = _software(found[:PLAYED], trees)
            most, other = _software(found[:PLAYED], None)
            cycles = played.cycles or 0
            ratio = alike / cycles if cycles else 0.0
            measured = f"{cycles:,}, {trees} tree{'s' * (trees > 1)}; {alike:,} by {method}"
            measured += f": {ratio:.1f} ({most:,} by {other}: {most / max(1, cycles):.1f})"
            least = ceil(-(-size // WORD_BYTES) / made.packing.bound)  # all links busy all the time
            wanted = f"at least {LEAST} times" if size == 1024 else "right"
            wanted += f" (links allow {alike / least:.1f})"
            met = played.right and (size != 1024 or ratio >= LEAST)
            yield figure(f"{name}, {size:,} bytes", measured, wanted, met)
