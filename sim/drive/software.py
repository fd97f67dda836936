"""What runs at the nodes beside their barriers: programs that send packets and write registers.

A program is stepped with what the model shows. What it does goes to hardware and model alike, and
takes no time but that of the ports: what comes out of the network in a cycle, or is answered or
released in it, it can act upon in the next (a release: in the same).
"""

from __future__ import annotations

import heapq
import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import Record
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.churn.notes import Note
from syncfabric.sim.drive.driving import Driving, Inputs
from syncfabric.sim.drive.inbox import Inbox, Packet
from syncfabric.sim.drive.put_port import PutPort
from syncfabric.sim.drive.scenario import Scenario

__all__ = ["Act", "Agenda", "Host", "MemberStep", "PacketScript", "Program", "Software", "StepKind"]

Act = Callable[[int], None]
"""Is told the cycle in which it is done."""


class StepKind(Enum):
    """What a member does."""

    ARRIVE = "arrive"
    TELL = "tell"
    """It tells everybody all that it knows, by other ways than packets."""
    RELEASE = "release"
    """It goes on."""


class MemberStep(NamedTuple):
    """A step of the one group's member."""

    cycle: int
    member: int
    kind: StepKind


class Agenda:
    """Acts by their cycles; those of a cycle in the order in which they were entered."""

    def __init__(self) -> None:
        self._acts: list[tuple[int, int, Act]] = []
        self._entered = 0

    @property
    def next_cycle(self) -> int | None:
        """The first cycle in which something is to be done."""
        return self._acts[0][0] if self._acts else None

    def at(self, cycle: int, act: Act) -> None:
        """Enter an act."""
        self._entered += 1
        heapq.heappush(self._acts, (cycle, self._entered, act))

    def step(self, now: int) -> None:
        """Do what is due, and what becomes due by that."""
        while self._acts and self._acts[0][0] <= now:
            heapq.heappop(self._acts)[2](now)


class Program(ABC):
    """Software of all nodes for one end."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether it has nothing more to do, whatever comes."""

    @abstractmethod
    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Act in a cycle, upon the packets that came out of the network in the one before."""

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which it acts without being told anything."""
        return None

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Take over a member's arrival; False: it is the barrier's."""
        return False

    @property
    def prepares(self) -> bool:
        """Whether groups must not begin yet."""
        return False


class Software:
    """The programs of a run, and the nodes' ports for packets.

    Parameters
    ----------
    scenario : Scenario
    spec : MessageSpec

    Attributes
    ----------
    programs : list of Program
    sender : PutPort
        Where packets are sent.
    """

    def __init__(self, scenario: Scenario, spec: MessageSpec) -> None:
        pauses = random.Random(f"{scenario.seed}/pauses") if scenario.noise else None
        self.sender = PutPort(spec, pauses)
        self.programs: list[Program] = []
        self._inbox = Inbox(spec)

    @property
    def finished(self) -> bool:
        """Whether no program has anything more to do."""
        return not self.sender.waits and all(program.finished for program in self.programs)

    @property
    def prepares(self) -> bool:
        """Whether groups must not begin yet."""
        return any(program.prepares for program in self.programs)

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which there is something to do."""
        if self.sender.waits or self._inbox.packets:
            return now
        ahead = [program.next_cycle(now) for program in self.programs]
        return min((cycle for cycle in ahead if cycle is not None), default=None)

    def note(self, now: int, record: Record) -> None:
        """See what was on the wires in a cycle."""
        if self.programs:
            self._inbox.note(now, record)

    def step(self, now: int) -> None:
        """Let the programs act."""
        packets = self._inbox.take()
        for program in self.programs:
            program.step(now, packets)

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Return whether a program takes over a member's arrival."""
        return any(program.arrive(now, number, member) for program in self.programs)

    def give(self, now: int, inputs: Inputs) -> None:
        """Put what is to be sent into a cycle's inputs."""
        inputs.puts.extend(self.sender.give(now))


class Host(Driving):
    """A driver of a network of engines as programs of its nodes see it.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    model : CollectiveNetwork
        Is looked at for releases and for what is ready, too.

    Attributes
    ----------
    notes : list of Note
        What was done for lives; the caller clears it.
    steps : list of MemberStep
        What a scheme's members do; the caller clears it.
    software : Software
        What else runs at the nodes.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario, model: CollectiveNetwork) -> None:
        super().__init__(plan, scenario, model, plan.groups)
        self.model = model
        self.notes: list[Note] = []
        self.steps: list[MemberStep] = []
        self.software = Software(scenario, plan.spec.message_network)


class PacketScript(Program):
    """Sends the scenario's packets.

    Parameters
    ----------
    driver : Host
        Whose scenario has packets.
    """

    def __init__(self, driver: Host) -> None:
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
