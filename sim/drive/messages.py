"""Whose a message is, and whether it goes up or down.

A message between engines tells it by its receiver; one on barrier wires by its slot and link.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from syncfabric.models.layout.engine import Kind
from syncfabric.models.planning.links.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of

__all__ = ["EngineMessages"]


class _Hop(NamedTuple):
    """A link, and the receiver of a message there; routed ones have a class."""

    link: int
    channel_class: int
    router: int
    entry: int


class EngineMessages:
    """Knows the messages of a plan's groups on every link.

    Parameters
    ----------
    plan : BarrierPlan
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.message_network
        self._shape, self._layout = network.shape, network.layout.sync
        self._routed = self._shape.router.layout.routed
        self._links = links_of(network)
        self._columns = max((group.graph.columns for group in plan.engine_groups), default=0)
        self._found: dict[_Hop, tuple[int, set[bool]]] = {}
        self._in_slot: dict[tuple[int, int], tuple[int, bool]] = {}
        for number, group in enumerate(plan.engine_groups):
            for hop, up in self._hops(group):
                if group.slot_register is None:
                    self._found.setdefault(hop, (number, set()))[1].add(up)
                else:  # a link of a tree of links leads up or down, never both
                    slot = hop.entry - self._shape.router.layout.entries
                    self._in_slot[hop.link, slot] = number, up
        self._risen = set[_Hop]()

    def read(self, link: int, channel_class: int, payload: int) -> tuple[int, bool]:
        """Return a message's group, by its place in the plan or -1, and whether it goes up.

        Parameters
        ----------
        link : int
        channel_class : int
            Of its lane; slots count on from the classes.
        payload : int
        """
        slot = channel_class - self._links.classes
        if slot >= 0:
            return self._in_slot.get((link, slot), (-1, False))
        message = self._layout.unpack(payload & (1 << self._layout.width) - 1)
        router = message["y"] * self._columns + message["x"] if self._routed else -1
        hop = _Hop(link, channel_class, router, message["entry"])
        group, ways = self._found.get(hop, (-1, {False}))
        if len(ways) == 1:
            return group, True in ways
        # Routed from a child and from the parent to one port: by turns, the child first (L2.13).
        if message["kind"] in (Kind.GO, Kind.BROKEN):
            self._risen.discard(hop)
            return group, False
        self._risen ^= {hop}
        return group, hop in self._risen

    def _hops(self, group: GroupPlan) -> Iterator[tuple[_Hop, bool]]:
        """Yield where a group's messages pass, and whether upwards; slots have no class."""
        tree, outputs = group.shape, self._shape.router.links + self._shape.router.own
        for child, down, up in tree.edge_ways(group.graph.columns):
            turn = int(tree.far_port[child]) % 2
            for way, position, upward in (
                (down, child, False),
                (up, int(tree.parent[child]), True),
            ):
                for router, port in way:
                    link = outputs * router + port
                    yield self._hop(group, link, turn ^ upward, int(tree.routers[position])), upward
        for router, port in tree.nodes.tolist() if self._shape.interfaces else ():
            node = self._shape.node_at[router, port]
            yield self._hop(group, self._links.eject[node], 0, router), False
            yield self._hop(group, self._links.inject[node], 0, router), True

    def _hop(self, group: GroupPlan, link: int, channel_class: int, receiver: int) -> _Hop:
        entry = group.placement[receiver]
        return (
            _Hop(link, channel_class, receiver, entry) if self._routed else _Hop(link, 0, -1, entry)
        )
