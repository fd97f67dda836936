"""Ordinary packets: every buffer, credit and grant of the whole network in one flat graph.

There are no routers here. A buffer is known by the lane that feeds it, a packet holds the lane it
goes to next, and only buffers whose front flit can really go are looked at: the others sleep
until a credit, an arrival or the end of another packet wakes them. "Least recently sent" is kept
as the cycle of the last sending, so that the least one goes first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection
from typing import TypeAlias

from syncfabric.models.golden.numbering import Numbering
from syncfabric.models.golden.record import Observer, Packet

__all__ = ["BODY", "HEAD", "NOBODY", "TAIL", "Flit", "Wormhole"]

BODY, HEAD, TAIL = 0, 1, 2
"""What a flit is; a flit may be HEAD | TAIL."""

Flit: TypeAlias = tuple[int, int, int, Packet]
"""Image on the wires, HEAD and TAIL marks, where to, and the packet it is part of."""

NOBODY = -1
"""Owner of a lane that no packet goes through."""


class Wormhole(ABC):
    """All ordinary channels of a network (docs/microarchitecture.md, sections 1 and 2).

    Credits make an overflow impossible here: every sender is part of the model.

    Parameters
    ----------
    wiring : Numbering
        Numbering of the lanes.
    credits : list of int, by lane
        The credit counters, shared with the synchronization messages.
    freed : list of int
        Lanes whose credit is high in the next cycle; appended to.
    observer : Observer or None
        Hears of ejected packets.

    Attributes
    ----------
    ready : list of int
        Buffers whose front flit may ask for its output in the coming cycle.
    flits_ejected : int
        Flits that the sinks have taken since reset.
    """

    def __init__(
        self, wiring: Numbering, credits: list[int], freed: list[int], observer: Observer | None
    ) -> None:
        size = wiring.links * wiring.lanes
        inputs = self.inputs = wiring.inputs
        self.node_on = {link: node for node, link in enumerate(wiring.sinks)}
        self.wiring, self.credits, self.freed, self.observer = wiring, credits, freed, observer
        self.places = max(credits, default=0)
        self.ready: list[int] = []
        self.flits_ejected = 0
        self.link = [lane // wiring.lanes for lane in range(size)]
        self.buffers: list[deque[Flit] | None] = [None] * size
        self.input = [(0, 0)] * size
        self.sink = [False] * size
        for lane in range(size):
            link, channel = divmod(lane, wiring.lanes)
            end = wiring.fed[link]
            if end is not None and channel < wiring.link_channels:
                self.buffers[lane], self.input[lane] = deque(), end
            self.sink[lane] = link in self.node_on
        self.output = [NOBODY] * size
        self.owner = [NOBODY] * size
        self.waiting: list[list[int]] = [[] for _ in range(size)]
        self.place = [0] * size
        self.last_input = [place % inputs - inputs for place in range(wiring.links * inputs)]
        self.last_channel = [lane % wiring.lanes - wiring.lanes for lane in range(size)]
        self.choose = self._choose_single if wiring.link_channels == 1 else self._choose

    def send(
        self,
        now: int,
        held_inputs: Collection[int],
        held_outputs: Collection[int],
        sent: list[tuple[int, Flit]],
    ) -> None:
        """Take one flit an output, and put it on the wires.

        Parameters
        ----------
        now : int
            This cycle.
        held_inputs, held_outputs : collection of int
            Links whose router input presents, or whose router output sends, a synchronization
            message on the same wires.
        sent : list of (lane, flit)
            What is on the wires; appended to.
        """
        owner, credits, buffers = self.owner, self.credits, self.buffers
        again: list[int] = []
        winners = self.choose(held_inputs, held_outputs, again)
        self.ready = again
        wake, freed = again.append, self.freed.append
        last_input, last_channel, place = self.last_input, self.last_channel, self.place
        for lane, buffer in winners.items():
            queue = buffers[buffer]
            assert queue is not None
            flit = queue.popleft()
            sent.append((lane, flit))
            freed(buffer)
            credits[lane] -= 1
            last_input[place[buffer]] = last_channel[buffer] = now
            if flit[1] & TAIL:
                owner[lane] = NOBODY
                if self.waiting[lane] and credits[lane]:
                    again.extend(self.waiting[lane])
                    self.waiting[lane].clear()
            else:
                owner[lane] = buffer
            if queue:
                if queue[0][1] & HEAD:
                    self._look_at_head(buffer, queue[0])
                elif credits[lane]:
                    wake(buffer)

    def _choose_single(
        self, held_inputs: Collection[int], held_outputs: Collection[int], again: list[int]
    ) -> dict[int, int]:
        """Return lane: buffer with one channel, where an input has nothing to choose."""
        owner, credits, output, link = self.owner, self.credits, self.output, self.link
        winners: dict[int, int] = {}
        for buffer in self.ready:
            lane = output[buffer]
            mine = owner[lane]
            if not credits[lane] or (mine >= 0 and mine != buffer):
                self.waiting[lane].append(buffer)
            elif (held_inputs and link[buffer] in held_inputs) or (
                held_outputs and link[lane] in held_outputs
            ):
                again.append(buffer)
            elif lane not in winners:
                winners[lane] = buffer
            else:
                again.append(self._keep_older(winners, lane, buffer))
        return winners

    def _choose(
        self, held_inputs: Collection[int], held_outputs: Collection[int], again: list[int]
    ) -> dict[int, int]:
        """Return lane: buffer; inputs offer a channel each, then outputs take an input each."""
        owner, credits, output, link = self.owner, self.credits, self.output, self.link
        offers: dict[int, int] = {}
        for buffer in self.ready:
            lane = output[buffer]
            mine = owner[lane]
            if not credits[lane] or (mine >= 0 and mine != buffer):
                self.waiting[lane].append(buffer)
            elif held_inputs and link[buffer] in held_inputs:
                again.append(buffer)
            elif link[buffer] not in offers:
                offers[link[buffer]] = buffer
            else:
                rival = offers[link[buffer]]
                if self.last_channel[buffer] < self.last_channel[rival]:
                    offers[link[buffer]], buffer = buffer, rival
                again.append(buffer)
        takers: dict[int, int] = {}
        for buffer in offers.values():
            out = link[output[buffer]]
            if out in held_outputs:
                again.append(buffer)
            elif out not in takers:
                takers[out] = buffer
            else:
                again.append(self._keep_older(takers, out, buffer))
        return {output[buffer]: buffer for buffer in takers.values()}

    def _keep_older(self, winners: dict[int, int], key: int, buffer: int) -> int:
        """Let the input that sent longest ago win an output; return the other buffer."""
        rival = winners[key]
        if self.last_input[self.place[buffer]] < self.last_input[self.place[rival]]:
            winners[key] = buffer
            return rival
        return buffer

    @abstractmethod
    def _route(self, buffer: int, flit: Flit) -> int:
        """Return the lane for which the packet of a head flit leaves a buffer."""

    def _look_at_head(self, buffer: int, flit: Flit) -> None:
        """Send a head flit that has come to the front of its buffer on its way."""
        lane = self.output[buffer] = self._route(buffer, flit)
        self.place[buffer] = self.link[lane] * self.inputs + self.input[buffer][1]
        if self.credits[lane] and self.owner[lane] < 0:
            self.ready.append(buffer)
        else:
            self.waiting[lane].append(buffer)

    def deliver(self, now: int, sent: list[tuple[int, Flit]]) -> None:
        """Take the flits of this cycle from the wires into their buffers and sinks."""
        buffers, credits, output = self.buffers, self.credits, self.output
        for lane, flit in sent:
            queue = buffers[lane]
            if queue is not None:
                queue.append(flit)
                if len(queue) == 1:
                    if flit[1] & HEAD:
                        self._look_at_head(lane, flit)
                    elif credits[output[lane]]:
                        self.ready.append(lane)
            elif self.sink[lane]:
                self.freed.append(lane)
                self.flits_ejected += 1
                if flit[1] & TAIL and self.observer is not None:
                    packet, node = flit[3], self.node_on[self.link[lane]]
                    self.observer.packet(packet.source, node, packet.created, packet.injected, now)

    def has_room(self, lane: int) -> bool:
        """Return whether a buffer had room at the start of the cycle; a sink always has."""
        queue = self.buffers[lane]
        return queue is None or len(queue) + (lane in self.freed) < self.places

    def credited(self, lane: int) -> None:
        """Wake whom the first credit of a router's output lane sets going."""
        owner = self.owner[lane]
        if owner < 0:
            self.ready.extend(self.waiting[lane])
            self.waiting[lane].clear()
        elif self.buffers[owner]:
            self.ready.append(owner)

    def is_moving(self) -> bool:
        """Return whether a flit may move in the coming cycle."""
        return bool(self.ready)

    def is_empty(self) -> bool:
        """Return whether no buffer holds a flit."""
        return not any(self.buffers)
