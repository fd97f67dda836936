"""A recovery from reset to its end, on a fabric beside the model, or on the model alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.churn.check import enter_life
from syncfabric.sim.drive.churn.notes import Born, Came, Gone, Ordered
from syncfabric.sim.drive.conducting import Conducting
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.judge import Done, Judging
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.recovery.driver import RecoverySession
from syncfabric.sim.drive.recovery.story import Cost, Spans, Story
from syncfabric.sim.drive.scenario import Job
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.drive.tiles import play
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.results import Mismatch
from syncfabric.sim.simulators import Built

__all__ = ["Recovered", "RecoveryConductor", "recover"]


@dataclass
class Recovered:
    """What a recovery's run found.

    Parameters
    ----------
    cycles : int
        Simulated.
    mismatches : list of Mismatch
    hang : str or None
    costs : list of Cost
        Of the groups that came back, in that order.
    spans : dict of int to Spans
        Of the groups that were not hit, by GID.
    releases, broken, early : int
        Members released; those as broken; those before all had arrived.
    lost : list of int
        Groups of which nobody is left.
    """

    cycles: int
    mismatches: list[Mismatch]
    hang: str | None
    costs: list[Cost] = field(default_factory=list)
    spans: dict[int, Spans] = field(default_factory=dict)
    releases: int = 0
    broken: int = 0
    early: int = 0
    lost: list[int] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether all is as it must be."""
        return not self.mismatches and self.hang is None


class RecoveryJudge(Judging):
    """Compares hardware and model, and judges the barriers of groups that come and go."""

    _chunk = Chunk(0)

    def _all_done(self, chunk: Chunk) -> Sequence[Done]:
        self._chunk = chunk
        return [*chunk.notes, *chunk.arrivals]

    def _judge(self, line: Line) -> Iterator[Mismatch]:
        if line.record.release:
            yield from self._released(line, self._chunk)

    def _done(self, done: Done) -> Iterator[Mismatch]:
        if isinstance(done, Arrival):
            self.barriers.arrive(done)
        elif isinstance(done, Gone):
            self.barriers.leave(done.life)
        elif isinstance(done, Born | Came | Ordered):
            yield from enter_life(self.barriers, done)

    def _at_end(self, cycle: int, report: Sequence[Sequence[int]] | None) -> Iterator[Mismatch]:
        yield from ()


class RecoveryConductor(Conducting[Recovered]):
    """Hands out chunks of a recovery, takes in what came of them, and sums up.

    Parameters
    ----------
    plan, after : BarrierPlan
        As of ``Telling``.
    story : Story
    """

    session: RecoverySession
    judge: RecoveryJudge

    def __init__(self, plan: BarrierPlan, after: BarrierPlan, story: Story) -> None:
        network = plan.spec.network
        super().__init__(network, Job(runs=()))
        self.session = RecoverySession(plan, after, story)
        self.judge = RecoveryJudge(plan)
        self._plan = plan

    @property
    def total(self) -> int:
        """Groups of the plan, at their beginning and at their end."""
        return 2 * len(self._plan.groups)

    @property
    def done(self) -> int:
        """How many of these have come so far."""
        driver = self.session.driver
        return len(driver.lives) + (len(driver.lives) if driver.well is not None else 0)

    def outcome(self, report: Sequence[Sequence[int]] | None) -> Recovered:
        """Return what was found."""
        driver, judge, barriers = self.session.driver, self.judge, self.judge.barriers
        back = {cost.group for cost in driver.costs}
        found = Recovered(
            cycles=self.session.model.cycle,
            mismatches=judge.mismatches,
            hang=self.session.hang,
            costs=driver.costs,
            releases=barriers.releases,
            broken=barriers.broken,
            early=barriers.early,
            lost=[g.id for g in self._plan.groups if g.id not in driver.lives],
        )
        for gid, life in driver.lives.items():
            if gid in back or driver.event is None or driver.well is None:
                continue
            spans = found.spans[gid] = Spans()
            for cycle, latency in life.latency:
                if cycle < driver.event:
                    spans.before.append(latency)
                elif cycle < driver.well:
                    spans.during.append(latency)
                else:
                    spans.after.append(latency)
        return found


def recover(
    plan: BarrierPlan,
    after: BarrierPlan,
    story: Story,
    built: Built | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Recovered:
    """Run a recovery.

    Parameters
    ----------
    plan, after : BarrierPlan
        Before it happens, and afterwards.
    story : Story
        What happens.
    built : Built, optional
        Of ``build_fabric`` for the network: hardware is compared with the model in every cycle.
        Without it the golden model runs by itself.
    told : callable, optional
        Is told how much is done, of how much.

    Raises
    ------
    ToolError
        The simulation broke off.
    """
    conductor = RecoveryConductor(plan, after, story)
    if built is None:
        while not conductor.finished:
            conductor.take(conductor.advance(), None)
            if told:
                told(conductor.done, conductor.total)
        return conductor.outcome(None)
    with Fabric(built) as fabric:
        return play(fabric, conductor, told)
