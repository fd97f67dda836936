"""Entries of groups that come and go: which are free at every router."""

from collections import defaultdict
from dataclasses import replace

from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import owners_of, share_of
from syncfabric.models.planning.group_plan import GroupPlan


class FreeEntries:
    """Entries that no group has.

    Parameters
    ----------
    shape : NetworkShape
        The network.
    """

    def __init__(self, shape: NetworkShape) -> None:
        self._router, self._registers = shape.router, shape.entry_registers
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
        if group.slot_register is not None:
            return self._take_slot(group, owner)
        share = share_of(owner, max(1, self._router.managers), self._router.layout.entries)
        usable = share[: max(0, self._registers - share.start)]
        members = set(group.tree.nodes[:, 0].tolist())
        placement = {}
        for router in group.placement:
            order = usable if router in members else reversed(share)
            free = (entry for entry in order if entry not in self._taken[router])
            if (entry := next(free, None)) is None:
                return None
            placement[router] = entry
        placed = replace(group, placement=placement)
        self.hold(placed)
        return placed

    def _take_slot(self, group: GroupPlan, owner: int) -> GroupPlan | None:
        """Give a group on wires the lowest slot that is free at all its routers.

        One with a stream gets one of a stream, and others such a slot last.
        """
        router = self._router
        owners = owners_of(max(1, router.managers), router.layout.entries, router.wires)
        assert group.slot_register is not None
        slots = range(router.wires if group.stream_bound is None else router.streams)
        order = sorted(slots, key=lambda s: (s < router.streams, s))
        for entry in (router.layout.entries + s for s in order):
            if owners.get(entry) != owner or any(entry in self._taken[r] for r in group.placement):
                continue
            for place in group.placement:
                self._taken[place].add(entry)
            moved = entry - min(group.placement.values())
            return replace(
                group,
                placement=dict.fromkeys(group.placement, entry),
                slot_register=group.slot_register + moved,
            )
        return None

    def hold(self, group: GroupPlan) -> None:
        """Let a group have the entries that its plan names."""
        for router, entry in group.placement.items():
            self._taken[router].add(entry)

    def leave(self, group: GroupPlan) -> None:
        """Let others have a group's entries."""
        for router, entry in group.placement.items():
            self._taken[router].remove(entry)
