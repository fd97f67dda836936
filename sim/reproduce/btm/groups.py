"""Random groups on square meshes, and what their trees are like: what the figures are made of."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning import btm, cs
from syncfabric.models.planning.tree import Tree
from syncfabric.models.schemes.mesh import members_height, tree_links
from syncfabric.models.timing.btm import Timing, way_ns
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["Point", "claim_size", "draw", "points", "sides", "sizes", "times"]

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
    for (side, size, _, _), found in zip(jobs, work.map(measure, jobs), strict=True):
        yield Point(side, size, **found)


def measure(side: int, size: int, seed: int, runs: int) -> dict[str, list[Any]]:
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
