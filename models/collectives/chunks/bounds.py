"""The cut that bounds a collective's time most: by maximum flows, and by flows over time.

Source: L. Zhao et al., ForestColl: Throughput-Optimal Collective Communications on Heterogeneous
Network Fabrics, 2024, section 4: what a cut lets in bounds every schedule, and trees reach it.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from math import lcm

import numpy as np
from ortools.graph.python.max_flow import SimpleMaxFlow

from syncfabric.models.collectives.chunks.checker import bound_of
from syncfabric.models.collectives.chunks.links import bandwidths
from syncfabric.models.collectives.chunks.moving import moving
from syncfabric.models.collectives.chunks.multiflow import held_links, lengths_of
from syncfabric.models.collectives.chunks.schedule import Cut, Exchange
from syncfabric.models.collectives.chunks.spanning import packed
from syncfabric.models.collectives.clock import TimeUpError, tick
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

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
    found = list[Cut]()
    with suppress(TimeUpError):
        for cut in _cuts(exchange, topology):
            found.append(cut)
    return max(found, key=lambda cut: bound_of(exchange, topology, cut, apart=apart))


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
        self._rates = bandwidths(topology)
        self._unit = lcm(*(rate.denominator for rate in self._rates))
        self._whole = np.array([int(rate * self._unit) for rate in self._rates], dtype=object)
        source = topology.vertices
        self._tails = np.concatenate(
            [topology.ends[:, 0], np.full(len(self._owners), source)]
        ).astype(np.int32)
        self._heads = np.concatenate([topology.ends[:, 1], self._owners]).astype(np.int32)

    def ratio(self, inside: frozenset[int]) -> Fraction:
        """Return the owners outside to the bandwidth into some vertices."""
        rates = zip(self._topology.channels, self._rates, strict=True)
        into = sum(rate for (a, b), rate in rates if b in inside and a not in inside)
        return Fraction(sum(owner not in inside for owner in self._owners)) / into

    def violated(self, time: Fraction, rank: int) -> frozenset[int]:
        """Return the vertices with a greater ratio that a flow to a rank shows; empty: none."""
        shared, scaled = self._unit * time.denominator, self._whole * time.numerator
        solved, value = self._solve([*scaled, *[shared] * len(self._owners)], rank)
        if value == shared * len(self._owners):
            return frozenset()
        return frozenset(range(self._topology.vertices)) - set(solved.get_source_side_min_cut())

    def _solve(self, capacities: list[int], rank: int) -> tuple[SimpleMaxFlow, int]:
        if sum(capacities) > MOST:
            raise SpecError(
                f"topology {self._topology.name}: its alphas and betas have too many digits for"
                " exact flows; round them"
            )
        solver = SimpleMaxFlow()
        solver.add_arcs_with_capacity(
            self._tails, self._heads, np.array(capacities, dtype=np.int64)
        )
        if solver.solve(self._topology.vertices, rank) != SimpleMaxFlow.OPTIMAL:
            raise RuntimeError("a maximum flow was not found")
        return solver, solver.optimal_flow()
