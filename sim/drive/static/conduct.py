"""One scenario on a static network, from reset to silence; see `Conductor`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TextIO

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.driver import READ_BACK
from syncfabric.sim.drive.scenario import GroupOutcome, Job, Outcome, Scenario, TrafficOutcome
from syncfabric.sim.drive.static.judge import StaticJudge
from syncfabric.sim.drive.static.log import StaticLog
from syncfabric.sim.drive.static.parts import barriers_of, groups_of, network_of
from syncfabric.sim.drive.static.session import StaticSession
from syncfabric.sim.drive.stepping import Chunk

__all__ = ["StaticConductor"]


class StaticConductor:
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

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, job: Job, log: TextIO | None = None
    ) -> None:
        network, barriers = network_of(plan), barriers_of(plan, scenario)
        self._job, self._begin, self._plan = job, time.perf_counter(), plan
        self.total = scenario.episodes * (len(barriers.groups) + len(scenario.collectives))
        self._nodes = len(network.topology.nodes)
        self.session = StaticSession(plan, scenario)
        self._log = StaticLog(network, groups_of(barriers), log)
        self.judge = StaticJudge(plan, scenario, self._log, coverage=job.coverage)
        self._answers: list[int] = []

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to play."""
        return self.session.finished or bool(self.judge.mismatches)

    @property
    def done(self) -> int:
        """How many of the barriers and collectives asked for are over."""
        driver, most = self.session.driver, self.session.scenario.episodes
        operations = driver.software.done if driver.software else 0
        return operations + sum(min(len(group.latency), most) for group in driver.groups)

    def advance(self) -> Chunk:
        """Step the model through the next chunk."""
        return self.session.advance(self._job.chunk)

    def take(self, chunk: Chunk, text: Sequence[str] | None) -> None:
        """Take in what the hardware's probe wrote in a chunk; None: there is no hardware."""
        if text is None:
            self.judge.follow(chunk, chunk.lines)
        else:
            self.judge.compare(chunk, text)
        self._answers += [line.answer[1] for line in chunk.lines if line.answer]

    def outcome(self, report: Sequence[Sequence[int]] | None) -> Outcome:
        """Sum up; the hardware has no traffic to report."""
        session, judge = self.session, self.judge
        cycles = session.model.cycle
        if not judge.mismatches and session.hang is None:
            judge.close(cycles)
        return Outcome(
            cycles=cycles,
            seconds=time.perf_counter() - self._begin,
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

    def _counters(self) -> tuple[int, int, int, int] | None:
        """Sum the counters that were read at the end: the last answers of the config port."""
        if not self.session.driver.finished or self._nodes > READ_BACK:
            return None
        last = self._answers[-4 * self._nodes :]
        return sum(last[0::4]), sum(last[1::4]), sum(last[2::4]), sum(last[3::4])
