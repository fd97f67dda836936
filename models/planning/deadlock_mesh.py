"""Channels of a mesh, and which may wait for which.

Edges are those of

- ordinary packets between any two nodes, X-Y, in each ordinary channel;
- routed barrier messages of any group, now planned or written later: X-Y in one channel, Y-X in
  the other. Messages from neighbour to neighbour end at the next engine, and add none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx

from syncfabric.models.networks.mesh import Mesh, Node, Port, Turn
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["Channel", "mesh_graph"]

CARDINAL = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
CLASS_NAMES = {Turn.X_FIRST: "sync X-Y", Turn.Y_FIRST: "sync Y-X"}
SHARED = "sync"


@dataclass(frozen=True, order=True)
class Channel:
    """One virtual channel of the link that leaves ``node`` by ``port``.

    At the LOCAL port it is a sink: the processor's, or the engine's.
    """

    node: Node
    port: Port
    lane: str

    def __str__(self) -> str:
        if self.port is Port.LOCAL:
            return f"{self.lane}: taken in at {self.node}"
        return f"{self.lane}: link {self.port.name.lower()} from {self.node}"


def mesh_graph(network: MeshSpec, *, shared_sync_channel: bool) -> nx.DiGraph[Channel]:
    """Build the graph in O(nodes); the arguments are those of ``deadlock.channel_graph``."""
    mesh = network.mesh
    lanes = {turn: SHARED if shared_sync_channel else CLASS_NAMES[turn] for turn in Turn}
    graph: nx.DiGraph[Channel] = nx.DiGraph()
    for channel in range(network.channels):
        graph.add_edges_from(_all_pairs(mesh, Turn.X_FIRST, f"packets {channel}"))
    if network.transport == "routed":
        for turn in Turn:
            graph.add_edges_from(_all_pairs(mesh, turn, lanes[turn]))
    return graph


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
