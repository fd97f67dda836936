"""The stimulus of a run on a static network: set-up, arrivals, and what disturbs them."""

from __future__ import annotations

import heapq
import random
from collections import deque
from dataclasses import dataclass, field

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages import COUNTER_BASE, Counter
from syncfabric.models.messages.static import LoaderWord
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.static_images import SETTLING, static_writes
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.driver import READ_BACK, Arrival
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.collectives.software import StaticSoftware
from syncfabric.sim.drive.static.noise import StaticNoise
from syncfabric.sim.drive.static.parts import barriers_of, groups_of, network_of

__all__ = ["StaticDriver", "StaticInputs"]


@dataclass
class StaticInputs:
    """All inputs of the network in one cycle; ``hold`` where it changes."""

    arrive: dict[tuple[int, int], int] = field(default_factory=dict)
    hold: dict[int, bool] = field(default_factory=dict)
    send: dict[int, int] = field(default_factory=dict)
    take: list[int] = field(default_factory=list)
    config: ConfigRequest | None = None


class StaticDriver:
    """Loads routes and roles, makes arrivals when all is quiet, and reads the counters at the end.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    model : StaticModel
        Is looked at for releases and answers; stepping it is the caller's.

    Attributes
    ----------
    stimuli : list of Stimulus
        All inputs in the player's form; the caller clears it.
    arrivals : list of Arrival
        Those taken by the network; the caller clears it.
    refused : ConfigRequest or None
        The first write of the set-up that was refused.
    software : StaticSoftware or None
        Of the groups that have collectives in place of barriers.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario, model: StaticModel) -> None:
        self.scenario, self.model = scenario, model
        network = network_of(plan)
        self._nodes = len(network.topology.nodes)
        self.software = StaticSoftware(plan, scenario, model) if scenario.collectives else None
        barriers = barriers_of(plan, scenario)
        self.stimuli: list[Stimulus] = []
        self.arrivals: list[Arrival] = []
        self._agenda: list[tuple[int, int, int]] = []  # (cycle, group, member)
        self.groups: list[GroupArrivals] = []
        self._member: dict[int, tuple[int, int]] = {}
        for number, group in enumerate(barriers.groups):
            nodes = [network.topology.index(node) for node in group.members]
            self._member |= {node: (number, member) for member, node in enumerate(nodes)}
            self.groups.append(
                GroupArrivals(
                    group,
                    [(node, 0) for node in nodes],
                    scenario,
                    random.Random(f"{scenario.seed}/{group.id}"),
                    lambda cycle, member, number=number: heapq.heappush(  # type: ignore[misc]
                        self._agenda, (cycle, number, member)
                    ),
                    lambda: self.software is not None and not self.software.finished,
                )
            )
        self._requests = deque(
            ConfigRequest(target, address, True, data)
            for target, address, data in static_writes(
                network, groups_of(barriers), self.software.routes() if self.software else {}
            )
        )
        ports = self.software.nodes if self.software else frozenset()
        self._noise = StaticNoise(barriers, scenario.seed, ports) if scenario.noise else None
        self._given: ConfigRequest | None = None  # waits for its answer
        self._ask_from = 1
        self._begun = self._read = False
        self.refused: ConfigRequest | None = None
        self.finished = False

    @property
    def _all_over(self) -> bool:
        if self.software is not None and not self.software.finished:
            return False
        return all(group.finished for group in self.groups)

    @property
    def _disturbs(self) -> bool:
        return self._noise is not None and self._begun and not self._all_over

    def unfinished(self) -> list[int]:
        """Return the groups whose episodes are not over."""
        late = [group.group.id for group in self.groups if not group.finished]
        return late + (self.software.unfinished() if self.software else [])

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which the driver has something to do.

        None: nothing, until the model does something.
        """
        if self._disturbs:
            return now
        ahead = [self._agenda[0][0]] if self._agenda else []
        acts = self.software.next_cycle(now) if self.software and self._begun else None
        if acts is not None:
            ahead.append(max(now, acts))
        if self._given is None:
            if self._requests:
                ahead.append(max(now, self._ask_from))
            elif not self._begun or self._all_over:
                ahead.append(now)
            elif self.software is not None and self.software.loading:
                ahead.append(max(now, self._ask_from))
        return min(ahead, default=None)

    def inputs(self, now: int, *, quiet: bool) -> StaticInputs:
        """Return the inputs of cycle ``now``, all releases of which the model shows.

        Parameters
        ----------
        now : int
            The cycle about to be stepped.
        quiet : bool
            Nothing is under way in the network.
        """
        self._hear(now)
        for node, _, _ in self.model.release:
            if node in self._member:
                number, member = self._member[node]
                self.groups[number].release(now, member)
        inputs = StaticInputs()
        if now == 0:  # nothing can be driven in the first cycle
            return inputs
        self._sequence(now, quiet)
        while self._agenda and self._agenda[0][0] <= now:
            _, number, member = heapq.heappop(self._agenda)
            self._arrive(now, number, member, inputs)
        if self.software is not None and self._begun:
            self._run(now, self.software, inputs)
        if self._noise is not None:
            if self._disturbs:
                self._disturb(now, self._noise, inputs)
            elif self._begun:
                for node in self._noise.lower():
                    self._hold(now, node, False, inputs)
        if self._requests and self._given is None and now >= self._ask_from:
            self._ask(now, inputs)
        return inputs

    def _hear(self, now: int) -> None:
        """Take the config port's answer."""
        ready, refused, _ = self.model.config_answer
        if not ready or self._given is None:
            return
        given, self._given = self._given, None
        if refused and not self._begun and self.refused is None:
            self.refused = given
        if given.node == self._nodes and given.address == LoaderWord.STROBE:
            self._ask_from = now + SETTLING

    def _sequence(self, now: int, quiet: bool) -> None:
        """Go through the phases: set-up, barriers, reading back."""
        if not quiet or self._requests or self._given is not None:
            return
        if not self._begun:
            self._begun = True
            for group in self.groups:
                group.begin(now)
            if self.software is not None:
                self.software.begin(now)
        elif self._all_over and now >= self.scenario.cycles:
            if not self._read and self._nodes <= READ_BACK:
                self._requests.extend(
                    ConfigRequest(node, COUNTER_BASE + counter, False)
                    for node in range(self._nodes)
                    for counter in Counter
                )
            else:
                self.finished = True
            self._read = True

    def _arrive(self, now: int, number: int, member: int, inputs: StaticInputs) -> None:
        group = self.groups[number]
        node, _ = group.places[member]
        inputs.arrive[node, 0] = 0
        self.stimuli.append(Stimulus(now, StimulusKind.ARRIVE, node))
        group.took(now, member)
        self.arrivals.append(Arrival(now, number, member, 0))

    def _run(self, now: int, software: StaticSoftware, inputs: StaticInputs) -> None:
        """Let the software act, and load the routes that its groups wait for."""
        idle = not self._requests and self._given is None and now >= self._ask_from
        if idle and software.loading:  # they were the last that was asked for
            software.begin(now)
        software.step(now, inputs, self.stimuli)
        if idle and not software.loading:
            self._requests.extend(
                ConfigRequest(target, address, True, data)
                for target, address, data in software.writes()
            )

    def _ask(self, now: int, inputs: StaticInputs) -> None:
        request = self._given = inputs.config = self._requests.popleft()
        self.stimuli.append(
            Stimulus(
                now,
                StimulusKind.CONFIG,
                request.node << 12 | request.address,
                request.data,
                int(request.write),
            )
        )

    def _hold(self, now: int, node: int, level: bool, inputs: StaticInputs) -> None:
        inputs.hold[node] = level
        self.stimuli.append(Stimulus(now, StimulusKind.HOLD, node, int(level)))

    def _disturb(self, now: int, noise: StaticNoise, inputs: StaticInputs) -> None:
        """Add what is refused or ignored, and processes that are slow to come to Wait."""
        for node in noise.twice():
            number, member = self._member[node]
            if (node, 0) not in inputs.arrive and self.groups[number].inside(member):
                inputs.arrive[node, 0] = 0
                self.stimuli.append(Stimulus(now, StimulusKind.ARRIVE, node))
        for node, level in noise.hold():
            self._hold(now, node, level, inputs)
        for node, flit in noise.send():
            inputs.send[node] = flit
            self.stimuli.append(Stimulus(now, StimulusKind.SEND, node, flit))
        for node in noise.take():
            inputs.take.append(node)
            self.stimuli.append(Stimulus(now, StimulusKind.TAKE, node))
        request = noise.request()
        if request is not None and not self._requests:
            self._requests.append(request)
