"""Packets that nodes' software sends at given times."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from syncfabric.sim.drive.inbox import Packet
from syncfabric.sim.drive.software import Program

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["PacketScript"]


class PacketScript(Program):
    """Sends the scenario's packets.

    Parameters
    ----------
    driver : Driver
        Whose scenario has packets.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        order = sorted(driver.scenario.packets, key=lambda sending: sending.cycle)
        self._ahead = deque(order)

    @property
    def finished(self) -> bool:
        """Whether all have been sent."""
        return not self._ahead

    def next_cycle(self, now: int) -> int | None:
        """Return the cycle of the next packet; None before groups begin."""
        begin = self._driver.begin_cycle
        return max(now, begin + self._ahead[0].cycle) if begin and self._ahead else None

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Send what is due."""
        while (due := self.next_cycle(now)) is not None and due <= now:
            _, node, channel, payloads = self._ahead.popleft()
            self._driver.software.sender.send(node, payloads, channel)
