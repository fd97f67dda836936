"""What the channels of a topology carry."""

from collections.abc import Iterable
from fractions import Fraction

from syncfabric.models.collectives.topology import Link, Topology


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
