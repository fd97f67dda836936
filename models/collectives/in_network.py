"""All-reduce by switches that combine and replicate: trees whose links no other tree has.

A tree takes its members' words to its root, combined on their path, and the result back over the
same links, a word a cycle each way. So trees without a link in common carry a word a cycle each.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from syncfabric.models.collectives.chunks.bounds import time_of_a_byte
from syncfabric.models.collectives.chunks.checker import bound_of
from syncfabric.models.collectives.chunks.schedule import Cut, Exchange
from syncfabric.models.collectives.chunks.spanning import MOST_PACKED, packed
from syncfabric.models.collectives.topology import Link, Topology, predecessors
from syncfabric.models.errors import SpecError

Edge = tuple[int, int]
TRIES = 40
"""Orders of the links that are tried; the trees of the least depth are kept."""
SPREAD = 5
"""Hops by which an order differs from that of the distances from a vertex, at most."""


@dataclass(frozen=True)
class Tree:
    """A tree of links that reaches all members.

    Parameters
    ----------
    root : int
        A vertex from which the farthest is nearest.
    parent : dict of int to int
        Of each other vertex.
    depth : int
        Links from the root to the farthest vertex.
    """

    root: int
    parent: dict[int, int]
    depth: int

    @property
    def edges(self) -> list[Edge]:
        """Its links, each (child, parent)."""
        return sorted(self.parent.items())


@dataclass(frozen=True)
class Packing:
    """Trees that share no link, and why no all-reduce is faster than some words a cycle.

    Parameters
    ----------
    topology : Topology
    trees : tuple of Tree
    bound : Fraction
        Words a cycle of every member's vector, at most, on links of a word a cycle each way.
    cut : Cut
        Why: see :func:`rate_of`.
    """

    topology: Topology
    trees: tuple[Tree, ...]
    bound: Fraction
    cut: Cut


def rate_of(topology: Topology, cut: Cut) -> Fraction:
    """Return the words a cycle that a cut lets through, on links of a word a cycle each way.

    One set of vertices, with some members: what comes of the others must pass into it. Several,
    which have all vertices: of what R parts combine, and all get, 2 (R - 1) words pass from one to
    another, as every router is in a part.

    Raises
    ------
    SpecError
        The cut is none of this topology.
    """
    if len(cut.parts) == 1:
        (inside,) = cut.parts
        if not 0 < sum(rank in inside for rank in range(topology.nodes)) < topology.nodes:
            raise SpecError("cut: it must have some of the members, and not all")
    elif sum(map(len, cut.parts)) != topology.vertices:
        raise SpecError("cut: its parts must have every vertex of the topology")
    exchange = Exchange("allreduce", topology.nodes, topology.nodes)
    return exchange.size / bound_of(exchange, _flat(topology), cut)


def _flat(topology: Topology) -> Topology:
    link = Link(Fraction(0), Fraction(1))
    return replace(topology, links=(link,) * len(topology.channels))


def _best_cut(topology: Topology) -> Cut:
    """Return the cut that lets the fewest words through: exactly, of sets and of partitions."""
    flat, everywhere = _flat(topology), frozenset(range(topology.vertices))
    outside = time_of_a_byte(flat.reversed(), (0,))[1]
    found = [Cut((time_of_a_byte(flat, (0,))[1],)), Cut((everywhere - outside,))]
    if not topology.switches and topology.vertices <= MOST_PACKED:
        found.append(Cut(packed(flat).parts))
    return min(found, key=lambda cut: rate_of(topology, cut))


def pack(topology: Topology, most: int | None = None, seed: int = 1) -> Packing:
    """Find as many trees without a common link as there are, or ``most`` of them.

    Without switches they are found exactly (J. Roskind and R. Tarjan, A note on finding
    minimum-cost edge-disjoint spanning trees, Mathematics of Operations Research 10, 1985); with
    switches each tree is grown in what the trees before it have left.

    Parameters
    ----------
    topology : Topology
        All nodes are members; links that lead one way alone are not used.
    most : int, optional
        Trees at most.
    seed : int, optional
        Of the orders in which links are tried.

    Raises
    ------
    SpecError
        A member is alone, or no tree reaches all members by links that lead both ways.
    """
    if topology.nodes < 2:
        raise SpecError(f"topology {topology.name}: a member alone has nothing to reduce")
    cut = _best_cut(topology)
    bound = rate_of(topology, cut)
    wanted = max(1, int(bound) if most is None else min(int(bound), most))
    pairs = sorted({(min(p), max(p)) for p in topology.channels if p[::-1] in topology.number})
    rng, best = Random(seed), tuple[Tree, ...]()
    for _ in range(TRIES if wanted > 1 else 1):
        trees = tuple(
            _rooted(topology, edges) for edges in _packed(topology, pairs, wanted, rng) if edges
        )
        if trees and (not best or _rank(trees) < _rank(best)):
            best = trees
    if not best:
        raise SpecError(
            f"topology {topology.name}: no tree reaches all nodes by links that lead both ways"
        )
    return Packing(topology, best, bound, cut)


def _rank(trees: Sequence[Tree]) -> tuple[int, int, int]:
    depths = [tree.depth for tree in trees]
    return -len(trees), sum(depths), max(depths)


def _packed(topology: Topology, pairs: list[Edge], count: int, rng: Random) -> list[list[Edge]]:
    """Return the links of up to ``count`` trees."""
    if count == 1 or topology.switches:
        left, found = set(pairs), list[list[Edge]]()
        for _ in range(count):
            tree = _grown(topology, left)
            if not tree:
                break
            found.append(tree)
            left -= set(tree)
        return found
    far = topology.to_go(rng.randrange(topology.vertices))
    order = sorted(pairs, key=lambda pair: min(far[v] for v in pair) + SPREAD * rng.random())
    forests: list[dict[int, set[int]]] = [
        {v: set() for v in range(topology.vertices)} for _ in range(count)
    ]
    for edge in order:
        _augment(forests, edge)
    whole = [
        sorted({(min(a, b), max(a, b)) for a, near in forest.items() for b in near})
        for forest in forests
    ]
    return [edges for edges in whole if len(edges) == topology.vertices - 1]


def _augment(forests: list[dict[int, set[int]]], edge: Edge) -> None:
    """Take a link into one of the forests, others changing their places, if that can be."""
    came: dict[Edge, tuple[Edge, int] | None] = {edge: None}
    queue = deque([edge])
    while queue:
        a, b = here = queue.popleft()
        for nth, forest in enumerate(forests):
            if b in forest[a]:
                continue
            path = _path(forest, a, b)
            if not path:
                _place(forests, came, here, nth)
                return
            for other in path:
                if other not in came:
                    came[other] = here, nth
                    queue.append(other)


def _place(
    forests: list[dict[int, set[int]]],
    came: dict[Edge, tuple[Edge, int] | None],
    edge: Edge,
    nth: int,
) -> None:
    """Put a link into a forest, and each that led to it where the one before it was."""
    here: Edge | None = edge
    while here is not None:
        a, b = here
        before = came[here]
        if before is not None:
            old = forests[before[1]]
            old[a].discard(b)
            old[b].discard(a)
        forests[nth][a].add(b)
        forests[nth][b].add(a)
        if before is None:
            return
        here, nth = before


def _path(forest: dict[int, set[int]], a: int, b: int) -> list[Edge]:
    """Return the links of a forest between two vertices; none if there is no path."""
    before, queue = {a: a}, deque([a])
    while queue:
        here = queue.popleft()
        for there in sorted(forest[here] - before.keys()):
            before[there] = here
            queue.append(there)
    if b not in before:
        return []
    found = []
    while b != a:
        found.append((min(b, before[b]), max(b, before[b])))
        b = before[b]
    return found


def _grown(topology: Topology, pairs: set[Edge]) -> list[Edge]:
    """Return the links of a tree of all members of least depth among some links."""
    near: dict[int, list[int]] = {v: [] for v in range(topology.vertices)}
    for a, b in sorted(pairs):
        near[a].append(b)
        near[b].append(a)
    members, best = range(topology.nodes), (topology.vertices, dict[int, int]())
    for root in range(topology.vertices):
        if not topology.routers[root]:
            continue
        before = predecessors(near, root, lambda vertex: topology.routers[vertex])
        depth = _depth(before)
        if all(rank in depth for rank in members):
            best = min(best, (max(depth[rank] for rank in members), before), key=lambda b: b[0])
    kept = set[int]()
    for rank in members:
        while best[1].get(rank, rank) != rank and rank not in kept:
            kept.add(rank)
            rank = best[1][rank]
    return [(min(v, best[1][v]), max(v, best[1][v])) for v in kept]


def _rooted(topology: Topology, edges: Sequence[Edge]) -> Tree:
    """Root a tree at its centre, which is a router."""
    near: dict[int, list[int]] = {}
    for a, b in edges:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    trees = list[Tree]()
    for root in sorted(filter(topology.routers.__getitem__, near)):
        before = predecessors(near, root)
        depth = max(_depth(before).values())
        del before[root]
        trees.append(Tree(root, before, depth))
    return min(trees, key=lambda tree: tree.depth)


def _depth(before: dict[int, int]) -> dict[int, int]:
    """Return the links from the root to each vertex, from what is before it."""
    depth = dict[int, int]()
    for vertex, other in before.items():
        depth[vertex] = depth.get(other, -1) + 1
    return depth
