"""What the channels of a topology carry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from syncfabric.models.collectives.topology import Link, Topology

__all__ = ["OutOfTimeError", "Tick", "bandwidth", "bandwidths", "linked", "no_tick"]

Tick = Callable[[], None]
"""Is called all the time by what takes long, and raises `OutOfTimeError` when that is so."""


class OutOfTimeError(Exception):
    """The time limit has come, or the user wants no more."""


def no_tick() -> None:
    """Take all the time that there is."""


def linked(topology: Topology, alpha: Fraction, beta: Fraction) -> Topology:
    """Return a topology whose links have costs: its own, else these everywhere.

    Raises
    ------
    SpecError
        ``beta`` is not above 0, or ``alpha`` is below.
    """
    if topology.links:
        return topology
    links = (Link(alpha, beta),) * len(topology.channels)
    return Topology(topology.name, topology.nodes, topology.switches, topology.channels, links)


def bandwidth(links: Iterable[Link]) -> Fraction:
    """Return the bytes a nanosecond of channels."""
    return sum((link.lanes / link.beta for link in links), Fraction(0))


def bandwidths(topology: Topology) -> list[Fraction]:
    """Return the bytes a nanosecond of each channel, all lanes together."""
    return [bandwidth([link]) for link in topology.links]
