"""Random groups on square meshes, what their trees are like, and both trees measured on the RTL.

On the RTL all members arrive together and nothing else is in the network, as in paper BTM's section
4.1. There is no start-up: members arrive at their node ports by a wire. Messages are routed, and
have no data. Both trees are on the same hardware, so a node of the CS tree takes as long as one of
BTM's.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning import btm, cs
from syncfabric.models.planning.tree import Tree
from syncfabric.models.schemes.mesh import members_height, tree_links
from syncfabric.models.timing.btm import Timing, cs_formula_ns, formula_ns, way_ns
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers.rtl import on_rtl

__all__ = [
    "Measured",
    "Point",
    "add_latency",
    "add_traffic",
    "claim_size",
    "draw",
    "points",
    "run",
    "sides",
    "sizes",
    "times",
]

LEAST = 8
"""Members of the smallest groups."""


@dataclass(frozen=True)
class Point:
    """The random groups of one size on one mesh.

    Parameters
    ----------
    side, size : int
        Nodes on a side of the mesh, and members of each group.
    heights, cs_heights : list of int
        Of each group's trees, in members.
    links, cs_links : list of int
        Links that a barrier's messages pass, both ways.
    ways : list of list of (int, int)
        Of each barrier tree, the greatest hops at every depth, as (depth, hops).
    depths : list of int
        Of each CS tree, in hops.
    """

    side: int
    size: int
    heights: list[int]
    cs_heights: list[int]
    links: list[int]
    cs_links: list[int]
    ways: list[list[list[int]]]
    depths: list[int]

    @property
    def mesh(self) -> str:
        """Name of the mesh."""
        return f"{self.side}x{self.side}"

    def btm_ns(self, timing: Timing) -> float:
        """Return the barrier trees' mean latency."""
        return float(np.mean([2 * way_ns(*_columns(ways), timing) for ways in self.ways]))

    def cs_ns(self, timing: Timing) -> float:
        """Return the CS trees' mean latency."""
        return float(np.mean([2 * way_ns(depth, depth, timing) for depth in self.depths]))

    def speedup(self, timing: Timing) -> float:
        """Return how many times the barrier trees are as fast."""
        return self.cs_ns(timing) / self.btm_ns(timing)


def _columns(ways: list[list[int]]) -> tuple[list[int], list[int]]:
    """Return hops and stops."""
    return [hops for _, hops in ways], [depth for depth, _ in ways]


def draw(side: int, size: int, seed: int) -> list[Node]:
    """Return the members that ``{ random = size, seed = seed }`` draws."""
    return [
        (index % side, index // side) for index in random.Random(seed).sample(range(side**2), size)
    ]


def sizes(side: int) -> list[int]:
    """Return the sizes of groups on a mesh: 8, 16, … and all nodes."""
    nodes, found = side**2, []
    size = LEAST
    while size < nodes:
        found.append(size)
        size *= 2
    return [*found, nodes]


def sides(work: Work) -> list[int]:
    """Return the sides of the meshes that are asked for, each once."""
    values = work.values
    named = [int(values[name]) for name in ("side", "large_side") if name in values]
    return list(dict.fromkeys(named))


def claim_size(work: Work) -> int:
    """Return the size of the groups that claims are about.

    Raises
    ------
    SpecError
        A mesh has fewer nodes.
    """
    size, smallest = int(work.values["members"]), min(sides(work))
    if size > smallest**2:
        raise SpecError(
            f"--set members: a mesh of {smallest}x{smallest} has {smallest**2} nodes, not {size}; "
            "take fewer members or a larger side"
        )
    return size


def times(work: Work, **others: float) -> Timing:
    """Return the times that are asked for, with ``others`` in place of some."""
    names = ("t_s", "t_p", "t_rn", "t_rm")
    given = {name: float(work.values[name]) for name in names if name in work.values}
    return Timing(**given | others)


def points(work: Work, wanted: Iterable[tuple[int, int]]) -> Iterator[Point]:
    """Yield a point for each side and size."""
    jobs = [(side, size, work.seed, work.runs) for side, size in dict.fromkeys(wanted)]
    work.tell(f"{work.runs} groups of each of {len(jobs)} sizes")
    for (side, size, _, _), found in zip(jobs, work.map(count, jobs), strict=True):
        yield Point(side, size, **found)


def count(side: int, size: int, seed: int, runs: int) -> dict[str, list[Any]]:
    """Return the fields of a ``Point``, of groups with the seeds from ``seed`` on."""
    trees = []
    for run in range(seed, seed + runs):
        members = draw(side, size, run)
        trees.append((btm.build_tree(members), cs.build_tree(members)))
    return {
        "heights": [tree.height for tree, _ in trees],
        "cs_heights": [members_height(other) for _, other in trees],
        "links": [2 * tree_links(tree) for tree, _ in trees],
        "cs_links": [2 * (len(other) - 1) for _, other in trees],
        "ways": [_ways(tree) for tree, _ in trees],
        "depths": [other.longest_path for _, other in trees],
    }


def _ways(tree: Tree) -> list[list[int]]:
    """Return those of a tree's ways that can be the worst at some times."""
    farthest = np.zeros(tree.height + 1, dtype=np.int64)
    np.maximum.at(farthest, tree.depth, tree.hops)
    return [[depth, hops] for depth, hops in enumerate(farthest.tolist())]


PLANNERS = {"btm": "BTM", "cs": "CS"}
SIDES = (4, 8, 16)
"""Of the meshes that may be measured."""
GROUPS = 5
"""Random groups of each size that are not all nodes."""


class Measured(NamedTuple):
    """Barriers of one size on the RTL, means over groups.

    Parameters
    ----------
    side, size : int
        Nodes on a side of the mesh, and members.
    cycles, links : dict of str to float
        By planner: from the arrival of all to the last release, and links passed.
    """

    side: int
    size: int
    cycles: dict[str, float]
    links: dict[str, float]

    @property
    def who(self) -> str:
        """What was measured, in words."""
        return f"{self.size} members, {self.side}x{self.side}, RTL"


def add_latency(work: Work, timing: Timing) -> None:
    """Add latencies in nanoseconds at the clock that is assumed; nothing without --rtl."""
    for found in _measured(work):
        for planner, name in PLANNERS.items():
            ns = found.cycles[planner] * 1000 / work.clock_mhz
            work.point(f"{name}, {found.side}x{found.side}, RTL", found.size, ns)
        if found.size == found.side**2:
            for planner, name in PLANNERS.items():
                ns = found.cycles[planner] * 1000 / work.clock_mhz
                cycles = f"{found.cycles[planner]:g} cycles at {work.clock_mhz:g} MHz"
                work.claim(f"latency of {name}, ns, {found.who}", None, ns, cycles)
        formula = _formula(found, work.seed, timing)
        work.claim(
            f"BTM is faster than CS, times, {found.who}",
            None,
            found.cycles["cs"] / found.cycles["btm"],
            f"{formula:.2f} by the formulas without start-ups",
        )


def _formula(found: Measured, seed: int, timing: Timing) -> float:
    """Return the speedup of the same groups by the paper's formulas, start-ups left out."""
    trees = [btm.build_tree(draw(found.side, found.size, s)) for s in _seeds(found, seed)]
    start_ups = 2 * timing.t_s
    ours = sum(formula_ns(tree, timing) - start_ups for tree in trees)
    return sum(cs_formula_ns(tree, timing) - start_ups for tree in trees) / ours


def add_traffic(work: Work) -> None:
    """Add links passed, as counted on the links of the RTL; nothing without --rtl."""
    for found in _measured(work):
        for planner, name in PLANNERS.items():
            work.point(f"{name}, {found.side}x{found.side}, RTL", found.size, found.links[planner])
        ratio = found.links["btm"] / found.links["cs"]
        work.claim(f"traffic of BTM over that of CS, {found.who}", None, ratio)


def _measured(work: Work) -> Iterator[Measured]:
    """Yield what both planners take, mesh by mesh and size by size."""
    if not work.rtl:
        return
    largest = int(work.values["rtl_side"])
    work.tell(f"RTL of meshes up to {largest}x{largest}")
    jobs = [(side, work.seed) for side in SIDES if side <= largest]
    for rows in work.map(run, jobs):
        yield from (Measured(*row) for row in rows)


def _seeds(found: Measured, seed: int) -> range:
    return range(seed, seed + (1 if found.size == found.side**2 else GROUPS))


def run(side: int, seed: int) -> list[Measured]:
    """Measure groups of 4, 8, … and all nodes of a mesh."""
    keys: dict[str, Any] = {"transport": "routed", "data_bits": 0, "setup": "manager"}
    network = MeshSpec(kind="mesh", width=side, height=side, **keys)
    found = []
    for size in (1 << bit for bit in range(2, (side * side).bit_length())):
        point = Measured(side, size, {}, {})
        for planner in PLANNERS:
            # "btin": the members arrive at node ports, on a mesh too.
            took = [
                on_rtl(network, draw(side, size, s), planner, [("btin", ("together", 0))])[0]
                for s in _seeds(point, seed)
            ]
            point.cycles[planner], point.links[planner] = np.mean(took, axis=0).tolist()
        found.append(point)
    return found
