"""The cut that bounds a collective's time most: by maximum flows, and by flows over time.

Source: L. Zhao et al., ForestColl: Throughput-Optimal Collective Communications on Heterogeneous
Network Fabrics, 2024, section 4: what a cut lets in bounds every schedule, and trees reach it.

What comes to a rank from others takes no less than the quickest flow from them to it, a flow over
time in which a channel has a latency and a rate. The dual of its linear program is a cut which
each vertex leaves at a time of its own, and the checker needs no more than these times.

Source: L. Ford and D. Fulkerson, Constructing maximal dynamic flows from static flows, Operations
Research 6, 1958; B. Hoppe and E. Tardos, The quickest transshipment problem, Mathematics of
Operations Research 25, 2000.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray
from ortools.graph.python.max_flow import SimpleMaxFlow
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, vstack
from scipy.sparse.csgraph import dijkstra

from syncfabric.models.collectives.chunks.checker import bound_of, held_by
from syncfabric.models.collectives.chunks.multiflow import held_links, lengths_of
from syncfabric.models.collectives.chunks.schedule import Cut, Exchange, Inflow, Schedule
from syncfabric.models.collectives.chunks.spanning import packed
from syncfabric.models.collectives.clock import TimeUpError, seconds_left, tick
from syncfabric.models.collectives.topology import Link, Topology
from syncfabric.models.errors import SpecError

MOST_MARKS = 64
"""Sends after which ranks near the root may leave a cut."""
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
        self._rates = np.array([float(rate) for rate in topology.rates])
        self._alphas = np.array([float(link.alpha) for link in topology.links])
        self._tails, self._heads = topology.ends.T
        shape = (topology.vertices,) * 2
        far = dijkstra(csr_array((self._alphas, (self._tails, self._heads)), shape=shape))
        self._far: NDArray[np.float64] = far[: exchange.ranks, : exchange.ranks]

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


MOST = 2**60
"""Capacity that no flow exceeds."""


def best_cut(exchange: Exchange, topology: Topology, *, apart: bool = True) -> Cut:
    """Return the cut of the greatest bound that is found, on a topology with links.

    The greatest of those that stand still is found exactly, of ``alltoall`` lengths by a linear
    program; of those that move, the greatest for some ranks and what comes to them from afar.

    Parameters
    ----------
    exchange : Exchange
    topology : Topology
    apart : bool, optional
        Whether shares for one rank go in sends of their own, as of ``bound_of``.

    Raises
    ------
    SpecError
        The bandwidths are too unlike for whole numbers of 60 bits.
    """
    cuts = cuts_in_time(exchange, topology)
    return max(cuts, key=lambda cut: bound_of(exchange, topology, cut, apart=apart))


def cuts_in_time(exchange: Exchange, topology: Topology) -> list[Cut]:
    """Return the cuts of which ``best_cut`` takes one: one at least, be there time or not."""
    found = list[Cut]()
    with suppress(TimeUpError):
        for cut in _cuts(exchange, topology):
            found.append(cut)
    return found


def cut_of_parts(
    schedule: Schedule, cuts: Sequence[Cut], time: Fraction, bound: Fraction
) -> Cut | None:
    """Return the cut that proves most of schedules with as many parts; None: no more than known.

    Parameters
    ----------
    schedule : Schedule
    cuts : sequence of Cut
        Some, the schedule's own among them.
    time, bound : Fraction
        That the schedule takes, and what is known to be needed, in nanoseconds.
    """
    exchange, topology = schedule.exchange, schedule.topology
    two = _in_two(exchange, topology, time) if exchange.rooted and not exchange.combines else ()
    held = held_by(exchange, topology, exchange.parts)
    slots = (
        Link(slot, slot / exchange.piece, link.lanes)
        for slot, link in zip(held, topology.links, strict=True)
    )
    in_slots = moving(exchange, replace(topology, links=tuple(slots)))
    proved = list[tuple[Fraction, Cut]]()
    with suppress(TimeUpError):
        for cut in chain(cuts, two, in_slots):
            tick()
            proved.append((bound_of(exchange, topology, cut, whole=True), cut))
    best, cut = max(proved, key=lambda one: one[0], default=(Fraction(0), cuts[0]))
    return cut if best > bound else None


def _in_two(exchange: Exchange, topology: Topology, time: Fraction) -> Iterator[Cut]:
    """Yield cuts which the ranks near the root leave at some time, the others at the end.

    The time is one at which a channel from the root to them ends a send, or one from them to the
    others begins one, so that both are through at the end. Of ``gather`` all is turned round.
    """
    root, gathers = exchange.root, exchange.kind == "gather"
    held, everywhere = held_by(exchange, topology, exchange.parts), range(topology.vertices)
    channels = [pair[::-1] if gathers else pair for pair in topology.channels]
    costs = [float(slot) for slot in held]
    graph = csr_array((costs, tuple(np.array(channels).T)), shape=(topology.vertices,) * 2)
    far = dijkstra(graph, indices=root)
    beyond = set(range(exchange.ranks)) - {root}
    for distance in np.unique(far[sorted(beyond)])[:-1]:
        beyond = {rank for rank in beyond if far[rank] > distance * (1 + 1e-9)}
        others = beyond | {
            v for v in everywhere[exchange.ranks :] if beyond & {*topology.successors[v]}
        }
        near = set(everywhere) - others - {root}
        slots = {
            (tail == root, slot)
            for (tail, head), slot in zip(channels, held, strict=True)
            if (tail == root and head in near) or (tail in near and head in others)
        }
        marks = {
            slot * n if first else time - slot * n
            for first, slot in slots
            for n in range(1, min(MOST_MARKS, int(time / slot)) + 1)
        }
        for mark in sorted(marks):
            tick()
            # What comes in at a switch is sent on, and counts there by its begin.
            late = min((s for pair, s in zip(channels, held, strict=True) if pair[1] in near))
            leaves = {v: mark - late * (v >= exchange.ranks) for v in near}
            if gathers:
                leaves = dict.fromkeys(near, time - mark) | {root: time}
            else:
                leaves |= dict.fromkeys(others, time)
            if min(leaves.values()) > 0 and max(leaves.values()) == time:
                yield Cut((frozenset(leaves),), tuple(sorted(leaves.items())))


def _cuts(exchange: Exchange, topology: Topology) -> Iterator[Cut]:
    """Yield cuts, first one that needs no search."""
    if exchange.combines and exchange.spreads:
        yield Cut(tuple(frozenset({rank}) for rank in range(topology.nodes)))
        yield Cut(packed(topology).parts)
    elif exchange.personal and not exchange.rooted:
        for one in lengths_of(exchange, topology):
            yield Cut((), lengths=one)
    else:
        everywhere, (flow,) = frozenset(range(topology.vertices)), exchange.inflows
        for timed in (None, topology, *held_links(exchange, topology)):
            if timed is None:
                side = frozenset({next(r for r in flow.ranks if flow.owners != (r,))})
            else:
                on = timed.reversed() if flow.reversed else timed
                try:
                    side = time_of_a_byte(on, flow.owners, flow.ranks)[1]
                except SpecError:
                    if timed is topology:
                        raise
                    continue
            yield Cut((everywhere - side if flow.reversed else side,))
    yield from moving(exchange, topology)


def time_of_a_byte(
    topology: Topology,
    owners: Sequence[int],
    ranks: Sequence[int] | None = None,
) -> tuple[Fraction, frozenset[int]]:
    """Return the least time in which each owner's byte comes to ranks, all or some, and why.

    The greatest ratio, over sets of vertices with a rank, of the owners outside to the bandwidth
    into it. From a ratio on, each set that a maximum flow shows to have a greater one takes its
    place (W. Dinkelbach, On nonlinear fractional programming, Management Science 13, 1967).
    """
    flow = _Flow(topology, owners)
    best, cut = Fraction(0), frozenset[int]()
    for rank in range(topology.nodes) if ranks is None else ranks:
        inside = frozenset({rank})
        tick()
        while inside:
            ratio = flow.ratio(inside)
            if ratio > best:
                best, cut = ratio, inside
            inside = flow.violated(best, rank)
    return best, cut


class _Flow:
    """Maximum flows over a topology's bandwidths, and from a source to the owners."""

    def __init__(self, topology: Topology, owners: Iterable[int]) -> None:
        self._topology, self._owners = topology, tuple(owners)
        self._rates = topology.rates
        self._unit = lcm(*(rate.denominator for rate in self._rates))
        self._whole = np.array([int(rate * self._unit) for rate in self._rates], dtype=object)
        begins = [(topology.vertices, owner) for owner in self._owners]
        self._ends = np.array([*topology.channels, *begins])

    def ratio(self, inside: frozenset[int]) -> Fraction:
        """Return the owners outside to the bandwidth into some vertices."""
        rates = zip(self._topology.channels, self._rates, strict=True)
        into = sum(rate for (a, b), rate in rates if b in inside and a not in inside)
        return Fraction(sum(owner not in inside for owner in self._owners)) / into

    def violated(self, time: Fraction, rank: int) -> frozenset[int]:
        """Return the vertices with a greater ratio that a flow to a rank shows; empty: none."""
        shared, scaled = self._unit * time.denominator, self._whole * time.numerator
        capacities = [*scaled, *[shared] * len(self._owners)]
        if sum(capacities) > MOST:
            raise SpecError(
                f"topology {self._topology.name}: its alphas and betas have too many digits for"
                " exact flows; round them"
            )
        solved = max_flow(np.column_stack([self._ends, capacities]), self._topology.vertices, rank)
        if solved.optimal_flow() == shared * len(self._owners):
            return frozenset()
        return frozenset(range(self._topology.vertices)) - set(solved.get_source_side_min_cut())


def max_flow(arcs: ArrayLike, source: int, sink: int) -> SimpleMaxFlow:
    """Return the solver of a maximum flow over arcs, each a tail, a head and a capacity."""
    tails, heads, capacities = np.array(arcs, dtype=np.int64).T
    solver = SimpleMaxFlow()
    solver.add_arcs_with_capacity(tails.astype(np.int32), heads.astype(np.int32), capacities)
    if solver.solve(source, sink) != SimpleMaxFlow.OPTIMAL:
        raise RuntimeError("a maximum flow was not found")
    return solver
