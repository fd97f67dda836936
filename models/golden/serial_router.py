"""Synchronization messages at a router with a serial barrier unit."""

from __future__ import annotations

from typing import Any

from syncfabric.models.golden.outbox import Offer
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.serial_unit import SerialUnit
from syncfabric.models.golden.sync_router import SyncRouter

__all__ = ["SerialRouter"]


class SerialRouter(SyncRouter):
    """Synchronization at one node; the way here is one like the others (section 4.7).

    An input presents one message, to an output or to the unit. ``presented`` holds the class that
    an input has had taken last.

    Attributes
    ----------
    fresh : set of int
        Slots whose message came in the last cycle.
    spent : set of int
        Lanes on which this router sent a message in the last cycle.
    """

    unit: SerialUnit

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.fresh: set[int] = set()
        self.spent: set[int] = set()

    def receive(self, slot: int, message: Message) -> None:
        """Put a message from a link into its empty slot; it is presented whatever it needs."""
        super().receive(slot, message)
        self.fresh.add(slot)

    def _present(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return the slots presented that ask for something: for outputs, and for the unit.

        Inputs with a message do not offer flits, whether it asks or not.
        """
        credits = self.plane.credits
        choice: dict[int, int] = {}
        for slot in self.occupied:
            port = slot >> 1
            eligible = slot in self.fresh or self._may(self.lane[slot], port)
            if eligible and (port not in choice or slot & 1 != self.presented[port]):
                choice[port] = slot
        self.fresh.clear()
        self.spent.clear()
        if self.shared:
            self.plane.held_inputs.update(self.links[port] for port in choice)
        ways = {port: self.lane[slot] for port, slot in choice.items()}
        wants = {port: choice[port] for port, lane in ways.items() if lane >= 0 and credits[lane]}
        unit = self.unit
        here = [port for port, lane in ways.items() if lane < 0 and port not in unit.served]
        return wants, {} if unit.still else {port: choice[port] for port in here}

    def _may(self, lane: int, port: int) -> bool:
        """Return whether a message that has been there may be presented, to ask for a lane."""
        if lane < 0:
            return port not in self.unit.passed
        return self.plane.credits[lane] > 0 or lane in self.spent

    def _note(self, choice: dict[int, int], shown: dict[int, int]) -> None:
        """What there is to note has been, or is when a message leaves."""

    def _send(
        self,
        now: int,
        choice: dict[int, int],
        wants: dict[int, list[int]],
        offers: dict[int, Offer],
    ) -> int | None:
        begin = len(self.plane.sent)
        sent_up = super()._send(now, choice, wants, offers)
        self.spent.update(lane for lane, _ in self.plane.sent[begin:])
        return sent_up

    def _free(self, slot: int) -> Message:
        """Empty a slot, and note its class as the input's last."""
        self.presented[slot >> 1] = slot & 1
        return super()._free(slot)
