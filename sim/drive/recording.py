"""The log of a run: every packet and barrier message, a row each, and whose a message is."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import NamedTuple, TextIO

from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks, bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.targets import targets_of

__all__ = ["COLUMNS", "EngineMessages", "EventLog"]


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


COLUMNS = ("kind", "group", "source", "destination", "cycle_in", "cycle_out")
"""``cycle_in``: head, or message, on its first link; ``cycle_out``: tail on the way out, taken."""


class EventLog:
    """Hears of packets, reads messages off the links, counts and writes both.

    A message has a row for each link that it passes, from a node or router to the next.

    Parameters
    ----------
    plan : BarrierPlan
    file : text file, optional
        CSV; nodes are written as ``x,y`` or ``switch,port``, switches as ``switch``.

    Attributes
    ----------
    messages : int
        Messages on links so far.
    """

    def __init__(self, plan: BarrierPlan, file: TextIO | None = None) -> None:
        network = plan.spec.message_network
        self._targets, self._links = targets_of(network), links_of(network)
        self._sync, self._later = LaneMasks(network).sync, network.link_registers
        self._read, self._layout = EngineMessages(plan).read, network.layout.sync
        self._mask = (1 << self._layout.width) - 1
        self._gids = [*(str(group.id) for group in plan.groups), ""]  # the last: of no group
        self._ends = _ends(network.shape)
        self._writer = csv.writer(file) if file else None
        self.messages = 0

    def packet(
        self, source: int, destination: int, created: int, injected: int, ejected: int
    ) -> None:
        """Note a packet."""
        if self._writer:
            self._write("packet", "", source, destination, injected, ejected)

    def flit(self, link: int, cycle: int) -> None:
        """Note a flit: loads are counted from the wires instead."""

    def note(self, line: Line) -> None:
        """Take in what is on the links in a cycle."""
        record = line.record
        sync = record.valid & self._sync
        self.messages += sync.bit_count()
        if not self._writer:
            return
        for lane in bits(sync):
            payload = record.payloads[(record.valid & (1 << lane) - 1).bit_count()]
            link, channel = divmod(lane, self._links.width)
            of_class = channel - self._links.channels - self._links.setup
            group, up = self._read(link, of_class, payload)
            kind, ends = "reduce" if up else "distribute", self._ends[link]
            told = Kind(self._layout.unpack(payload & self._mask)["kind"])
            if told in (Kind.GO, Kind.BROKEN):
                kind = told.name.lower()
            self._write(kind, self._gids[group], *ends, line.cycle, line.cycle + self._later)

    def _write(
        self, kind: str, group: str, source: int, destination: int, begin: int, end: int
    ) -> None:
        assert self._writer is not None
        ends = map(self._targets.words_of, (source, destination))
        self._writer.writerow([kind, group, *ends, begin, end])


def _ends(shape: NetworkShape) -> dict[int, tuple[int, int]]:
    """Return the targets at the beginning and the end of each link of messages."""
    outputs = shape.router.links + (not shape.interfaces)
    ends = {
        outputs * router + port: (shape.target_of(router), shape.target_of(other))
        for (router, port), (other, _) in shape.ends.items()
    }
    first = outputs * shape.routers
    for node, (router, port) in enumerate(shape.nodes):
        ends[outputs * router + port] = (shape.target_of(router), node)
        ends[first + node] = (node, shape.target_of(router))
    return ends
