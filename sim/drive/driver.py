"""The stimulus of a run, open loop: made from the golden model's releases, cycle by cycle."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.planning.links.images import Epochs
from syncfabric.models.planning.links.set_up import image_writes, set_up_writes
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.arrivals import GroupArrivals, Place
from syncfabric.sim.drive.churn.churner import Churner
from syncfabric.sim.drive.churn.notes import Ended, Note
from syncfabric.sim.drive.config_port import ConfigPort
from syncfabric.sim.drive.illegal import Illegal
from syncfabric.sim.drive.put_port import Put
from syncfabric.sim.drive.replay import Replaying
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.schemes.choice import SCHEMES
from syncfabric.sim.drive.schemes.steps import MemberStep
from syncfabric.sim.drive.set_up import MembersSetUp, Openings, SetUp
from syncfabric.sim.drive.software import PacketScript, Software
from syncfabric.sim.drive.targets import targets_of

__all__ = ["READ_BACK", "Arrival", "Driver", "Inputs"]

READ_BACK = 256
"""Nodes of the largest network whose counters are read at the end of a run."""


class Arrival(NamedTuple):
    """A member's arrival that the network takes."""

    cycle: int
    group: int
    """Place of the group in the plan; after all of these, a life's number."""
    member: int
    data: int


@dataclass
class Inputs:
    """All inputs of the network in one cycle."""

    arrive: dict[tuple[int, int], int] = field(default_factory=dict)
    last: set[tuple[int, int]] = field(default_factory=set)
    config: ConfigRequest | None = None
    load: int | None = None
    puts: list[Put] = field(default_factory=list)


class Driver:
    """Sets up the registers, starts traffic, makes arrivals, and reads the counters at the end.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    model : CollectiveNetwork
        Is looked at for releases and for what is ready; stepping it is the caller's.

    Attributes
    ----------
    enable, rate : bool, int
        The traffic inputs, which last.
    stimuli : list of Stimulus
        All inputs in the player's form; the caller clears it.
    arrivals : list of Arrival
        Those taken by the network; the caller clears it.
    notes : list of Note
        What was done for lives; the caller clears it.
    steps : list of MemberStep
        What a scheme's members do; the caller clears it.
    port : ConfigPort
        The config port.
    churn : Churner or None
        Who makes lives.
    software : Software
        What else runs at the nodes.
    scheme : Scheme or None
        Who has the one group synchronize, if it is a scheme.
    replaying : Replaying or None
        Who plays a schedule.
    traffic_from, traffic_to : int or None
        First cycle with traffic, and the first after it.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario, model: CollectiveNetwork) -> None:
        self.plan, self.scenario, self.model = plan, scenario, model
        network = plan.spec.message_network
        self._registers, self._data_bits = network.port_registers, network.data_bits
        self.rng = random.Random(scenario.seed)
        self.enable, self.rate = False, 0
        self.stimuli: list[Stimulus] = []
        self.arrivals: list[Arrival] = []
        self.notes: list[Note] = []
        self.steps: list[MemberStep] = []
        self.traffic_from: int | None = None
        self.traffic_to: int | None = None
        # With multicast GO is the release, and so no preparation.
        self._opens = scenario.scheme != "multicast"
        self._managed = network.managed and self._opens
        self.groups = [self._group(number) for number in range(len(plan.groups))]
        self._member: dict[Place, tuple[int, int]] = {}
        for number, group in enumerate(self.groups):
            for member, seat in enumerate(group.places):
                self._member[seat] = (number, member)
        self._agenda: list[tuple[int, int, int]] = []  # (cycle, group, member)
        self.port = ConfigPort(self._first_writes())
        self.set_up = SetUp(plan, model, self.port.ask) if self._managed else None
        self._openings = Openings(plan, model) if self._opens else None
        self._illegal = Illegal(self) if scenario.noise else None
        self.churn = Churner(self) if scenario.churn else None
        self.software = Software(self)
        self.scheme = SCHEMES[scenario.scheme](self) if scenario.scheme else None
        self.software.programs += [self.scheme] if self.scheme else []
        self.replaying = Replaying(self, scenario.replay) if scenario.replay else None
        self.software.programs += [self.replaying] if self.replaying else []
        self.software.programs += [MembersSetUp(self)] if network.setup == "paper" else []
        self.software.programs += [PacketScript(self)] if scenario.packets else []
        self._switches: tuple[int, ...] = ()  # cycles in which traffic is seeded and enabled
        self._begin_cycle: int | None = None
        self._read = False
        self.finished = False

    def _group(self, number: int) -> GroupArrivals:
        group = self.plan.groups[number]
        index = self.plan.spec.network.topology.index
        places: list[Place] = [(index(node), place) for node, place in group.places.items()]
        return GroupArrivals(
            group,
            places,
            self.scenario,
            random.Random(f"{self.scenario.seed}/{group.id}"),
            lambda cycle, member: self.schedule(cycle, number, member),
            lambda: self.churn is not None and not self.churn.over,
        )

    def _first_writes(self) -> Iterator[ConfigRequest]:
        """Yield the writes that set groups up, if the host does."""
        network = self.plan.spec.message_network
        if not self._managed and network.setup != "paper":
            writes_of = set_up_writes if self._opens else image_writes
            for target, address, word in writes_of(
                self.plan.engine_groups, network.shape, Epochs()
            ):
                yield ConfigRequest(target, address, True, word)

    @property
    def begin_cycle(self) -> int | None:
        """First cycle in which members arrive; None before it is known."""
        return self._begin_cycle

    @property
    def active(self) -> bool:
        """Whether arrivals are being made."""
        return self._begin_cycle is not None and not self._all_over

    @property
    def _all_over(self) -> bool:
        over = self.churn is None or self.churn.over
        over &= self.software.finished
        return over and all(group.finished for group in self.groups)

    def unfinished(self) -> list[int]:
        """Return the groups that are not over: lives, or if there are none, those of the plan."""
        lives = list(self.churn.alive) if self.churn else []
        waits = self._begin_cycle is None
        return lives or [each.group.id for each in self.groups if waits or not each.finished]

    @property
    def _churns(self) -> bool:
        """Whether lives come and go: all groups have had their episodes."""
        if self.churn is None or self._begin_cycle is None:
            return False
        return all(len(group.latency) >= self.scenario.episodes for group in self.groups)

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which the driver has something to do.

        None: nothing, until the model does something.
        """
        if self.port.may_ask or (self._illegal is not None and self.active):
            return now
        ahead = [self._agenda[0][0]] if self._agenda else []
        if self.churn is not None and self._churns:
            ahead += [cycle for cycle in (self.churn.next_cycle(now),) if cycle is not None]
        ahead += [cycle for cycle in (self.software.next_cycle(now),) if cycle is not None]
        if self._begin_cycle is None:
            waits = self.port.awaits_answer or (self.set_up and self.set_up.waits)
            if not waits and not self._awaits_go:
                return now
        elif self.traffic_to is None:
            ahead += [cycle for cycle in self._switches if cycle >= now]
            if self._all_over:
                ahead.append(max(now, self.scenario.cycles, self._begin_cycle))
        elif not self.finished and not self.port.awaits_answer:
            return now
        return min(ahead, default=None)

    def inputs(self, now: int, *, quiet: bool) -> Inputs | None:
        """Return the inputs of cycle ``now``, all releases of which the model shows.

        Parameters
        ----------
        now : int
            The cycle about to be stepped.
        quiet : bool
            Nothing is under way in the network.

        Returns
        -------
        Inputs or None
            None if all but the traffic's lasting inputs are low.
        """
        model = self.model
        self.port.hear(now, model.config_answer)
        for node, register, _ in model.release:
            self._released(now, (node, register))
        if now == 0:  # nothing can be driven in the first cycle
            return None
        inputs = Inputs()
        self.software.step(now)
        self._sequence(now, quiet, inputs)
        while self._agenda and self._agenda[0][0] <= now:
            _, number, member = heapq.heappop(self._agenda)
            self._arrive(now, number, member, inputs)
        if self._illegal is not None and self.active:
            self._illegal.disturb(now, inputs)
        if self.churn is not None and self._churns:
            self.churn.step(now, inputs)
        self.software.give(now, inputs)
        self.stimuli += [put.stimulus() for put in inputs.puts]
        if self.port.may_ask:
            inputs.config, stimulus = self.port.give(now)
            self.stimuli.append(stimulus)
        return inputs

    def _released(self, now: int, seat: Place) -> None:
        if seat in self._member:
            number, member = self._member[seat]
            self.groups[number].release(now, member)

    def _sequence(self, now: int, quiet: bool, inputs: Inputs) -> None:
        """Go through the phases: set-up, start, traffic, barriers, draining, reading back."""
        if self._begin_cycle is None:
            if self.port.is_idle:
                if self.set_up and not self.set_up.finished:
                    self.set_up.step(now)
                    return
                if self._may_begin():
                    self._start(now)
            return
        if now in self._switches:
            if now == self._switches[0]:
                inputs.load = self.rng.getrandbits(32)
                self.stimuli.append(Stimulus(now, StimulusKind.LOAD, data=inputs.load))
            else:
                self._switch_traffic(now, rate_word(self.scenario.background))
                self.traffic_from = now
        if self.traffic_to is None:
            if self._all_over and now >= max(self.scenario.cycles, self._begin_cycle):
                self.traffic_to = now
                if self.enable:
                    self._switch_traffic(now, 0)
        elif quiet and not self._read:
            self._read = True
            if self.reads_back:
                self.port.requests.extend(self._last_reads())
                self.notes += [Ended(now)] if self.churn else []
        elif quiet and self.port.is_idle:
            self.finished = not self.model.config_answer[0]

    @property
    def reads_back(self) -> bool:
        """Whether counters are read: not of large networks, nor over a chain for one episode."""
        return len(self.plan.spec.network.topology.nodes) <= READ_BACK and self.scheme is None

    def _last_reads(self) -> Iterator[ConfigRequest]:
        """Yield the requests for all counters."""
        for target, reads in enumerate(targets_of(self.plan.spec.network).reads):
            for address, _ in reads:
                yield ConfigRequest(target, address, False)

    @property
    def _awaits_go(self) -> bool:
        """Whether all is set up, and GO must still come to members."""
        over = self.set_up is None or self.set_up.finished
        return over and self.port.is_idle and not self._may_begin()

    def _may_begin(self) -> bool:
        """Return whether software has prepared everything, and GO has reached all members."""
        if self.software.prepares:
            return False
        refused = self.set_up is not None and self.set_up.refused is not None
        return self._openings is None or refused or self._openings.are_all()

    def _start(self, now: int) -> None:
        """Plan the traffic and the first arrivals."""
        self._begin_cycle = now + 2
        if self.scenario.background:
            enable = now + 2 + WARM_CYCLES
            self._switches = (now + 1, enable)
            self._begin_cycle = enable + self.scenario.lead_in
        for group in self.groups:
            group.begin(self._begin_cycle)

    def _switch_traffic(self, now: int, rate: int) -> None:
        self.enable, self.rate = rate > 0, rate
        self.stimuli.append(Stimulus(now, StimulusKind.RATE, data=rate, extra=int(rate > 0)))

    def note(self, now: int, record: Record) -> None:
        """See what was on the wires in a cycle."""
        self.software.note(now, record)
        if self.scheme:
            self.scheme.note(record)

    def schedule(self, cycle: int, number: int, member: int) -> None:
        """Have a member of a group arrive in a cycle."""
        heapq.heappush(self._agenda, (cycle, number, member))

    def _arrive(self, now: int, number: int, member: int, inputs: Inputs) -> None:
        if self.software.arrive(now, number, member):
            return
        group = self.groups[number]
        data = self.rng.getrandbits(self._data_bits) if self._data_bits else 0
        self.arrive(now, inputs, group.places[member], data)
        group.took(now, member)
        self.note_arrival(now, number, member, data)

    def arrive(
        self, now: int, inputs: Inputs, seat: tuple[int, int], data: int, *, last: bool = False
    ) -> None:
        """Have a process arrive at a node's register, which takes it."""
        inputs.arrive[seat] = data
        if last:
            inputs.last.add(seat)
        index = seat[0] * self._registers + seat[1]
        self.stimuli.append(Stimulus(now, StimulusKind.ARRIVE, index, data, int(last)))

    def note_arrival(self, now: int, number: int, member: int, data: int) -> None:
        """Note that a member's arrival is taken."""
        self.arrivals.append(Arrival(now, number, member, data))
