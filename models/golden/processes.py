"""The packet sources and sinks of all nodes."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from syncfabric.models.golden.record import Observer, Packet
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.network import NetworkShape

BETWEEN = -1
"""Channel of a source's software that has begun no packet."""


class Source:
    """The source of a node (docs/microarchitecture.md, Traffic).

    Parameters
    ----------
    node : int
    headers : sequence of int
        Of packets to each node.
    channels : sequence of int
        Those that the generator's packets take in turn.
    tokens : list of int
        Credits of each channel; the network adds those that come.
    flit_bits : int

    Attributes
    ----------
    stalled : int
        The channel that it has no credit for; negative: none.
    """

    def __init__(
        self,
        node: int,
        headers: Sequence[int],
        channels: Sequence[int],
        tokens: list[int],
        flit_bits: int,
    ) -> None:
        self.node, self.tokens = node, tokens
        self._headers, self._channels = headers, channels
        self._mask = (1 << flit_bits) - 1
        self._backlog = deque[tuple[int, int]]()
        self._flits: list[Flit] = []  # of the generator's packet, the last first
        self._number = 0
        self._software = deque[Flit]()
        self._begun = BETWEEN  # the channel of a packet that software has begun
        self._put: Packet | None = None
        self.stalled = BETWEEN

    def create(self, destination: int, now: int) -> None:
        """Queue a packet that is created in this cycle; its head can go in the next."""
        self._backlog.append((destination, now))
        if not self._flits:
            self._begin()

    def put(
        self, payloads: Sequence[int], channel: int, now: int, *, head: bool, tail: bool
    ) -> None:
        """Put flits of the node's software into its queue; see ``CollectiveNetwork.put``."""
        if not payloads or not 0 <= channel < len(self.tokens):
            raise ValueError(f"a packet of {len(payloads)} flits on channel {channel}")
        last = len(payloads) - 1
        for place, payload in enumerate(payloads):
            first = head and place == 0
            if first or self._put is None:
                self._put = Packet(self.node, -1, now, -1)
            ends = tail and place == last
            word = payload & self._mask
            self._software.append(Flit(channel, word, first, ends, False, self._put))

    def _begin(self) -> None:
        destination, created = self._backlog.popleft()
        number = self._number
        self._number = number + 1
        channel = self._channels[number % len(self._channels)]
        packet = Packet(self.node, destination, created, -1)
        words = packet_words(self._headers[destination], self.node, created, number)
        last = PACKET_FLITS - 1
        self._flits = [
            Flit(channel, words[i] & self._mask, i == 0, i == last, False, packet)
            for i in range(last, -1, -1)
        ]

    @property
    def sends(self) -> bool:
        """Whether a flit may go in the coming cycle, as far as credits let it."""
        if self._begun >= 0:
            return bool(self._software)
        return bool(self._software or self._flits)

    @property
    def is_empty(self) -> bool:
        """Whether every packet created, or begun by software, has been sent."""
        return not self._flits and not self._software and self._begun == BETWEEN

    def send(self, now: int) -> Flit | None:
        """Return the flit that goes in this cycle."""
        self.stalled = BETWEEN
        # Between packets software goes first.
        if self._begun >= 0 or (self._software and len(self._flits) % PACKET_FLITS == 0):
            if not self._software:
                return None  # its next flit is still to come
            flit, software = self._software[0], True
            channel = self._begun if self._begun >= 0 else flit.channel
        elif self._flits:
            flit, software = self._flits[-1], False
            channel = flit.channel
        else:
            return None
        if not self.tokens[channel]:
            self.stalled = channel
            return None
        self.tokens[channel] -= 1
        if software:
            self._software.popleft()
            self._begun = BETWEEN if flit.tail else channel
            if flit.channel != channel:
                flit = replace(flit, channel=channel)
        else:
            self._flits.pop()
            if not self._flits and self._backlog:
                self._begin()
        packet = flit.packet
        if flit.head and isinstance(packet, Packet):
            packet.injected = now
        return flit


PACKET_FLITS = 5
WORD = (1 << 32) - 1


def packet_words(header: int, source: int, created: int, number: int) -> tuple[int, ...]:
    """Return the payloads of a packet, before they are cut to the width of a flit.

    Parameters
    ----------
    header : int
        Word 0, the destination.
    source, created, number : int
        Source node, cycle of creation, and number among the source's packets: words 1 to 3, of 32
        bits; word 4 is their exclusive or.
    """
    created, number = created & WORD, number & WORD
    return header, source, created, number, source ^ created ^ number


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
        even = shape.datelines and router.routing != "adaptive"
        channels = range(0, router.channels, 2 if even else 1)
        self.sources: list[Source] = []
        if router.channels:
            headers = [shape.header_of(place) for place in shape.nodes]
            for i in range(len(headers)):
                tokens = [router.buffer_flits] * router.channels
                self.sources.append(Source(i, headers, channels, tokens, router.flit_bits))
        self.ready = set[int]()
        self._full = set[int]()  # nodes whose source has something
        self._in_flight = 0  # flits in the network
        self.credits: list[tuple[int, int]] = []
        self._returned: list[tuple[int, int]] = []

    @property
    def moves(self) -> bool:
        """Whether a flit or a credit may move in the coming cycle."""
        return bool(self.ready or self.credits)

    @property
    def is_empty(self) -> bool:
        """Whether no packet is waiting or in flight."""
        return not self._full and not self._in_flight

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
                    self._in_flight += 1
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

    def end_cycle(self) -> None:
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
        self._in_flight -= 1
        packet = flit.packet
        if flit.tail and self._observer is not None and isinstance(packet, Packet):
            times = packet.created, packet.injected, now
            self._observer.packet(packet.source, node, *times)

    def drop(self) -> None:
        """Count a flit that a set-up port drops as one no longer in flight."""
        self._in_flight -= 1
