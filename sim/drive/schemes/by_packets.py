"""Schemes of synchronization by packets of one flit, from one member's software to another's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.sim.drive.schemes.scheme import Scheme
from syncfabric.sim.drive.schemes.steps import MemberStep, StepKind

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["ByPackets"]


class ByPackets(Scheme):
    """Members send messages of one flit, and say what they do: see `CauseCheck`.

    Parameters
    ----------
    driver : Driver

    Raises
    ------
    ValueError
        A flit is too narrow for what a message carries.
    """

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._layout = self.network.layout.header
        self._headers = [self._header(member) for member in range(len(self.nodes))]
        self._member_at = {node: member for member, node in enumerate(self.nodes)}
        needed = self._layout.width + self._largest.bit_length()
        if needed > min(32, self.network.flit_bits):
            raise ValueError(f"a message of one flit needs {needed} bits, flit_bits and 32 at most")

    @property
    def _largest(self) -> int:
        """The largest number that a message carries: at first, a member's."""
        return len(self.nodes) - 1

    def _header(self, member: int) -> int:
        """Return the header of packets to a member."""
        shape = self.network.shape
        if shape.router.routing == "source":
            raise ValueError('members send without routes: routing = "table"')
        return shape.header_of(shape.nodes[self.nodes[member]])

    def _send(self, sender: int, receiver: int, number: int) -> None:
        """Have a member send a message with a number, in the bits that are the sender's."""
        message = self._headers[receiver] | number << self._layout.width
        self.driver.software.sender.send(self.nodes[sender], [message])

    def _number(self, message: int) -> int:
        """Return a message's number."""
        return message >> self._layout.width

    def _enter(self, now: int, member: int) -> None:
        self.driver.groups[0].took(now, member)
        self._tell(now, member, StepKind.ARRIVE)

    def _release(self, now: int, member: int) -> None:
        self._tell(now, member, StepKind.RELEASE)
        super()._release(now, member)

    def _tell(self, now: int, member: int, kind: StepKind) -> None:
        self.driver.steps.append(MemberStep(now, member, kind))

    def _reset(self, now: int) -> None:
        for member in range(len(self.nodes)):
            self.driver.groups[0].release(now, member)
