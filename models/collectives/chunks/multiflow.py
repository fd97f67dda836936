"""Flows of every rank's bytes to every other at once, and the lengths of channels that bound them.

The least time in which all flows fit is a linear program. Its dual values are lengths: what a byte
adds to a channel, in time. Source: M. Iri, On an extension of the maximum-flow minimum-cut theorem
to multicommodity flows, Journal of the Operations Research Society of Japan 13, 1971; F. Shahrokhi
and D. Matula, The maximum concurrent flow problem, Journal of the ACM 37, 1990.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import coo_array, csr_array, hstack

from syncfabric.models.collectives.chunks.checker import held_by
from syncfabric.models.collectives.chunks.schedule import Exchange
from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.symmetry import translations
from syncfabric.models.collectives.topology import Link, Topology

MOST_COLUMNS = 60_000
"""Of the linear program: sources times channels. Translations leave one source of each orbit."""
MOST_WHOLE = 6_000
"""Of the program in whole numbers."""
NODES, GAP = 100, 0.1
"""Branches of its search, and sends by which it may be above the fewest."""
SCALES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 60, 1000, 1_000_000)
"""Greatest lengths to which those of the program are rounded."""


class Flows(NamedTuple):
    """Flows of a byte from every rank to every other.

    Parameters
    ----------
    carried : ndarray
        Bytes of each source on each channel, of shape (ranks, channels).
    prices : ndarray
        Of each channel, what its time is worth; 1 all together.
    """

    carried: NDArray[np.float64]
    prices: NDArray[np.float64]


def held_links(exchange: Exchange, topology: Topology) -> Iterator[Topology]:
    """Yield, if shares are for one rank each, links that take as long a byte as else a share."""
    if exchange.personal:
        held = held_by(exchange, topology)
        links = (
            Link(Fraction(0), time, link.lanes)
            for time, link in zip(held, topology.links, strict=True)
        )
        yield replace(topology, links=tuple(links))


def lengths_of(
    exchange: Exchange, topology: Topology
) -> Iterator[tuple[tuple[int, int, int], ...]]:
    """Yield lengths of channels that may bound an exchange of each rank with each.

    All alike come first, then those of programs in whole numbers, from coarse to fine: of bytes,
    and of shares with their latencies.
    """
    seen = {tuple(1 for _ in topology.channels)}
    yield tuple((a, b, 1) for a, b in topology.channels)
    for timed in (topology, *held_links(exchange, topology)):
        if flows := flows_of(timed):
            # The program's are by a lane's time; lengths are by bytes of the topology's own.
            rates = np.array([float(rate) for rate in topology.rates])
            lengths = flows.prices / rates
            for scale in SCALES:
                rounded = (lengths / lengths.max() * scale).round().astype(int)
                some = tuple((rounded // max(1, np.gcd.reduce(rounded))).tolist())
                if some not in seen:
                    seen.add(some)
                    ends = zip(topology.channels, some, strict=True)
                    yield tuple((a, b, length) for (a, b), length in ends if length)


def flows_of(topology: Topology) -> Flows | None:
    """Return flows that take the least time together; None where there are too many columns.

    Parameters
    ----------
    topology : Topology
        With links; latencies do not count.
    """
    # Only ratios of rates count: links that are like those of the last ones have the same flows.
    most = max(topology.rates)
    links = tuple(Link(Fraction(0), most / rate) for rate in topology.rates)
    return _solved(replace(topology, links=links))


def flow_prices(
    topology: Topology, wanted: NDArray[np.float64], usable: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Return what each channel's capacity, one, is worth where flows take the least time together.

    Parameters
    ----------
    topology : Topology
    wanted : ndarray
        What comes from each rank to each vertex, of shape (ranks, vertices).
    usable : ndarray
        Channels that each rank's flow may take, of shape (ranks, channels).
    """
    program = _Program(topology, translated=False, usable=usable)
    solved = program.least(np.ones(program.orbits), program.of_vertices(wanted), "highs")
    return None if solved is None else solved[1]


def whole_flows(
    topology: Topology,
    parts: int,
    rooms: Sequence[int],
    wanted: NDArray[np.float64] | None = None,
    usable: NDArray[np.bool_] | None = None,
    most: int = MOST_WHOLE,
) -> NDArray[np.int64] | None:
    """Return flows of so many whole parts from every rank to every other, with the fewest sends.

    Parameters
    ----------
    topology : Topology
    parts : int
    rooms : sequence of int
        Parts that each channel has room for.
    wanted, usable : ndarray, optional
        As of :func:`flow_prices`; by default a part at every rank, by all channels.
    most : int
        Columns of the program.

    Returns
    -------
    ndarray or None
        Parts of each source on each channel, of shape (ranks, channels). None: there is no room,
        no solution was found with little effort, or it is too large a program.
    """
    tick()
    program = _Program(topology, translated=False, usable=usable)
    if program.columns > most and wanted is None:
        program = _Program(topology, translated=True)
    if program.columns > most:
        return None
    due = program.wanted if wanted is None else program.of_vertices(wanted)
    room = np.zeros(program.orbits)
    room[program.orbit] = rooms
    solved = milp(
        np.ones(program.columns),
        constraints=[
            LinearConstraint(program.load(np.ones(program.orbits)), ub=room),
            LinearConstraint(program.kept, *[due * parts] * 2),
        ],
        integrality=np.ones(program.columns),
        bounds=Bounds(0, np.inf),
        options={"node_limit": NODES, "mip_rel_gap": GAP, "time_limit": seconds_left()},
    )
    tick()
    return None if solved.x is None else program.spread(solved.x.round()).astype(np.int64)


def fewest(
    load: csr_array,
    each: NDArray[np.float64],
    kept: csr_array,
    wanted: NDArray[np.float64],
    method: str = "highs",
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return what columns are in the fewest steps, and what capacities are worth; None: no time.

    The rows of ``load`` come to ``each`` a step at most, and those of ``kept`` to ``wanted``.
    """
    # Column 0 is the number of steps.
    solved = linprog(
        np.eye(1, load.shape[1] + 1)[0],
        A_ub=hstack([csr_array(-each[:, np.newaxis].astype(float)), load]),
        b_ub=np.zeros(len(each)),
        A_eq=hstack([csr_array((kept.shape[0], 1)), kept]),
        b_eq=wanted,
        method=method,
        options={"time_limit": seconds_left()},
    )
    tick()
    return (solved.x[1:], np.maximum(-solved.ineqlin.marginals, 0)) if solved.success else None


class _Program:
    """Flows as columns: of each source that leads an orbit of translations, if there are any.

    Parameters
    ----------
    topology : Topology
        With links.
    translated : bool
        Whether to take translations.
    usable : ndarray, optional
        Channels that each rank's flow may take, without translations.
    """

    def __init__(
        self, topology: Topology, *, translated: bool, usable: NDArray[np.bool_] | None = None
    ) -> None:
        vertices, channels = topology.vertices, len(topology.channels)
        self._images = np.arange(channels, dtype=np.int32)[np.newaxis]
        self.orbit = np.arange(channels, dtype=np.int32)
        self._moved = np.arange(vertices, dtype=np.int32)[np.newaxis]
        for symmetry in translations(topology)[:1] if translated else ():
            kinds = {link: kind for kind, link in enumerate(topology.links)}
            kind = np.array([kinds[link] for link in topology.links])
            if (kind[symmetry.channels] == kind).all():
                self._images, self._moved = symmetry.channels, symmetry.vertices
                self.orbit = symmetry.channel_orbit
        self.orbits = int(self.orbit.max()) + 1
        self._shape = topology.nodes, channels
        leaders = np.unique(self._moved[:, : topology.nodes].min(axis=0))
        self._leaders = leaders
        # A flow does not lead back to its source.
        tails, heads = topology.ends.T
        if usable is None:
            usable = heads[np.newaxis] != leaders[:, np.newaxis]
        self._source, self._channel = np.nonzero(usable)
        self.columns = len(self._source)
        ends = [self._source * vertices + end[self._channel] for end in (heads, tails)]
        self._others = (np.arange(vertices) != leaders[:, np.newaxis]).ravel()
        kept = coo_array(
            (
                np.repeat([1.0, -1.0], self.columns),
                (np.concatenate(ends), np.tile(np.arange(self.columns), 2)),
            ),
            shape=(len(self._others), self.columns),
        )
        self.kept = csr_array(kept.tocsr()[self._others])
        """What a flow leaves at each vertex but its source."""
        ranks = (np.arange(vertices) < topology.nodes) * 1.0
        self.wanted = self.of_vertices(np.tile(ranks, (len(leaders), 1)))
        """A byte at each rank."""

    def of_vertices(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values by leader and vertex as the rows of ``kept``."""
        found: NDArray[np.float64] = values.ravel()[self._others]
        return found

    def load(self, rates: NDArray[np.float64]) -> csr_array:
        """Return what the flows put on each orbit of channels, divided by its rate."""
        of = self.orbit[self._channel]
        shape = self.orbits, self.columns
        return coo_array((1 / rates[of], (of, np.arange(self.columns))), shape=shape).tocsr()

    def least(
        self, rates: NDArray[np.float64], wanted: NDArray[np.float64], method: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return flows that take the least time at rates of orbits, and their prices."""
        found = fewest(self.load(rates), np.ones(self.orbits), self.kept, wanted, method)
        return None if found is None else (found[0], found[1][self.orbit])

    def spread(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the flows of all sources on all channels from those of the leaders."""
        of_leader = np.zeros((len(self._leaders), self._shape[1]))
        of_leader[self._source, self._channel] = found
        carried = np.zeros(self._shape)
        for leader, flow in zip(self._leaders, of_leader, strict=True):
            # The image of a flow carries on a channel's image what it carries on the channel.
            carried[self._moved[:, leader][:, np.newaxis], self._images] = flow
        return carried


@lru_cache(4)
def _solved(topology: Topology) -> Flows | None:
    tick()
    program = _Program(topology, translated=True)
    if program.columns > MOST_COLUMNS:
        return None
    rates = np.array([float(rate) for rate in topology.rates])
    rate = np.zeros(program.orbits)
    rate[program.orbit] = rates
    method = "highs-ipm" if program.columns > MOST_COLUMNS // 10 else "highs"
    solved = program.least(rate, program.wanted, method)
    if solved is None:
        return None
    flows, prices = solved
    return Flows(program.spread(flows), prices / prices.sum())
