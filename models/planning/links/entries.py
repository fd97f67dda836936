"""Which entry each group takes at each router of its tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from syncfabric.models.planning.tree import Ints

__all__ = ["allot"]


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
