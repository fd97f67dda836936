"""The software of groups that have operations in place of barriers, and their routes."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Mapping, Sequence

from syncfabric.models.golden.static import StaticModel
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.route_chain import Output
from syncfabric.models.planning.static_images import NumberedGroup
from syncfabric.models.planning.static_routes import token_routes
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.driving import Inputs
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.operations import (
    THROUGH_CORES,
    Collective,
    Shape,
    Turn,
    asked_of,
    check_collectives,
    network_of,
    words_of,
)
from syncfabric.sim.drive.static.programs import Core, core_of, joined

__all__ = ["Course", "StaticSoftware"]


class Course:
    """A group whose routes are loaded, its members' software, and when each begins an operation.

    Parameters
    ----------
    network : StaticSpec
    group : NumberedGroup
    asked : sequence of (int, Collective)
        What it is to do, in turn, each with its place in the scenario.
    scenario : Scenario
    number : int
        The course's own.
    begin : callable
        Takes (cycle, member): the member shall begin an operation in that cycle.

    Attributes
    ----------
    id, members, root, flits
        As of the group.
    waits : bool
        They are not loaded yet.
    """

    def __init__(
        self,
        network: StaticSpec,
        group: NumberedGroup,
        asked: Sequence[tuple[int, Collective]],
        scenario: Scenario,
        number: int,
        begin: Callable[[int, int], None],
    ) -> None:
        self._group, self._asked, self._scenario = group, asked, scenario
        self.id, self.members = group.id, group.members
        self.root, self.flits = group.root, group.flits
        self._number, self._begin = number, begin
        self._shape = Shape.of(network, group)
        self.nodes = [network.topology.index(node) for node in group.members]
        self._cores: dict[int, Core] = {}
        self._phase = 0
        self._ended: list[tuple[int, int | None]] = []
        self._rng = random.Random(f"{scenario.seed}/{group.id}")
        self.waits = False
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

    def routes(self) -> Mapping[Output, Port]:
        """Return the group's routes, as they have to be for what it does now."""
        asked = self._asked[min(self._phase, len(self._asked) - 1)][1]
        through_cores = asked.kind in THROUGH_CORES
        return token_routes(self._group) if through_cores else self._group.routes()

    def open(self, cycle: int) -> None:
        """Begin what is asked for, the routes being loaded."""
        self.waits = False
        self._arrivals.begin(cycle)

    def start(self, now: int, member: int) -> Turn:
        """Let a member begin its next operation."""
        place, asked = self._asked[self._phase]
        operation = self._arrivals.arrived[member]
        words = words_of(self._scenario.seed, place, operation, self._shape, asked.flits)
        self._cores[member] = core_of(asked, self._shape, member, words, now)
        self._arrivals.took(now, member)
        return Turn(now, self._number, member)

    def next_cycle(self, now: int, model: StaticModel) -> int | None:
        """Return the first cycle from ``now`` on in which a member acts or has ended."""
        if self._ended:
            return now
        first: int | None = None
        for member, core in self._cores.items():
            node = self.nodes[member]
            arrived, credit = model.received(node) is not None, model.send_ready(node)
            cycle = core.next_cycle(now, arrived=arrived, credit=credit)
            if cycle is not None and (first is None or cycle < first):
                first = cycle
        return first

    def end(self, now: int) -> list[Turn]:
        """Return the members that have ended an operation in the cycle before."""
        turns = []
        ended, self._ended = self._ended, []
        for member, word in ended:
            turns.append(Turn(now, self._number, member, True, word))
            self._arrivals.release(now, member)
        if self._arrivals.finished and not self.finished and not self.waits:
            self._turn_over(now)
        return turns

    def step(self, now: int, model: StaticModel, inputs: Inputs, stimuli: list[Stimulus]) -> None:
        """Let the members' software act; add what it does to a cycle's inputs."""
        for member, core in list(self._cores.items()):
            node = self.nodes[member]
            act = core.step(now, model.received(node), credit=model.send_ready(node))
            if act.take:
                inputs.take.append(node)
                stimuli.append(Stimulus(now, StimulusKind.TAKE, node))
            if act.send is not None:
                inputs.send[node] = act.send
                stimuli.append(Stimulus(now, StimulusKind.SEND, node, act.send))
            if core.finished:
                del self._cores[member]
                self._ended.append((member, self._word(core)))

    def _word(self, core: Core) -> int | None:
        if not core.kept:
            return None
        return joined(core.kept, self._asked[self._phase][1], self._shape.bits)

    def _turn_over(self, now: int) -> None:
        """Go on to the next collective, whose routes may be other ones."""
        before = self.routes()
        self._phase += 1
        if self.finished:
            return
        self._arrivals = self._plan()
        self.waits = self.routes() != before
        if not self.waits:
            self.open(now)

    def _plan(self) -> GroupArrivals:
        seats = [(node, 0) for node in self.nodes]
        return GroupArrivals(self._group, seats, self._scenario, self._rng, self._begin)  # type: ignore[arg-type]


class StaticSoftware:
    """Steps the members' programs, and has routes loaded when a group needs others.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    model : StaticModel
        Is looked at for what the cores' ports show.

    Attributes
    ----------
    turns : list of Turn
        Begins and ends; the caller clears it.
    nodes : frozenset of int
        Nodes whose core ports the programs have.
    loading : list of Course
        Groups whose routes are being loaded; at first all.

    Raises
    ------
    SpecError
        What is asked for cannot be done.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario, model: StaticModel) -> None:
        check_collectives(plan, scenario.collectives)
        network, self._model = network_of(plan), model
        self._agenda: list[tuple[int, int, int]] = []
        self.turns: list[Turn] = []
        self._courses = [
            Course(
                network,
                group,
                asked,
                scenario,
                number,
                lambda cycle, member, number=number: heapq.heappush(  # type: ignore[misc]
                    self._agenda, (cycle, number, member)
                ),
            )
            for number, (group, asked) in enumerate(asked_of(plan, scenario.collectives))
        ]
        self.nodes = frozenset(node for course in self._courses for node in course.nodes)
        self.loading: list[Course] = list(self._courses)

    @property
    def finished(self) -> bool:
        """Whether all operations are over."""
        return all(course.finished for course in self._courses)

    @property
    def done(self) -> int:
        """Operations that are over."""
        return sum(course.done for course in self._courses)

    def unfinished(self) -> list[int]:
        """Return the groups whose operations are not over."""
        return [course.id for course in self._courses if not course.finished]

    def begin(self, cycle: int) -> None:
        """Let all begin whose routes have just been loaded."""
        loaded, self.loading = self.loading, []
        for course in loaded:
            course.open(cycle)

    def change(self) -> Sequence[Course]:
        """Return the groups that wait for other routes; ``begin`` is to be called when they are."""
        self.loading = [course for course in self._courses if course.waits]
        return self.loading

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which a program acts."""
        ahead = [course.next_cycle(now, self._model) for course in self._courses]
        if self._agenda:
            ahead.append(self._agenda[0][0])
        if not self.loading and any(course.waits for course in self._courses):
            ahead.append(now)
        return min((cycle for cycle in ahead if cycle is not None), default=None)

    def step(self, now: int, inputs: Inputs, stimuli: list[Stimulus]) -> None:
        """Let members end, begin and act; add what they do to a cycle's inputs."""
        for course in self._courses:
            self.turns += course.end(now)
        while self._agenda and self._agenda[0][0] <= now:
            _, number, member = heapq.heappop(self._agenda)
            self.turns.append(self._courses[number].start(now, member))
        for course in self._courses:
            course.step(now, self._model, inputs, stimuli)
