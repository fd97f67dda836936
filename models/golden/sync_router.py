"""Synchronization messages at one router: slots, outputs, and the barrier unit."""

from __future__ import annotations

from syncfabric.models.golden.barrier_register import PARENT
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.order import LeastRecentlySent
from syncfabric.models.golden.outbox import Offer
from syncfabric.models.golden.plane import Plane
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.wiring import HERE
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["SyncRouter"]

UNIT = 4
"""The barrier unit among those that want an output; 0 to 3 are the network inputs."""


class SyncRouter:
    """Synchronization at one node (docs/microarchitecture.md, section 3).

    A slot is numbered ``2 * port + class``.

    Parameters
    ----------
    network : MeshSpec
        Options.
    rules : Rules
        What the network prescribes, with its wiring.
    unit : BarrierUnit
        The node's barrier unit.
    plane : Plane
        What the routers share.
    """

    def __init__(
        self,
        network: MeshSpec,
        rules: Rules,
        unit: BarrierUnit,
        plane: Plane,
    ) -> None:
        wiring = rules.wiring
        self.node, self.unit, self.plane = unit.node, unit, plane
        self.pipelined = network.barrier_pipeline == 1
        self.shared = network.sync_links == "shared"
        self.lanes, self.channels = wiring.lanes, wiring.link_channels
        self.links = [-1 if link is None else link for link in wiring.feeding[self.node][:4]]
        self.routes = [wiring.routes(self.node, turn) for turn in range(2)]
        self.wiring = wiring
        self.allowed = [wiring.allowed(slot >> 1, slot & 1) for slot in range(8)]
        self.slots: list[Message | None] = [None] * 8
        self.lane = [HERE] * 8
        self.occupied: list[int] = []
        self.presented, self.shown = [1] * 4, [1] * 4
        self.order = [LeastRecentlySent(5) for _ in range(4)]

    def receive(self, slot: int, message: Message) -> None:
        """Put a message from a link into its empty slot, with the lane it needs next."""
        port = self.routes[slot & 1][message.code]
        if port not in self.allowed[slot]:
            port = self.wiring.astray(self.node, slot >> 1, message.code)
        self.slots[slot] = message
        self.lane[slot] = -1
        if port != HERE:
            link = self.node * 5 + port
            self.lane[slot] = link * self.lanes + self.channels + (slot & 1)
        self.occupied.append(slot)

    def step(self, now: int) -> bool:
        """Do everything that this router does in a cycle with what stands in its slots.

        Returns
        -------
        bool
            Whether it has to be looked at again in the next cycle; else it can sleep until a
            message, a credit or its own process wakes it.
        """
        unit, outbox = self.unit, self.unit.outbox
        choice, shown = self._present()
        if unit.restless:
            unit.begin()
        elif not (choice or shown or unit.has_news() or outbox.sending):
            return False
        self._note(choice, shown)
        wants: dict[int, list[int]] = {}
        for port in sorted(choice) if len(choice) > 1 else choice:
            slot = choice[port]
            wants.setdefault(self.lane[slot] // self.lanes - self.node * 5, []).append(port)
        here: dict[int, Message] = {}
        for port in sorted(shown) if len(shown) > 1 else shown:
            message = self.slots[shown[port]]
            assert message is not None
            here[port] = message
        news = bool(here) or unit.has_news()
        offers: dict[int, Offer] = {}
        if self.pipelined:
            offers = outbox.offers()
            sent_up = self._send(now, choice, wants, offers) if wants or offers else None
            if news:
                self._absorb(now, shown, here, sent_up)
        else:
            if news:
                self._absorb(now, shown, here, None)
            offers = outbox.offers()
            if wants or offers:
                self._send(now, choice, wants, offers)
        if news or offers:
            self.plane.touched.add(self.node)
        moved = choice or offers or news
        # The turn goes on among those that wait for credits, too.
        busy = bool(outbox.sending or (moved and self.occupied)) or unit.has_news()
        if unit.restless:
            unit.settle()
            self.plane.touched.add(self.node)
            busy = True
        return busy

    def _present(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return the slot that each input presents, and the one it shows the unit, by port."""
        choice: dict[int, int] = {}
        shown: dict[int, int] = {}
        for slot in self.occupied:
            lane, port = self.lane[slot], slot >> 1
            if lane < 0:
                if port not in shown or slot & 1 != self.shown[port]:
                    shown[port] = slot
            elif self.plane.credits[lane] and (
                port not in choice or slot & 1 != self.presented[port]
            ):
                choice[port] = slot
        return choice, shown

    def _note(self, choice: dict[int, int], shown: dict[int, int]) -> None:
        """Note what was presented and shown."""
        for port, slot in choice.items():
            self.presented[port] = slot & 1
            if self.shared:
                self.plane.held_inputs.add(self.links[port])
        for port, slot in shown.items():
            self.shown[port] = slot & 1

    def _send(
        self,
        now: int,
        choice: dict[int, int],
        wants: dict[int, list[int]],
        offers: dict[int, Offer],
    ) -> int | None:
        """Take one message an output; return the register that sends to its parent, if any."""
        sent_up: int | None = None
        plane = self.plane
        for port in offers:
            wants.setdefault(port, []).append(UNIT)
        for port, candidates in wants.items():
            order = self.order[port]
            winner = candidates[0] if len(candidates) == 1 else order.first(candidates)
            order.sent(winner)
            if winner == UNIT:
                offer = offers[port]
                lane, message = offer.letter.lane, self._message(now, offer)
                if offer.place == PARENT:
                    sent_up = offer.sender
                self.unit.outbox.sent(offer)
            else:
                slot = choice[winner]
                lane, message = self.lane[slot], self._free(slot)
            plane.credits[lane] -= 1
            plane.sent.append((lane, message))
            if self.shared:
                plane.held_outputs.add(self.node * 5 + port)
        return sent_up

    def _message(self, now: int, offer: Offer) -> Message:
        unit, letter = self.unit, offer.letter
        sender = unit.outbox.senders[offer.sender]
        data = sender.data_for(offer.place)
        return Message(
            letter.raw | data << unit.data_at,
            letter.kind,
            sender.gid,
            sender.epoch,
            letter.code,
            letter.turn,
            data,
            self.node,
            now,
        )

    def _free(self, slot: int) -> Message:
        """Empty a slot and return its credit."""
        message = self.slots[slot]
        assert message is not None
        self.slots[slot] = None
        self.occupied.remove(slot)
        self.plane.freed.append(self.links[slot >> 1] * self.lanes + self.channels + (slot & 1))
        return message

    def _absorb(
        self,
        now: int,
        shown: dict[int, int],
        here: dict[int, Message],
        sent_up: int | None,
    ) -> None:
        """Hand the messages for this node to the barrier unit."""
        for port in self.unit.absorb(here, sent_up):
            self._take(now, shown[port])

    def _take(self, now: int, slot: int) -> None:
        """Free the slot of a message that has been taken here."""
        message = self._free(slot)
        if self.plane.observer is not None:
            self.plane.observer.sync(
                message.kind, message.gid, message.source, self.node, message.sent, now
            )
