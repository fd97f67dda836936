"""Deadlock freedom, checked: the graph of channels that can wait for each other has no cycle.

A channel is one virtual channel of one link. There is an edge from a channel to every channel that
a message which holds the first may wait for. No cycle means no deadlock (Dally and Seitz, IEEE
Trans. Computers 36(5), 1987; paper BTM, section 3.2; paper BTIN, section 4.2). Which edges there
are: see ``channel_graph``.

What arrives waits for nothing: a sink takes packets, and an engine has room for every message of
its groups that can be in flight, so that merging and replication add no edges. Barrier wires are no
channels: no two groups share one. A process takes the results of its streams.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

import networkx as nx
import numpy as np

from syncfabric.models.errors import DeadlockError, about
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Ints, Irregular, Place
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec, StaticSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.updown import far_switches, next_switches, routing_tables

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
Held: TypeAlias = tuple[int, int, int]
"""A router, an output, and whether it is the odd channel of two."""


Escape: TypeAlias = Literal["kept", "left", "none"]
NO_REPLIES: Mapping[int, int] = {}


def channel_graph(
    plan: BarrierPlan,
    *,
    shared: bool = False,
    restart: bool = True,
    escape: Escape = "kept",
    replies: Mapping[int, int] = NO_REPLIES,
) -> Channels:
    """Build the channel-dependence graph of a planned network.

    Where routers have coordinates, in O(nodes): edges are those of packets between any two routers,
    dimension by dimension, in each ordinary channel, and in that of set-up, in which none takes a
    link that closes a ring; also of routed barrier messages of any group, now planned or written
    later: through the dimensions in their order in one channel, backwards in another, and behind
    datelines in two more.

    With adaptive routing it is the extended graph of Duato (IEEE Trans. Parallel and Distributed
    Systems 4(12), 1993), of escape channels alone: an edge from each to the next one that a packet
    may request while it holds the first, at once (direct) or with adaptive channels between the two
    (indirect). A packet that stays in escape channels (R4.6) has none of these: the graph is that
    of dimension order.

    Of other networks: edges are those of packets that the tables route, between any switch
    with a node and any switch, from each ordinary channel; with datelines from the even ones, where
    packets start. Packets that bring their own route are not in it: their sender answers for it.

    Messages from neighbour to neighbour add none: each crosses one link and is taken by the engine
    there, and holds nothing while it waits.

    Of streams: a word going up waits for a place nearer to the root, and where the turn and
    forks bring it, for places farther from it (docs/microarchitecture-streams.md, V4, V5, V11). It
    waits for words of its group that come by other ports of the join, and so for whatever else may
    be before them in their channels.

    Parameters
    ----------
    plan : BarrierPlan
        The network.
    shared : bool
        Both classes of routed messages in one channel, and all streams in one of each link
        (which must not be built).
    restart : bool
        Packets begin each dimension in the even channel; else they keep the odd one (which must not
        be built either).
    escape : {"kept", "left", "none"}
        With adaptive routing: packets stay in escape channels, go back to adaptive ones, or adapt
        in all channels (of which only the first is built). Others than "kept" are for small
        networks: every packet's routes are followed.
    replies : mapping of int to int
        Where nodes take a packet only when they can send a reply, as cores do: the channel of the
        reply, by that of the packet.

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
    topology, grid = network.topology.graph, network.shape.router.grid
    lines = {*network.shape.datelines}
    # The lanes of even and odd channels, and the edges in them.
    waits: list[tuple[tuple[str, str], Iterable[tuple[Held, Held]]]] = []
    ordinary: list[tuple[Held, Held]] = []
    if grid:
        if network.shape.router.escapes and escape != "kept":
            ordinary = [*_adaptive_edges(topology, grid, lines, escape=escape == "left")]
        else:
            ordinary = [*_grid_edges(topology, grid, lines, restart=restart)]
        forth = range(len(grid.sides))
        for order in (forth, forth[::-1]) if network.transport == "routed" else ():
            axes = "-".join(grid.names[axis].upper() for axis in order)
            name = SYNC if shared else f"{SYNC} {axes}"
            barriers = _grid_edges(topology, grid, lines, order=order, halves=True)
            waits.append(((name, f"{name}, behind datelines"), barriers))
        if network.managed:
            waits.append((("set-up", ""), _grid_edges(topology, grid, plain=bool(lines))))
    else:
        graph.add_nodes_from(_channels(network))
        if isinstance(network, IrregularSpec) and network.routed_by_tables:
            found = _packet_edges(network).tolist()
            ordinary = [((a, p, v), (b, q, w)) for a, p, v, b, q, w in found]
    escapes = network.shape.router.escapes
    for first in range(0, escapes or network.channels, 2 if lines else 1):
        waits.append(((f"packets {first}", f"packets {first + 1}"), ordinary))
    for lanes, edges in waits:
        for ends in edges:
            here, there = (_channel(topology, lanes[odd], r, port) for r, port, odd in ends)
            graph.add_edge(here, there)
    graph.add_edges_from([*_reply_edges(graph, topology, replies)])
    return graph


def _reply_edges(
    graph: Channels, topology: Irregular, replies: Mapping[int, int]
) -> Iterator[tuple[Channel, Channel]]:
    """Yield the edges from each channel into a router to those by which replies leave it."""
    far = {end: other[0] for link in topology.links for end, other in (link, link[::-1])}
    for (request, reply), (here, there) in product(replies.items(), far.items()):
        held = _channel(topology, f"packets {request}", *here)
        for port in range(topology.ports) if held in graph else ():
            if (there, port) in far:
                yield held, _channel(topology, f"packets {reply}", there, port)


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
    return _channel(group.graph, lane, router, port, from_node=from_node)


def _channel(
    graph: Irregular, lane: str, router: int, port: int, *, from_node: bool = False
) -> Channel:
    shown = graph.shown(router)
    place = shown if isinstance(shown, int) else (shown[0], shown[1])
    return Channel(place, port, lane, from_node)


def _grid_edges(
    graph: Irregular,
    grid: Grid,
    datelines: Collection[Place] = (),
    *,
    order: Sequence[int] = (),
    plain: bool = False,
    restart: bool = True,
    halves: bool = False,
) -> Iterator[tuple[Held, Held]]:
    """Yield the edges of packets that go by dimensions between any two routers.

    Parameters
    ----------
    graph : Irregular
    grid : Grid
    datelines : collection of Place
        Outputs at which packets go over to the odd channel.
    order : sequence of int, optional
        The dimensions, as packets take them.
    plain : bool
        No packet takes a link that closes a ring.
    restart : bool
        Packets begin each dimension in the even channel.
    halves : bool
        Halfway around a ring they go up or down; else up from even places, down from odd.
    """
    far = {end: other[0] for link in graph.links for end, other in (link, link[::-1])}
    for end in grid.datelines() if plain else ():
        del far[end]
    axes = [(axis, dict.fromkeys(grid.axes[axis])) for axis in order or range(len(grid.sides))]
    for place, (axis, ports) in enumerate(axes):
        side, ring = grid.sides[axis], grid.rings[axis] and not plain
        later = [port for _, further in axes[place + 1 :] for port in further]
        begins = (0, 1) if place and not restart else (0,)
        # Where packets begin, by parity, their greatest number of links may differ.
        apart = ring and not halves and not side % 2
        for port, parity in product(ports, (0, 1) if apart else (None,)):
            most = side - 1 if not ring else (side - (parity == (port == axis))) // 2
            seen: set[Held] = set()
            level = [
                (router, port, odd or int((router, port) in datelines))
                for odd in begins
                for router in range(len(graph))
                if (router, port) in far and parity in (None, grid.place(router)[axis] % 2)
            ]
            # The first time that a channel is met is after the fewest links.
            for links in range(most):
                level, last = [], level
                for held in dict.fromkeys(last):
                    if held in seen:
                        continue
                    seen.add(held)
                    there, odd = far[held[:2]], held[2]
                    if graph.own:
                        yield held, (there, graph.ports - 1, odd)
                    for onward in later:
                        if (there, onward) in far:
                            even = 0 if restart else odd
                            yield held, (there, onward, even or int((there, onward) in datelines))
                    if links + 1 < most and (there, port) in far:
                        level.append((there, port, odd or int((there, port) in datelines)))
                        yield held, level[-1]


def _adaptive_edges(
    graph: Irregular, grid: Grid, datelines: Collection[Place], *, escape: bool
) -> Iterator[tuple[Held, Held]]:
    """Yield the edges of packets that adapt wherever they are.

    Parameters
    ----------
    graph : Irregular
    grid : Grid
    datelines : collection of Place
    escape : bool
        They are those of the extended graph of escape channels; else of all channels, taken as one
        a link.
    """
    far = {end: other[0] for link in graph.links for end, other in (link, link[::-1])}
    for to in range(len(graph)):
        # Where packets are, their last channel of the graph, and whether they are still in it.
        states: list[tuple[int, Held | None, bool]]
        states = [(router, None, False) for router in range(len(graph))]
        seen = {*states}
        while states:
            router, held, inside = states.pop()
            ports = [*_minimal(grid, router, to)]
            further = [(far[router, port], held, False) for port in ports if escape]
            for port in ports[:1] if escape else ports:
                stays = inside and held and held[1] == port and held[2]
                odd = escape and (stays or (router, port) in datelines)
                lane = router, port, int(odd)
                further.append((far[router, port], lane, True))
                if held:
                    yield held, lane
            states += {*further} - seen
            seen.update(further)


def _minimal(grid: Grid, here: int, there: int) -> Iterator[int]:
    """Yield the ports that lead nearer to a router, by dimension; half of a ring by parity."""
    axes = zip(grid.axes, grid.sides, grid.rings, grid.place(here), grid.place(there), strict=True)
    for (up, down), side, ring, h, t in axes:
        if h != t:
            yield up if (2 * ((t - h) % side) < side + 1 - h % 2 if ring else t > h) else down


def _channels(network: MessageSpec) -> Iterator[Channel]:
    graph = network.topology.graph
    lanes = [*(f"packets {channel}" for channel in range(network.channels)), SYNC]
    links = [end for link in graph.links for end in link]
    for (switch, port), lane in product([*links, *graph.nodes], lanes):
        yield Channel(switch, port, lane)
    for (switch, port), lane in product(graph.nodes, lanes):
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
        # Where packets may be: at a switch, between two, before or after a dateline.
        reached = np.zeros((count, to.size, 2), dtype=bool)
        reached[topology.nodes_array[:, 0], :, 0] = True
        fresh = reached.copy()
        while fresh.any():
            here, column, before = np.nonzero(fresh)
            there = after[here, to[column]]
            going_on = there != to[column]
            here, column, before, there = (x[going_on] for x in (here, column, before, there))
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


def check(
    plan: BarrierPlan,
    *,
    shared: bool = False,
    restart: bool = True,
    escape: Escape = "kept",
    replies: Mapping[int, int] = NO_REPLIES,
) -> None:
    """Refuse a plan whose channels can wait for each other in a cycle.

    On a static network each route has links of its own, so that none do.

    Parameters
    ----------
    plan : BarrierPlan
    shared, restart, escape, replies
        As of :func:`channel_graph`.

    Raises
    ------
    DeadlockError
        The cycle, channel by channel.
    SpecError
        A network file's routing tables lead some packet astray.
    """
    if isinstance(plan.spec.network, StaticSpec):
        return
    with about(plan.spec.source):
        graph = channel_graph(plan, shared=shared, restart=restart, escape=escape, replies=replies)
        cycle = find_cycle(graph)
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
        key=lambda cycle: (len(cycle), cycle),
    )
