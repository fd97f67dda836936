"""A barrier tree over switches, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from syncfabric.models.planning.switch_graph import SwitchGraph
from syncfabric.models.planning.tree import Ints, path_sums

__all__ = ["SwitchTree"]


@dataclass(frozen=True, eq=False)
class SwitchTree:
    """A tree of switches.

    Parameters
    ----------
    switches : array of int64, shape (t,)
        The tree's switches, ascending.
    parent : array of int64, shape (t,)
        Position of each one's parent among them; -1 for the root.
    up_port, down_port : array of int64, shape (t,)
        Port of the switch to its parent, and of the parent to the switch; -1 for the root.
    """

    switches: Ints
    parent: Ints
    up_port: Ints
    down_port: Ints

    @classmethod
    def of(cls, graph: SwitchGraph, switches: Ints, parents: Ints) -> SwitchTree:
        """Join switches to their parents, by the lowest port of the parent's.

        Parameters
        ----------
        graph : SwitchGraph
            The network's switches.
        switches : array of int64, shape (t,)
            Ascending.
        parents : array of int64, shape (t,)
            The parent of each, a switch number; -1 for the root.
        """
        below = np.flatnonzero(parents >= 0)
        columns = [np.full(len(switches), -1, dtype=np.int64) for _ in range(3)]
        columns[0][below] = np.searchsorted(switches, parents[below])
        down, up = graph.ports_between(parents[below], switches[below])
        columns[1][below], columns[2][below] = up, down
        return cls(switches, *columns)

    @classmethod
    def pruned(cls, graph: SwitchGraph, parents: Ints, members: Ints) -> SwitchTree:
        """Keep of a spanning tree what leads to a member, up to its root.

        Parameters
        ----------
        graph : SwitchGraph
            The network's switches.
        parents : array of int64, shape (q,)
            The parent of every switch.
        members : array of int64
            The switches that stay, with all above them.
        """
        kept = np.zeros(len(graph), dtype=bool)
        front = members
        while len(front):
            kept[front] = True
            above = parents[front]
            front = np.unique(above[(above >= 0) & ~kept[above]])
        switches = np.flatnonzero(kept)
        return cls.of(graph, switches, parents[switches])

    def __len__(self) -> int:
        return len(self.switches)

    @cached_property
    def root_position(self) -> int:
        """Position of the root among the tree's switches."""
        return int(np.flatnonzero(self.parent < 0)[0])

    @property
    def root(self) -> int:
        """The root switch."""
        return int(self.switches[self.root_position])

    @cached_property
    def depth(self) -> Ints:
        """Edges from the root to each switch, shape (t,)."""
        return path_sums(self.parent, (self.parent >= 0).astype(np.int64))

    @property
    def height(self) -> int:
        """Edges on the longest way down, which are links too."""
        return int(self.depth.max())

    @cached_property
    def child_count(self) -> Ints:
        """Switches just below each, shape (t,)."""
        return np.bincount(self.parent[self.parent >= 0], minlength=len(self))

    @property
    def edges(self) -> list[list[int]]:
        """Every [child, parent], in order of the children."""
        below = np.flatnonzero(self.parent >= 0)
        pairs = np.stack([self.switches[below], self.switches[self.parent[below]]], axis=1)
        listed: list[list[int]] = pairs.tolist()
        return listed

    def positions(self, switches: Ints) -> Ints:
        """Return the positions of switches of the tree."""
        return np.searchsorted(self.switches, switches)
