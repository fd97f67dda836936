"""Paths of what is for one rank alone: flows whose parts are whole, or are made so.

From or to the root a maximum flow is whole by itself. From each rank to each other whole flows are
those of a program in whole numbers, whose relaxation is nearly whole as well; in large networks
lots are drawn (P. Raghavan and C. Thompson, Randomized rounding, Combinatorica 7, 1987). Flows are
taken apart into paths (L. Ford and D. Fulkerson, Flows in Networks, 1962).
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python.min_cost_flow import SimpleMinCostFlow
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from syncfabric.models.collectives.chunks.bounds import max_flow
from syncfabric.models.collectives.chunks.multiflow import flows_of
from syncfabric.models.collectives.chunks.order import Route
from syncfabric.models.collectives.chunks.schedule import Ends, Exchange, Send
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.flows import whole_flows
from syncfabric.models.collectives.topology import Link, Topology

SLACK = (0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""By how much channels may be busy longer than with flows of any size, in turn."""
CLOSE = 1e-6
"""Of a share, below which a path is left out."""
Path = tuple[int, ...]
Into = list[list[tuple[int, int]]]


def routes_of(
    topology: Topology, exchange: Exchange, seed: int, *, whole: bool
) -> list[Route] | None:
    """Return the route of each item of a personal exchange.

    Parameters
    ----------
    topology : Topology
        With links.
    exchange : Exchange
    seed : int
    whole : bool
        Whether to look for whole flows of an ``alltoall``, which takes longer than lots.

    Returns
    -------
    list of Route, or None
        None: it is an ``alltoall``, and the topology too large for its linear program.
    """
    parts = exchange.parts
    if exchange.rooted:
        (flow,) = exchange.inflows
        # Out of the root, if need be in reversed time.
        on = topology if flow.reversed else topology.reversed()
        paths = _from_root(on, exchange)
        found = [[path if flow.reversed else path[::-1] for path in some] for some in paths]
    else:
        mixed = _mixed(topology, exchange, seed, whole=whole)
        if mixed is None:
            return None
        found = mixed
    made: dict[Path, Route] = {}
    routes = []
    for owner, some in zip(exchange.owners, found, strict=True):
        for path in some or [(owner,)] * parts:
            if path not in made:
                made[path] = Route(owner, list(_legs(path, topology.nodes)))
            routes.append(made[path])
    return routes


def shortest(topology: Topology, shares: Sequence[Ends], parts: int, piece: Fraction) -> list[Send]:
    """Return the sends of each share's parts along shortest paths, without any search.

    Of paths as short as each other the last channel counts that has carried the least. What is for
    one rank each goes first to the next by number, then to the one after it. Past switches, paths
    are chosen target by target: on fat trees no two of a round share a channel. Source:
    E. Zahavi, Fat-tree routing and node ordering providing contention free traffic for MPI global
    collectives, Journal of Parallel and Distributed Computing 72, 2012.

    Parameters
    ----------
    topology : Topology
    shares : sequence of (owner, targets)
    parts : int
        Of each share.
    piece : Fraction
        Bytes of a part.
    """
    costs = np.array([float(link.alpha + link.beta * piece) for link in topology.links])
    shape = (topology.vertices,) * 2
    far = dijkstra(csr_array((costs, tuple(topology.ends.T)), shape=shape)).tolist()
    into, cost, ranks = into_of(topology), costs.tolist(), topology.nodes
    each = [own / link.lanes for own, link in zip(cost, topology.links, strict=True)]
    busy = [0.0] * len(cost)
    turned = [(o, [(t - o) % ranks for t in some] if len(some) == 1 else [0]) for o, some in shares]
    found = list[tuple[int, int, int, Path]]()
    near = dict[tuple[int, int], list[tuple[int, int]]]()
    fixed = topology.switches and all(len(targets) == 1 for _, targets in shares)
    order = sorted(range(len(shares)), key=lambda n: shares[n][1][0] if fixed else turned[n][1][0])
    for share in order:
        owner, targets = shares[share]
        reached, short = {owner: 0}, far[owner]
        for target in targets:
            path = [target]
            while path[-1] not in reached:
                here = path[-1]
                if (owner, here) not in near:
                    close = short[here] * (1 + CLOSE)
                    tight = [(c, a) for a, c in into[here] if short[a] + cost[c] <= close]
                    near[owner, here] = tight
                _, channel, before = min([(busy[c], c, a) for c, a in near[owner, here]])
                busy[channel] += each[channel]
                path.append(before)
            for leg in _legs(tuple(path[::-1]), ranks):
                reached[leg[-1]] = reached[leg[0]] + 1
                found.append((turned[share][1][0], reached[leg[-1]], share, leg))
    found.sort()
    return [Send(s * parts + part, leg, False) for *_, s, leg in found for part in range(parts)]


def _legs(path: Path, ranks: int) -> Iterator[Path]:
    """Yield the parts of a path from a rank to the next."""
    first = 0
    for at in range(1, len(path)):
        if path[at] < ranks:
            yield path[first : at + 1]
            first = at


def _from_root(topology: Topology, exchange: Exchange) -> list[list[Path]]:
    """Return paths from the root to each rank, one a part; no channel is busy for longer than need.

    Of a time, each channel lets whole parts through; the least time for all is found by halving.
    """
    root, parts, ranks = exchange.root, exchange.parts, range(exchange.ranks)
    slots = [link.alpha + link.beta * exchange.piece for link in topology.links]
    others = [rank for rank in ranks if rank != root]
    needed, sink = len(others) * parts, topology.vertices
    ends = np.array([*topology.channels, *((other, sink) for other in others)])

    def capacities(time: Fraction) -> list[int]:
        lets = [
            min(needed, int(time // slot * link.lanes))
            for slot, link in zip(slots, topology.links, strict=True)
        ]
        return [*lets, *[parts] * len(others)]

    def suffices(time: Fraction) -> bool:
        tick()
        solved = max_flow(np.column_stack([ends, capacities(time)]), root, sink)
        return bool(solved.optimal_flow() == needed)

    times = sorted({slot * n for slot in {*slots} for n in range(1, needed + 1)})
    enough = bisect_left(times, True, key=suffices)
    # Of all such flows one with the fewest sends.
    cheapest = SimpleMinCostFlow()
    arcs = cheapest.add_arcs_with_capacity_and_unit_cost(
        *ends.T.astype(np.int32),
        np.array(capacities(times[enough]), dtype=np.int64),
        np.append(np.ones(len(slots), np.int64), np.zeros(len(others), np.int64)),
    )
    cheapest.set_nodes_supplies(
        np.array([root, sink], np.int32), np.array([needed, -needed], np.int64)
    )
    if cheapest.solve() != SimpleMinCostFlow.OPTIMAL:
        raise RuntimeError("a flow of least cost was not found")
    flow = cheapest.flows(arcs[: len(slots)]).astype(float)
    found, into = list[list[Path]](), into_of(topology)
    for rank in ranks:
        paths = apart(into, flow, root, rank, parts) if rank != root else []
        found.append([path for path, amount in paths for _ in range(round(amount))])
    return found


def apart(
    into: Into, flow: NDArray[np.float64], source: int, target: int, needed: float
) -> list[tuple[Path, float]]:
    """Take as much as is needed out of a flow; return the paths from source to target, and of each.

    Back from the target the channel that carries most is taken; circles are left out.
    """
    found: list[tuple[Path, float]] = []
    while needed > CLOSE:
        path, used = [target], list[int]()
        while path[-1] != source:
            vertex, channel = max(into[path[-1]], key=lambda one: flow[one[1]])
            if flow[channel] <= 0:
                return found
            used.append(channel)
            if vertex in path:  # a circle carries nothing to anyone
                first = path.index(vertex)
                flow[used[first:]] -= flow[used[first:]].min()
                path, used = [target], []
                continue
            path.append(vertex)
        amount = min(needed, float(flow[used].min()))
        flow[used] -= amount
        needed -= amount
        found.append((tuple(path[::-1]), amount))
    return found


def into_of(topology: Topology) -> Into:
    """Return by vertex the channels into it: where each begins, and its number."""
    into: Into = [[] for _ in range(topology.vertices)]
    for channel, (a, b) in enumerate(topology.channels):
        into[b].append((a, channel))
    return into


def _mixed(
    topology: Topology, exchange: Exchange, seed: int, *, whole: bool
) -> list[list[Path]] | None:
    """Return by pair of ranks the paths of its parts."""
    slots = [link.alpha + link.beta * exchange.piece for link in topology.links]
    timed = tuple(
        Link(Fraction(0), slot, link.lanes)
        for slot, link in zip(slots, topology.links, strict=True)
    )
    flows = flows_of(replace(topology, links=timed))
    if flows is None:
        return None
    into = into_of(topology)
    ranks, parts, rng = range(exchange.ranks), exchange.parts, Random(seed)
    lanes = [link.lanes for link in topology.links]
    busy = flows.carried.sum(axis=0) * parts * np.array([float(slot) for slot in slots]) / lanes
    carried, amount = flows.carried, 1
    for more in SLACK if whole else ():
        least = Fraction(float(busy.max()) * (1 + more - CLOSE))
        time = min(-(-least // slot) * slot for slot in {*slots})
        capacities = [int(time // slot) * n for slot, n in zip(slots, lanes, strict=True)]
        taken = whole_flows(topology, parts, capacities)
        if taken is not None:
            carried, amount = taken.astype(float), parts
            break
    found: list[list[Path]] = []
    for source in ranks:
        tick()
        flow = carried[source].copy()
        for target in ranks:
            paths: list[tuple[Path, float]] = []
            if target != source:
                paths = apart(into, flow, source, target, amount)
            found.append(_by_weight(paths, parts, rng))
    return found


def _by_weight(paths: Sequence[tuple[Path, float]], count: int, rng: Random) -> list[Path]:
    """Return the path that each part takes: whole parts by weight, the rest by lot."""
    unit = count / sum(weight for _, weight in paths) if paths else 0
    found = [path for path, weight in paths for _ in range(int(weight * unit + CLOSE))]
    rest = [max(0.0, weight * unit % 1 - CLOSE) for _, weight in paths]
    lots = rng.choices([path for path, _ in paths], rest, k=count - len(found)) if any(rest) else []
    return found + lots
