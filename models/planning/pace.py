"""How many cycles a barrier takes: of a router, of a link, and where messages meet.

Source: docs/microarchitecture-engine.md, E1, E5, E6, E11, L1 and L2;
docs/microarchitecture-networks.md, N1 and N2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from syncfabric.models.layout.engine import interval_of
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.networks.irregular import Ints
from syncfabric.models.planning.graph import path_sums
from syncfabric.models.planning.port_tree import PortTree

ARRIVAL = 2
"""Cycles from a process's ``arrive`` until its message is a head at its router."""


def on_wires(shape: NodeShape, tree: PortTree) -> int:
    """Return the cycles of a barrier on wires (docs/microarchitecture-wires.md, X6.2).

    Parameters
    ----------
    shape : NodeShape
    tree : PortTree
    """
    return 2 * tree.reach(1 + shape.link_registers) + 2 + (not shape.own)


def stream_bound(shape: NodeShape, tree: PortTree) -> int:
    """Return the cycles to the first word of a stream (docs/microarchitecture-streams.md, V10).

    Parameters
    ----------
    shape : NodeShape
        With streams.
    tree : PortTree
    """
    assert shape.stream
    hop = shape.stream.hop + 2 * shape.link_registers
    return shape.stream.cycles(0) + tree.reach(hop, 2)


@dataclass(frozen=True)
class Pace:
    """Cycles of one kind of router and its links.

    Parameters
    ----------
    stages : int
        S, from a head to the head at the next router.
    interval : int
        I, of a service.
    link : int
        Registers on a link between routers, and the router's output register where messages
        leave by it.
    own : bool
        Members are the routers' own processes; else they are at the far end of a link.
    output : int
        The router's output register, where messages leave by it.
    """

    stages: int
    interval: int
    link: int = 0
    own: bool = True
    output: int = 0

    @classmethod
    def of(cls, shape: NodeShape) -> Pace:
        """Return the pace of a router and its links."""
        interval = interval_of(shape.stages, shared=shape.shared)
        output = int(shape.output_register and shape.shared)
        return cls(shape.stages, interval, shape.link_registers + output, shape.own, output)

    @property
    def hop(self) -> int:
        """Cycles from a head to the head at the neighbour."""
        return self.stages + self.link

    @property
    def release(self) -> int:
        """Cycles from the head that completes a router's part to ``released`` of its members.

        An own process gets its release one cycle after the service's last. To a node interface a
        link carries it, without registers, and it is at the node port a cycle later.
        """
        return self.interval if self.own else self.stages + self.output

    def edge(self, hops: Ints) -> Ints:
        """Return the cycles from head to head of routed messages that take a number of hops."""
        return self.stages - 1 + hops * (1 + self.link)

    def least(self, to_root: int) -> int:
        """Return the cycles from ``arrive`` to ``released`` of one member so far from the root.

        Parameters
        ----------
        to_root : int
            Cycles from head to head, along the tree from the member's router to the root.
        """
        return ARRIVAL + 2 * to_root + self.release

    def latest(self, parent: Ints, members: Ints, edges: Ints) -> Ints:
        """Return how late each router can complete, after the last arrival, shape (t,).

        A service that begins in s, the last of a run without pause, has the run's first in t. If
        several heads come together there, that cycle only chooses; all other k - 1 of the run came
        in t or later, and take I cycles each: s = t + 1 + (k - 1) I at most. So the k-th latest
        head makes the router as late as itself, a cycle for the choice, and the others' services.

        Parameters
        ----------
        parent : array of int64, shape (t,)
            Position of each router's parent; -1 at the root.
        members : array of int64, shape (t,)
            Member nodes at each.
        edges : array of int64, shape (t,)
            Cycles from a router's head to its parent's.
        """
        depth = path_sums(parent, (parent >= 0).astype(np.int64))
        ports = members + np.bincount(parent[parent >= 0], minlength=len(parent))
        # Own arrivals come before all messages of children: the last of them counts.
        late = np.where(members > 0, ARRIVAL + (ports > 1) + (ports - 1) * self.interval, 0)
        order = np.argsort(-depth, kind="stable")
        levels = np.flatnonzero(np.diff(depth[order])) + 1
        for row in np.split(order, levels):
            below = row[parent[row] >= 0]
            heads = late[below] + edges[below]
            by = np.lexsort((-heads, parent[below]))
            above, heads = parent[below][by], heads[by]
            rank = np.arange(len(above)) - np.searchsorted(above, above)
            np.maximum.at(late, above, heads + (rank > 0) + rank * self.interval)
        found: Ints = late
        return found

    def bound(self, tree: PortTree) -> int:
        """Return the most cycles from the last ``arrive`` of messages to the last ``released``.

        For one group alone on an idle network whose watchdogs do not visit its entries meanwhile.
        Downwards nothing waits: a router sends to routers that have merged everything.
        """
        parent, members = tree.parent, tree.member_count
        edges = self.edge(tree.hops) + tree.extra
        down = path_sums(parent, np.where(parent >= 0, edges, 0))
        late = self.latest(parent, members, edges)[parent < 0]
        return int(late[0]) + int(down[members > 0].max()) + self.release
