"""Random groups on square meshes, what their trees are like, and both trees measured on the RTL.

On the RTL all members arrive together and nothing else is in the network, as in paper BTM's section
4.1. There is no start-up: members arrive at their node ports by a wire. Messages are routed, and
have no data. Both trees are on the same hardware, so a node of the CS tree takes as long as one of
BTM's.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning import btm
from syncfabric.models.planning.btm import local_root
from syncfabric.models.schemes.mesh import members_height, tree_links, tree_nodes
from syncfabric.models.timing.btm import Timing, path_ns
from syncfabric.sim.experiments.alone import alone
from syncfabric.sim.experiments.frame import Parameter, Work, times_parameters

SIDE = Parameter("side", 32, 2, 128, "nodes on a side of the mesh")
LARGE = Parameter("large_side", 64, 2, 128, "nodes on a side of the larger mesh")
MEMBERS = Parameter("members", 1024, 2, 16384, "members of the groups that claims are about")
TIMES = times_parameters(Timing())
OVER = "latency of CS over BTM's"

LEAST = 8
"""Members of the smallest groups."""


@dataclass(frozen=True)
class Point:
    """The random groups of one size on one mesh."""

    side: int
    size: int
    """Nodes on a side of the mesh, and members of each group."""
    heights: list[int]
    cs_heights: list[int]
    """Of each group's trees, in members."""
    links: list[int]
    cs_links: list[int]
    nearest_links: list[int]
    """Links that a barrier's messages pass, in both directions; the last where paths join early."""
    paths: list[tuple[list[int], list[int]]]
    """Of each barrier tree the paths that can be the worst at some times: hops, and their depth."""
    depths: list[int]
    """Of each CS tree, in hops."""

    @property
    def mesh(self) -> str:
        """Name of the mesh."""
        return f"{self.side}x{self.side}"

    def btm_ns(self, timing: Timing) -> float:
        """Return the barrier trees' mean latency."""
        return float(np.mean([2 * path_ns(*paths, timing) for paths in self.paths]))

    def cs_ns(self, timing: Timing) -> float:
        """Return the CS trees' mean latency."""
        return float(np.mean([2 * path_ns(depth, depth, timing) for depth in self.depths]))

    def speedup(self, timing: Timing) -> float:
        """Return how many times the barrier trees are as fast."""
        return self.cs_ns(timing) / self.btm_ns(timing)


def draw(side: int, size: int, seed: int) -> list[Node]:
    """Return the members that ``{ random = size, seed = seed }`` draws."""
    return [
        (index % side, index // side) for index in random.Random(seed).sample(range(side**2), size)
    ]


def sizes(side: int) -> list[int]:
    """Return the sizes of groups on a mesh: 8, 16, … and all nodes."""
    powers = (LEAST << bit for bit in range((side * side).bit_length()))
    return [*(size for size in powers if size < side**2), side**2]


def sides(work: Work) -> list[int]:
    """Return the sides of the meshes that are asked for, each once."""
    named = [work.whole(name) for name in ("side", "large_side") if name in work.values]
    return list(dict.fromkeys(named))


def claim_size(work: Work) -> int:
    """Return the size of the groups that claims are about.

    Raises
    ------
    SpecError
        A mesh has fewer nodes.
    """
    size, smallest = work.whole("members"), min(sides(work))
    if size > smallest**2:
        raise SpecError(
            f"--set members: a mesh of {smallest}x{smallest} has {smallest**2} nodes, not {size}; "
            "take fewer members or a larger side"
        )
    return size


def points(work: Work, *more: int) -> dict[int, dict[int, Point]]:
    """Return a point for each side and size in their order: all sizes, and some more."""
    jobs = [
        (side, size, work.seed, work.runs)
        for side in sides(work)
        for size in sorted({*sizes(side), *more})
    ]
    work.report(f"{work.runs} groups of each of {len(jobs)} sizes")
    found: dict[int, dict[int, Point]] = {}
    for (side, size, _, _), values in zip(jobs, work.map(count, jobs), strict=True):
        found.setdefault(side, {})[size] = Point(side, size, **values)
    return found


def count(side: int, size: int, seed: int, runs: int) -> dict[str, list[Any]]:
    """Return the fields of a ``Point``, of groups with the seeds from ``seed`` on."""
    groups = [draw(side, size, run) for run in range(seed, seed + runs)]
    trees = [(btm.build_tree(members), btm.cs_tree(members)) for members in groups]
    paths = []
    for tree, _ in trees:
        farthest = np.zeros(tree.height + 1, dtype=np.int64)
        np.maximum.at(farthest, tree.depth, tree.hops)
        paths.append((farthest.tolist(), list(range(tree.height + 1))))
    nearest = (tree_nodes(members, local_root(members)) for members in groups)
    return {
        "heights": [tree.height for tree, _ in trees],
        "cs_heights": [members_height(other) for _, other in trees],
        "links": [2 * tree_links(tree) for tree, _ in trees],
        "cs_links": [2 * (len(other) - 1) for _, other in trees],
        "nearest_links": [2 * (len(nodes) - 1) for nodes in nearest],
        "paths": paths,
        "depths": [other.longest_path for _, other in trees],
    }


PLANNERS = {"btm": "BTM", "cs": "CS"}
SIDES = (4, 8, 16)
"""Of the meshes that may be measured."""
GROUPS = 5
"""Random groups of each size that are not all nodes."""


class Measured(NamedTuple):
    """Barriers of one size on the RTL, means over groups."""

    side: int
    size: int
    """Nodes on a side of the mesh, and members."""
    cycles: dict[str, float]
    links: dict[str, float]
    """By planner: from the arrival of all to the last release, and links passed."""

    @property
    def label(self) -> str:
        """What was measured, in words."""
        return f"{self.size} members, {self.side}x{self.side}, RTL"

    @property
    def groups(self) -> int:
        """How many groups were drawn."""
        return 1 if self.size == self.side**2 else GROUPS


def add_latency(work: Work, timing: Timing) -> None:
    """Add latencies in nanoseconds at the clock that is assumed; nothing without --rtl."""
    for found in _measured(work):
        for planner, name in PLANNERS.items():
            cycles = found.cycles[planner]
            ns = cycles * 1000 / work.clock_mhz
            work.point(f"{name}, {found.side}x{found.side}, RTL", found.size, ns)
            if found.groups == 1:
                note = f"{cycles:g} cycles at {work.clock_mhz:g} MHz"
                work.claim(f"latency of {name}, ns, {found.label}", None, ns, note)
        same = Point(found.side, found.size, **count(*found[:2], work.seed, found.groups))
        start_ups = 2 * timing.t_s
        formula = (same.cs_ns(timing) - start_ups) / (same.btm_ns(timing) - start_ups)
        work.claim(
            f"BTM is faster than CS, times, {found.label}",
            None,
            found.cycles["cs"] / found.cycles["btm"],
            f"{formula:.2f} by the formulas without start-ups",
        )


def add_traffic(work: Work) -> None:
    """Add links passed, as counted on the links of the RTL; nothing without --rtl."""
    for found in _measured(work):
        for planner, name in PLANNERS.items():
            work.point(f"{name}, {found.side}x{found.side}, RTL", found.size, found.links[planner])
        ratio = found.links["btm"] / found.links["cs"]
        work.claim(f"traffic of BTM over that of CS, {found.label}", None, ratio)


def _measured(work: Work) -> Iterator[Measured]:
    """Yield what both planners take, mesh by mesh and size by size."""
    if not work.rtl:
        return
    largest = work.whole("rtl_side")
    work.report(f"RTL of meshes up to {largest}x{largest}")
    for rows in work.map(run, [(side, work.seed) for side in SIDES if side <= largest]):
        yield from (Measured(*row) for row in rows)


def run(side: int, seed: int) -> list[Measured]:
    """Measure groups of 4, 8, … and all nodes of a mesh."""
    keys: dict[str, Any] = {"transport": "routed", "data_bits": 0, "setup": "manager"}
    network = MeshSpec(kind="mesh", width=side, height=side, **keys)
    found = []
    for size in (1 << bit for bit in range(2, (side * side).bit_length())):
        point = Measured(side, size, {}, {})
        for planner in PLANNERS:
            # "btin": the members arrive at node ports, on a mesh too.
            took = []
            for own in range(seed, seed + point.groups):
                members = draw(side, size, own)
                _, (one,) = alone(network, members, planner, [("btin", ("together", 0))])
                took.append((one.worst, one.between))
            point.cycles[planner], point.links[planner] = np.mean(took, axis=0).tolist()
        found.append(point)
    return found
