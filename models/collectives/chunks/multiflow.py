"""Flows of every rank's bytes to every other at once, and the lengths of channels that bound them.

The least time in which all flows fit is a linear program. Its dual values are lengths: what a byte
adds to a channel, in time. Source: M. Iri, On an extension of the maximum-flow minimum-cut theorem
to multicommodity flows, Journal of the Operations Research Society of Japan 13, 1971; F. Shahrokhi
and D. Matula, The maximum concurrent flow problem, Journal of the ACM 37, 1990.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.chunks.checker import held_by
from syncfabric.models.collectives.chunks.schedule import Exchange
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.flows import SCALES, Program
from syncfabric.models.collectives.topology import Link, Topology

MOST_COLUMNS = 60_000
"""Of the linear program: sources times channels. Translations leave one source of each orbit."""


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


@lru_cache(4)
def _solved(topology: Topology) -> Flows | None:
    tick()
    program = Program(topology, translated=True)
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
