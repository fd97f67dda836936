"""The packets that come out at the nodes, put together from the wires."""

from __future__ import annotations

from typing import NamedTuple

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks, bits

__all__ = ["Inbox", "Packet"]


class Packet(NamedTuple):
    """A packet that has come out, its tail in ``cycle``; all its payloads."""

    cycle: int
    node: int
    payloads: tuple[int, ...]


class Inbox:
    """Collects packets at all nodes.

    Parameters
    ----------
    spec : MessageSpec

    Attributes
    ----------
    packets : list of Packet
        Those that have come since ``take``.
    """

    def __init__(self, spec: MessageSpec) -> None:
        self._masks = LaneMasks(spec)
        self._node_of = {link: node for node, link in enumerate(links_of(spec).eject)}
        self._payload = (1 << spec.flit_bits) - 1
        self._tail = 1 << spec.layout.flit.offsets["tail"]
        self._open: dict[int, list[int]] = {}
        self.packets: list[Packet] = []

    def note(self, now: int, record: Record) -> None:
        """Take in what is on the wires in a cycle."""
        for lane in bits(record.valid & self._masks.eject):
            flit = record.payloads[(record.valid & (1 << lane) - 1).bit_count()]
            payloads = self._open.setdefault(lane, [])
            payloads.append(flit & self._payload)
            if flit & self._tail:
                node = self._node_of[lane // self._masks.width]
                self.packets.append(Packet(now, node, tuple(self._open.pop(lane))))

    def take(self) -> list[Packet]:
        """Return what has come, and forget it."""
        packets, self.packets = self.packets, []
        return packets
