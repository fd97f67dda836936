"""Up/down routing: tables that cannot deadlock on any network; planners ``updown`` and ``btin``.

Source: paper BTIN, section 2.1, after M. Schroeder et al., Autonet, SRC Research Report 59, 1990;
its section 3.1 for planner ``btin``. The root of the spanning tree is the lowest-numbered of the
least eccentric switches. A link's end on the higher level is up, on one level that of the lower
number. A packet goes up zero or more links and then down zero or more. Tables of any making are
checked: they lead every packet home.
"""

import numpy as np

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Ints, Irregular
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.graph import least_eccentric, shapes
from syncfabric.models.planning.port_tree import PortTree

OWN = -1
"""A switch's entry for itself."""
MOST_ROUTED = 4096
"""Switches of the largest network that has routing tables."""


def check_arrival(topology: Irregular, tables: Ints) -> None:
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
        Packets go round in a cycle; it is named.
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
    path = [start]
    while (switch := int(after[path[-1], to])) not in path:
        path.append(switch)
    cycle = " -> ".join(map(str, [*path[path.index(switch) :], switch]))
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
        check_arrival(spec.topology, np.array(spec.tables, dtype=np.int64))
        return spec.tables
    return tuple(map(tuple, updown_tables(spec.topology).tolist()))


def tree_root(graph: Irregular, beside: int = 0) -> int:
    """Return the root of the spanning tree: the lowest-numbered of the least eccentric switches.

    If the network is in parts it is that of the part that a switch is in.
    """
    everyone = np.flatnonzero(graph.levels(beside) >= 0)
    nearest, _ = least_eccentric(graph, everyone, everyone)
    return int(nearest[0])


def updown_tables(topology: Irregular) -> Ints:
    """Return up/down tables, shape (q, q): row s holds switch s's port for each destination.

    A switch from which links down alone lead to the destination takes the shortest such path, since
    a packet may have come to it by a link down; any other goes up, to where the whole path is then
    shortest. Among equals the lowest port is taken.
    """
    count = topology.switches
    level = topology.levels(tree_root(topology))
    order = np.argsort(level, kind="stable")  # every link leads up to an earlier one
    rank = np.argsort(order)
    by_port = np.lexsort((topology.port, topology.owner))
    rows = np.split(by_port, topology.indptr[1:-1])
    up = rank[topology.neighbour] < rank[topology.owner]
    endless = np.int64(4 * count)
    length = np.full((count, count), endless)
    np.fill_diagonal(length, 0)
    ports = np.full((count, count), OWN, dtype=np.int64)
    for upwards, switches in ((False, order[::-1]), (True, order)):
        for switch in switches.tolist():
            row, entries = length[switch], rows[switch]
            wanted = row == endless if upwards else np.ones(count, dtype=bool)
            for entry in entries[up[entries] == upwards].tolist():
                links = length[topology.neighbour[entry]] + 1
                shorter = wanted & (links < row)
                row[shorter], ports[switch][shorter] = links[shorter], topology.port[entry]
    return ports


def updown_tree(graph: Irregular, members: Ints, *, member_root: bool = False) -> PortTree:
    """Build a group's tree over the spanning tree that the tables go by.

    Parameters
    ----------
    graph : Irregular
    members : array of int64
        The member switches, ascending, each once.
    member_root : bool
        Whether the root has to be a member: then it is the lowest-numbered of those least eccentric
        in the tree. Else it is the topmost switch above all members.
    """
    parents = graph.spanning(tree_root(graph, int(members[0])))
    tree = PortTree.pruned(graph, parents, members)
    # Above the first switch that is a member or has two children there is one path, and no member.
    wanted = (tree.child_count > 1) | np.isin(tree.routers, members)
    top = np.flatnonzero(wanted)[tree.depth[wanted].argmin()]
    parents[tree.routers[top]] = -1
    tree = PortTree.pruned(graph, parents, members)
    if not member_root:
        return tree
    below = np.flatnonzero(tree.parent >= 0)
    ends = np.stack(
        [tree.parent[below], tree.far_port[below], below, tree.parent_port[below]], axis=1
    )
    links = tuple(((a, b), (c, d)) for a, b, c, d in ends.tolist())
    alone = Irregular(len(tree), len(tree), links, ())
    places = np.searchsorted(tree.routers, members)
    nearest, _ = least_eccentric(alone, places, places)
    parents = alone.spanning(int(nearest[0]))
    numbers = np.where(parents >= 0, tree.routers[parents], -1)
    return PortTree.spanned(graph, tree.routers, numbers)


def btin_tree(graph: Irregular, members: Ints) -> PortTree:
    """Build the tree of least height around a member.

    Readings where the paper is open: the parent of a switch is the lowest-numbered switch of the
    level above; nonmember leaves go before trees are compared; among trees of equal height, edges
    and leaves that of the lowest-numbered root switch is taken; of parallel links that with the
    parent's lowest port. A tree's leaves are members, so its height is the root's distance to the
    farthest member: only the trees of the least eccentric members are built and compared.

    Parameters
    ----------
    graph : Irregular
    members : array of int64
        The member switches, ascending, each once.
    """
    nearest, _ = least_eccentric(graph, members, members)
    edges, leaves = shapes(graph, nearest, members)
    parents = graph.spanning(int(nearest[np.lexsort((nearest, leaves, edges))[0]]))
    return PortTree.pruned(graph, parents, members)
