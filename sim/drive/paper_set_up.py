"""Set-up as paper BTIN has it: members write registers, or ask a node to, and nobody answers."""

from __future__ import annotations

import heapq
import random
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    ERRAND,
    ERRAND_MARK,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.images import register_words
from syncfabric.models.planning.plan import IrregularGroupPlan, PortRegister
from syncfabric.models.planning.representatives import asked_node, shares
from syncfabric.sim.drive.inbox import Packet
from syncfabric.sim.drive.software import Program

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["PaperSetUp"]

SPREAD = 64
"""Cycles within which members begin."""
PAUSE = 16
"""Most cycles that a node's software takes from one thing to the next."""


class _Errand(NamedTuple):
    """A packet by which a node's software asks another's."""

    sender: int
    payloads: tuple[int, ...]


_Work: TypeAlias = Generator[ConfigRequest | _Errand, bool | None, None]
"""What a node's software does, one thing after the other; is told whether a request is refused."""


class PaperSetUp(Program):
    """Software of members and of asked nodes (paper BTIN, section 3.1, Setup_Register, step 6).

    Each does one thing after the other at a pace of its own, and a member arrives when its own
    node's register is written; if the scenario is ``hasty``, it waits for nothing else. In one
    that is ``tidy`` members give their registers up after their last release: a representative asks
    for those below once, and writes its switch's until that is idle and obeys.

    Parameters
    ----------
    driver : Driver
        Of an irregular network with ``setup = "paper"``.
    """

    def __init__(self, driver: Driver) -> None:
        network = driver.plan.spec.network
        assert isinstance(network, IrregularSpec)
        self._driver, self._network, self._scenario = driver, network, driver.scenario
        self._rng = random.Random(f"{driver.scenario.seed}/set-up")
        groups = driver.plan.groups
        self._groups = [group for group in groups if isinstance(group, IrregularGroupPlan)]
        self._shares = [[*shares(group).values()] for group in self._groups]
        self._agenda: list[tuple[int, int, _Work, bool | None]] = []
        self._turns = 0  # so that of two things in a cycle the older goes first
        self._under_way = 0  # works, and errands that have not arrived
        self._begun = False
        self._open: dict[tuple[int, int], bool] = {}  # whether the member has left again
        self._held: set[tuple[int, int]] = set()

    @property
    def finished(self) -> bool:
        """Whether everything is written, or given up again."""
        left = not self._scenario.tidy or all(self._open.values())
        return self._begun and not self._under_way and left

    @property
    def prepares(self) -> bool:
        """Whether registers are being written, and nobody is to arrive before all are."""
        if self._scenario.hasty:
            return False
        quiet = self._driver.port.all_answered and self._driver.model.is_empty()
        return not (self._begun and not self._under_way and quiet)

    def next_cycle(self, now: int) -> int | None:
        """Return the cycle of the next thing that is to be done."""
        if not self._begun:
            return now
        return self._agenda[0][0] if self._agenda else None

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Hold a member back whose register is not written."""
        if (number, member) in self._open:
            return False
        self._held.add((number, member))
        return True

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Let all software do what it is time for."""
        if not self._begun and (not self._scenario.hasty or self._driver.begin_cycle):
            self._begun = True
            for number, shared in enumerate(self._shares):
                for member in range(len(shared)):
                    work = self._set_up(number, member)
                    self._employ(now + self._rng.randrange(SPREAD), work)
        for packet in packets:
            self._obey(now, packet)
        if self._scenario.tidy:
            self._leave(now)
        while self._agenda and self._agenda[0][0] <= now:
            _, _, work, refused = heapq.heappop(self._agenda)
            self._go_on(now, work, refused)

    def _employ(self, cycle: int, work: _Work) -> None:
        self._under_way += 1
        self._put_off(cycle, work, None)

    def _put_off(self, cycle: int, work: _Work, refused: bool | None) -> None:
        self._turns += 1
        heapq.heappush(self._agenda, (cycle, self._turns, work, refused))

    def _go_on(self, now: int, work: _Work, refused: bool | None) -> None:
        """Let a work do its next thing."""
        try:
            task = work.send(refused)
        except StopIteration:
            self._under_way -= 1
            return
        pause = self._rng.randint(0, PAUSE)
        if isinstance(task, _Errand):
            self._under_way += 1
            self._driver.software.sender.send(*task)
            self._put_off(now + pause, work, None)
        else:
            self._driver.port.ask(
                task, lambda now, refused, _: self._put_off(now + pause, work, refused)
            )

    def _set_up(self, number: int, member: int) -> _Work:
        """Write the member's own registers, and ask for the others."""
        group, (own, *others) = self._groups[number], self._shares[number][member]
        yield from self._writes(group, own)
        self._open[number, member] = False
        if (number, member) in self._held:
            self._driver.schedule(0, number, member)
        for register in others:
            if register.seat == group.members[member][0]:
                yield from self._writes(group, register)
            else:
                yield self._errand(group, member, register, clear=False)

    def _leave(self, now: int) -> None:
        """Let members give their registers up that have been released for the last time."""
        for (number, member), has_left in self._open.items():
            released = self._driver.groups[number].released[member]
            if not has_left and released == self._scenario.episodes:
                self._open[number, member] = True
                self._employ(now, self._give_up(number, member))

    def _give_up(self, number: int, member: int) -> _Work:
        """Have the registers below given up, and then the member's own."""
        group, (own, *others) = self._groups[number], self._shares[number][member]
        mine = [register for register in others if register.seat == group.members[member][0]]
        for register in others:
            if register not in mine:
                yield self._errand(group, member, register, clear=True)
        for register in (*mine, own):
            target, address = self._place(group, register)
            while (yield ConfigRequest(target, address + SwitchWord.CONTROL, True, 0)):
                pass

    def _place(self, group: IrregularGroupPlan, register: PortRegister) -> tuple[int, int]:
        """Return a register's target and first address."""
        if isinstance(register.seat, int):
            target = len(self._network.nodes) + register.seat
            place = group.switch_places[register.seat]
        else:
            target = self._network.topology.index(register.seat)
            place = group.places[register.seat]
        first = SwitchWord.CONTROL
        return target, register_address(place, first) - first

    def _writes(self, group: IrregularGroupPlan, register: PortRegister) -> Iterator[ConfigRequest]:
        """Yield the requests that write a register, the control word's last."""
        target, address = self._place(group, register)
        for word, value in register_words(register).items():
            yield ConfigRequest(target, address + word, True, value)

    def _errand(
        self, group: IrregularGroupPlan, member: int, register: PortRegister, *, clear: bool
    ) -> _Errand:
        """Return the packet that asks for a register to be written, or given up."""
        assert isinstance(register.seat, int)
        topology = self._network.topology
        switch, port = asked_node(topology, register.seat)
        _, address = self._place(group, register)
        payloads = [
            self._network.layout.header.pack({"switch": switch, "port": port}),
            ERRAND.pack({"mark": ERRAND_MARK, "clear": clear, "address": address}),
        ]
        if not clear:
            payloads += register_words(register).values()
        return _Errand(topology.index(group.members[member]), tuple(payloads))

    def _obey(self, now: int, packet: Packet) -> None:
        """Let an asked node do what a packet says, if it is an errand."""
        fields = ERRAND.unpack(packet.payloads[1]) if len(packet.payloads) > 1 else {}
        if fields.get("mark") != ERRAND_MARK:
            return
        self._under_way -= 1
        switch, _ = self._network.topology.node(packet.node)
        target, address = len(self._network.nodes) + switch, fields["address"]
        words = {SwitchWord.CONTROL: 0}
        if not fields["clear"]:
            tree, control = packet.payloads[2:]
            words = {SwitchWord.TREE: tree, SwitchWord.CONTROL: control}
        self._employ(now, self._write(target, address, words))

    def _write(self, target: int, address: int, words: Mapping[SwitchWord, int]) -> _Work:
        for word, value in words.items():
            yield ConfigRequest(target, address + word, True, value)
