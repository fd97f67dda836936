"""Schemes of irregular networks: paper BTIN's own, and those it is compared with.

Set-up of a tree is the paper's ``Setup_Register`` (sections 3 and 5.1): every switch of the tree
holds a register; the representative of a member switch writes that of its own, and asks a node of
each nonmember switch, by a message, to write that one's. A switch that has no node is counted like
the others, though the paper leaves open who could write its register. That all members know the
group and the network is taken for granted in all schemes, as in the paper's section 2.2.

With multicast and unicast members each send the root node a message (sections 4.3 and 5). The root
node is BTIN's, and a multicast goes out along BTIN's tree: the paper names neither. Set-up after
Table 2: the root works everything out; with multicast it sends a node of every other member switch
what to set up there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Ints, Irregular, Place
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning import updown as trees
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.updown import next_switches
from syncfabric.models.schemes.scheme import Cost, Scheme
from syncfabric.models.timing.btin import Method, PacketTiming, Timing, formula_ns, packets_ns


@dataclass(frozen=True, eq=False)
class Routes:
    """A network and the routes of packets in it; groups on it share what is worked out once.

    Parameters
    ----------
    topology : Irregular
    tables : sequence of sequence of int, optional
        Routing tables; up/down ones if left out.
    """

    topology: Irregular
    tables: Sequence[Sequence[int]] | None = None

    @classmethod
    def of(cls, network: IrregularSpec) -> Routes:
        """Take a network file's links, nodes and tables."""
        return cls(network.topology, network.tables)

    @property
    def links_a_switch(self) -> float:
        """Links that a switch has to others, on average: the c of ``multicast_ns``.

        Where there is but one switch, 1: the port of the root node.
        """
        return 2 * len(self.topology.links) / self.topology.switches or 1.0

    @cached_property
    def _after(self) -> Ints:
        """The next switch on the route from each switch to each, shape (q, q)."""
        if self.topology.switches > trees.MOST_ROUTED:
            raise PlanError(
                f"Packets' paths: {self.topology.switches} switches are too many for routing "
                f"tables; at most {trees.MOST_ROUTED} can be routed, so take btin or updown"
            )
        if self.tables is None:
            return next_switches(self.topology, trees.updown_tables(self.topology))
        return next_switches(self.topology, np.array(self.tables, dtype=np.int64))

    def hops(self, sources: Ints, targets: Ints) -> Ints:
        """Return the links between switches on the packets' routes, by the tables.

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
        while (in_flight := at != targets).any():
            count += in_flight
            at = self._after[at, targets]
        return count


@dataclass(frozen=True, eq=False)
class Group:
    """Members of a network.

    Parameters
    ----------
    routes : Routes
        Of the network.
    members : sequence of Place
        Nodes, as switch and port, each once.
    """

    routes: Routes
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
    def tree(self) -> PortTree:
        """The tree that planner ``btin`` builds; the root node is at its root."""
        return trees.btin_tree(self.routes.topology, self.switches)

    @cached_property
    def updown_tree(self) -> PortTree:
        """The tree that planner ``updown`` builds around a member."""
        return trees.updown_tree(self.routes.topology, self.switches, member_root=True)

    @property
    def _root(self) -> Ints:
        """The root switch, once for each member."""
        return np.full(len(self), self.tree.root, dtype=np.int64)

    @cached_property
    def inward(self) -> int:
        """Links between switches that a packet from each member to the root node takes."""
        return int(self.routes.hops(self.at, self._root).sum())

    @cached_property
    def outward(self) -> int:
        """The same of a packet from the root node to each."""
        return int(self.routes.hops(self._root, self.at).sum())

    @cached_property
    def direct(self) -> int:
        """The same in either direction, if packets took the shortest paths."""
        level = self.routes.topology.levels(self.tree.root)
        return int(level[self.at].sum())


def along(tree: PortTree, group: Group, times: Timing) -> Cost:
    """Return what barriers along a tree over a group's switches cost.

    Parameters
    ----------
    tree : PortTree
        Its root is a member switch.
    group : Group
        Two members or more.
    times : Timing

    Returns
    -------
    Cost
        Nodes touched are the tree's switches, each with a register; in the paper nodes have none.
        Every link is passed once up and once down.
    """
    return Cost(
        setup_messages=len(tree) - len(group.switches),
        setup_nodes=len(tree),
        height=tree.height,
        latency_ns=formula_ns(tree.height, times),
        traversals=2 * (len(tree) - 1),
    )


def by_packets(method: Method, group: Group, times: PacketTiming) -> Cost:
    """Return the cost of messages of two members or more to the root, and of what it sends back.

    With ``multicast`` that is one message, which the switches replicate: nodes touched are the
    member switches, and the height is that of the tree by which it goes out. With ``unicast`` it is
    one to each other member: the root alone is touched, and the height is the n - 1 messages in
    turn.
    """
    members, height = len(group), group.tree.height
    latency = packets_ns(method, height, members, group.routes.links_a_switch, times)
    if method == "unicast":
        return Cost(0, 1, members - 1, latency, group.inward + group.outward)
    switches, edges = len(group.switches), len(group.tree) - 1
    return Cost(switches - 1, switches, height, latency, group.inward + edges)


def _scheme(
    name: str, title: str, place: str, times: type[Timing], cost: Callable[[Group, Any], Cost]
) -> Scheme:
    def of(network: IrregularSpec, members: Sequence[Place], given: Timing) -> Cost:
        return cost(Group(Routes.of(network), members), given)

    return Scheme(name, title, place, ("irregular",), times, of)


IRREGULAR = (
    _scheme(
        "btin",
        "messages merged and replicated along a tree of switches of least height",
        "paper BTIN, section 3",
        Timing,
        lambda group, times: along(group.tree, group, times),
    ),
    _scheme(
        "updown",
        "the same along the tree of up/down routing",
        "paper BTIN, section 1",
        Timing,
        lambda group, times: along(group.updown_tree, group, times),
    ),
    _scheme(
        "multicast",
        "a message from each member to the root, and one that switches replicate",
        "paper BTIN, section 4.3",
        PacketTiming,
        lambda group, times: by_packets("multicast", group, times),
    ),
    _scheme(
        "unicast",
        "a message from each member to the root, and one from the root to each",
        "paper BTIN, section 4.3",
        PacketTiming,
        lambda group, times: by_packets("unicast", group, times),
    ),
)
