"""Deadlock freedom, checked: the graph of channels that can wait for each other has no cycle.

A channel is one virtual channel of one link. There is an edge from a channel to every channel that
a message which holds the first may wait for. No cycle means no deadlock (Dally and Seitz, IEEE
Trans. Computers 36(5), 1987; paper BTM, section 3.2; paper BTIN, section 4.2). Which edges there
are: see ``channel_graph``.

What arrives waits for nothing: a sink takes packets, and an engine has room for every message of
its groups that can be under way, so that merging and replication add no edges. Barrier wires are no
channels: no two groups share one. A process takes the results of its streams.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import networkx as nx
import numpy as np

from syncfabric.models.errors import DeadlockError, about
from syncfabric.models.networks.irregular import Ints
from syncfabric.models.networks.mesh import Mesh, Node, Port, Turn
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.updown import far_switches, next_switches, routing_tables

__all__ = ["Channel", "channel_graph", "check", "find_cycle"]

CARDINAL = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
CLASS_NAMES = {Turn.X_FIRST: "sync X-Y", Turn.Y_FIRST: "sync Y-X"}
SYNC, TURN = "sync", -1
AT_A_TIME = 64
"""Destinations whose packets are followed together: bounds what is in memory."""


@dataclass(frozen=True, order=True)
class Channel:
    """One virtual channel of the link that leaves a mesh's node, or a switch, by a port.

    At a mesh's LOCAL port it is a sink: the processor's, or the engine's. With ``from_node`` it is
    that of the link to the switch from the node on the port.
    """

    place: Node | int
    port: int
    lane: str
    from_node: bool = False

    def __str__(self) -> str:
        if self.from_node:
            return f"{self.lane}: link from node ({self.place}, {self.port})"
        if self.port == TURN:
            return f"{self.lane}: turned around at {self.place}"
        if isinstance(self.place, int):
            return f"{self.lane}: link from switch {self.place}, port {self.port}"
        if self.port == Port.LOCAL:
            return f"{self.lane}: taken in at {self.place}"
        return f"{self.lane}: link {Port(self.port).name.lower()} from {self.place}"


Channels: TypeAlias = "nx.DiGraph[Channel]"


def channel_graph(plan: BarrierPlan, *, shared: bool = False) -> Channels:
    """Build the channel-dependence graph of a planned network.

    Of a mesh, in O(nodes): edges are those of ordinary packets between any two nodes, X-Y, in each
    ordinary channel, and of routed barrier messages of any group, now planned or written later: X-Y
    in one channel, Y-X in the other.

    Of an irregular network: edges are those of packets that the tables route, between any switch
    with a node and any switch, from each ordinary channel; with datelines from the even ones, where
    packets start. Packets that bring their own route are not in it: their sender answers for it.

    Messages from neighbour to neighbour add none: each crosses one link and is taken by the engine
    there, and holds nothing while it waits.

    Of streams: a word on its way up waits for a place nearer to the root, and where the turn and
    forks bring it, for places farther from it (docs/microarchitecture-streams.md, V4, V5, V11). It
    waits for words of its group that come by other ports of the join, and so for whatever else may
    be before them in their channels.

    Parameters
    ----------
    plan : BarrierPlan
        The network.
    shared : bool
        Both classes of a mesh's routed messages in one channel, and all streams in one of each link
        (which must not be built).

    Returns
    -------
    networkx.DiGraph
        An edge from each ``Channel`` to those that it may wait for.

    Raises
    ------
    SpecError
        The network file's routing tables lead some packet astray.
    """
    network = plan.spec.message_network
    graph: Channels = nx.DiGraph()
    graph.add_edges_from(_stream_edges(plan, shared=shared))
    if isinstance(network, MeshSpec):
        lanes = [(Turn.X_FIRST, f"packets {channel}") for channel in range(network.channels)]
        if network.transport == "routed":
            lanes += [(t, SYNC if shared else name) for t, name in CLASS_NAMES.items()]
        for turn, lane in lanes:
            graph.add_edges_from(_all_pairs(network.topology, turn, lane))
        return graph
    graph.add_nodes_from(_channels(network))
    step = 2 if network.datelines else 1
    edges = _packet_edges(network).tolist() if network.routed_by_tables else ()
    for switch, port, odd, after, onward, odd_after in edges:
        for channel in range(0, network.channels, step):
            graph.add_edge(
                Channel(switch, port, f"packets {channel + odd}"),
                Channel(after, onward, f"packets {channel + odd_after}"),
            )
    return graph


def _stream_edges(plan: BarrierPlan, *, shared: bool) -> Iterator[tuple[Channel, Channel]]:
    """Yield the edges of joins and forks.

    That words of a group come by a channel is a node, too: it waits for those before them in the
    channel, if others use it, and for the words that the child joins.
    """
    users: dict[Channel, set[Channel]] = {}
    for group in plan.groups:
        if group.stream_bound is None:
            continue
        entries = plan.spec.message_network.shape.router.layout.entries
        lane = "stream" if shared else f"stream {min(group.placement.values()) - entries}"
        tree, words = group.tree, f"words of group {group.id}"
        far = {end: other for a, b in group.graph.links for end, other in ((a, b), (b, a))}
        for position, router in enumerate(tree.routers.tolist()):
            up = int(tree.parent_port[position])
            above = _at(group, lane, router, up if up >= 0 else TURN)
            source = _at(group, lane, *far[router, up]) if up >= 0 else above
            comes = _at(group, words, router, up) if up >= 0 else None
            inputs = []
            for port in tree.children(position):
                yield source, _at(group, lane, router, port)
                child, end = far.get((router, port), (router, port))
                own = (router, port) not in far
                here = _at(group, lane, child, end, from_node=own)
                there = _at(group, words, child, end, from_node=own)
                yield here, above
                users.setdefault(here, set()).add(there)
                inputs.append((here, there))
                if comes:
                    yield comes, there
            yield from ((a, there) for a, _ in inputs for b, there in inputs if a != b)
    for channel, arrivals in users.items():
        yield from ((there, channel) for there in arrivals if len(arrivals) > 1)


def _at(group: GroupPlan, lane: str, router: int, port: int, *, from_node: bool = False) -> Channel:
    shown = group.graph.shown(router)
    place = shown if isinstance(shown, int) else (shown[0], shown[1])
    return Channel(place, port, lane, from_node)


def _all_pairs(mesh: Mesh, turn: Turn, lane: str) -> Iterator[tuple[Channel, Channel]]:
    """Yield the edges of messages between any two nodes, turn by turn at each router."""
    first = (Port.EAST, Port.WEST) if turn is Turn.X_FIRST else (Port.NORTH, Port.SOUTH)
    for node in mesh.nodes:
        for port in CARDINAL:
            if (after := mesh.neighbour(node, port)) is None:
                continue
            here = Channel(node, port, lane)
            yield here, Channel(after, Port.LOCAL, lane)
            turns = [p for p in CARDINAL if p not in first] if port in first else []
            for onward in (port, *turns):
                if mesh.neighbour(after, onward) is not None:
                    yield here, Channel(after, onward, lane)


def _channels(network: IrregularSpec) -> Iterator[Channel]:
    lanes = [*(f"packets {channel}" for channel in range(network.channels)), SYNC]
    links = [end for link in network.links for end in link]
    for (switch, port), lane in product([*links, *network.nodes], lanes):
        yield Channel(switch, port, lane)
    for (switch, port), lane in product(network.nodes, lanes):
        yield Channel(switch, port, lane, from_node=True)


def _packet_edges(network: IrregularSpec) -> Ints:
    """Return where a packet may hold a link's channel and wait for the next link's.

    Returns
    -------
    array of int64, shape (edges, 6)
        Switch, port, and 1 after a dateline; the same of the next link.
    """
    topology, count = network.topology, network.switches
    tables = np.array(routing_tables(network), dtype=np.int64)
    after = next_switches(topology, tables)
    passes = np.zeros((count, network.ports), dtype=np.int64)
    for place in network.datelines:
        passes[place] = 1
    shape = (count, network.ports, 2, network.ports, 2)
    found = np.empty(0, dtype=np.int64)
    # Packets for one switch never mind those for another: a few destinations at a time.
    for first in range(0, count, AT_A_TIME):
        to = np.arange(first, min(first + AT_A_TIME, count))
        # Where packets may be: at a switch, on the way to another, before or after a dateline.
        reached = np.zeros((count, to.size, 2), dtype=bool)
        reached[topology.nodes_array[:, 0], :, 0] = True
        fresh = reached.copy()
        while fresh.any():
            here, column, before = np.nonzero(fresh)
            there = after[here, to[column]]
            on_way = there != to[column]
            here, column, before, there = (x[on_way] for x in (here, column, before, there))
            port, onward = tables[here, to[column]], tables[there, to[column]]
            odd = before | passes[here, port]
            edges = (here, port, odd, onward, odd | passes[there, onward])
            found = np.union1d(found, np.ravel_multi_index(edges, shape))
            fresh[:] = False
            fresh[there, column, odd] = True
            fresh &= ~reached
            reached |= fresh
    here, port, odd, onward, odd_after = np.unravel_index(found, shape)
    there = far_switches(topology)[here, port]
    return np.stack([here, port, odd, there, onward, odd_after], axis=1)


def check(plan: BarrierPlan, *, shared: bool = False) -> None:
    """Refuse a plan whose channels can wait for each other in a cycle.

    Parameters
    ----------
    plan : BarrierPlan
    shared : bool
        As of :func:`channel_graph`.

    Raises
    ------
    DeadlockError
        The cycle, channel by channel.
    SpecError
        A network file's routing tables lead some packet astray.
    """
    with about(plan.spec.source):
        cycle = find_cycle(channel_graph(plan, shared=shared))
        if cycle:
            steps = "\n".join(f"  {channel}" for channel in [*cycle, cycle[0]])
            raise DeadlockError(
                f"Network {plan.spec.name} can deadlock: {len(cycle)} channels wait for each other "
                f"in a cycle:\n{steps}"
            )


def find_cycle(graph: Channels) -> list[Channel]:
    """Return the channels of a short cycle, each waiting for the next; empty if there is none."""
    knots = (part for part in nx.strongly_connected_components(graph) if len(part) > 1)
    knot = min(knots, key=lambda part: (len(part), min(part)), default=None)
    if knot is None:
        return [channel for channel in graph if graph.has_edge(channel, channel)][:1]
    inside = graph.subgraph(knot)
    start = min(knot)
    return min(
        (nx.shortest_path(inside, after, start) for after in inside[start]),
        key=lambda way: (len(way), way),
    )
