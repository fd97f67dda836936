"""Trees from every owner that together use each channel as little as any could.

Source: L. Zhao et al., ForestColl (2024), sections 5.2 to 5.4; K. Bérczi and A. Frank, Packing
arborescences, 2010. On a topology with translations all owners' trees are images of one owner's.

A channel into a switch and one out of it become a path past it, for as much as no cut between the
owners and a rank needs; when all that a switch has is split off, it is gone. What is left are ranks
and paths between them, on which trees can be packed.

Source: L. Zhao et al., ForestColl (2024), section 5.3; J. Bang-Jensen, A. Frank and B. Jackson,
Preserving and increasing local edge-connectivity in mixed graphs, SIAM Journal on Discrete
Mathematics 8, 1995.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

import numpy as np

from syncfabric.models.collectives.chunks.bounds import max_flow, time_of_a_byte
from syncfabric.models.collectives.chunks.spanning import MOST_PACKED
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.symmetry import Symmetry, translations
from syncfabric.models.collectives.topology import Topology

Edge = tuple[int, int]
Path = tuple[int, ...]
Paths = dict[Edge, dict[Path, int]]
"""Of each pair of ranks the paths between them, and how many trees may take each."""

UNBOUNDED = 2**40
"""More than all trees together."""
MOST_FLOWS = 300_000
"""Maximum flows that all switches may take."""


def split_off(
    topology: Topology, capacity: Mapping[Edge, int], owners: Sequence[int], each: int
) -> Paths | None:
    """Return paths past switches that let as many trees through as the links.

    Parameters
    ----------
    topology : Topology
        With switches, or without: then every link is a path.
    capacity : mapping
        Trees that a channel has room for.
    owners : sequence of int
    each : int
        Trees of each owner, all of which can come to every rank.

    Returns
    -------
    dict, or None
        None: a switch has more in than out, so that something is left of it, or it takes too long.
    """
    pairs = sum(len(topology.successors[w]) ** 2 for w in range(topology.nodes, topology.vertices))
    if pairs * 2 * topology.nodes > MOST_FLOWS:
        return None
    splitting = _Splitting(topology, capacity, owners, each)
    for switch in range(topology.nodes, topology.vertices):
        if not splitting.remove(switch):
            return None
    return splitting.paths


class _Splitting:
    """The paths so far: at first each channel is one."""

    def __init__(
        self, topology: Topology, capacity: Mapping[Edge, int], owners: Sequence[int], each: int
    ) -> None:
        self._ranks, self._source = topology.nodes, topology.vertices
        self._owners, self._each = owners, each
        self._capacity = {pair: count for pair, count in capacity.items() if count}
        self.paths: Paths = {pair: {pair: count} for pair, count in self._capacity.items()}

    def remove(self, switch: int) -> bool:
        """Split off all that a switch has; return whether nothing is left."""
        ins = [a for a, b in self._capacity if b == switch]
        outs = [b for a, b in self._capacity if a == switch]
        # A path back to where it came from is of no use, and is the last to be made.
        pairs = sorted(((a, b) for b in outs for a in ins), key=lambda pair: pair[0] == pair[1])
        for a, b in pairs:
            tick()
            if most := self._most(a, switch, b):
                self._join(a, switch, b, most)
        return not any(switch in pair for pair in self._capacity)

    def _join(self, a: int, switch: int, b: int, count: int) -> None:
        into, onward = self._take((a, switch), count), self._take((switch, b), count)
        if a == b:
            return
        self._capacity[a, b] = self._capacity.get((a, b), 0) + count
        paths = self.paths.setdefault((a, b), {})
        while into:
            (first, left), (second, right) = into.pop(), onward.pop()
            less = min(left, right)
            path = _straight((*first, *second[1:]))
            paths[path] = paths.get(path, 0) + less
            into += [(first, left - less)] * (left > less)
            onward += [(second, right - less)] * (right > less)

    def _take(self, pair: Edge, count: int) -> list[tuple[Path, int]]:
        self._capacity[pair] -= count
        if not self._capacity[pair]:
            del self._capacity[pair]
        taken, paths = list[tuple[Path, int]](), self.paths[pair]
        while count:
            path, held = paths.popitem()
            less = min(held, count)
            taken.append((path, less))
            count -= less
            if held > less:
                paths[path] = held - less
        if not paths:
            del self.paths[pair]
        return taken

    def _most(self, a: int, switch: int, b: int) -> int:
        """Return how much of (a, switch) and (switch, b) can become a path from a to b.

        It is lost to a cut that has the switch on one side, and both ends on the other: all such
        cuts must let through more than all owners' trees.
        """
        most = min(self._capacity.get((a, switch), 0), self._capacity.get((switch, b), 0))
        needed = self._each * len(self._owners)
        ends = {a, b}
        for rank in range(self._ranks):
            for here, there in ((ends, {switch}), ({switch}, ends)):
                if most <= 0:
                    return 0
                if rank not in here:
                    most = min(most, self._flow(here, there, rank) - needed)
        return most

    def _flow(self, here: set[int], there: set[int], rank: int) -> int:
        """Return the least cut with some vertices on the owners' side, some on a rank's."""
        arcs = [(x, y, count) for (x, y), count in self._capacity.items()]
        arcs += [(self._source, owner, self._each) for owner in self._owners]
        arcs += [(self._source, vertex, UNBOUNDED) for vertex in here]
        arcs += [(vertex, rank, UNBOUNDED) for vertex in there if vertex != rank]
        return int(max_flow(arcs, self._source, rank).optimal_flow())


def _straight(path: Path) -> Path:
    """Return a path without its loops."""
    found = list[int]()
    for vertex in path:
        if vertex in found:
            del found[found.index(vertex) :]
        found.append(vertex)
    return tuple(found)


MOST_TREES = 64
"""Trees of an owner."""


class Tree(NamedTuple):
    """A tree that leads from an owner to all ranks."""

    owner: int
    edges: tuple[Path, ...]
    """From the owner on: each a path past switches alone, from where an earlier one has ended."""
    weight: int
    """Trees that it stands for."""


def best_trees(topology: Topology, owners: Sequence[int]) -> list[Tree] | None:
    """Return as many trees from each owner as meet the bound of ``time_of_a_byte``.

    Parameters
    ----------
    topology : Topology
        With links.
    owners : sequence of int
        One, or all ranks.

    Returns
    -------
    list of Tree, or None
        Of each owner with the same sum of weights. None: there are more trees, ranks or switches
        than are worth it, or a switch whose channels in and out have not the same bandwidth.
    """
    if topology.nodes < 2:
        return None
    time, _ = time_of_a_byte(topology, owners)
    rates = topology.rates
    # Trees of a channel, and of an owner, in units of the rate of a tree.
    scale = lcm(time.numerator, *(rate.denominator for rate in rates))
    whole = [int(rate * scale) for rate in rates]
    each = scale // time.numerator * time.denominator
    common = gcd(each, *whole)
    capacity, trees = [rate // common for rate in whole], each // common
    if trees > MOST_TREES:
        return None
    if len(owners) == topology.nodes and len({*topology.links}) == 1:
        for symmetry in translations(topology)[:1]:
            if symmetry.size == topology.nodes and (found := _translated(topology, symmetry, time)):
                return found
    if topology.nodes > MOST_PACKED:
        return None
    capacities = dict(zip(topology.channels, capacity, strict=True))
    paths = split_off(topology, capacities, owners, trees)
    if paths is None:
        return None
    joined = Topology(topology.name, topology.nodes, 0, tuple(sorted(paths)))
    capacity_of = {pair: sum(many.values()) for pair, many in paths.items()}
    packing = _Packing(joined, capacity_of, [Tree(o, (), trees) for o in owners])
    return [one for tree in packing.trees() for one in _placed(tree, paths)]


def _placed(tree: Tree, paths: Paths) -> Iterator[Tree]:
    """Yield a tree along paths that have room for it: parts of its weight, if it takes several."""
    left = tree.weight
    while left:
        taken = [max(paths[a, b].items(), key=lambda path: path[1]) for a, b in tree.edges]
        weight = min(left, *(capacity for _, capacity in taken))
        for path, _ in taken:
            paths[path[0], path[-1]][path] -= weight
        yield Tree(tree.owner, tuple(path for path, _ in taken), weight)
        left -= weight


def _translated(topology: Topology, symmetry: Symmetry, time: Fraction) -> list[Tree] | None:
    """Return trees of shortest paths from rank 0, and their images at all others.

    Of d channels out of a rank each leads to an orbit, and each orbit is used by P - 1 edges of
    the d trees of rank 0: so every channel carries P - 1 trees, at the bound. Each tree uses the
    orbits evenly. It is a matter of where the last step of each rank's path comes from, a maximum
    flow from ranks to orbits. None: shortest paths leave no such choice.
    """
    ranks, degree = topology.nodes, len(topology.successors[0])
    orbit, hops = symmetry.channel_orbit.tolist(), topology.distances[0].tolist()
    last = [
        (b, orbit[i], a) for i, (a, b) in enumerate(topology.channels) if hops[a] == hops[b] - 1
    ]
    orbits = max(orbit) + 1
    (rate,) = {*topology.rates}
    if orbits != degree or time * degree * rate != ranks - 1:
        return None
    few, more = divmod(ranks - 1, degree)
    found = []
    for turn in range(degree):
        # So many orbits have an edge more in this tree, others in the next.
        quota = [few + ((o - turn) % degree < more) for o in range(orbits)]
        arcs = [(ranks + orbits, b, 1) for b in range(1, ranks)]
        arcs += [(b, ranks + o, 1) for b, o, _ in last]
        arcs += [(ranks + o, ranks + orbits + 1, n) for o, n in enumerate(quota)]
        solver = max_flow(arcs, ranks + orbits, ranks + orbits + 1)
        if solver.optimal_flow() != ranks - 1:
            return None
        flows = solver.flows(np.arange(ranks - 1, ranks - 1 + len(last), dtype=np.int32))
        edges = [(a, b) for (b, _, a), used in zip(last, flows.tolist(), strict=True) if used]
        edges.sort(key=lambda edge: hops[edge[1]])
        found.append(np.array(edges))
    return [
        Tree(int(image[0]), tuple(map(tuple, image[edges].tolist())), 1)
        for edges in found
        for image in symmetry.vertices
    ]


@dataclass
class _Growing:
    """Trees that are alike so far."""

    owner: int
    edges: list[tuple[int, int]]
    reached: set[int]
    weight: int


class _Packing:
    """Grows trees edge by edge, each as far as the others' completion allows."""

    def __init__(
        self, topology: Topology, capacity: dict[tuple[int, int], int], begun: list[Tree]
    ) -> None:
        self._topology, self._capacity = topology, capacity
        self._left = [_Growing(tree.owner, [], {tree.owner}, tree.weight) for tree in begun]

    def trees(self) -> Iterator[Tree]:
        """Yield all trees."""
        while self._left:
            tick()
            tree = min(self._left, key=lambda tree: len(tree.edges))
            self._grow(tree)
            if len(tree.reached) == self._topology.nodes:
                self._left.remove(tree)
                yield Tree(tree.owner, tuple(tree.edges), tree.weight)

    def _grow(self, tree: _Growing) -> None:
        """Add an edge that leaves all other trees room to be completed; split what it parts."""
        reached = [tree.owner, *(b for _, b in tree.edges)]
        for here in reached:
            for there in self._topology.successors[here]:
                if there in tree.reached or not self._capacity[here, there]:
                    continue
                if weight := self._most(tree, here, there):
                    if weight < tree.weight:
                        rest = tree.weight - weight
                        others = _Growing(tree.owner, [*tree.edges], {*tree.reached}, rest)
                        self._left.append(others)
                        tree.weight = weight
                    self._capacity[here, there] -= weight
                    tree.edges.append((here, there))
                    tree.reached.add(there)
                    return
        raise RuntimeError("no edge can be added to a tree; the bound was not met")

    def _most(self, tree: _Growing, here: int, there: int) -> int:
        """Return how many of these trees an edge can be added to.

        Into any vertices with the edge's end, without its begin, and with some that the tree has
        reached, there must be room for all trees that have reached none of them. A flow from begin
        to end, over the channels' room and through what each other tree has reached, is that room
        and all their weights.
        """
        vertices = self._topology.vertices
        arcs = [(a, b, capacity) for (a, b), capacity in self._capacity.items() if capacity]
        others = [other for other in self._left if other is not tree]
        for number, other in enumerate(others, vertices):
            arcs.append((here, number, other.weight))
            arcs += [(number, vertex, UNBOUNDED) for vertex in other.reached]
        spare = int(max_flow(arcs, here, there).optimal_flow())
        spare -= sum(other.weight for other in others)
        return max(0, min(spare, tree.weight, self._capacity[here, there]))
