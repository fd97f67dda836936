"""What drives a run, whatever the kind of network: set-up, arrivals, and counters at the end."""

from __future__ import annotations

import heapq
import random
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.planning.plan import AnyGroupPlan, BarrierPlan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.arrivals import GroupArrivals, Place
from syncfabric.sim.drive.config_port import ConfigPort
from syncfabric.sim.drive.put_port import Put
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.targets import targets_of

__all__ = ["READ_BACK", "Arrival", "Driving", "Inputs", "Model"]

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
    """All inputs of the network in one cycle; the last three are a static network's.

    ``hold`` has the nodes where it changes.
    """

    arrive: dict[tuple[int, int], int] = field(default_factory=dict)
    last: set[tuple[int, int]] = field(default_factory=set)
    config: ConfigRequest | None = None
    load: int | None = None
    puts: list[Put] = field(default_factory=list)
    hold: dict[int, bool] = field(default_factory=dict)
    send: dict[int, int] = field(default_factory=dict)
    take: list[int] = field(default_factory=list)


class Model(Protocol):
    """A golden model, as far as whoever drives and steps it looks at it."""

    cycle: int
    release: list[tuple[int, int, int]]
    config_answer: tuple[bool, bool, int]
    config_meaning: int
    touched: set[int]

    def observe(self, target: int) -> int:
        """Return a target's state."""

    def idle_until(self) -> int | None:
        """Return a cycle before which it does nothing by itself; None: it never will."""

    def skip(self, cycles: int) -> None:
        """Advance by cycles in which it does nothing."""


class Driving(ABC):
    """Goes through the phases of a run, and makes members arrive.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    model : Model
        Is looked at for releases and answers; stepping it is the caller's.
    groups : sequence of AnyGroupPlan
        Those that have barriers.

    Attributes
    ----------
    stimuli : list of Stimulus
        All inputs in the player's form; the caller clears it.
    arrivals : list of Arrival
        Those taken by the network; the caller clears it.
    groups : list of GroupArrivals
    port : ConfigPort
        The config port.
    over_from : int or None
        First cycle in which everything asked for is over.
    refused : str or None
        What could not be set up.
    """

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, model: Model, groups: Sequence[AnyGroupPlan]
    ) -> None:
        self.plan, self.scenario, self._shown = plan, scenario, model
        network = plan.spec.network
        self._registers, self._data_bits = network.port_registers, network.data_bits
        self.rng = random.Random(scenario.seed)
        self.stimuli: list[Stimulus] = []
        self.arrivals: list[Arrival] = []
        self._agenda: list[tuple[int, int, int]] = []  # (cycle, group, member)
        self.groups = [self._group(number, group) for number, group in enumerate(groups)]
        self._member: dict[Place, tuple[int, int]] = {}
        for number, group in enumerate(self.groups):
            for member, seat in enumerate(group.places):
                self._member[seat] = (number, member)
        self.port = ConfigPort()
        self._begin_cycle: int | None = None
        self.over_from: int | None = None
        self.refused: str | None = None
        self._read = False
        self.finished = False

    def _group(self, number: int, group: AnyGroupPlan) -> GroupArrivals:
        index = self.plan.spec.network.topology.index
        places: list[Place] = [(index(node), place) for node, place in group.places.items()]
        return GroupArrivals(
            group,
            places,
            self.scenario,
            random.Random(f"{self.scenario.seed}/{group.id}"),
            lambda cycle, member: self.schedule(cycle, number, member),
            lambda: self._goes_on,
        )

    # What differs.

    @property
    @abstractmethod
    def _goes_on(self) -> bool:
        """Whether groups shall have further barriers after all that were asked for."""

    @property
    def _others_over(self) -> bool:
        """Whether whatever goes on beside barriers is over."""
        return not self._goes_on

    @property
    @abstractmethod
    def _disturbs(self) -> bool:
        """Whether illegal stimuli come in this cycle."""

    @abstractmethod
    def _ahead(self, now: int) -> list[int]:
        """Return cycles from ``now`` on in which something is to be done beside barriers."""

    @property
    @abstractmethod
    def _waits(self) -> bool:
        """Whether the set-up waits for the model."""

    @abstractmethod
    def _prepare(self, now: int) -> bool:
        """Go on with the set-up; return whether members may begin."""

    @abstractmethod
    def _start(self, now: int) -> int:
        """Start what goes on beside barriers; return the cycle in which members begin."""

    @abstractmethod
    def _act(self, now: int, inputs: Inputs) -> None:
        """Add what else is done in a cycle to its inputs."""

    # What does not.

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
        return self._others_over and all(group.finished for group in self.groups)

    @property
    def reads_back(self) -> bool:
        """Whether counters are read: not of large networks."""
        return len(self.plan.spec.network.topology.nodes) <= READ_BACK

    def unfinished(self) -> Collection[int]:
        """Return the groups that are not over."""
        waits = self._begin_cycle is None
        return [each.group.id for each in self.groups if waits or not each.finished]

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which the driver has something to do.

        None: nothing, until the model does something.
        """
        if self.port.may_ask or self._disturbs:
            return now
        ahead = [self._agenda[0][0]] if self._agenda else []
        ahead += self._ahead(now)
        if self._begin_cycle is None:
            if not self._waits:
                return now
        elif self.over_from is None:
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
            None if all but lasting inputs are low.
        """
        self.port.hear(now, self._shown.config_answer)
        for node, register, _ in self._shown.release:
            self._released(now, (node, register))
        if now == 0:  # nothing can be driven in the first cycle
            return None
        inputs = Inputs()
        self._sequence(now, quiet, inputs)
        while self._agenda and self._agenda[0][0] <= now:
            _, number, member = heapq.heappop(self._agenda)
            self._arrive(now, number, member, inputs)
        self._act(now, inputs)
        if self.port.may_ask:
            inputs.config, stimulus = self.port.give(now)
            self.stimuli.append(stimulus)
        return inputs

    def _released(self, now: int, seat: Place) -> None:
        if seat in self._member:
            number, member = self._member[seat]
            self.groups[number].release(now, member)

    def _sequence(self, now: int, quiet: bool, inputs: Inputs) -> None:
        """Go through the phases: set-up, start, barriers, draining, reading back."""
        if self._begin_cycle is None:
            if self._prepare(now):
                self._begin_cycle = self._start(now)
                for group in self.groups:
                    group.begin(self._begin_cycle)
        elif self.over_from is None:
            if self._all_over and now >= max(self.scenario.cycles, self._begin_cycle):
                self.over_from = now
        elif quiet and not self._read:
            self._read = True
            if self.reads_back:
                self.port.requests.extend(self._last_reads())
        elif quiet and self.port.is_idle:
            self.finished = not self._shown.config_answer[0]

    def _last_reads(self) -> Iterator[ConfigRequest]:
        """Yield the requests for all counters."""
        for target, reads in enumerate(targets_of(self.plan.spec.network).reads):
            for address, _ in reads:
                yield ConfigRequest(target, address, False)

    def schedule(self, cycle: int, number: int, member: int) -> None:
        """Have a member of a group arrive in a cycle."""
        heapq.heappush(self._agenda, (cycle, number, member))

    def _arrive(self, now: int, number: int, member: int, inputs: Inputs) -> None:
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
