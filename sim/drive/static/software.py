"""The software of groups that have operations in place of barriers, and their routes."""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence

from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.static_routes import through_cores
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.driver import Inputs, Program
from syncfabric.sim.drive.static.driver import StaticDriver
from syncfabric.sim.drive.static.operations import (
    THROUGH_CORES,
    Collective,
    Shape,
    asked_of,
    check_collectives,
    network_of,
    words_of,
)
from syncfabric.sim.drive.static.programs import Core, core_of, joined
from syncfabric.sim.drive.trace import Turn

__all__ = ["StaticSoftware"]


class _Course:
    """A group, its members' software, and when each begins an operation.

    ``agenda`` gets (cycle, number, member) where a member begins an operation.
    """

    def __init__(
        self,
        driver: StaticDriver,
        group: GroupPlan,
        asked: Sequence[tuple[int, Collective]],
        number: int,
        agenda: list[tuple[int, int, int]],
    ) -> None:
        network, self._driver, self._scenario = network_of(driver.plan), driver, driver.scenario
        self._group, self._asked, self._number, self._agenda = group, asked, number, agenda
        self.id = group.id
        self._shape = Shape.of(network, group)
        self.nodes = [network.topology.index(node) for node in group.members]
        self._cores: dict[int, Core] = {}
        self._phase = 0
        self._ended: list[tuple[int, int | None]] = []
        self._rng = random.Random(f"{self._scenario.seed}/{group.id}")
        self.waits = False  # for other routes
        self._arrivals = self._plan()

    @property
    def finished(self) -> bool:
        """Whether everything asked for is done."""
        return self._phase == len(self._asked)

    @property
    def done(self) -> int:
        """Operations that all members have ended."""
        over = self._phase * self._scenario.episodes
        return over if self.finished else over + len(self._arrivals.latency)

    @property
    def loaded(self) -> GroupPlan:
        """The group with its routes as they have to be for what it does now."""
        asked = self._asked[min(self._phase, len(self._asked) - 1)][1]
        return through_cores(self._group) if asked.kind in THROUGH_CORES else self._group

    def open(self, cycle: int) -> None:
        """Begin what is asked for, the routes being loaded."""
        self.waits = False
        self._arrivals.begin(cycle)

    def begin(self, now: int, member: int) -> None:
        """Let a member begin its next operation."""
        place, asked = self._asked[self._phase]
        operation = self._arrivals.arrived[member]
        words = words_of(self._scenario.seed, place, operation, self._shape, asked.flits)
        self._cores[member] = core_of(asked, self._shape, member, words, now)
        self._arrivals.took(now, member)
        self._driver.acts.append(Turn(now, self._number, member))

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which a member acts or has ended."""
        if self._ended:
            return now
        model, cycles = self._driver.model, []
        for member, core in self._cores.items():
            node = self.nodes[member]
            arrived, credit = model.received(node) is not None, model.send_ready(node)
            cycles.append(core.next_cycle(now, arrived=arrived, credit=credit))
        return min((cycle for cycle in cycles if cycle is not None), default=None)

    def end(self, now: int) -> None:
        """Note the members that have ended an operation in the cycle before."""
        ended, self._ended = self._ended, []
        for member, word in ended:
            self._driver.acts.append(Turn(now, self._number, member, True, word))
            self._arrivals.release(now, member)
        if self._arrivals.finished and not self.finished and not self.waits:
            before = self.loaded.routes()
            self._phase += 1
            if not self.finished:
                self._arrivals = self._plan()
                self.waits = self.loaded.routes() != before
                if not self.waits:
                    self.open(now)

    def act(self, now: int, inputs: Inputs) -> None:
        """Let the members' software act; add what it does to a cycle's inputs."""
        model, stimuli = self._driver.model, self._driver.stimuli
        for member, core in list(self._cores.items()):
            node = self.nodes[member]
            takes, flit = core.step(now, model.received(node), credit=model.send_ready(node))
            if takes:
                inputs.take.append(node)
                stimuli.append(Stimulus(now, StimulusKind.TAKE, node))
            if flit is not None:
                inputs.send[node] = flit
                stimuli.append(Stimulus(now, StimulusKind.SEND, node, flit))
            if core.finished:
                del self._cores[member]
                asked = self._asked[self._phase][1]
                word = joined(core.kept, asked, self._shape.bits) if core.kept else None
                self._ended.append((member, word))

    def _plan(self) -> GroupArrivals:
        seats = [(node, 0) for node in self.nodes]
        return GroupArrivals(
            self._group,
            seats,
            self._scenario,
            self._rng,
            lambda cycle, member: heapq.heappush(self._agenda, (cycle, self._number, member)),
        )


class StaticSoftware(Program):
    """Steps the members' programs, and has routes loaded when a group needs others.

    Parameters
    ----------
    driver : StaticDriver

    Attributes
    ----------
    nodes : frozenset of int
        Nodes whose core ports the programs have.

    Raises
    ------
    SpecError
        What is asked for cannot be done.
    """

    keeps = True

    def __init__(self, driver: StaticDriver) -> None:
        plan, asked = driver.plan, driver.scenario.collectives
        check_collectives(plan, asked)
        self._driver = driver
        self._agenda: list[tuple[int, int, int]] = []
        self._courses = [
            _Course(driver, group, each, number, self._agenda)
            for number, (group, each) in enumerate(asked_of(plan, asked))
        ]
        self.nodes = frozenset(node for course in self._courses for node in course.nodes)
        self._loading = list(self._courses)
        driver.loading = [course.loaded for course in self._courses]

    @property
    def finished(self) -> bool:
        """Whether all operations are over."""
        return all(course.finished for course in self._courses)

    @property
    def progress(self) -> tuple[int, int]:
        """Operations that are over, and those asked for."""
        scenario = self._driver.scenario
        asked = scenario.episodes * len(scenario.collectives)
        return sum(course.done for course in self._courses), asked

    def unfinished(self) -> list[int]:
        """Return the groups whose operations are not over."""
        return [course.id for course in self._courses if not course.finished]

    def start(self, now: int) -> int:
        """Let all begin whose routes have just been loaded."""
        loaded, self._loading = self._loading, []
        for course in loaded:
            course.open(now)
        return now

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which a program acts."""
        if self._driver.begin_cycle is None:
            return None
        ahead = [course.next_cycle(now) for course in self._courses]
        if self._agenda:
            ahead.append(max(now, self._agenda[0][0]))
        if not self._loading and any(course.waits for course in self._courses):
            ahead.append(now)
        return min((cycle for cycle in ahead if cycle is not None), default=None)

    def act(self, now: int, inputs: Inputs) -> None:
        """Let members end, begin and act, and load the routes that their groups wait for."""
        driver = self._driver
        if not driver.loads:
            self.start(now)
        for course in self._courses:
            course.end(now)
        while self._agenda and self._agenda[0][0] <= now:
            _, number, member = heapq.heappop(self._agenda)
            self._courses[number].begin(now, member)
        for course in self._courses:
            course.act(now, inputs)
        if not driver.loads:
            self._loading = [course for course in self._courses if course.waits]
            if self._loading:
                driver.load([course.loaded for course in self._loading])
