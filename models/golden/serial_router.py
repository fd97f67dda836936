"""Synchronization messages at a router with a serial barrier unit."""

from __future__ import annotations

from syncfabric.models.golden.record import Message
from syncfabric.models.golden.router import SyncRouter
from syncfabric.models.golden.serial_unit import SerialUnit

__all__ = ["SerialRouter"]


class SerialRouter(SyncRouter):
    """Synchronization at one node; the way here is one like the others (section 4.7).

    An input presents one message, to an output or to the unit. ``presented`` holds the class that
    an input has had taken last.
    """

    unit: SerialUnit

    def _present(self) -> tuple[dict[int, int], dict[int, int]]:
        """Return the slots that inputs present, those for outputs and those for the unit."""
        unit, credits = self.unit, self.plane.credits
        choice: dict[int, int] = {}
        for slot in self.occupied:
            lane, port = self.lane[slot], slot >> 1
            here = lane < 0
            eligible = port not in unit.served and not unit.still if here else credits[lane] > 0
            if eligible and (port not in choice or slot & 1 != self.presented[port]):
                choice[port] = slot
        shown = {port: slot for port, slot in choice.items() if self.lane[slot] < 0}
        return {port: slot for port, slot in choice.items() if port not in shown}, shown

    def _note(self, choice: dict[int, int], shown: dict[int, int]) -> None:
        """Note that inputs with a message do not offer flits."""
        if self.shared:
            self.plane.held_inputs.update(self.links[port] for port in (*choice, *shown))

    def _free(self, slot: int) -> Message:
        """Empty a slot, and note its class as the input's last."""
        self.presented[slot >> 1] = slot & 1
        return super()._free(slot)
