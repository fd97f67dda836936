"""The nodes' packet sources: unbounded queues that feed a flit a cycle into the network."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from syncfabric.models.golden.packet import PACKET_FLITS, packet_words
from syncfabric.models.golden.record import Packet
from syncfabric.models.golden.router import Flit

__all__ = ["Source"]

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
        self._under_way = BETWEEN  # the channel of a packet that software has begun
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
        if self._under_way >= 0:
            return bool(self._software)
        return bool(self._software or self._flits)

    @property
    def is_empty(self) -> bool:
        """Whether every packet created, or begun by software, has been sent."""
        return not self._flits and not self._software and self._under_way == BETWEEN

    def send(self, now: int) -> Flit | None:
        """Return the flit that goes in this cycle."""
        self.stalled = BETWEEN
        # Between packets software goes first.
        if self._under_way >= 0 or (self._software and len(self._flits) % PACKET_FLITS == 0):
            if not self._software:
                return None  # its next flit is still to come
            flit, software = self._software[0], True
            channel = self._under_way if self._under_way >= 0 else flit.channel
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
            self._under_way = BETWEEN if flit.tail else channel
            if flit.channel != channel:
                flit = flit._replace(channel=channel)
        else:
            self._flits.pop()
            if not self._flits and self._backlog:
                self._begin()
        packet = flit.packet
        if flit.head and isinstance(packet, Packet):
            packet.injected = now
        return flit
