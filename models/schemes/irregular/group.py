"""A group on an irregular network: its switches, its trees, and the ways of its packets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning import btin, updown
from syncfabric.models.planning.switch_graph import SwitchGraph
from syncfabric.models.planning.switch_tree import SwitchTree
from syncfabric.models.planning.tables import next_switches
from syncfabric.models.planning.tree import Ints

__all__ = ["Group", "Ways"]


@dataclass(frozen=True, eq=False)
class Ways:
    """A network and the ways of packets in it; groups on it share what is worked out once.

    Parameters
    ----------
    topology : Irregular
    tables : sequence of sequence of int, optional
        Routing tables; up/down ones if left out.
    """

    topology: Irregular
    tables: Sequence[Sequence[int]] | None = None

    @classmethod
    def of(cls, network: IrregularSpec) -> Ways:
        """Take a network file's links, nodes and tables."""
        return cls(network.topology, network.tables)

    @cached_property
    def graph(self) -> SwitchGraph:
        """The switches."""
        return SwitchGraph.of(self.topology)

    @property
    def links_a_switch(self) -> float:
        """Links that a switch has to others, on average: the c of ``multicast_ns``.

        Where there is but one switch, 1: the port of the root node.
        """
        return 2 * len(self.topology.links) / self.topology.switches or 1.0

    @cached_property
    def _after(self) -> Ints:
        """The next switch on the way from each switch to each, shape (q, q)."""
        if self.topology.switches > updown.MOST_ROUTED:
            raise PlanError(
                f"Packets' ways: {self.topology.switches} switches are too many for routing "
                f"tables; at most {updown.MOST_ROUTED} can be routed, so take btin or updown"
            )
        if self.tables is None:
            return next_switches(self.topology, updown.updown_tables(self.topology))
        return next_switches(self.topology, np.array(self.tables, dtype=np.int64))

    def hops(self, sources: Ints, targets: Ints) -> Ints:
        """Return the links between switches on the packets' ways, by the tables.

        Parameters
        ----------
        sources, targets : array of int64, shape (n,)
            The switches of the nodes that send, and of those that they send to.

        Raises
        ------
        PlanError
            There are too many switches for routing tables.
        """
        at, count = sources, np.zeros(sources.shape, dtype=np.int64)
        while (under_way := at != targets).any():
            count += under_way
            at = self._after[at, targets]
        return count


@dataclass(frozen=True, eq=False)
class Group:
    """Members of a network.

    Parameters
    ----------
    ways : Ways
        Of the network.
    members : sequence of Place
        Nodes, as switch and port, each once.
    """

    ways: Ways
    members: Sequence[Place]

    def __len__(self) -> int:
        return len(self.members)

    @cached_property
    def at(self) -> Ints:
        """The switch of each member, shape (n,)."""
        return np.array([switch for switch, _ in self.members], dtype=np.int64)

    @cached_property
    def switches(self) -> Ints:
        """The member switches, ascending, each once."""
        return np.unique(self.at)

    @cached_property
    def tree(self) -> SwitchTree:
        """The tree that planner ``btin`` builds; the root node is at its root."""
        return btin.build_tree(self.ways.graph, self.switches)

    @cached_property
    def updown_tree(self) -> SwitchTree:
        """The tree that planner ``updown`` builds around a member."""
        return updown.build_tree(self.ways.graph, self.switches, member_root=True)

    @property
    def _root(self) -> Ints:
        """The root switch, once for each member."""
        return np.full(len(self), self.tree.root, dtype=np.int64)

    @cached_property
    def inward(self) -> int:
        """Links between switches that a packet from each member to the root node takes."""
        return int(self.ways.hops(self.at, self._root).sum())

    @cached_property
    def outward(self) -> int:
        """The same of a packet from the root node to each."""
        return int(self.ways.hops(self._root, self.at).sum())

    @cached_property
    def direct(self) -> int:
        """The same either way, if packets took the shortest ways there are."""
        _, level = self.ways.graph.spanning(self.tree.root)
        return int(level[self.at].sum())
