"""The nodes' packet sources: unbounded queues that feed a flit a cycle into the network."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.golden.channel import BODY, HEAD, TAIL, Flit
from syncfabric.models.golden.numbering import Numbering
from syncfabric.models.golden.packet import PACKET_FLITS, WORD, packet_words
from syncfabric.models.golden.record import Packet
from syncfabric.models.messages import IrregularLayout, MeshLayout

__all__ = ["Sources"]

BETWEEN = -1
"""Lane of a source's software that has begun no packet."""


class Order(NamedTuple):
    """A packet of the traffic generator that waits in a source."""

    destination: int
    created: int


class SoftFlit(NamedTuple):
    """A flit that a node's software has put into its source; ``lane`` is that of its channel."""

    lane: int
    raw: int
    mark: int
    packet: Packet


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
    ready : set of int
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
        marks = [HEAD, *[BODY] * (PACKET_FLITS - 2), TAIL]
        self.marks = [(mark, self.bits[mark]) for mark in marks]
        self.ready: set[int] = set()
        self.stalled: dict[int, int] = {}  # the lane that a source has no credit for
        self.backlog: list[deque[Order]] = [deque() for _ in range(wiring.nodes)]
        self.flits: list[list[tuple[int, int]]] = [[] for _ in range(wiring.nodes)]
        self.packet = [Packet(0, 0, 0, 0)] * wiring.nodes
        self.lane = [0] * wiring.nodes
        self.started = [0] * wiring.nodes
        self.software: list[deque[SoftFlit]] = [deque() for _ in range(wiring.nodes)]
        self.under_way = [BETWEEN] * wiring.nodes  # the lane of a packet that software has begun
        self.put_last: dict[int, Packet] = {}

    def create(self, source: int, destination: int, now: int) -> None:
        """Queue a packet that is created in this cycle; its head can go in the next."""
        order = Order(destination, now)
        if self.flits[source]:
            self.backlog[source].append(order)
        else:
            self._begin(source, order)
            self._wake(source)

    def put(
        self, node: int, payloads: Sequence[int], channel: int, now: int, *, head: bool, tail: bool
    ) -> None:
        """Put flits of a node's software into its queue; see ``GoldenModel.put``."""
        if not payloads or not 0 <= channel < self.wiring.channels:
            raise ValueError(f"a packet of {len(payloads)} flits on channel {channel}")
        lane = self.wiring.injection(node, channel)
        last = len(payloads) - 1
        for place, payload in enumerate(payloads):
            mark = HEAD * (head and place == 0) | TAIL * (tail and place == last)
            if mark & HEAD or node not in self.put_last:
                self.put_last[node] = Packet(node, -1, now, -1)
            raw = payload & self.payload_mask & WORD | self.bits[mark]
            self.software[node].append(SoftFlit(lane, raw, mark, self.put_last[node]))
        self._wake(node)

    def _wake(self, node: int) -> None:
        self.stalled.pop(node, None)
        self.ready.add(node)

    def _begin(self, source: int, order: Order) -> None:
        number = self.started[source]
        self.started[source] = number + 1
        channels = self.wiring.packet_channels
        self.lane[source] = self.wiring.injection(source, channels[number % len(channels)])
        self.packet[source] = Packet(source, order.destination, order.created, -1)
        header, mask = self.wiring.headers[order.destination], self.payload_mask
        words = packet_words(header, source, order.created, number)
        self.flits[source] = [
            (word & mask | bits, mark)
            for word, (mark, bits) in zip(reversed(words), reversed(self.marks), strict=True)
        ]

    def send(self, now: int, sent: list[tuple[int, Flit]]) -> None:
        """Put a flit of every source that has a credit on its injection link."""
        going, self.ready = self.ready, set()
        for node in going:
            lane, left = self.under_way[node], self.flits[node]
            # Between packets software goes first.
            own = lane >= 0 or (bool(self.software[node]) and len(left) % PACKET_FLITS == 0)
            if not own:
                lane = self.lane[node]
            elif not self.software[node]:
                continue  # its next flit is still to come
            elif lane < 0:
                lane = self.software[node][0].lane
            if not self.credits[lane]:
                self.stalled[node] = lane
                continue
            self.credits[lane] -= 1
            flit = self._next_of_software(node, lane) if own else self._next(node)
            if flit[1] & HEAD:
                flit[3].injected = now
            sent.append((lane, flit))
            if self.software[node] or (self.flits[node] and self.under_way[node] < 0):
                self.ready.add(node)

    def _next(self, node: int) -> Flit:
        """Take the next flit of the generator's packet."""
        left, packet = self.flits[node], self.packet[node]
        raw, mark = left.pop()
        if not left and self.backlog[node]:
            self._begin(node, self.backlog[node].popleft())
        return raw, mark, self.wiring.codes[packet.destination], packet

    def _next_of_software(self, node: int, lane: int) -> Flit:
        """Take the next flit of the software's packet."""
        _, raw, mark, packet = self.software[node].popleft()
        self.under_way[node] = BETWEEN if mark & TAIL else lane
        return raw, mark, raw & self.wiring.code_mask, packet

    def credited(self, node: int, lane: int) -> None:
        """Wake a source that waits for the first credit of a lane."""
        if self.stalled.get(node) == lane:
            self._wake(node)

    def is_moving(self) -> bool:
        """Return whether a flit may move in the coming cycle."""
        return bool(self.ready)

    def is_empty(self) -> bool:
        """Return whether every packet created, or begun by software, has been sent."""
        return not any(self.flits) and not any(self.software) and max(self.under_way) == BETWEEN
