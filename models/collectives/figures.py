"""What a topology is like: its size, degree, diameter and bisection."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from syncfabric.models.collectives.cuts import bisection
from syncfabric.models.collectives.topology import Topology

__all__ = ["Figures", "figures"]


@dataclass(frozen=True)
class Figures:
    """A topology in numbers."""

    nodes: int
    switches: int
    channels: int
    """Directed."""
    least_degree: int
    """Channels out of a router, those to processors included."""
    greatest_degree: int
    diameter: int
    """Channels of the longest of the shortest paths between two nodes."""
    bisection: int | None
    """Channels, both ways, that must be cut to part the nodes into halves; None if no routers can
    be parted so."""
    bisection_exact: bool
    """Whether all halves were tried; else it is the least that was found."""

    def words(self) -> list[str]:
        """Return the figures as a table prints them."""
        low, high = self.least_degree, self.greatest_degree
        wide = str(self.bisection) if self.bisection_exact else f"≤ {self.bisection}"
        return [
            str(self.nodes),
            str(self.switches),
            str(self.channels),
            str(low) if low == high else f"{low}-{high}",
            str(self.diameter),
            "–" if self.bisection is None else wide,
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the figures by their names."""
        return asdict(self)


def figures(topology: Topology) -> Figures:
    """Measure a topology."""
    degrees = [
        len(out)
        for out, router in zip(topology.successors, topology.routers, strict=True)
        if router
    ]
    nodes = topology.distances[: topology.nodes, : topology.nodes]
    width, exact = bisection(topology)
    return Figures(
        topology.nodes,
        topology.switches,
        len(topology.channels),
        min(degrees),
        max(degrees),
        int(nodes.max()),
        width,
        exact,
    )
