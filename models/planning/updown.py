"""Up/down routing: tables that cannot deadlock on any network, and planner ``updown``.

Source: paper BTIN, section 2.1, after M. Schroeder et al., Autonet, SRC Research Report 59, 1990.
The root of the spanning tree is the lowest-numbered of the least eccentric switches. A link's end
on the higher level is up, on one level that of the lower number. A packet goes up zero or more
links and then down zero or more. Tables of any making are checked: they lead every packet home.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.centre import least_eccentric
from syncfabric.models.planning.graph import LinkGraph
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.tree import Ints

__all__ = [
    "MOST_ROUTED",
    "OWN",
    "UpDown",
    "build_tree",
    "check_ways",
    "far_switches",
    "next_switches",
    "routing_tables",
    "updown_tables",
]

OWN = -1
"""A switch's entry for itself."""


def check_ways(topology: Irregular, tables: Ints) -> None:
    """Refuse tables by which a packet never comes to its destination.

    Parameters
    ----------
    topology : Irregular
        The network.
    tables : array of int64, shape (q, q)
        Row s holds switch s's output port for each destination switch, ``OWN`` for itself; every
        port leads to a switch.

    Raises
    ------
    SpecError
        A way goes round in a cycle; it is named.
    """
    after = next_switches(topology, tables)
    columns, far = np.arange(len(after)), after
    # Doubled until it is more steps than there are switches: by then all have arrived, or never.
    for _ in range(len(after).bit_length()):
        far = far[far, columns]
    lost = np.argwhere(far != columns)
    if not len(lost):
        return
    start, to = lost[0].tolist()
    way = [start]
    while (switch := int(after[way[-1], to])) not in way:
        way.append(switch)
    cycle = " -> ".join(map(str, [*way[way.index(switch) :], switch]))
    raise SpecError(
        f"network: tables: packets for switch {to} go round in a cycle of switches, {cycle}; "
        f"lead one of these on to {to}"
    )


def next_switches(topology: Irregular, tables: Ints) -> Ints:
    """Return the switch that each entry leads to, shape (q, q); s itself for its own."""
    switches = np.arange(topology.switches)
    after: Ints = far_switches(topology)[switches[:, None], tables]
    after[switches, switches] = switches
    return after


def far_switches(topology: Irregular) -> Ints:
    """Return the switch across each link, by switch and port, shape (q, k); ``OWN`` where none."""
    ends = np.full((topology.switches, topology.ports), OWN, dtype=np.int64)
    links = topology.links_array
    ends[links[:, 0], links[:, 1]] = links[:, 2]
    ends[links[:, 2], links[:, 3]] = links[:, 0]
    return ends


MOST_ROUTED = 4096
"""Switches of the largest network that has routing tables."""


@dataclass(frozen=True, eq=False)
class UpDown:
    """Which way every link goes.

    Parameters
    ----------
    graph : LinkGraph
    parent, level : array of int64, shape (q,)
        The spanning tree, see ``LinkGraph.spanning``.
    """

    graph: LinkGraph
    parent: Ints
    level: Ints

    @classmethod
    def of(cls, graph: LinkGraph, beside: int = 0) -> UpDown:
        """Direct a network's links; if it is in parts, those of the part that a switch is in."""
        _, level = graph.spanning(beside)
        everyone = np.flatnonzero(level >= 0)
        nearest, _ = least_eccentric(graph, everyone, everyone)
        return cls(graph, *graph.spanning(int(nearest[0])))

    @cached_property
    def order(self) -> Ints:
        """The switches so that every link leads up to an earlier one, shape (q,)."""
        return np.argsort(self.level, kind="stable")

    def ways(self, *, up: bool) -> list[list[tuple[int, int]]]:
        """Return the links of each switch that lead up, or down: port and switch, by port."""
        rank = np.argsort(self.order)
        graph, ports = self.graph, self.graph.topology.port
        step = rank[graph.neighbour] - rank[graph.owner]
        chosen = np.flatnonzero(step < 0 if up else step > 0)
        ways: list[list[tuple[int, int]]] = [[] for _ in range(len(graph))]
        for entry in chosen[np.argsort(ports[chosen], kind="stable")].tolist():
            way = int(ports[entry]), int(graph.neighbour[entry])
            ways[graph.owner[entry]].append(way)
        return ways


def routing_tables(spec: IrregularSpec) -> tuple[tuple[int, ...], ...]:
    """Return the output port for every destination switch, switch by switch.

    They are the network file's, or up/down tables. The entry for the switch itself is -1.

    Raises
    ------
    SpecError
        The file's tables do not lead every packet to its destination, or there are more than
        ``MOST_ROUTED`` switches.
    """
    if spec.switches > MOST_ROUTED:
        raise SpecError(
            f"network: {spec.switches} switches are too many for routing tables, which grow with "
            f"their square; at most {MOST_ROUTED} can be routed, though more can be planned"
        )
    if spec.tables is not None:
        check_ways(spec.topology, np.array(spec.tables, dtype=np.int64))
        return spec.tables
    return tuple(map(tuple, updown_tables(spec.topology).tolist()))


def updown_tables(topology: Irregular) -> Ints:
    """Return up/down tables, shape (q, q): row s holds switch s's port for each destination.

    A switch from which links down alone lead to the destination takes the shortest such way, since
    a packet may have come to it by a link down; any other goes up, to where the whole way is then
    shortest. Among equals the lowest port is taken.
    """
    direction = UpDown.of(LinkGraph(topology))
    count = topology.switches
    ways_up, ways_down = direction.ways(up=True), direction.ways(up=False)
    order = direction.order.tolist()
    endless = np.int64(4 * count)
    length = np.full((count, count), endless)
    np.fill_diagonal(length, 0)
    ports = np.full((count, count), OWN, dtype=np.int64)
    for switch in reversed(order):
        for port, after in ways_down[switch]:
            way = length[after] + 1
            shorter = way < length[switch]
            length[switch][shorter], ports[switch][shorter] = way[shorter], port
    for switch in order:
        not_down = length[switch] == endless
        for port, after in ways_up[switch]:
            way = length[after] + 1
            shorter = not_down & (way < length[switch])
            length[switch][shorter], ports[switch][shorter] = way[shorter], port
    return ports


def build_tree(graph: LinkGraph, members: Ints, *, member_root: bool) -> PortTree:
    """Build a group's tree over the spanning tree that the tables go by.

    Parameters
    ----------
    graph : LinkGraph
    members : array of int64
        The member switches, ascending, each once.
    member_root : bool
        Whether the root has to be a member: then it is the lowest-numbered of those least eccentric
        in the tree. Else it is the topmost switch above all members.
    """
    parents = UpDown.of(graph, int(members[0])).parent.copy()
    tree = PortTree.pruned(graph, parents, members)
    # Above the first switch that is a member or has two children there is one way, and no member.
    wanted = (tree.child_count > 1) | np.isin(tree.routers, members)
    top = np.flatnonzero(wanted)[tree.depth[wanted].argmin()]
    parents[tree.routers[top]] = -1
    tree = PortTree.pruned(graph, parents, members)
    return _rerooted(graph, tree, members) if member_root else tree


def _rerooted(graph: LinkGraph, tree: PortTree, members: Ints) -> PortTree:
    below = np.flatnonzero(tree.parent >= 0)
    ends = np.stack(
        [tree.parent[below], tree.far_port[below], below, tree.parent_port[below]], axis=1
    )
    links = tuple(((a, b), (c, d)) for a, b, c, d in ends.tolist())
    alone = LinkGraph(Irregular(len(tree), len(tree), links, ()))
    places = np.searchsorted(tree.routers, members)
    nearest, _ = least_eccentric(alone, places, places)
    parents, _ = alone.spanning(int(nearest[0]))
    numbers = np.where(parents >= 0, tree.routers[parents], -1)
    return PortTree.spanned(graph, tree.routers, numbers)
