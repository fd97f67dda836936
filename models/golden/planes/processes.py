"""The packet sources and sinks of all nodes."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.golden.planes.sources import Source
from syncfabric.models.golden.record import Observer, Packet
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.network import NetworkShape

__all__ = ["Processes"]


class Processes:
    """What nodes' processes send and take, packet by packet.

    Parameters
    ----------
    shape : NetworkShape
    observer : Observer or None

    Attributes
    ----------
    sources : list of Source
        By node; there are none without packets.
    credits : list of (node, channel)
        What sinks free in this cycle.
    ready : set of int
        Nodes whose source may send in the coming cycle.
    """

    def __init__(self, shape: NetworkShape, observer: Observer | None) -> None:
        router, self._observer = shape.router, observer
        channels = range(0, router.channels, 2 if shape.datelines else 1)
        self.sources: list[Source] = []
        if router.channels:
            headers = [shape.header_of(place) for place in shape.nodes]
            for i in range(len(headers)):
                tokens = [router.buffer_flits] * router.channels
                self.sources.append(Source(i, headers, channels, tokens, router.flit_bits))
        self.ready = set[int]()
        self._full = set[int]()  # nodes whose source has something
        self._under_way = 0  # flits in the network
        self.credits: list[tuple[int, int]] = []
        self._returned: list[tuple[int, int]] = []

    @property
    def moves(self) -> bool:
        """Whether a flit or a credit may move in the coming cycle."""
        return bool(self.ready or self.credits)

    @property
    def is_empty(self) -> bool:
        """Whether no packet is waiting or under way."""
        return not self._full and not self._under_way

    def create(self, source: int, destination: int, now: int) -> None:
        """Queue a packet that is created in this cycle; its head can go in the next."""
        self.sources[source].create(destination, now)
        self._wake(source)

    def put(
        self, node: int, payloads: Sequence[int], channel: int, now: int, *, head: bool, tail: bool
    ) -> None:
        """Put flits of a node's software into its queue; see ``CollectiveNetwork.put``."""
        if not self.sources:
            raise ValueError("there are no packets in this network")
        self.sources[node].put(payloads, channel, now, head=head, tail=tail)
        self._wake(node)

    def _wake(self, node: int) -> None:
        self._full.add(node)
        self.ready.add(node)

    def send(self, now: int) -> dict[int, Flit]:
        """Return the flits that go in this cycle, by node."""
        sent: dict[int, Flit] = {}
        if self.ready:
            going, self.ready = self.ready, set()
            for node in going:
                source = self.sources[node]
                flit = source.send(now)
                if flit:
                    sent[node] = flit
                    self._under_way += 1
                    if source.sends:
                        self.ready.add(node)
                    elif source.is_empty:
                        self._full.discard(node)
        return sent

    def freed(self) -> list[tuple[int, int]]:
        """Return the nodes and channels that sinks free in this cycle, and go on to the next."""
        credits, self.credits = self.credits, []
        return credits

    def credit(self, node: int, channel: int) -> None:
        """Return a credit to a source, which has it from the next cycle on."""
        self._returned.append((node, channel))

    def settle(self) -> None:
        """End a cycle."""
        for node, channel in self._returned:
            source = self.sources[node]
            source.tokens[channel] += 1
            if source.stalled == channel:
                self.ready.add(node)
        self._returned.clear()

    def eject(self, node: int, flit: Flit, now: int) -> None:
        """Take a flit in this cycle; its credit is high in the next."""
        self.credits.append((node, flit.channel))
        self._under_way -= 1
        packet = flit.packet
        if flit.tail and self._observer is not None and isinstance(packet, Packet):
            times = packet.created, packet.injected, now
            self._observer.packet(packet.source, node, *times)

    def drop(self) -> None:
        """Count a flit that a set-up port drops as one that is not under way any more."""
        self._under_way -= 1
