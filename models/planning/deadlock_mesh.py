"""Channels of a mesh, and which may wait for which.

Edges are those of

- ordinary packets between any two nodes, X-Y, in each ordinary channel;
- synchronization messages of any group, now planned or written later: X-Y in one channel, Y-X in
  the other;
- the plan's own messages, walked from the register images over every link: each child's REDUCE to
  its parent and each DISTRIBUTE to a child.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

from syncfabric.models.networks.mesh import Mesh, Node, Port, Turn
from syncfabric.models.networks.spec import EngineMeshSpec, MeshSpec
from syncfabric.models.planning.plan_mesh import GroupPlan
from syncfabric.models.planning.tree import Register, distribute_turn

__all__ = ["Channel", "mesh_graph"]

CARDINAL = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
CLASS_NAMES = {Turn.X_FIRST: "sync X-Y", Turn.Y_FIRST: "sync Y-X"}
SHARED = "sync"


@dataclass(frozen=True, order=True)
class Channel:
    """One virtual channel of the link that leaves ``node`` by ``port``.

    At the LOCAL port it is a sink: the processor's, or the barrier register's.
    """

    node: Node
    port: Port
    lane: str

    def __str__(self) -> str:
        if self.port is Port.LOCAL:
            return f"{self.lane}: taken in at {self.node}"
        return f"{self.lane}: link {self.port.name.lower()} from {self.node}"


def mesh_graph(
    network: MeshSpec | EngineMeshSpec,
    groups: Iterable[GroupPlan],
    *,
    shared_sync_channel: bool,
    absorbing: bool,
    any_group: bool,
) -> nx.DiGraph[Channel]:
    """Build the graph; the arguments are those of ``deadlock.channel_graph``.

    It is O(nodes) without the groups' own messages.
    """
    mesh = network.mesh
    lanes = {turn: SHARED if shared_sync_channel else CLASS_NAMES[turn] for turn in Turn}
    graph: nx.DiGraph[Channel] = nx.DiGraph()
    for channel in range(network.channels):
        graph.add_edges_from(_all_pairs(mesh, Turn.X_FIRST, f"packets {channel}"))
    if any_group and network.has_messages:
        for turn in Turn:
            graph.add_edges_from(_all_pairs(mesh, turn, lanes[turn]))
    for group in groups:
        for register in group.registers():
            routes = _Routes(mesh, register, lanes)
            graph.add_edges_from(routes.edges())
            if not absorbing:
                graph.add_edges_from(routes.waiting())
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


class _Routes:
    """The messages that one register's image sends, and those that it is sent."""

    def __init__(self, mesh: Mesh, register: Register, lanes: dict[Turn, str]) -> None:
        self.mesh, self.node, self.lanes = mesh, register.node, lanes
        self.up = register.parent and self._way(self.node, register.parent, register.turn)
        self.down: list[list[Channel]] = []
        self.from_children: list[list[Channel]] = []
        self.from_parent: list[Channel] | None = None
        for port, child in zip(CARDINAL, register.children, strict=True):
            if child is not None:
                turn = distribute_turn(port)
                self.down.append(self._way(self.node, child, turn))
                self.from_children.append(self._way(child, self.node, turn.reverse))
        if register.parent is not None:
            self.from_parent = self._way(register.parent, self.node, register.turn.reverse)

    def _way(self, source: Node, destination: Node, turn: Turn) -> list[Channel]:
        lane = self.lanes[turn]
        crossed = self.mesh.path(source, destination, turn)
        return [Channel(node, port, lane) for node, port in crossed]

    def edges(self) -> Iterator[tuple[Channel, Channel]]:
        """Yield the edges along every message sent, to the sink at its end."""
        for way in [*self.down, *([self.up] if self.up else [])]:
            yield from pairwise(way)
            last = way[-1]
            after = self.mesh.neighbour(last.node, last.port)
            assert after is not None
            yield last, Channel(after, Port.LOCAL, last.lane)

    def waiting(self) -> Iterator[tuple[Channel, Channel]]:
        """Yield the edges of messages that wait in their input buffer for what follows them."""
        arriving = [way[-1] for way in self.from_children]
        yield from _between(arriving, [self.up] if self.up else self.down)
        if self.from_parent:
            yield from _between([self.from_parent[-1]], self.down)


def _between(
    held: Iterable[Channel], awaited: Iterable[list[Channel]]
) -> Iterator[tuple[Channel, Channel]]:
    starts = [way[0] for way in awaited]
    return ((channel, start) for channel in held for start in starts)
