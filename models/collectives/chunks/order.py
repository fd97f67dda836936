"""The order of sends: along trees as they come, or whatever is lacking at the other end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush, heapreplace
from itertools import pairwise
from math import lcm
from random import Random

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from syncfabric.models.collectives.chunks.schedule import Ends, Send
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.topology import Topology, predecessors

CLOSE = 1e-9
"""Of a path, by which it is as short as another."""
Path = tuple[int, ...]
Edge = tuple[int, int]


class Route:
    """How an item goes along a tree.

    Parameters
    ----------
    root : int
    edges : sequence of tuple of int
        From the root on, each a path past switches alone from where an earlier one has ended.
    """

    def __init__(self, root: int, edges: Sequence[Path]) -> None:
        self.root, self.parent = root, {path[-1]: path[0] for path in edges}
        self.path = {path[-1]: path for path in edges}
        self.children: dict[int, list[int]] = {vertex: [] for vertex in (root, *self.parent)}
        self.depth = dict.fromkeys(self.children, 0)
        self.height = dict.fromkeys(self.children, 0)
        for a, *_, b in edges:
            self.children[a].append(b)
            self.depth[b] = self.depth[a] + 1
        for a, *_, b in reversed(edges):
            self.height[a] = max(self.height[a], self.height[b] + 1)


def shared_out(weights: Sequence[float], count: int) -> list[int]:
    """Return which of some trees each item takes, so that they carry as their weights are."""
    queue = [(1 / weight, nth) for nth, weight in enumerate(weights)]
    heapify(queue)
    found = []
    for _ in range(count):
        taken, nth = queue[0]
        heapreplace(queue, (taken + 1 / weights[nth], nth))
        found.append(nth)
    return found


def along(
    topology: Topology,
    routes: Sequence[Route],
    piece: Fraction,
    *,
    parts: int,
    both: bool,
    rng: Random | None = None,
) -> list[Send]:
    """Return the sends of items along trees: from the root to all, or from all to it and back.

    A channel that is free takes the lowest part that waits for it; of several the one with the
    most edges before it. Past switches, what has the most to carry comes first; of paths without
    branches, what leads to the channels that have.

    Parameters
    ----------
    topology : Topology
    routes : sequence of Route
        Of each item; with ``both`` a link leads back wherever one leads forth.
    piece : Fraction
        Bytes of an item.
    parts : int
        Item i is part i mod ``parts``.
    both : bool
        Whether items go from all to the root first, and are combined.
    rng : Random, optional
        Draws lots where it takes the lowest part else.
    """
    on, sends = _On(topology, piece), list[Send]()
    turn = [rng.random() if rng else item % parts for item in range(len(routes))]
    waiting: dict[Path, list[tuple[int, float, int, bool]]] = {}
    over: dict[Edge, set[Path]] = {}
    lacks = [
        {v: len(near) for v, near in route.children.items()} if both else {} for route in routes
    ]
    left = Counter[Edge]()
    chains = not both and all(
        len(near) <= 1 for route in {*routes} for near in route.children.values()
    )
    if topology.switches:
        for path in (path for route in routes for path in route.path.values()):
            left.update(dict.fromkeys(pairwise(path), on.cost(path)))

    def later(path: Path) -> tuple[int, int, float, Path]:
        most, ahead = max(left[pair] // on.lanes(pair) for pair in pairwise(path)), 0
        if chains:
            route, here = routes[waiting[path][0][-2]], path[-1]
            while route.children[here]:
                (here,) = route.children[here]
                pairs = pairwise(route.path[here])
                ahead = max(ahead, *(left[pair] // on.lanes(pair) for pair in pairs))
        return -ahead, -most, rng.random() if rng else 0, path

    ready = [
        (item, vertex, both)
        for item, route in enumerate(routes)
        for vertex in (route.children if both else (route.root,))
        if not both or not route.children[vertex]
    ]
    while ready or on.busy:
        tick()
        asked = set[Path]()
        for item, here, up in ready:
            route = routes[item]
            if up and here != route.root:
                rest = route.depth[here] + route.height[route.root]
                onward = [(route.path[here][::-1], rest)]
            else:
                onward = [(route.path[to], route.height[to]) for to in route.children[here]]
                up = False
            for path, rest in onward:
                first = (item, -rest) if both else (-rest, turn[item])
                if path not in waiting:
                    waiting[path] = []
                    for pair in pairwise(path):
                        over.setdefault(pair, set()).add(path)
                heappush(waiting[path], (*first, item, up))
                asked.add(path)
        # A channel that is free again may be on the path of any; past switches, what has the most
        # to carry is not to wait for a channel that has less.
        asked.update(*(over[pair] for pair in on.freed if pair in over))
        for path in sorted(filter(on.free, asked), key=later if topology.switches else None):
            queue = waiting[path]
            while queue and on.free(path):
                *_, item, up = heappop(queue)
                on.start(item, path)
                if left:
                    left.subtract(dict.fromkeys(pairwise(path), on.cost(path)))
                sends.append(Send(item, path, up))
            if not queue:
                del waiting[path]
                for pair in pairwise(path):
                    over[pair].remove(path)
        ready = []
        for item, (before, *_, here) in on.step():
            up = both and routes[item].parent.get(before) == here
            if up:
                lacks[item][here] -= 1
            if not up or not lacks[item][here]:
                ready.append((item, here, up))
    return sends


def legs_of(topology: Topology) -> list[Path]:
    """Return a shortest path past switches alone from each rank to each that has one."""
    found, ranks = [], topology.nodes
    for rank in range(ranks):
        before = predecessors(topology.successors, rank, lambda vertex: vertex >= ranks)
        for other in sorted(before.keys() - {rank}):
            if other < ranks:
                path = [other]
                while path[-1] != rank:
                    path.append(before[path[-1]])
                found.append(tuple(path[::-1]))
    return found


def greedy(
    topology: Topology,
    shares: Sequence[Ends],
    parts: int,
    piece: Fraction,
    seed: int,
) -> list[Send]:
    """Return the sends of each share's parts, matched as channels become free.

    A free path takes any part that its begin has and its end lacks. What is for one rank alone is
    not copied but passed on, along a shortest path; what has farthest to go is taken first. Else it
    is what has fewer copies than the mean, for an item that spreads last is late everywhere.

    Source: W. Won et al., TACOS: Topology-Aware Collective Algorithm Synthesizer for Distributed
    Machine Learning, MICRO 2024.

    Parameters
    ----------
    topology : Topology
    shares : sequence of (owner, targets)
        Where each begins, and the ranks that are to have it: all, or one each.
    parts : int
        Of each share.
    piece : Fraction
        Bytes of a part.
    seed : int
    """
    rng, on, items = Random(seed), _On(topology, piece), len(shares) * parts
    paths = legs_of(topology)
    personal = all(len(targets) == 1 for _, targets in shares)
    onward = _onward(topology, paths, on, shares, parts) if personal else {}
    anything, copies, mean = [(1 << items) - 1] * 2, [0] * items, 0
    outs: list[list[Path]] = [[] for _ in range(topology.nodes)]
    through: dict[Edge, list[Path]] = {}
    for path in paths:
        outs[path[0]].append(path)
        for pair in pairwise(path):
            through.setdefault(pair, []).append(path)
    has, lacks = [0] * topology.nodes, [(1 << items) - 1] * topology.nodes
    arrived = [(item, shares[item // parts][0]) for item in range(items)]
    for item, owner in arrived:
        lacks[owner] &= ~(1 << item)
    sends: list[Send] = []
    while arrived or on.busy:
        tick()
        for item, here in arrived:
            has[here] |= 1 << item
        asked = {path for _, here in arrived for path in outs[here]}
        asked |= {path for pair in on.freed for path in through[pair]}
        tried = sorted(filter(on.free, asked))
        rng.shuffle(tried)
        for path in tried:
            while (left := has[path[0]] & lacks[path[-1]]) and on.free(path):
                wanted = next(filter(None, (left & some for some in onward.get(path, anything))), 0)
                if not wanted:
                    break
                high = wanted >> (first := rng.randrange(items))
                one = (high & -high) << first if high else wanted & -wanted
                lacks[path[-1]] ^= one
                has[path[0]] ^= one * personal
                item = one.bit_length() - 1
                on.start(item, path)
                sends.append(Send(item, path, False))
                copies[item] += 1
                anything[0] &= ~(one * (copies[item] > mean))
                if not len(sends) % items:
                    mean += 1
                    anything[0] = sum(1 << n for n, some in enumerate(copies) if some <= mean)
        arrived = [(item, path[-1]) for item, path in on.step()]
    return sends


def _onward(
    topology: Topology, paths: Sequence[Path], on: _On, shares: Sequence[Ends], parts: int
) -> dict[Path, list[int]]:
    """Return by path the items on whose shortest path it is, a bit each, the farthest first."""
    cost = np.array([on.cost(path) for path in paths], dtype=float)
    ends = np.array([(path[0], path[-1]) for path in paths]).T
    far = dijkstra(csr_array((cost, tuple(ends)), shape=(topology.nodes,) * 2))
    of_target = [0] * topology.nodes
    for number, (_, (target,)) in enumerate(shares):
        of_target[target] |= (1 << parts) - 1 << number * parts
    found: dict[Path, list[int]] = {}
    for path in paths:
        levels: dict[float, int] = {}
        nearer = far[path[-1]] + on.cost(path) <= far[path[0]] * (1 + CLOSE)
        for target in np.flatnonzero(nearer).tolist():
            distance = float(far[path[0], target])
            levels[distance] = levels.get(distance, 0) | of_target[target]
        found[path] = [levels[distance] for distance in sorted(levels, reverse=True)]
    return found


class _On:
    """What is on the channels."""

    def __init__(self, topology: Topology, piece: Fraction) -> None:
        self._lanes = [link.lanes for link in topology.links]
        self._topology, self._number, self._taken = topology, topology.number, 0
        rates = [cost for link in topology.links for cost in (link.alpha, link.beta * piece)]
        self._unit, self._piece = lcm(*(cost.denominator for cost in rates)), piece
        self._costs: dict[Path, int] = {}
        self._bits: dict[Path, int] = {}
        self._ends: list[tuple[int, int, int, Path]] = []
        self._now = self._sent = 0
        self.freed: set[Edge] = set()
        """Channels that have got free."""

    @property
    def busy(self) -> bool:
        """Whether there is anything."""
        return bool(self._ends)

    def free(self, path: Path) -> bool:
        """Return whether each channel of a path has a free lane."""
        if path not in self._bits:
            self._bits[path] = sum(1 << self._number[pair] for pair in pairwise(path))
        return not self._bits[path] & self._taken

    def cost(self, path: Path) -> int:
        """Return how long a send takes, in units of its own."""
        if path not in self._costs:
            self._costs[path] = int(self._topology.held(path, self._piece) * self._unit)
        return self._costs[path]

    def lanes(self, pair: Edge) -> int:
        """Return the lanes of a channel, free or not."""
        return self._topology.links[self._number[pair]].lanes

    def start(self, item: int, path: Path) -> None:
        """Begin to send."""
        for pair in pairwise(path):
            channel = self._number[pair]
            self._lanes[channel] -= 1
            if not self._lanes[channel]:
                self._taken |= 1 << channel
        self._sent += 1
        heappush(self._ends, (self._now + self.cost(path), self._sent, item, path))

    def step(self) -> list[tuple[int, Path]]:
        """Go on to the next end of sends; return the items, and their paths."""
        self.freed, found = set(), list[tuple[int, Path]]()
        if self._ends:
            self._now = self._ends[0][0]
        while self._ends and self._ends[0][0] == self._now:
            _, _, item, path = heappop(self._ends)
            found.append((item, path))
            for pair in pairwise(path):
                channel = self._number[pair]
                self._lanes[channel] += 1
                self._taken &= ~(1 << channel)
                self.freed.add(pair)
        return found
