"""What must hold of packets, judged by the injection and ejection links alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.put_check import PutCheck
from syncfabric.sim.results import Mismatch

__all__ = ["Delivery", "PacketCheck"]

FLITS = 5


@dataclass
class Delivery:
    """A packet on its way, or delivered; times are cycles."""

    source: int
    destination: int
    created: int
    injected: int
    flits: tuple[int, ...]


class PacketCheck:
    """No flit is lost, duplicated, changed, sent astray, or reordered within its packet.

    Packets of nodes' software are told from the generator's by what was put.

    Parameters
    ----------
    spec : MessageSpec
        The network.

    Attributes
    ----------
    injected, ejected : int
        Packets whose tail was seen; injected are the generator's alone.
    flits_out : int
        Flits ejected.
    latency, network_latency : list of int
        Of each packet of the generator: created to tail ejected, and head injected to tail ejected.
    software : PutCheck
        The rules of packets that were put.
    """

    def __init__(self, spec: MessageSpec) -> None:
        self._spec, self._masks = spec, LaneMasks(spec)
        self._injected = self._masks.inject >> self._masks.first_injection
        self._node_of = {link: node for node, link in enumerate(links_of(spec).eject)}
        layout = spec.layout
        self._payload = (1 << spec.flit_bits) - 1
        self._head = 1 << layout.flit.offsets["head"]
        self._tail = 1 << layout.flit.offsets["tail"]
        self._header = (1 << layout.header.width) - 1
        # A flit may be narrower than a cycle's number: times are told apart modulo this.
        self._wrap = 1 << min(32, spec.flit_bits)
        self._sending: dict[int, tuple[int, list[int]]] = {}
        self._receiving: dict[int, list[int]] = {}
        self._under_way: dict[tuple[int, int], Delivery] = {}
        self.injected = self.ejected = self.flits_out = 0
        self.software = PutCheck(spec)
        self.latency: list[int] = []
        self.network_latency: list[int] = []

    def note(self, line: Line) -> Iterator[Mismatch]:
        """Take a cycle in; yield what breaks a rule in it."""
        valid, payloads = line.record.valid, line.record.payloads
        sent = valid >> self._masks.first_injection
        if sent:
            place = len(payloads) - sent.bit_count()
            while sent:
                low = sent & -sent
                sent ^= low
                if low & self._injected:
                    lane = low.bit_length() - 1
                    flits = [(line.cycle, payloads[place])]
                    if lane not in self._sending:
                        flits = self.software.inject(*flits[0], lane=lane)
                    for cycle, flit in flits:
                        yield from self._inject(cycle, lane, flit)
                place += 1
        ejected = valid & self._masks.eject
        while ejected:
            low = ejected & -ejected
            ejected ^= low
            flit = payloads[(valid & low - 1).bit_count()]
            yield from self._eject(line.cycle, low.bit_length() - 1, flit)

    def _inject(self, cycle: int, lane: int, flit: int) -> Iterator[Mismatch]:
        """Follow a packet into the network; the source is hardware too, and is not trusted."""
        node = lane // self._masks.width
        if lane not in self._sending:
            self._sending[lane] = (cycle, [flit])
            if not flit & self._head:
                yield self._wrong(cycle, node, "injected: first flit is a head", flit)
            return
        since, flits = self._sending[lane]
        flits.append(flit)
        if flit & self._head or bool(flit & self._tail) != (len(flits) == FLITS):
            yield self._wrong(cycle, node, "injected: head first, tail fifth", flit)
        if flit & self._tail or len(flits) == FLITS:
            del self._sending[lane]
            if len(flits) == FLITS:
                yield from self._sent(cycle, node, since, flits)

    def _sent(self, cycle: int, node: int, since: int, flits: list[int]) -> Iterator[Mismatch]:
        """Put a whole packet on its way."""
        header, source, created, number = (word & self._payload for word in flits[:4])
        when = cycle - (cycle - created) % self._wrap
        if source != node:
            yield self._wrong(cycle, node, "injected: word 1 is the source", source)
        key = (node, number)
        if key in self._under_way:
            yield self._wrong(cycle, node, "injected: packet's number is new", number)
        self._under_way[key] = Delivery(node, self._destination(header), when, since, tuple(flits))
        self.injected += 1

    def _eject(self, cycle: int, lane: int, flit: int) -> Iterator[Mismatch]:
        self.flits_out += 1
        flits = self._receiving.setdefault(lane, [])
        flits.append(flit)
        node = self._node_of[lane // self._masks.width]
        ended = flit & self._tail
        if not ended and (len(flits) < FLITS or self.software.used):  # those are of any length
            return
        del self._receiving[lane]
        in_turn = self.software.eject(node, flits) if ended else None
        if in_turn is not None:
            self.ejected += 1
            if not in_turn:
                yield self._wrong(cycle, node, "ejected: in order", " ".join(map(hex, flits)))
            return
        words = [word & self._payload for word in flits]
        sent = self._under_way.pop((words[1], words[3]), None) if len(flits) == FLITS else None
        if sent is None:
            yield self._wrong(
                cycle, node, "ejected: a packet on its way", " ".join(map(hex, flits))
            )
            return
        if sent.flits != tuple(flits):
            yield Mismatch(
                cycle,
                self._spec.topology.node(node),
                "ejected: flits of the packet",
                " ".join(map(hex, flits)),
                " ".join(map(hex, sent.flits)),
            )
        if sent.destination != node:
            yield self._wrong(cycle, node, "ejected: destination is here", sent.destination)
        self.ejected += 1
        self.latency.append(cycle - sent.created)
        self.network_latency.append(cycle - sent.injected)

    def _destination(self, header: int) -> int:
        """Return the number of the node that a header names; -1 if there is none."""
        node = self._spec.shape.node_of(header)
        return -1 if node is None else node

    def _wrong(self, cycle: int, node: int, rule: str, seen: int | str) -> Mismatch:
        return Mismatch(cycle, self._spec.topology.node(node), rule, seen, None)

    def lost(self) -> Iterator[tuple[int, int]]:
        """Yield (source, destination) of packets that went in and never came out whole."""
        for sent in self._under_way.values():
            yield sent.source, sent.destination
        for lane in self._sending:
            yield lane // self._masks.width, -1
        yield from self.software.lost()
