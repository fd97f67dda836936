"""One scenario from reset to silence, whoever shows what the network does: hardware or model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.conducting import Conducting
from syncfabric.sim.drive.coverage import Coverage
from syncfabric.sim.drive.driver import Session
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
from syncfabric.sim.drive.static.driver import StaticSession
from syncfabric.sim.drive.static.judge import StaticJudge
from syncfabric.sim.drive.static.log import StaticLog
from syncfabric.sim.drive.static.operations import barriers_of, groups_of, network_of
from syncfabric.sim.drive.stepping import Chunk

__all__ = ["Conductor", "conduct_model", "conductor_of"]

PACKET_FLITS = 5


class _Run(Conducting[Outcome]):
    """What conductors of all networks have in common: see `Conducting`."""

    session: Session | StaticSession
    judge: Judge | StaticJudge

    def __init__(self, plan: BarrierPlan, scenario: Scenario, job: Job) -> None:
        super().__init__(plan.spec.network, job)
        self._plan, self._scenario = plan, scenario

    @property
    def total(self) -> int:
        """Barriers asked for, of all groups together, and what there is beside."""
        return self._scenario.episodes * len(self.session.driver.groups) + self._others()[1]

    @property
    def done(self) -> int:
        """How many of these are over."""
        groups, most = self.session.driver.groups, self._scenario.episodes
        return sum(min(len(group.latency), most) for group in groups) + self._others()[0]

    @property
    def _setup(self) -> Mapping[int, tuple[int, int]]:
        """Cycles and packets that groups' set-up took, if packets set them up, by GID."""
        return {}

    @abstractmethod
    def _others(self) -> tuple[int, int]:
        """Return how much of what there is beside barriers is over, and how much that is."""

    @abstractmethod
    def _found(self) -> dict[str, Any]:
        """Return the fields of the outcome that are of this kind of network alone."""

    def outcome(self, report: Sequence[Sequence[int]] | None) -> Outcome:
        """Sum up; the hardware's traffic report is given where there is one."""
        session, judge, cycles = self.session, self.judge, self.session.model.cycle
        if not judge.mismatches and session.hang is None:
            judge.close(cycles, report)
        driver, width = session.driver, links_of(self._plan.spec.network).width
        loads: dict[int, float] = {}
        for lane, count in judge.load.counts().items():
            loads[lane // width] = loads.get(lane // width, 0.0) + count / cycles
        # Groups that have collectives in place of barriers have had none.
        groups = {group.id: GroupOutcome(group.id, [], []) for group in self._plan.groups}
        for seen, group in zip(judge.barriers.latency, driver.groups, strict=True):
            gid = group.group.id
            groups[gid] = GroupOutcome(gid, seen, group.latency, self._setup.get(gid))
        return Outcome(
            cycles=cycles,
            seconds=self._seconds,
            mismatches=judge.mismatches,
            hang=session.hang,
            groups=list(groups.values()),
            counters=self._counters() if driver.reads_back else None,
            releases=judge.barriers.releases,
            loads=loads,
            coverage=dict(judge.coverage.hits) if judge.coverage else {},
            **{"traffic": TrafficOutcome(), **self._found()},
        )


class Conductor(_Run):
    """Conducts runs on networks of engines.

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
        super().__init__(plan, scenario, job)
        self._events = EventLog(plan, log)
        self.session = Session(plan, scenario, observer=self._events)
        self.judge = Judge(
            plan,
            coverage=Coverage(plan) if job.coverage else None,
            churn=scenario.churn > 0,
            scheme=bool(scenario.scheme),
            replay=scenario.replay is not None,
        )
        self._accepted: list[tuple[int, int]] = []  # (cycle, flits ejected so far)

    @property
    def _setup(self) -> Mapping[int, tuple[int, int]]:
        set_up = self.session.driver.set_up
        return set_up.costs if set_up else {}

    def _others(self) -> tuple[int, int]:
        churn = self.session.driver.churn
        return churn.ended if churn else 0, self._scenario.churn

    def take(self, chunk: Chunk, text: Sequence[str] | None) -> None:
        """Take in what the hardware's probe wrote in a chunk; None: there is no hardware."""
        super().take(chunk, text)
        for line in chunk.lines:
            if line.record.valid:
                self._events.note(line)
        self._accepted.append((chunk.end, self.judge.packets.flits_out))

    def _found(self) -> dict[str, Any]:
        driver = self.session.driver
        return {
            "traffic": self._traffic(),
            "messages": self._events.messages,
            "churn": driver.churn.outcome if driver.churn else None,
            "scheme": driver.scheme.measured if driver.scheme else None,
            "replay": self._replay(),
        }

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
        end = driver.over_from or self.session.model.cycle
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


class StaticConductor(_Run):
    """Conducts runs on static networks; the rows of its log are flits.

    Parameters
    ----------
    plan, scenario, job, log
        As of `Conductor`.
    """

    session: StaticSession
    judge: StaticJudge

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, job: Job, log: TextIO | None = None
    ) -> None:
        super().__init__(plan, scenario, job)
        self.session = StaticSession(plan, scenario)
        self._log = StaticLog(
            network_of(plan), groups_of(barriers_of(plan, scenario.collectives)), log
        )
        self.judge = StaticJudge(plan, scenario, self._log, coverage=job.coverage)

    def _others(self) -> tuple[int, int]:
        software = self.session.driver.software
        asked = self._scenario.episodes * len(self._scenario.collectives)
        return software.done if software else 0, asked

    def _found(self) -> dict[str, Any]:
        collectives = self.judge.collectives.outcomes if self.judge.collectives else []
        return {"messages": self._log.messages, "collectives": collectives}


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
