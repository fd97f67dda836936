"""One scenario on a static network, from reset to silence; see `Conductor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.conducting import Conducting
from syncfabric.sim.drive.scenario import GroupOutcome, Job, Outcome, Scenario, TrafficOutcome
from syncfabric.sim.drive.static.judge import StaticJudge
from syncfabric.sim.drive.static.log import StaticLog
from syncfabric.sim.drive.static.parts import barriers_of, groups_of, network_of
from syncfabric.sim.drive.static.session import StaticSession

__all__ = ["StaticConductor"]


class StaticConductor(Conducting):
    """Hands out chunks to play, takes in what came of them, and sums up.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    job : Job
        What is to be measured.
    log : text file, optional
        For the rows of flits.
    """

    session: StaticSession
    judge: StaticJudge

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, job: Job, log: TextIO | None = None
    ) -> None:
        network, barriers = network_of(plan), barriers_of(plan, scenario)
        super().__init__(network, job)
        self._plan, self._total = plan, len(barriers.groups) + len(scenario.collectives)
        self.session = StaticSession(plan, scenario)
        self._log = StaticLog(network, groups_of(barriers), log)
        self.judge = StaticJudge(plan, scenario, self._log, coverage=job.coverage)

    @property
    def total(self) -> int:
        """Barriers and collectives asked for."""
        return self.session.scenario.episodes * self._total

    @property
    def done(self) -> int:
        """How many of the barriers and collectives asked for are over."""
        driver, most = self.session.driver, self.session.scenario.episodes
        operations = driver.software.done if driver.software else 0
        return operations + sum(min(len(group.latency), most) for group in driver.groups)

    def outcome(self, report: Sequence[Sequence[int]] | None) -> Outcome:
        """Sum up; the hardware has no traffic to report."""
        session, judge = self.session, self.judge
        cycles = session.model.cycle
        if not judge.mismatches and session.hang is None:
            judge.close(cycles)
        return Outcome(
            cycles=cycles,
            seconds=self._seconds,
            mismatches=judge.mismatches,
            hang=session.hang,
            groups=self._groups(),
            traffic=TrafficOutcome(),
            counters=self._counters(),
            messages=self._log.messages,
            releases=judge.barriers.releases,
            loads={link: count / cycles for link, count in judge.load.counts().items()},
            coverage=dict(judge.coverage.hits) if judge.coverage else {},
            collectives=judge.collectives.outcomes if judge.collectives else [],
        )

    def _groups(self) -> list[GroupOutcome]:
        """Return every group's barriers; of those that have collectives in their place, none."""
        found = {group.id: GroupOutcome(group.id, [], []) for group in self._plan.groups}
        driver = self.session.driver
        for seen, group in zip(self.judge.barriers.latency, driver.groups, strict=True):
            found[group.group.id] = GroupOutcome(group.group.id, seen, group.latency)
        return list(found.values())
