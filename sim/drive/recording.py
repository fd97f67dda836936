"""The log of a run: every packet and barrier message, a row each."""

from __future__ import annotations

import csv
from typing import TextIO

from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks, bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.messages import EngineMessages
from syncfabric.sim.drive.targets import targets_of

__all__ = ["COLUMNS", "EventLog"]

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
