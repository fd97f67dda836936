"""Cuts that move: what latency and bandwidth together prove of a collective's time.

What comes to a rank from others takes no less than the quickest flow from them to it, a flow over
time in which a channel has a latency and a rate. The dual of its linear program is a cut which
each vertex leaves at a time of its own, and the checker needs no more than these times.

Source: L. Ford and D. Fulkerson, Constructing maximal dynamic flows from static flows, Operations
Research 6, 1958; B. Hoppe and E. Tardos, The quickest transshipment problem, Mathematics of
Operations Research 25, 2000.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, vstack
from scipy.sparse.csgraph import dijkstra

from syncfabric.models.collectives.chunks.links import bandwidths
from syncfabric.models.collectives.chunks.schedule import Cut, Exchange, Inflow
from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.topology import Topology

TRIED = 6
"""Pairs of a rank and a distance for which a flow is found: those that promise most."""


def moving(exchange: Exchange, topology: Topology) -> Iterator[Cut]:
    """Yield cuts for the ranks to which most comes from farthest.

    Parameters
    ----------
    exchange : Exchange
    topology : Topology
        With links.
    """
    everywhere = frozenset(range(topology.vertices))
    for inflow in exchange.inflows:
        flows = _Flows(topology.reversed() if inflow.reversed else topology, exchange, inflow)
        for rank, sources in flows.promising():
            tick()
            times = flows.quickest(rank, sources)
            if not times:
                continue
            if inflow.reversed and exchange.personal:  # forwards, what is left of the time
                times = {v: times[rank] - times.get(v, 0) for v in everywhere}
                times = {v: time for v, time in times.items() if time}
            combined = exchange.combines and inflow.reversed
            side = everywhere - times.keys() if combined else frozenset(times)
            yield Cut((side,), tuple(times.items()))


class _Flows:
    """Flows over time on a topology; in reversed time on the reversed one."""

    def __init__(self, topology: Topology, exchange: Exchange, inflow: Inflow) -> None:
        self._topology, self._exchange, self._inflow = topology, exchange, inflow
        self._rates = np.array([float(rate) for rate in bandwidths(topology)])
        self._alphas = np.array([float(link.alpha) for link in topology.links])
        self._tails, self._heads = topology.ends.T
        shape = (topology.vertices,) * 2
        ways = dijkstra(csr_array((self._alphas, (self._tails, self._heads)), shape=shape))
        self._far: NDArray[np.float64] = ways[: exchange.ranks, : exchange.ranks]

    def _needed(self, sources: int) -> float:
        exchange = self._exchange
        one = exchange.combines and exchange.spreads  # all of a vector comes from any one of them
        return float(exchange.share) * (exchange.count if one else sources)

    def promising(self) -> list[tuple[int, tuple[int, ...]]]:
        """Return ranks, each with the owners from some distance on, that promise the most time."""
        exchange = self._exchange
        whole = exchange.combines and exchange.spreads
        owners, ranks = np.array(self._inflow.owners), self._inflow.ranks
        into = np.bincount(self._heads, self._rates, self._topology.vertices)
        found: dict[tuple[float, int], tuple[int, tuple[int, ...]]] = {}
        for rank in ranks:
            far = self._far[owners, rank]
            for distance in np.unique(far[owners != rank]):
                sources = owners[(far >= distance) & (owners != rank)]
                if whole:
                    sources = sources[:1]
                time = distance + self._needed(len(sources)) / into[rank]
                # Alike ranks have alike flows: of equal promises the first is taken.
                found.setdefault((round(time, 6), len(sources)), (rank, tuple(sources.tolist())))
        return [found[promise] for promise in sorted(found, reverse=True)[:TRIED]]

    def quickest(self, rank: int, sources: tuple[int, ...]) -> dict[int, Fraction]:
        """Return what is on the side of a rank, and leaves it when, for a quickest flow.

        The times are those of a linear program: the rank's is to be as late as it may be, while
        what channels let through until then is not all that it needs.
        """
        vertices, channels = self._topology.vertices, len(self._alphas)
        needed = self._needed(len(sources))
        unit = self._alphas.max() + needed / self._rates.max()
        rows = np.arange(channels)
        # In order: a time of every vertex, and of every channel how long it is open.
        opened = coo_array(
            (
                np.concatenate([np.ones(channels), -np.ones(channels), -np.ones(channels)]),
                (np.tile(rows, 3), np.concatenate([self._heads, self._tails, vertices + rows])),
            ),
            shape=(channels, vertices + channels),
        )
        through = coo_array(
            (self._rates * unit / needed, (np.zeros(channels, int), vertices + rows)),
            shape=(1, vertices + channels),
        )
        highest = np.full(vertices + channels, np.inf)
        highest[list(sources)] = 0
        aim = np.zeros(vertices + channels)
        aim[rank] = -1
        solved = linprog(
            aim,
            A_ub=vstack([opened, through]).tocsr(),
            b_ub=np.append(self._alphas / unit, 1),
            bounds=np.stack([np.zeros(vertices + channels), highest], axis=1),
            options={"time_limit": seconds_left()},
        )
        tick()
        if not solved.success:
            return {}
        times = np.minimum(solved.x[:vertices], solved.x[rank]) * unit
        return {int(v): _rational(times[v]) for v in np.flatnonzero(times > 1e-9 * times[rank])}


def _rational(time: float) -> Fraction:
    """Return the simplest fraction that a solver may have meant."""
    simple = Fraction(time).limit_denominator(1000)
    return simple if abs(float(simple) - time) < 1e-9 * time else Fraction(time)
