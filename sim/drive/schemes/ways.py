"""The barrier in hardware, and the two schemes that paper BTIN compares it with (section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.planning.links.images import Epochs
from syncfabric.models.planning.links.set_up import go_writes
from syncfabric.sim.drive.inbox import Packet
from syncfabric.sim.drive.schemes.by_packets import ByPackets
from syncfabric.sim.drive.schemes.scheme import Scheme
from syncfabric.sim.drive.schemes.steps import StepKind

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["Btin", "Gathering", "Multicast", "Unicast"]


class Btin(Scheme):
    """Members arrive at their registers, and switches merge and replicate."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._entering: set[int] = set()

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Let a member arrive whose turn it is; keep the wish of another."""
        if member in self._entering:
            self._entering.remove(member)
            return False
        return super().arrive(now, number, member)

    def _enter(self, now: int, member: int) -> None:
        self._entering.add(member)
        self.driver.schedule(now, 0, member)

    def _look(self, now: int) -> None:
        group = self.driver.groups[0]
        for member, (arrived, released) in enumerate(
            zip(group.arrived, group.released, strict=True)
        ):
            if arrived == released == len(self.measured.between):
                self._release(now, member)

    def _reset(self, now: int) -> None:
        """Do nothing: the registers have told the group."""


class Gathering(ByPackets):
    """Members send a message of one flit each to the root node, whose software counts them.

    Raises
    ------
    ValueError
        The group's root is no member.
    """

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        if self.plan.root not in self.plan.members:
            raise ValueError("packets gather at a root that is a member; set another planner")
        self.root = self.plan.members.index(self.plan.root)
        self._arrived: set[int] = set()

    def _enter(self, now: int, member: int) -> None:
        super()._enter(now, member)
        if member == self.root:
            self._is_in(now, member)
        else:
            self._send(member, self.root, member)

    def _hear(self, now: int, packet: Packet) -> None:
        member = self._number(packet.payloads[0])
        if packet.node == self.nodes[self.root]:
            self._is_in(now, member)
        else:
            self._release(now, member)

    def _is_in(self, now: int, member: int) -> None:
        self._arrived.add(member)
        if len(self._arrived) == len(self.nodes):
            self._arrived.clear()
            self._distribute(now)

    def _distribute(self, now: int) -> None:
        """Tell all members, now that all are in."""


class Unicast(Gathering):
    """The root node's software sends a message to each of the others, in the members' order."""

    def _distribute(self, now: int) -> None:
        self._release(now, self.root)
        for member in range(len(self.nodes)):
            if member != self.root:
                self._send(self.root, member, member)


class Multicast(Gathering):
    """The root's engine is told GO, which goes down the barrier's own tree.

    A member is released when its register is ready. GO comes once in a group's life, so there is
    one episode. The root's software writes its own router. So the cycles are left out in which the
    request passes the config nodes before that one.

    Raises
    ------
    ValueError
        There are more episodes than one.
    """

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        if driver.scenario.episodes > 1:
            raise ValueError("a group is told GO once: episodes = 1")
        (group,), epochs = driver.plan.engine_groups, Epochs()
        epochs.set_up(group)
        (go,) = go_writes([group], self.network.shape, epochs)
        self._command = ConfigRequest(go.target, go.address, True, go.word)
        self.left_out = go.target
        self._told = False

    def _distribute(self, now: int) -> None:
        self._told = True
        self._tell(now, self.root, StepKind.TELL)
        self.driver.port.ask(self._command)

    def _look(self, now: int) -> None:
        if not self._told:
            return
        for member, (node, register) in enumerate(self.driver.groups[0].places):
            ready = register is not None and self.driver.model.ready(node, register)
            if ready and member not in self._released:
                self._release(now, member)
