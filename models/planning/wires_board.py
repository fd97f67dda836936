"""The slots of barrier wires as boards, and the trees of groups that lie on them.

Two groups that share a unit, which is a router, a switch or a node interface, take different slots.
So a slot is a board of its own, on which trees lie that share no unit: a group's tree is laid where
that board has room for it, as high as it must be and no higher.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from syncfabric.models.planning.wires_graph import Centre, WireGraph
from syncfabric.models.planning.wires_tree import WireTree, free_parts, lay_tree

__all__ = ["Board", "Laid", "Wanted"]


class Wanted(NamedTuple):
    """A group to be laid.

    Parameters
    ----------
    id : int
    routers : tuple of int
        The members' routers, each once; none if the group needs no router.
    own : tuple of int
        Other units that it takes, numbered after the routers.
    """

    id: int
    routers: tuple[int, ...]
    own: tuple[int, ...] = ()


class Laid(NamedTuple):
    """Where a group is: its slot, and its tree if it needs one."""

    slot: int
    tree: WireTree | None


class Board:
    """The groups that are laid so far.

    Parameters
    ----------
    graph : WireGraph
    wanted : sequence of Wanted
        All groups, whose ids differ.
    slots : int
        Slots that there are.
    """

    def __init__(self, graph: WireGraph, wanted: Sequence[Wanted], slots: int) -> None:
        self.graph = graph
        self.wanted = {group.id: group for group in wanted}
        self.slots = slots
        self.work = 0
        """Routers, about, that were looked at."""
        self.seen: dict[int, dict[frozenset[int], WireTree | None]] = {g.id: {} for g in wanted}
        """All trees of each group that came up, by their units."""
        self._centre: dict[int, Centre] = {
            group.id: graph.centre(group.routers) for group in wanted if group.routers
        }
        nothing = bytearray(len(graph.ends))
        self._alone = {
            gid: lay_tree(graph, centre, self.wanted[gid].routers, nothing)
            for gid, centre in self._centre.items()
        }
        self._units = 1 + max(
            (unit for group in wanted for unit in group.own), default=len(graph.ends)
        )
        self.laid: dict[int, Laid] = {}
        self.restore({})

    @property
    def left(self) -> list[int]:
        """Groups that are left out, small ones first."""
        return sorted((gid for gid in self.wanted if gid not in self.laid), key=self.size)

    def size(self, gid: int) -> tuple[int, int]:
        """Return what to sort groups by: the routers that it takes at least, then its id."""
        return (self._centre[gid].least if gid in self._centre else 0), gid

    def units(self, gid: int, tree: WireTree | None) -> frozenset[int]:
        """Return all units that a group takes with a tree."""
        return (tree.routers if tree else frozenset()) | frozenset(self.wanted[gid].own)

    def lay(self, gid: int, slots: Iterable[int] | None = None) -> None:
        """Lay a group into the slot where its tree is smallest, if there is one."""
        best: Laid | None = None
        alone = self._alone.get(gid)
        least = len(alone.routers) if alone else 0
        for slot in range(self.slots) if slots is None else slots:
            laid = self._fits(gid, slot)
            if laid is None:
                continue
            if best is None or _routers(laid) < _routers(best):
                best = laid
            if _routers(laid) <= least:
                break
        if best is not None:
            self._put(gid, best)

    def across(self, gid: int, slot: int, kept: Iterable[int]) -> tuple[list[int], Laid]:
        """Return how a group can be laid into a slot across others, and which are in the way.

        ``kept`` are others to leave alone if that is possible.
        """
        group = self.wanted[gid]
        taken = bytearray(self._units)
        for other in kept:
            units = self.units(other, self.laid[other].tree)
            if units.isdisjoint((*group.routers, *group.own)):
                for unit in units:
                    taken[unit] = 1
        laid = self._look(gid, slot, taken) or self._look(gid, slot, bytearray(self._units))
        assert laid is not None  # a network hangs together
        units = self.units(gid, laid.tree)
        ripped = [
            other
            for other, where in self.laid.items()
            if where.slot == slot and units & self.units(other, where.tree)
        ]
        return ripped, laid

    def replace(self, ripped: Sequence[int], gid: int, laid: Laid) -> None:
        """Lay a group in place of others."""
        for other in ripped:
            self._mark(other, self.laid[other], 0)
        self.laid = {other: where for other, where in self.laid.items() if other not in ripped}
        self._put(gid, laid)

    def restore(self, laid: dict[int, Laid]) -> None:
        """Lay groups just so, and no others."""
        self.laid = laid
        self._parts: dict[int, list[int]] = {}  # of each slot, until something is laid there
        self._taken = [bytearray(self._units) for _ in range(self.slots)]
        for gid, where in laid.items():
            self._mark(gid, where, 1)

    def _fits(self, gid: int, slot: int) -> Laid | None:
        """Return how a group can be laid beside those of a slot, None if it cannot."""
        routers = self.wanted[gid].routers
        if len(routers) > 1:
            if slot not in self._parts:
                self._parts[slot] = free_parts(self.graph, self._taken[slot])
            if len({self._parts[slot][router] for router in routers}) > 1:
                return None
        return self._look(gid, slot, self._taken[slot])

    def _look(self, gid: int, slot: int, taken: bytearray) -> Laid | None:
        """Return how a group can be laid into a slot beside what is taken, None if it cannot."""
        group = self.wanted[gid]
        if any(taken[unit] for unit in (*group.routers, *group.own)):
            return None
        tree = self._alone.get(gid)
        if tree is not None and any(taken[router] for router in tree.routers):
            centre = self._centre[gid]
            self.work += min(len(self.graph.ends), 2 * (centre.radius + 1) ** 2)
            tree = lay_tree(self.graph, centre, group.routers, taken)
            if tree is None:
                return None
        self.seen[gid].setdefault(self.units(gid, tree), tree)
        return Laid(slot, tree)

    def _put(self, gid: int, laid: Laid) -> None:
        self.laid = {**self.laid, gid: laid}
        self._mark(gid, laid, 1)

    def _mark(self, gid: int, laid: Laid, value: int) -> None:
        self._parts.pop(laid.slot, None)
        for unit in self.units(gid, laid.tree):
            self._taken[laid.slot][unit] = value


def _routers(laid: Laid) -> int:
    return len(laid.tree.routers) if laid.tree else 0
