"""What an operation takes at most: the cycles if all members begin together, or the root last."""

from __future__ import annotations

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.reach import reach
from syncfabric.models.planning.static_images import StaticGroup
from syncfabric.models.timing.collectives import (
    allreduce_cycles,
    broadcast_cycles,
    reduce_cycles,
    scatter_cycles,
)
from syncfabric.sim.drive.static.collectives.asked import Collective

__all__ = ["bound_of"]


def bound_of(network: StaticSpec, group: StaticGroup, asked: Collective) -> int:
    """Return the most cycles from the last begin to the last end (section R10).

    Parameters
    ----------
    network : StaticSpec
    group : StaticGroup
        Of two members or more; a ring for what goes through its cores.
    asked : Collective
    """
    places = reach(network.topology, group)
    links, members = max(places.values()), len(group.members)
    if asked.kind == "broadcast":
        return broadcast_cycles(links, asked.flits, network)
    if asked.kind == "scatter":
        return scatter_cycles(links, members, asked.flits, network)
    if asked.kind == "reduce":
        return reduce_cycles(links, members, asked.flits, asked.work, network)
    last = max(place for node, place in places.items() if node != group.root)
    return allreduce_cycles(links, members, last, asked.flits, asked.work, network)
