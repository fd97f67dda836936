"""The stimulus of a run, open loop: made from the golden model's releases, cycle by cycle."""

from __future__ import annotations

import heapq
import random
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import COUNTER_BASE, SPILL_BASE, Counter
from syncfabric.models.planning.images import config_writes
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.requests import node_writes
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.arrivals import GroupArrivals, Place
from syncfabric.sim.drive.noise import Noise
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.set_up import SetUp
from syncfabric.sim.drive.targets import targets_of

__all__ = ["READ_BACK", "Arrival", "Driver", "Inputs"]

READ_BACK = 256
"""Nodes of the largest network whose counters are read at the end of a run."""


class Arrival(NamedTuple):
    """A member's arrival that the network takes."""

    cycle: int
    group: int
    """Place of the group in the plan."""
    member: int
    data: int


@dataclass
class Inputs:
    """All inputs of the network in one cycle."""

    arrive: dict[tuple[int, int], int] = field(default_factory=dict)
    spill_arrive: dict[int, tuple[int, int]] = field(default_factory=dict)
    start: bool = False
    config: ConfigRequest | None = None
    load: int | None = None


class Driver:
    """Sets up the registers, starts traffic, makes arrivals, and reads the counters at the end.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    model : GoldenModel
        Is looked at for releases and for what is ready; stepping it is the caller's.

    Attributes
    ----------
    enable, rate : bool, int
        The traffic inputs, which last.
    stimuli : list of Stimulus
        All inputs in the player's form; the caller clears it.
    arrivals : list of Arrival
        Those taken by the network; the caller clears it.
    traffic_from, traffic_to : int or None
        First cycle with traffic, and the first after it.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario, model: GoldenModel) -> None:
        self.plan, self.scenario, self.model = plan, scenario, model
        network = plan.spec.network
        self._registers, self._data_bits = network.barrier_registers, network.data_bits
        self._targets, self._spills = len(targets_of(network)), network.spill
        self.rng = random.Random(scenario.seed)
        self.enable, self.rate = False, 0
        self.stimuli: list[Stimulus] = []
        self.arrivals: list[Arrival] = []
        self.traffic_from: int | None = None
        self.traffic_to: int | None = None
        self.groups = [self._group(number) for number in range(len(plan.groups))]
        self._member: dict[tuple[int, int | None, int], tuple[int, int]] = {}
        for number, group in enumerate(self.groups):
            for member, (node, register) in enumerate(group.places):
                key = (node, register, group.group.id if register is None else -1)
                self._member[key] = (number, member)
        self._agenda: list[tuple[int, int, int]] = []  # (cycle, group, member)
        self._spill: dict[int, deque[tuple[int, int, int, int]]] = {}
        self.requests: deque[ConfigRequest] = deque(
            ConfigRequest(target, address, True, word)
            for target, address, word in (
                node_writes(plan) if network.managed else config_writes(plan)
            )
        )
        self.set_up = SetUp(plan, model, self.requests) if network.managed else None
        self.awaits_answer = False
        self._unanswered = 0
        self._noise = Noise(self) if scenario.noise else None
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
            lambda cycle, member: heapq.heappush(self._agenda, (cycle, number, member)),
        )

    @property
    def active(self) -> bool:
        """Whether arrivals are being made."""
        return self._begin_cycle is not None and not self._all_over

    @property
    def _all_over(self) -> bool:
        return all(group.finished for group in self.groups)

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which the driver has something to do.

        None: nothing, until the model does something.
        """
        may_ask = bool(self.requests) and not self.awaits_answer
        if may_ask or self._spill or (self._noise is not None and self.active):
            return now
        ahead = [self._agenda[0][0]] if self._agenda else []
        if self._begin_cycle is None:
            if not self.awaits_answer and not (self.set_up and self.set_up.waits):
                return now
        elif self.traffic_to is None:
            ahead += [cycle for cycle in self._switches if cycle >= now]
            if self._all_over:
                ahead.append(max(now, self.scenario.cycles, self._begin_cycle))
        elif not self.finished and not self.awaits_answer:
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
        if model.config_answer[0]:
            self._unanswered -= 1
            self.awaits_answer &= self._unanswered > 0
        for node, register, _ in model.release:
            self._released(now, (node, register, -1))
        for node, gid, _ in model.spill_release:
            self._released(now, (node, None, gid))
        if now == 0:  # nothing can be driven in the first cycle
            return None
        inputs = Inputs()
        self._sequence(now, quiet, inputs)
        while self._agenda and self._agenda[0][0] <= now:
            _, number, member = heapq.heappop(self._agenda)
            self._arrive(now, number, member, inputs)
        if self._spill:
            self._ask_spill(now, inputs)
        if self._noise is not None and self.active:
            self._noise.disturb(now, inputs)
        if self.requests and not self.awaits_answer:
            self._configure(now, inputs)
        return inputs

    def _released(self, now: int, key: tuple[int, int | None, int]) -> None:
        if key in self._member:
            number, member = self._member[key]
            self.groups[number].release(now, member)

    def _sequence(self, now: int, quiet: bool, inputs: Inputs) -> None:
        """Go through the phases: set-up, start, traffic, barriers, draining, reading back."""
        if self._begin_cycle is None:
            if not self.requests and not self.awaits_answer:
                if self.set_up and not self.set_up.finished:
                    if not self._unanswered:
                        self.set_up.step(now)
                    return
                self._start(now, inputs)
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
            if len(self.plan.spec.network.topology.nodes) <= READ_BACK:
                self.requests.extend(
                    ConfigRequest(target, COUNTER_BASE + counter, False)
                    for target in range(self._targets)
                    for counter in Counter
                )
        elif quiet and not self.requests and not self.awaits_answer:
            self.finished = not self._unanswered and not self.model.config_answer[0]

    def _start(self, now: int, inputs: Inputs) -> None:
        """Raise ``start``, and plan the traffic and the first arrivals."""
        inputs.start = True
        self.stimuli.append(Stimulus(now, StimulusKind.START))
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

    def _arrive(self, now: int, number: int, member: int, inputs: Inputs) -> None:
        group = self.groups[number]
        node, register = group.places[member]
        data = self.rng.getrandbits(self._data_bits) if self._data_bits else 0
        if register is None:
            waiting = self._spill.setdefault(node, deque())
            waiting.append((number, member, group.group.id, data))
            return
        inputs.arrive[node, register] = data
        index = node * self._registers + register
        self.stimuli.append(Stimulus(now, StimulusKind.ARRIVE, index, data))
        self._take(now, number, member, data)

    def _take(self, now: int, number: int, member: int, data: int) -> None:
        self.groups[number].took(now, member)
        self.arrivals.append(Arrival(now, number, member, data))

    def _ask_spill(self, now: int, inputs: Inputs) -> None:
        """Offer each node's first waiting arrival; it is taken where the node is ready."""
        for node, waiting in list(self._spill.items()):
            number, member, gid, data = waiting[0]
            ready = self.model.spill_ready(node)
            # A request that is not taken changes nothing: offer it early now and then.
            if not ready and not self.scenario.noise:
                continue
            inputs.spill_arrive[node] = (gid, data)
            self.stimuli.append(Stimulus(now, StimulusKind.SPILL, node, data, gid))
            if ready:
                waiting.popleft()
                if not waiting:
                    del self._spill[node]
                self._take(now, number, member, data)

    def _configure(self, now: int, inputs: Inputs) -> None:
        request = inputs.config = self.requests.popleft()
        exists = request.node < self._targets
        self._unanswered += exists
        self.awaits_answer = exists and self._spills and request.address >= SPILL_BASE
        self.stimuli.append(
            Stimulus(
                now,
                StimulusKind.CONFIG,
                request.node << 12 | request.address,
                request.data,
                int(request.write),
            )
        )
