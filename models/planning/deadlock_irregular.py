"""Channels of an irregular network, and which may wait for which.

Edges are those of ordinary packets that the tables route: between any switch with a node and any
switch, from each ordinary channel; with datelines from the even ones, where packets start. Packets
that bring their own route are not in it: whoever sends them answers for the way.

Barrier messages add none, of whatever groups. Each crosses one link, from the engine of one router
or node interface to that of the next, which takes it; it waits for the link in the engine that
sends it, and holds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import networkx as nx
import numpy as np

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.tables import far_switches, next_switches
from syncfabric.models.planning.tree import Ints
from syncfabric.models.planning.updown import routing_tables

__all__ = ["SwitchChannel", "irregular_graph"]

SYNC = "sync"
AT_A_TIME = 64
"""Destinations whose packets are followed together: bounds what is in memory."""


@dataclass(frozen=True, order=True)
class SwitchChannel:
    """One virtual channel of the link that leaves a switch by a port.

    With ``from_node`` it is that of the link to the switch from the node on the port.
    """

    switch: int
    port: int
    lane: str
    from_node: bool = False

    def __str__(self) -> str:
        if self.from_node:
            return f"{self.lane}: link from node ({self.switch}, {self.port})"
        return f"{self.lane}: link from switch {self.switch}, port {self.port}"


def irregular_graph(network: IrregularSpec) -> nx.DiGraph[SwitchChannel]:
    """Build the graph, see ``deadlock.channel_graph``.

    Raises
    ------
    SpecError
        The network file's routing tables lead some packet astray.
    """
    graph: nx.DiGraph[SwitchChannel] = nx.DiGraph()
    graph.add_nodes_from(_channels(network))
    step = 2 if network.datelines else 1
    edges = _packet_edges(network).tolist() if network.routed_by_tables else ()
    for switch, port, odd, after, onward, odd_after in edges:
        for channel in range(0, network.channels, step):
            graph.add_edge(
                SwitchChannel(switch, port, f"packets {channel + odd}"),
                SwitchChannel(after, onward, f"packets {channel + odd_after}"),
            )
    return graph


def _channels(network: IrregularSpec) -> Iterator[SwitchChannel]:
    lanes = [f"packets {channel}" for channel in range(network.channels)]
    lanes += [SYNC]
    links = [end for link in network.links for end in link]
    for (switch, port), lane in product([*links, *network.nodes], lanes):
        yield SwitchChannel(switch, port, lane)
    for (switch, port), lane in product(network.nodes, lanes):
        yield SwitchChannel(switch, port, lane, from_node=True)


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
