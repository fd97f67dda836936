"""A barrier tree over switches, as arrays, and the registers of switches and node interfaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.planning.switch_graph import SwitchGraph
from syncfabric.models.planning.tree import Ints, path_sums

__all__ = ["PROCESS_PORT", "UPLINK_PORT", "PortRegister", "Seat", "SwitchTree"]

UPLINK_PORT, PROCESS_PORT = 0, 1
"""Ports of a node interface."""

Seat: TypeAlias = int | Place
"""Where a register is: at a switch, by its number, or at a node's interface."""


@dataclass(frozen=True)
class PortRegister:
    """The image of a barrier register that knows its neighbours by port (paper BTIN, Fig. 4).

    Parameters
    ----------
    gid : int
        Group identifier.
    seat : int or Place
        The switch, or the node.
    parent : int or None
        Port that leads to the parent; None at the root.
    children : tuple of int
        Ports that lead to children, ascending.
    op : str
        How the group combines its data.
    epoch : int
        Epoch of the set-up.
    """

    gid: int
    seat: Seat
    parent: int | None
    children: tuple[int, ...]
    op: str = "or"
    epoch: int = 0


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

    @classmethod
    def by_ports(
        cls, topology: Irregular, root: int, up_ports: Mapping[int, int | None]
    ) -> SwitchTree:
        """Follow each switch's port to its parent over the link; the root's is not looked at.

        Raises
        ------
        SpecError
            No link is there.
        """
        rows = [[root, -1, -1, -1]]
        for switch, port in up_ports.items():
            if switch != root and port is not None:
                end = topology.across(switch, port)
                if end is None:
                    raise SpecError(f"switch {switch}: no link is at port {port}; plan again")
                rows.append([switch, end[0], port, end[1]])
        table = np.array(sorted(rows), dtype=np.int64)
        switches, parents, up_port, down_port = np.ascontiguousarray(table.T)
        positions = np.where(parents < 0, -1, np.searchsorted(switches, parents))
        return cls(switches, positions, up_port, down_port)

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

    def child_masks(self, nodes: Ints) -> NDArray[np.int64]:
        """Return the ports to children, a bit each, shape (t,).

        Parameters
        ----------
        nodes : array of int64, shape (n, 2)
            The nodes that are children too, as rows of switch and port.
        """
        masks = np.zeros(len(self), dtype=np.int64)
        below = np.flatnonzero(self.parent >= 0)
        np.bitwise_or.at(masks, self.parent[below], np.int64(1) << self.down_port[below])
        np.bitwise_or.at(masks, self.positions(nodes[:, 0]), np.int64(1) << nodes[:, 1])
        return masks
