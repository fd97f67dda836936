"""Entries of groups that come and go: which are free at every router."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import share_of
from syncfabric.models.planning.links.group_plan import GroupPlan

__all__ = ["FreeEntries"]


class FreeEntries:
    """Entries that no group has.

    Parameters
    ----------
    shape : NetworkShape
        The network.
    """

    def __init__(self, shape: NetworkShape) -> None:
        self._router, self._registers = shape.router, shape.registers
        self._taken = defaultdict[int, set[int]](set)

    def take(self, group: GroupPlan, owner: int = 0) -> GroupPlan | None:
        """Give a group entries that are free; None if a router has none.

        At members' routers they are the lowest, for which nodes have registers, elsewhere the
        highest.

        Parameters
        ----------
        group : GroupPlan
            With any entries, of which nothing is looked at.
        owner : int
            The manager whose share they come from; without managers 0.
        """
        share = share_of(owner, max(1, self._router.managers), self._router.layout.entries)
        seats = share[: max(0, self._registers - share.start)]
        members = set(group.shape.nodes[:, 0].tolist())
        placement = {}
        for router in group.placement:
            order = seats if router in members else reversed(share)
            free = (entry for entry in order if entry not in self._taken[router])
            if (entry := next(free, None)) is None:
                return None
            placement[router] = entry
        for router, entry in placement.items():
            self._taken[router].add(entry)
        return replace(group, placement=placement)

    def leave(self, group: GroupPlan) -> None:
        """Let others have a group's entries."""
        for router, entry in group.placement.items():
            self._taken[router].remove(entry)
