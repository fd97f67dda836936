"""Which entry each group takes at each router of its tree."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.setup import owners_of
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.planning.links.graph import LinkGraph
from syncfabric.models.planning.tree import Ints

__all__ = ["allot", "check_apart", "owner_of"]


def allot(
    routers: Sequence[Ints], members: Sequence[Ints], shares: Sequence[range], count: int
) -> list[Ints]:
    """Give each group an entry at each of its routers: the lowest that is free in its share.

    All groups are served at their members' routers first, for a node port has registers for the
    lowest entries alone; then at the routers that they pass.

    Parameters
    ----------
    routers : sequence of array of int64
        Each group's routers, ascending.
    members : sequence of array of int64
        Those of them that have members.
    shares : sequence of range
        Each group's share of every router's entries; none is asked for more than it has.
    count : int
        Routers of the network.

    Returns
    -------
    list of array of int64
        The entry at each of the group's routers.
    """
    used = {share.start: np.zeros(count, dtype=np.int64) for share in shares}
    found = [np.full(len(places), -1, dtype=np.int64) for places in routers]
    for at_members in (True, False):
        for entries, places, own, share in zip(found, routers, members, shares, strict=True):
            now = np.isin(places, own) == at_members
            taken = used[share.start]
            entries[now] = share.start + taken[places[now]]
            taken[places[now]] += 1
    return found


def owner_of(entries: Collection[int], router: NodeShape) -> int:
    """Return the manager in whose share a group's entries are; 0 without managers.

    Raises
    ------
    SpecError
        An entry does not exist, or they are not all one manager's.
    """
    most = router.layout.entries + router.wires - 1
    for entry in entries:
        if type(entry) is not int or not 0 <= entry <= most:
            raise SpecError(f"entry must be 0..{most}, not {entry!r}")
    all_owners = owners_of(max(1, router.managers), router.layout.entries, router.wires)
    owners = {all_owners.get(entry, -1) for entry in entries}
    if len(owners) != 1 or -1 in owners:
        raise SpecError(f"entries {min(entries)} to {max(entries)} are not of one manager's share")
    return owners.pop()


def check_apart(graph: LinkGraph, placements: Mapping[int, Mapping[int, int]]) -> None:
    """Refuse two groups that have the same entry of a router.

    Parameters
    ----------
    graph : LinkGraph
    placements : mapping of int to (mapping of int to int)
        The entry at each router, by group.

    Raises
    ------
    SpecError
        The first such entry.
    """
    taken: dict[tuple[int, int], int] = {}
    for group, placement in placements.items():
        for place in placement.items():
            if (other := taken.setdefault(place, group)) != group:
                raise SpecError(
                    f"plan: group {group}: entry {place[1]} of {graph.name(place[0])} is that of"
                    f" group {other}, too; plan again"
                )
