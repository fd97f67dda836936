"""The software of all groups that have operations in place of barriers, and their routes."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from syncfabric.models.golden.static import StaticModel
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.driving import Inputs
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.collectives.check import check_collectives
from syncfabric.sim.drive.static.collectives.course import Course
from syncfabric.sim.drive.static.collectives.turns import Turn
from syncfabric.sim.drive.static.parts import asked_of, network_of

__all__ = ["StaticSoftware"]


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
            for number, (group, asked) in enumerate(asked_of(plan, scenario))
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
            for node, takes, flit in course.step(now, self._model):
                if takes:
                    inputs.take.append(node)
                    stimuli.append(Stimulus(now, StimulusKind.TAKE, node))
                if flit is not None:
                    inputs.send[node] = flit
                    stimuli.append(Stimulus(now, StimulusKind.SEND, node, flit))
