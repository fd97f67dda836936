"""The nodes' packet sources: unbounded queues that feed a flit a cycle into the mesh."""

from __future__ import annotations

from collections import deque

from syncfabric.models.golden.channel import BODY, HEAD, TAIL, Flit
from syncfabric.models.golden.record import Packet
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import MeshLayout

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


class Sources:
    """One source a node (docs/microarchitecture.md, section 6).

    Parameters
    ----------
    wiring : Wiring
        Numbering of the lanes.
    layout : MeshLayout
        Where head and tail are on the ``flit`` wires.
    credits : list of int, by lane
        The credit counters of the mesh.

    Attributes
    ----------
    ready : list of int
        Nodes whose source may send in the coming cycle.
    """

    def __init__(self, wiring: Wiring, layout: MeshLayout, credits: list[int]) -> None:
        self.wiring, self.credits = wiring, credits
        self.payload_mask = (1 << layout.flit_bits) - 1
        at = layout.flit.offsets
        marks = [HEAD] + [BODY] * (PACKET_FLITS - 2) + [TAIL]
        self.marks = [
            (mark, (mark & HEAD and 1) << at["head"] | (mark & TAIL and 1) << at["tail"])
            for mark in marks
        ]
        self.codes = [wiring.code(*wiring.mesh.node(node)) for node in range(wiring.nodes)]
        self.headers = [
            layout.header.pack(dict(zip("xy", wiring.mesh.node(node), strict=True)))
            for node in range(wiring.nodes)
        ]
        self.ready: list[int] = []
        self.stalled: set[int] = set()
        self.backlog: list[deque[tuple[int, int]]] = [deque() for _ in range(wiring.nodes)]
        self.flits: list[list[tuple[int, int]]] = [[] for _ in range(wiring.nodes)]
        self.packet = [Packet(0, 0, 0, 0)] * wiring.nodes
        self.lane = [0] * wiring.nodes
        self.started = [0] * wiring.nodes

    def create(self, source: int, destination: int, now: int) -> None:
        """Queue a packet that is created in this cycle; its head can go in the next."""
        if self.flits[source]:
            self.backlog[source].append((destination, now))
        else:
            self._begin(source, destination, now)
            self.ready.append(source)

    def _begin(self, source: int, destination: int, created: int) -> None:
        number = self.started[source]
        self.started[source] = number + 1
        self.lane[source] = self.wiring.injection(source, number % self.wiring.channels)
        self.packet[source] = Packet(source, destination, created, -1)
        words = packet_words(self.headers[destination], source, created, number)
        mask = self.payload_mask
        self.flits[source] = [
            (word & mask | bits, mark)
            for word, (mark, bits) in zip(reversed(words), reversed(self.marks), strict=True)
        ]

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
            sent.append((lane, (raw, mark, self.codes[packet.destination], packet)))
            if left:
                self.ready.append(node)
            elif self.backlog[node]:
                self._begin(node, *self.backlog[node].popleft())
                self.ready.append(node)

    def credited(self, node: int, lane: int) -> None:
        """Wake a source that waits for the first credit of a lane."""
        if node in self.stalled and self.lane[node] == lane:
            self.stalled.discard(node)
            self.ready.append(node)

    def is_empty(self) -> bool:
        """Return whether every packet created has been sent."""
        return not any(self.flits)
