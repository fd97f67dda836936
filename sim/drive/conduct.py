"""One scenario from reset to silence, whoever shows what the network does: hardware or model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TextIO

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.conducting import Conducting
from syncfabric.sim.drive.coverage import Coverage
from syncfabric.sim.drive.judge import Judge
from syncfabric.sim.drive.recording import EventLog
from syncfabric.sim.drive.scenario import (
    GroupOutcome,
    Job,
    Outcome,
    ReplayOutcome,
    Scenario,
    TrafficOutcome,
)
from syncfabric.sim.drive.session import Session
from syncfabric.sim.drive.static.conduct import StaticConductor
from syncfabric.sim.drive.stepping import Chunk

__all__ = ["Conductor", "conduct_model", "conductor_of"]

PACKET_FLITS = 5


class Conductor(Conducting):
    """Hands out chunks to play, takes in what came of them, and sums up.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    job : Job
        What is to be measured.
    log : text file, optional
        For the rows of packets and messages.
    """

    session: Session
    judge: Judge

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, job: Job, log: TextIO | None = None
    ) -> None:
        network = plan.spec.message_network
        super().__init__(network, job)
        self._plan, self._scenario = plan, scenario
        self._events = EventLog(plan, log)
        self.session = Session(plan, scenario, observer=self._events)
        self._coverage = Coverage(plan) if job.coverage else None
        self.judge = Judge(
            plan,
            coverage=self._coverage,
            churn=scenario.churn > 0,
            scheme=bool(scenario.scheme),
            replay=scenario.replay is not None,
        )
        self._accepted: list[tuple[int, int]] = []  # (cycle, flits ejected so far)

    @property
    def total(self) -> int:
        """Barriers asked for, of all groups together, and lives."""
        return self._scenario.episodes * len(self._plan.groups) + self._scenario.churn

    @property
    def done(self) -> int:
        """How many of these are over."""
        driver, most = self.session.driver, self._scenario.episodes
        lives = driver.churn.ended if driver.churn else 0
        return sum(min(len(group.latency), most) for group in driver.groups) + lives

    def take(self, chunk: Chunk, text: Sequence[str] | None) -> None:
        """Take in what the hardware's probe wrote in a chunk; None: there is no hardware."""
        super().take(chunk, text)
        for line in chunk.lines:
            if line.record.valid:
                self._events.note(line)
        self._accepted.append((chunk.end, self.judge.packets.flits_out))

    def outcome(self, report: Sequence[Sequence[int]] | None) -> Outcome:
        """Sum up; the hardware's traffic report is given where there is one."""
        session, judge, model = self.session, self.judge, self.session.model
        if not judge.mismatches and session.hang is None:
            judge.close(model.cycle, report=report)
        set_up = session.driver.set_up
        setup = set_up.costs if set_up else {}
        width = links_of(self._plan.spec.network).width
        loads: dict[int, float] = {}
        for lane, count in judge.load.counts().items():
            link = lane // width
            loads[link] = loads.get(link, 0.0) + count / model.cycle
        return Outcome(
            cycles=model.cycle,
            seconds=self._seconds,
            mismatches=judge.mismatches,
            hang=session.hang,
            groups=[
                GroupOutcome(group.group.id, seen, group.latency, setup.get(group.group.id))
                for seen, group in zip(judge.barriers.latency, session.driver.groups, strict=True)
            ],
            traffic=self._traffic(),
            counters=self._counters() if session.driver.reads_back else None,
            messages=self._events.messages,
            releases=judge.barriers.releases,
            loads=loads,
            coverage=dict(self._coverage.hits) if self._coverage else {},
            churn=session.driver.churn.outcome if session.driver.churn else None,
            scheme=session.driver.scheme.measured if session.driver.scheme else None,
            replay=self._replay(),
        )

    def _replay(self) -> ReplayOutcome | None:
        played, passages = self.session.driver.replaying, self.judge.passages
        if played is None or passages is None:
            return None
        return ReplayOutcome(played.due, played.begins, passages.seen)

    def _traffic(self) -> TrafficOutcome:
        packets, driver = self.judge.packets, self.session.driver
        if driver.traffic_from is None:
            return TrafficOutcome()
        begin = driver.traffic_from
        end = driver.traffic_to or self.session.model.cycle
        settled = begin + self._scenario.lead_in
        inside = [entry for entry in self._accepted if begin <= entry[0] <= end]
        window = [entry for entry in inside if entry[0] >= settled]
        if len(window) < 2:
            window = inside
        accepted, saturated = 0.0, False
        if len(window) > 1:
            cycles, flits = window[-1][0] - window[0][0], window[-1][1] - window[0][1]
            accepted = flits / cycles / self._nodes
            saturated = self._saturated(cycles, flits)
        return TrafficOutcome(
            accepted, packets.ejected, packets.latency, packets.network_latency, saturated
        )

    def _saturated(self, cycles: int, flits: int) -> bool:
        """Tell saturation from chance: too few flits came out, and the sources' queues grow."""
        offered = self._scenario.background * cycles * self._nodes
        # Packets come at random: five flits at a time, so with this deviation.
        deviation = (PACKET_FLITS * offered) ** 0.5
        packets = self.judge.packets
        waits = [a - b for a, b in zip(packets.latency, packets.network_latency, strict=True)]
        quarter = max(1, len(waits) // 4)
        early = sum(waits[quarter : 2 * quarter]) / quarter
        late = sum(waits[-quarter:]) / quarter
        return flits < offered - 3 * deviation and late > early + 10


def conductor_of(
    plan: BarrierPlan, scenario: Scenario, job: Job, log: TextIO | None = None
) -> Conductor | StaticConductor:
    """Return what conducts a scenario on the plan's kind of network; see `Conductor`."""
    if isinstance(plan.spec.network, StaticSpec):
        return StaticConductor(plan, scenario, job, log)
    return Conductor(plan, scenario, job, log)


def conduct_model(
    plan: BarrierPlan,
    scenario: Scenario,
    job: Job,
    log: TextIO | None = None,
    *,
    told: Callable[[int, int], None] | None = None,
) -> Conductor | StaticConductor:
    """Run a scenario with the golden model alone, chunk by chunk to its end.

    ``told`` hears how much is done, of how much.
    """
    conductor = conductor_of(plan, scenario, job, log)
    while not conductor.finished:
        conductor.take(conductor.advance(), None)
        if told:
            told(conductor.done, conductor.total)
    return conductor
