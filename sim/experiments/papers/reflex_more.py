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
from syncfabric.models.timing.barriers import crossover, dissemination_ns, reflex_ns, udn_stn_ns
from syncfabric.models.timing.loggp import PRESETS, LogGP
from syncfabric.sim.experiments.frame import Axes, Parameter, Work, experiment
from syncfabric.sim.experiments.papers import reflex_barriers as hardware
from syncfabric.sim.experiments.papers.reflex import (
    ASSUMED,
    BUFFERS,
    FARTHEST,
    MEMORY,
    NETWORK,
    UNREAD,
)
from syncfabric.sim.experiments.papers.reflex_barriers import (
    REFLEX,
    TREE,
    WIRES,
    buffered,
    cycle_ns,
    diameter,
    memory,
    network,
    sizes,
)

__all__ = ["costs", "least_cores"]

SCHEMES = {scheme.name: scheme for scheme in (*STATIC, *ANYWHERE)}
MODELS = {
    REFLEX: "reflex",
    TREE: "reflex-tree",
    WIRES: "wires",
    "UDN/STN": "udn-stn",
    "dissemination by messages": "dissemination",
}
"""The scheme whose latency is the model of what is measured."""
OTHERS = tuple(MODELS)[1:]
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
        _compare(work, OTHERS)


def _compare(work: Work, names: tuple[str, ...]) -> float:
    """Tell of models and hardware; return their greatest difference, over the hardware's."""
    found = hardware.cycles(work, names, [("together", 0)])
    cores = [side * side for side in hardware.SIDES]
    greatest = 0.0
    for name, rows in found.items():
        measured = [cycles for (cycles,) in rows]
        modelled = [_modelled(work, name, side) for side in hardware.SIDES]
        for n, ours, real in zip(cores, modelled, measured, strict=True):
            work.point(f"{name}, model", n, ours)
            work.point(f"{name}, RTL", n, real)
        apart = [abs(ours - real) / real for ours, real in zip(modelled, measured, strict=True)]
        for n, ours, real in zip(cores, modelled, measured, strict=True):
            work.claim(
                f"{name}, {n} cores: cycles of the model over RTL's {real}", None, ours / real
            )
        greatest = max(greatest, *apart)
    return greatest


def _modelled(work: Work, name: str, side: int) -> float:
    """Return what a scheme takes in the model, in cycles of the clock."""
    scheme = SCHEMES[MODELS[name]]
    kind = "mesh" if name == WIRES else "static"
    place = hardware.Barrier(kind, "").network(side)
    cost = scheme.cost(place, place.topology.nodes, network(work.values))
    return cost.latency_ns / cycle_ns(work.values)


CLUSTER = (
    Parameter("L", 3_550.0, 0, 1_000_000, "latency of the network, hops left out, ns"),
    Parameter("o", 1_070.0, 0, 1_000_000, "what a node spends on sending or receiving, ns"),
    Parameter("g", 940.0, 0, 1_000_000, "between two messages of a node, ns"),
    Parameter("G", 0.5, 0, 10_000, "between two bytes of a message, ns"),
    Parameter("h", 100.0, 0, 100_000, "a hop, ns"),
)
SMALL = 5
"""Per cent of the time of the fewest nodes."""
HOP = "the paper's values are not in its text; a hop of 100 ns is assumed"


@experiment(
    "reflex-fig10",
    "Reflex in the model of an InfiniBand cluster",
    "paper Reflex, Fig. 10",
    axes=(Axes("nodes", "arrival to last release, µs"),),
    caption=f"{UNREAD} All times of LogGP are assumed.",
    parameters=(Parameter("nodes", 1_024, 8, 65_536, "the most nodes of a curve"), *CLUSTER),
)
def cluster(work: Work) -> None:
    """Fig. 10: all nodes arrive together; a node is a hop of the ring."""
    loggp = LogGP(**{key: float(work.values[key]) for key in ("L", "o", "g", "G", "h")})
    nodes = sizes(int(work.values["nodes"]))
    ring = {n: reflex_ns(n, loggp) for n in nodes}
    # L is from end to end, switches and all.
    rounds = {n: dissemination_ns(n, 0, loggp) for n in nodes}
    for n in nodes:
        work.point("Reflex", n, ring[n] / 1_000)
        work.point("dissemination (not in the paper)", n, rounds[n] / 1_000)
    work.by_formula = True  # of LogGP, with times that are assumed
    first, last = nodes[0], nodes[-1]
    slopes = [(ring[b] - ring[a]) / (b - a) for a, b in pairwise(nodes)]
    work.claim(
        "Reflex scales linearly: greatest slope over least",
        1,
        max(slopes) / min(slopes) if min(slopes) else None,
    )
    share = 100 * slopes[-1] / ring[first]
    small = share <= SMALL
    work.claim("Reflex, ns that a node more costs", "very small", slopes[-1], HOP, holds=small)
    words, note = f"the same over the time of {first} nodes, %", f"very small: {SMALL} % at most"
    work.claim(words, "very small", share, note, holds=small)
    least = crossover(
        lambda n: reflex_ns(n, loggp), lambda n: dissemination_ns(n, 0, loggp), FARTHEST
    )
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
        work.claim(f"Reflex, µs, {n:,} nodes", None, ring[n] / 1_000)
        work.claim(f"dissemination, µs, {n:,} nodes", None, rounds[n] / 1_000)


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
    most = int(work.values["cores"])
    cases = [(machine, name) for machine in MACHINES for name in FIELDS]
    jobs = [
        (machine, name, factor, "dissemination", most)
        for machine, name in cases
        for factor in FACTORS
    ]
    found = iter(work.map(least_cores, jobs))
    for machine, name in cases:
        at = {factor: next(found) for factor in FACTORS}
        for factor, least in at.items():
            if least is not None:
                work.point(f"{machine}, {name}", factor, least)
        for factor in (FACTORS[0], 1.0, FACTORS[-1]):
            work.claim(
                f"{machine}, {name} x {factor:g}: Reflex slower than dissemination from",
                None,
                at[factor],
                f"looked for up to {most:,}" if at[factor] is None else "",
            )
    jobs = [("tile64", "g", factor, "UDN/STN", most) for factor in GAPS]
    for factor, least in zip(GAPS, work.map(least_cores, jobs), strict=True):
        work.claim(
            f"tile64, g x {factor:g}: Reflex slower than UDN/STN from",
            None,
            least,
            f"looked for up to {most:,}" if least is None else "",
        )


def least_cores(machine: str, name: str, factor: float, rival: str, most: int) -> int | None:
    """Return from how many cores on Reflex is slower than another, one time multiplied.

    On TILE64 ways are the diameter of the squarest mesh; in a cluster L is from end to end.
    """
    preset = PRESETS[machine]
    loggp = replace(preset, **{name: factor * getattr(preset, name)})

    def other(cores: int) -> float:
        way = diameter(cores) if machine == "tile64" else 0
        known = dissemination_ns if rival == "dissemination" else udn_stn_ns
        return known(cores, way, loggp)

    return crossover(lambda cores: reflex_ns(cores, loggp), other, most)


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
    side = int(work.values["side"])
    counts = [1 << power for power in range(1, (side * side).bit_length())]
    if counts[-1] < side * side:
        counts.append(side * side)
    values = dict(work.values)
    jobs = [(values, count, seed) for count in counts for seed in work.seeds]
    work.tell(f"{len(jobs)} groups on {side}x{side}")
    told = {counts[len(counts) // 2], counts[-1]}
    found = iter(work.map(costs, jobs))
    for count in counts:
        runs = [next(found) for _ in work.seeds]
        for scheme in SCHEMES.values():
            each = [Cost(**run[scheme.name]) for run in runs]
            work.point(scheme.name, count, mean(cost.latency_ns for cost in each))
            if count in told:
                _tell(work, f"{scheme.name}, {count} of {side * side}", each)


def _tell(work: Work, what: str, costs: list[Cost]) -> None:
    others = {
        "links passed": mean(cost.traversals for cost in costs),
        "height": mean(cost.height for cost in costs),
        "set-up messages": mean(cost.setup_messages for cost in costs),
        "nodes touched": mean(cost.setup_nodes for cost in costs),
    }
    note = ", ".join(f"{name} {value:.4g}" for name, value in others.items())
    work.claim(f"{what}: latency, ns", None, mean(cost.latency_ns for cost in costs), note)


def costs(values: dict[str, int | float], count: int, seed: int) -> dict[str, dict[str, Any]]:
    """Return what every scheme costs for random members, by its name."""
    side = int(values["side"])
    static = buffered(values, side, side)
    mesh = MeshSpec(kind="mesh", width=side, height=side)
    members = random.Random(seed).sample(mesh.topology.nodes, count)
    found = {}
    for scheme in SCHEMES.values():
        times = memory(values) if scheme.name == "centralized" else network(values)
        place = static if "static" in scheme.kinds else mesh
        found[scheme.name] = vars(scheme.cost(place, members, times))
    return found
