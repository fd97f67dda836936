"""Episodes of a scheme of synchronization, one after the other, and what each of them takes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from syncfabric.models.golden.record import Record
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.inbox import Packet
from syncfabric.sim.drive.scenario import SchemeOutcome
from syncfabric.sim.drive.software import Host, Program

__all__ = ["Btin", "Scheme"]


class Scheme(Program):
    """One group's members meet, and nothing else is in the network.

    A member arrives in the cycle in which its node's software does the first thing for it, and is
    released in the first cycle in which it could go on. With policy ``together`` all arrive in one
    cycle; else all but one do, and that one, in its turn, when everything is quiet again.

    Parameters
    ----------
    driver : Host
        With one group of two members or more, in registers or entries.

    Attributes
    ----------
    measured : SchemeOutcome
        Of the episodes so far.
    left_out : int
        Cycles of an episode that are not the scheme's.

    Raises
    ------
    ValueError
        It has other groups.
    """

    left_out = 0

    def __init__(self, driver: Host) -> None:
        plans, network = driver.plan.groups, driver.plan.spec.message_network
        plan = plans[0] if len(plans) == 1 else None
        if plan is None or plan.bound is None:
            raise ValueError("a scheme is for one group, in registers everywhere")
        index = network.topology.index
        self.driver, self.plan, self.network = driver, plan, network
        self.nodes = [index(node) for node in plan.members]
        self.measured = SchemeOutcome()
        self._wishes: list[int] = []
        self._late: list[int] = []
        self._begun = False
        self._last_arrival = 0
        self._released: dict[int, int] = {}
        links = links_of(network)
        own = (1 << links.width) - 1
        self._own = sum(own << link * links.width for link in {*links.eject, *links.inject})

    @property
    def finished(self) -> bool:
        """Whether no episode is under way."""
        return not self._begun

    def next_cycle(self, now: int) -> int | None:
        """Return ``now`` while an episode is prepared or under way."""
        return now if self._begun or self._wishes else None

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Keep a member's wish to arrive until all have it."""
        self._wishes.append(member)
        return True

    def note(self, record: Record) -> None:
        """Count the links that are traversed."""
        if self._begun:
            own = (record.valid & self._own).bit_count()
            self.measured.beside[-1] += own
            self.measured.between[-1] += record.valid.bit_count() - own

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Begin an episode, go on with it, or end it."""
        for packet in packets:
            self._hear(now, packet)
        if self._begun:
            self._look(now)
        if not self._is_quiet():
            return
        if not self._begun and len(self._wishes) == len(self.nodes):
            self._begin(now)
        elif self._late:
            self._arrives(now, self._late.pop())
        elif len(self._released) == len(self.nodes):
            self._begun = False
            took = max(self._released.values()) - self._last_arrival
            self.measured.cycles.append(took - self.left_out)
            self._released = {}
            self._reset(now)

    def _is_quiet(self) -> bool:
        model, port = self.driver.model, self.driver.port
        return port.is_idle and model.is_empty() and model.idle_until() is None

    def _begin(self, now: int) -> None:
        self._begun = True
        self.measured.between.append(0)
        self.measured.beside.append(0)
        self._wishes, order = [], self._wishes
        self._late = [] if self.driver.scenario.policy == "together" else [order.pop()]
        for member in order:
            self._arrives(now, member)

    def _arrives(self, now: int, member: int) -> None:
        self._last_arrival = now
        self._enter(now, member)

    def _release(self, now: int, member: int) -> None:
        """Note that a member can go on in this cycle."""
        self._released.setdefault(member, now)

    @abstractmethod
    def _enter(self, now: int, member: int) -> None:
        """Let a member arrive."""

    @abstractmethod
    def _reset(self, now: int) -> None:
        """Make ready for the next episode, all members having been released."""

    def _hear(self, now: int, packet: Packet) -> None:
        """Take in a packet that has come out in the cycle before."""

    def _look(self, now: int) -> None:
        """See what the network shows, in every cycle of an episode."""


class Btin(Scheme):
    """Members arrive at their registers, and switches merge and replicate."""

    def __init__(self, driver: Host) -> None:
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
