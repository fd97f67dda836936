"""Searches over a network: sums along paths, shortest and cheapest paths, and eccentricities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Ints, Irregular

LITTLE = 1 / 1024
"""What each link costs more: a path that costs nothing would be no link to ``dijkstra``."""
BATCH = 64
"""Roots that are taken at once: a bit each of a word a router."""

Masks = NDArray[np.uint64]


def path_sums(parent: Ints, weights: Ints) -> Ints:
    """Add up the weights from the root to each place, both included, by pointer doubling.

    Parameters
    ----------
    parent : array of int64, shape (n,)
        The place above each; -1 at the root.
    weights : array of int64, shape (n,)
        What each place adds.

    Raises
    ------
    PlanError
        This is no tree: some place does not lead to the root.
    """
    root = int(np.flatnonzero(parent < 0)[0])
    above = np.where(parent < 0, np.arange(len(parent)), parent)
    sums = np.where(parent < 0, 0, weights)
    for _ in range(len(parent).bit_length() + 1):
        if (above == root).all():
            total: Ints = sums + weights[root]
            return total
        sums, above = sums + sums[above], above[above]
    raise PlanError("Tree must have one root that every member leads to")


class Rays(NamedTuple):
    """All shortest paths from a root.

    Attributes
    ----------
    root : int
    levels : list of int
        Links from the root to each router; -1 where there is no path.
    steps : list of (array, array, array)
        For each level but the root's: its routers, each as often as it has neighbours on the
        level above, these neighbours, and where each router's begin.
    """

    root: int
    levels: list[int]
    steps: list[tuple[Ints, Ints, Ints]]

    @classmethod
    def of(cls, graph: Irregular, root: int) -> Rays:
        """Work out those of a root."""
        level = graph.levels(root)
        here = level[graph.owner]
        links = np.flatnonzero((here > 0) & (level[graph.neighbour] == here - 1))
        links = links[np.argsort(here[links], kind="stable")]
        ends = np.flatnonzero(np.diff(here[links])) + 1
        steps = []
        for row in np.split(links, ends):
            owner = graph.owner[row]
            first = np.flatnonzero(np.diff(owner, prepend=-1))
            steps.append((owner[first], graph.neighbour[row], first))
        return cls(root, level.tolist(), steps if len(links) else [])

    def prices(self, cost: Ints) -> Ints:
        """Return the least cost of a path from the root to each router, both included."""
        prices = cost.copy()
        for routers, above, first in self.steps:
            prices[routers] += np.minimum.reduceat(prices[above], first)
        return prices


def distances(graph: Irregular, sources: Sequence[int], cost: Ints) -> Ints:
    """Return the least cost of a path from each source to all routers, its own not counted.

    Parameters
    ----------
    graph : Irregular
    sources : sequence of int
        Routers.
    cost : array of int64, shape (routers,)
        What each router costs, at least 0.

    Returns
    -------
    array of float, shape (sources, routers)
        Infinite where there is no path.
    """
    # scipy takes a while to import, which most networks need not wait for.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    count = len(graph)
    price = cost[graph.neighbour] + LITTLE
    links = csr_array((price, graph.neighbour, graph.indptr), shape=(count, count))
    found: Ints = dijkstra(links, indices=sources)
    return found


def least_eccentric(graph: Irregular, candidates: Ints, targets: Ints) -> tuple[Ints, int]:
    """Return all candidates whose greatest distance to a target is least, and that distance.

    A candidate is left out unmeasured when its distance to some target that is far from good
    candidates is already too great. So few are measured, except where nearly all are equal.

    Source: after F. Dragan, M. Habib, L. Viennot, Revisiting Radius, Diameter, and all Eccentricity
    Computation in Graphs through Certificates, arXiv:1803.04660, 2018.

    Parameters
    ----------
    graph : Irregular
        The network's switches.
    candidates, targets : array of int64
        Switches, in ascending order; every target can be reached.

    Returns
    -------
    switches : array of int64
        In ascending order.
    distance : int
        In links.
    """
    least = len(graph)
    found: list[Ints] = []
    bound = np.zeros(len(candidates), dtype=np.int64)
    while len(candidates):
        batch = np.zeros(len(candidates), dtype=bool)
        batch[np.argsort(bound, kind="stable")[:BATCH]] = True
        tried = candidates[batch]
        distance = eccentricities(graph, tried, targets)
        best = int(distance.min())
        if best < least:
            least, found = best, []
        found.append(tried[distance == least])
        candidates, bound = candidates[~batch], bound[~batch]
        if len(candidates):
            level = graph.levels(int(tried[distance.argmin()]))
            level = graph.levels(int(targets[level[targets].argmax()]))
            bound = np.maximum(bound, level[candidates])
            candidates, bound = candidates[bound <= least], bound[bound <= least]
    return np.sort(np.concatenate(found)), least


def eccentricities(graph: Irregular, roots: Ints, targets: Ints) -> Ints:
    """Return the levels from each root to its farthest target, shape (len(roots),).

    All targets must be reachable. Time for each ``BATCH`` roots: links times levels.
    """
    far = np.zeros(len(roots), dtype=np.int64)
    for first in range(0, len(roots), BATCH):
        batch = slice(first, first + BATCH)
        bits = _bits(len(roots[batch]))
        for level, frontier in enumerate(frontiers(graph, roots[batch])):
            far[batch][(np.bitwise_or.reduce(frontier[targets]) & bits) != 0] = level
    return far


def shapes(graph: Irregular, roots: Ints, targets: Ints) -> tuple[Ints, Ints]:
    """Return edges and leaves of the tree that spans the targets around each root.

    It is the BFS tree of ``Irregular.spanning`` without what leads to no target; roots are targets.

    Returns
    -------
    edges, leaves : array of int64, shape (len(roots),)
        A leaf has no switch below.
    """
    batches = (roots[first : first + BATCH] for first in range(0, len(roots), BATCH))
    found = [_shape(graph, batch, targets) for batch in batches]
    edges, leaves = np.concatenate(found, axis=1)
    return edges, leaves


def frontiers(graph: Irregular, roots: Ints) -> Iterator[Masks]:
    """Yield the switches of each level, a bit for each root, level 0 first."""
    front = np.zeros(len(graph), dtype=np.uint64)
    np.bitwise_or.at(front, roots, _bits(len(roots)))
    seen = front.copy()
    rows = np.flatnonzero(graph.degree)
    starts = graph.indptr[rows]
    while front.any():
        yield front
        reached = np.zeros(len(graph), dtype=np.uint64)
        if len(rows):
            reached[rows] = np.bitwise_or.reduceat(front[graph.neighbour], starts)
        front = reached & ~seen
        seen |= front


def _shape(graph: Irregular, roots: Ints, targets: Ints) -> tuple[Ints, Ints]:
    """Walk the frontiers back: what leads to a target marks its parent as one that does too."""
    levels = []
    for frontier in frontiers(graph, roots):
        rows = np.flatnonzero(frontier)
        levels.append((rows, frontier[rows]))
    wanted = np.zeros(len(graph), dtype=np.uint64)
    wanted[targets] = np.bitwise_or.reduce(_bits(len(roots)))
    inner = np.zeros(len(graph), dtype=np.uint64)
    above = np.zeros(len(graph), dtype=np.uint64)
    for (rows, reached), (rows_above, reached_above) in zip(
        levels[:0:-1], levels[-2::-1], strict=True
    ):
        above[rows_above] = reached_above
        _mark_parents(graph, rows, reached & (wanted[rows] | inner[rows]), above, inner)
        above[rows_above] = 0
    count = len(roots)
    edges = _count_bits(wanted | inner, count) - 1
    return edges, _count_bits((wanted | inner) & ~inner, count)


def _mark_parents(graph: Irregular, rows: Ints, open_: Masks, above: Masks, inner: Masks) -> None:
    """Mark each row's parents: the first neighbour of the level above, root by root."""
    rank = 0
    while len(rows):
        left = (open_ != 0) & (graph.degree[rows] > rank)
        rows, open_ = rows[left], open_[left]
        neighbour = graph.neighbour[graph.indptr[rows] + rank]
        taken = open_ & above[neighbour]
        np.bitwise_or.at(inner, neighbour, taken)
        open_ = open_ & ~taken
        rank += 1


def _bits(count: int) -> Masks:
    bits: Masks = np.uint64(1) << np.arange(count, dtype=np.uint64)
    return bits


def _count_bits(masks: Masks, count: int) -> Ints:
    """Count each of the lowest ``count`` bits over all masks."""
    octets = masks.astype("<u8").view(np.uint8).reshape(-1, 8)
    ones: Ints = np.unpackbits(octets, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)
    return ones[:count]
