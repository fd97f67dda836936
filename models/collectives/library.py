"""Topologies to schedule on, by name."""

from syncfabric.models.collectives.topology import Topology, both_ways
from syncfabric.models.networks.families import named as family_named

__all__ = ["named"]


def named(name: str) -> Topology:
    """Return a topology by its name, as ``torus-4x4``.

    Raises
    ------
    SpecError
        There is no such family, or it has not this size.
    """
    found = family_named(name)
    return Topology(name, found.nodes, found.switches, both_ways(found.links))
