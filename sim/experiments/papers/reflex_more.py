"""Paper Reflex's Figs. 9 and 10, and what goes beyond it."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from statistics import mean
from typing import Any

from syncfabric.models.networks.spec import MeshSpec
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
    buffered,
    cycle_ns,
    diameter,
    memory,
    network,
    sizes,
)

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

    On TILE64 ways are the diameter of the squarest mesh; in a cluster L is from end to end.
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
    work.tell(f"{len(jobs)} groups on {side}x{side}")
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
