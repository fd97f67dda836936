"""Entries of groups that come and go: which are free at every router."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from syncfabric.models.layout.setup import share_of
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.planning.links.group_plan import GroupPlan
from syncfabric.models.planning.links.room import MOST_REGISTERS

__all__ = ["FreeEntries"]


class FreeEntries:
    """Entries that no group has.

    Parameters
    ----------
    router : NodeShape
        Every router of the network.
    """

    def __init__(self, router: NodeShape) -> None:
        self._router = router
        self._taken = defaultdict[int, set[int]](set)

    def take(self, group: GroupPlan, owner: int = 0) -> GroupPlan | None:
        """Give a group the lowest entries that are free; None if a router has none.

        Parameters
        ----------
        group : GroupPlan
            With any entries, of which nothing is looked at.
        owner : int
            The manager whose share they come from; without managers 0.
        """
        share = share_of(owner, max(1, self._router.managers), self._router.layout.entries)
        members = set(group.shape.nodes[:, 0].tolist())
        placement = {}
        for router in group.placement:
            seats = share[: max(0, MOST_REGISTERS - share.start)] if router in members else share
            free = (entry for entry in seats if entry not in self._taken[router])
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
