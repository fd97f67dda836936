"""Packets, put together from the flits on a network's lanes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks
from syncfabric.sim.drive.trace import flits_on

__all__ = ["Assembler", "Inbox", "OnLane", "Packet"]


class OnLane(NamedTuple):
    """A packet on a lane, as on the wires; the cycles of its head and of its tail."""

    lane: int
    first: int
    last: int
    flits: tuple[int, ...]


class Assembler:
    """Puts packets together, lane by lane.

    Parameters
    ----------
    spec : MessageSpec
    lanes : int
        A bit for each lane to watch.

    Attributes
    ----------
    open : dict of int to (int, list of int)
        By lane: the packet whose tail is still to come, its head's cycle first.
    """

    def __init__(self, spec: MessageSpec, lanes: int) -> None:
        self._lanes, self._tail = lanes, 1 << spec.layout.flit.offsets["tail"]
        self.open: dict[int, tuple[int, list[int]]] = {}

    def note(self, cycle: int, record: Record) -> Iterator[OnLane]:
        """Take a cycle's wires in; yield the packets whose tails are on them."""
        for lane, flit in flits_on(record, self._lanes):
            first, flits = self.open.setdefault(lane, (cycle, []))
            flits.append(flit)
            if flit & self._tail:
                del self.open[lane]
                yield OnLane(lane, first, cycle, tuple(flits))


class Packet(NamedTuple):
    """A packet that was ejected, its tail in ``cycle``; all its payloads."""

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
        Those ejected since ``take``.
    """

    def __init__(self, spec: MessageSpec) -> None:
        masks = LaneMasks(spec)
        self._ejected, self._width = Assembler(spec, masks.eject), masks.width
        self._node_of = {link: node for node, link in enumerate(links_of(spec).eject)}
        self._payload = (1 << spec.flit_bits) - 1
        self.packets: list[Packet] = []

    def note(self, now: int, record: Record) -> None:
        """Take a cycle's wires in."""
        for lane, _, cycle, flits in self._ejected.note(now, record):
            payloads = tuple(flit & self._payload for flit in flits)
            self.packets.append(Packet(cycle, self._node_of[lane // self._width], payloads))

    def take(self) -> list[Packet]:
        """Return what has been ejected, and forget it."""
        packets, self.packets = self.packets, []
        return packets
