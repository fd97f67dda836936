"""Spanning trees along which an allreduce goes up and down at once, at the bound of partitions.

Trees without direction, each used both ways, can carry as much together as the weakest partition
into R parts lets through: the bandwidth of its links over R - 1 (C. Nash-Williams, Edge-disjoint
spanning trees of finite graphs, Journal of the London Mathematical Society 36, 1961; W. Tutte,
ibid.). Where bandwidths are the same in both directions, no allreduce is faster.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.topology import Topology

CLOSE = 1e-7
"""Of the optimum, at which no further tree is looked for."""
ROUNDS = 2000
MOST_PACKED = 72
"""Vertices up to which trees are looked for; partitions of larger topologies go by bandwidth."""


class Packed(NamedTuple):
    """Spanning trees, and why there are not more."""

    trees: tuple[tuple[tuple[tuple[int, int], ...], float], ...]
    """Of each its edges, from its centre on, and its bytes a nanosecond; none where there are
    switches, or too many vertices."""
    parts: tuple[frozenset[int], ...]
    """The weakest partition."""


@lru_cache(4)  # bound and schedule need the same
def packed(topology: Topology) -> Packed:
    """Pack spanning trees by a linear program whose columns are trees.

    A tree that is worth while is a least spanning tree by the links' prices. The prices say the
    partition, too: of those that links above a price make, one is the weakest.

    Parameters
    ----------
    topology : Topology
        With links.
    """
    rates = dict(zip(topology.channels, topology.rates, strict=True))
    pairs = sorted({(min(pair), max(pair)) for pair in topology.channels})
    both = [(rates.get((a, b), Fraction(0)), rates.get((b, a), Fraction(0))) for a, b in pairs]
    # Trees need links in both directions; without trees the prices are by all that a link carries.
    packs = topology.vertices <= MOST_PACKED and all(min(rate) for rate in both)
    capacity = np.array([float(min(rate) if packs else max(rate)) for rate in both])
    ends = np.array(pairs)
    prices = 1 / capacity
    columns: list[NDArray[np.int64]] = []
    weights = np.zeros(0)
    for _ in range(ROUNDS if packs else 0):
        tick()
        tree = _least_tree(topology.vertices, ends, prices)
        if columns and prices[tree].sum() >= 1 - CLOSE:
            break
        columns.append(tree)
        rows = np.concatenate(columns)
        starts = np.arange(0, len(rows) + 1, len(tree))
        used = csc_array((np.ones(len(rows)), rows, starts), shape=(len(pairs), len(columns)))
        limit = {"time_limit": seconds_left()}
        solved = linprog(-np.ones(len(columns)), A_ub=used, b_ub=capacity, options=limit)
        tick()
        weights, prices = solved.x, -solved.ineqlin.marginals
    parts = _weakest(topology, pairs, prices)
    trees = () if topology.switches else tuple(_rooted(topology, ends, columns, weights))
    return Packed(trees, parts)


def _least_tree(
    vertices: int, ends: NDArray[np.int64], prices: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the numbers of the edges of a least spanning tree."""
    # The order of prices does as well as they, and is never 0.
    order = np.empty(len(prices))
    order[np.argsort(prices, kind="stable")] = np.arange(1, len(prices) + 1)
    number = {int(rank): edge for edge, rank in enumerate(order)}
    graph = csr_array((order, (ends[:, 0], ends[:, 1])), shape=(vertices, vertices))
    return np.array(sorted(number[int(rank)] for rank in minimum_spanning_tree(graph).data))


def _weakest(
    topology: Topology,
    pairs: list[tuple[int, int]],
    prices: NDArray[np.float64],
) -> tuple[frozenset[int], ...]:
    """Return the partition with the least bandwidth a part but one."""
    ends, vertices = np.array(pairs), topology.vertices
    channels = [(a, b, r) for (a, b), r in zip(topology.channels, topology.rates, strict=True)]
    best: tuple[Fraction, tuple[frozenset[int], ...]] | None = None
    for price in np.unique(prices):
        inner = ends[prices < price * (1 - CLOSE)]
        graph = csr_array((np.ones(len(inner)), (inner[:, 0], inner[:, 1])), shape=(vertices,) * 2)
        _, label = connected_components(graph, directed=False)
        labels = label.tolist()
        # Parts of switches alone count for nothing; what leaves the others does.
        count = len(ranked := {*labels[: topology.nodes]})
        if count < 2:
            continue
        crossing = [
            (labels[a], labels[b], rate) for a, b, rate in channels if labels[a] != labels[b]
        ]
        out = sum((rate for a, _, rate in crossing if a in ranked), Fraction(0))
        into = sum((rate for _, b, rate in crossing if b in ranked), Fraction(0))
        ratio = min(out, into) / (count - 1)
        if best is None or ratio < best[0]:
            found = [frozenset(v for v in range(vertices) if labels[v] == n) for n in ranked]
            best = ratio, tuple(sorted(found, key=min))
    assert best is not None
    return best[1]


def _rooted(
    topology: Topology,
    ends: NDArray[np.int64],
    columns: list[NDArray[np.int64]],
    weights: NDArray[np.float64],
) -> Iterator[tuple[tuple[tuple[int, int], ...], float]]:
    """Yield the trees that carry something, each from its centre."""
    for tree, weight in zip(columns, weights.tolist(), strict=True):
        if weight > CLOSE * weights.max():
            graph: nx.Graph[int] = nx.Graph(map(tuple, ends[tree].tolist()))
            yield tuple(nx.bfs_edges(graph, min(nx.center(graph)))), weight
