"""The nodes' packet sources: unbounded queues that feed a flit a cycle into the network."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.golden.channel import BODY, HEAD, TAIL, Flit
from syncfabric.models.golden.numbering import Numbering
from syncfabric.models.golden.record import Packet
from syncfabric.models.messages import IrregularLayout, MeshLayout

__all__ = ["PACKET_FLITS", "Sources", "packet_words"]

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


class Order(NamedTuple):
    """A packet that waits in a source; ``payloads`` None: the traffic generator's next one."""

    destination: int
    created: int
    payloads: Sequence[int] | None = None
    channel: int = 0


class Sources:
    """One source a node (docs/microarchitecture.md, section 6).

    Parameters
    ----------
    wiring : Numbering
        Numbering of the lanes, and the headers to all nodes.
    layout : MeshLayout or IrregularLayout
        Where head and tail are on the ``flit`` wires.
    credits : list of int, by lane
        The credit counters of the network.

    Attributes
    ----------
    ready : list of int
        Nodes whose source may send in the coming cycle.
    """

    def __init__(
        self, wiring: Numbering, layout: MeshLayout | IrregularLayout, credits: list[int]
    ) -> None:
        self.wiring, self.credits = wiring, credits
        self.payload_mask = (1 << layout.flit_bits) - 1
        at = layout.flit.offsets
        self.bits = [
            (mark & HEAD and 1) << at["head"] | (mark & TAIL and 1) << at["tail"]
            for mark in range((HEAD | TAIL) + 1)
        ]
        self.marks = self._marked(PACKET_FLITS)
        self.ready: list[int] = []
        self.stalled: set[int] = set()
        self.backlog: list[deque[Order]] = [deque() for _ in range(wiring.nodes)]
        self.flits: list[list[tuple[int, int]]] = [[] for _ in range(wiring.nodes)]
        self.packet = [Packet(0, 0, 0, 0)] * wiring.nodes
        self.lane = [0] * wiring.nodes
        self.started = [0] * wiring.nodes

    def create(self, source: int, destination: int, now: int) -> None:
        """Queue a packet that is created in this cycle; its head can go in the next."""
        self._queue(source, Order(destination, now))

    def _queue(self, source: int, order: Order) -> None:
        if self.flits[source]:
            self.backlog[source].append(order)
        else:
            self._begin(source, order)
            self.ready.append(source)

    def _begin(self, source: int, order: Order) -> None:
        words, channel, marks = order.payloads, order.channel, self.marks
        if words is None:
            number = self.started[source]
            self.started[source] = number + 1
            channels = self.wiring.packet_channels
            channel = channels[number % len(channels)]
            header = self.wiring.headers[order.destination]
            words = packet_words(header, source, order.created, number)
        else:
            marks = self._marked(len(words))
        self.lane[source] = self.wiring.injection(source, channel)
        self.packet[source] = Packet(source, order.destination, order.created, -1)
        mask = self.payload_mask
        self.flits[source] = [
            (word & mask | bits, mark)
            for word, (mark, bits) in zip(reversed(words), reversed(marks), strict=True)
        ]

    def _marked(self, flits: int) -> list[tuple[int, int]]:
        """Return mark and bits of every flit of a packet."""
        marks = [BODY] * flits
        marks[0] |= HEAD
        marks[-1] |= TAIL
        return [(mark, self.bits[mark]) for mark in marks]

    def send(self, now: int, sent: list[tuple[int, Flit]]) -> None:
        """Put a flit of every source that has a credit on its injection link."""
        going, self.ready = self.ready, []
        for node in going:
            lane = self.lane[node]
            if not self.credits[lane]:
                self.stalled.add(node)
                continue
            self.credits[lane] -= 1
            left, packet = self.flits[node], self.packet[node]
            raw, mark = left.pop()
            if mark & HEAD:
                packet.injected = now
            sent.append((lane, (raw, mark, self.wiring.codes[packet.destination], packet)))
            if left:
                self.ready.append(node)
            elif self.backlog[node]:
                self._begin(node, self.backlog[node].popleft())
                self.ready.append(node)

    def credited(self, node: int, lane: int) -> None:
        """Wake a source that waits for the first credit of a lane."""
        if node in self.stalled and self.lane[node] == lane:
            self.stalled.discard(node)
            self.ready.append(node)

    def is_moving(self) -> bool:
        """Return whether a flit may move in the coming cycle."""
        return bool(self.ready)

    def is_empty(self) -> bool:
        """Return whether every packet created has been sent."""
        return not any(self.flits)
