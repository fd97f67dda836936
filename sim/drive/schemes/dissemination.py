"""The dissemination barrier: all members send, in rounds (paper Reflex, section II)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from syncfabric.sim.drive.inbox import Packet
from syncfabric.sim.drive.schemes.by_packets import ByPackets

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["Dissemination"]


class Dissemination(ByPackets):
    """In round k member i signals member (i + 2^k) mod P, and awaits a signal; ceil(log2 P) rounds.

    A signal carries round and group. Signals of a round are counted, for one of the next episode
    may come before a member has got through this one.
    """

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._rounds = (len(self.nodes) - 1).bit_length()
        self._round: dict[int, int] = {}
        """Of members that have arrived and are not through: the round they are in."""
        self._came: Counter[tuple[int, int]] = Counter()

    @property
    def _largest(self) -> int:
        """The largest round and group."""
        return 0xFF << self._round_bits | (1 << self._round_bits) - 1

    @property
    def _round_bits(self) -> int:
        """Bits of a round's number."""
        return (len(self.nodes) - 1).bit_length().bit_length()

    def _enter(self, now: int, member: int) -> None:
        super()._enter(now, member)
        self._round[member] = 0
        self._signal(member)
        self._go_on(now, member)

    def _signal(self, member: int) -> None:
        """Send a member's signal of its round."""
        number = self._round[member]
        receiver = (member + (1 << number)) % len(self.nodes)
        self._send(member, receiver, self.plan.id << self._round_bits | number)

    def _hear(self, now: int, packet: Packet) -> None:
        group, number = divmod(self._number(packet.payloads[0]), 1 << self._round_bits)
        if group == self.plan.id:
            member = self._member_at[packet.node]
            self._came[member, number] += 1
            self._go_on(now, member)

    def _go_on(self, now: int, member: int) -> None:
        """Pass the rounds whose signal has come."""
        while member in self._round and self._came[member, self._round[member]]:
            self._came[member, self._round[member]] -= 1
            self._round[member] += 1
            if self._round[member] == self._rounds:
                del self._round[member]
                self._release(now, member)
            else:
                self._signal(member)
