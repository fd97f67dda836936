"""The rules of static networks: barriers, flits, and operations of software."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.judge import Done, Judging
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.collective_check import CollectiveCheck
from syncfabric.sim.drive.static.coverage import StaticCoverage
from syncfabric.sim.drive.static.flow_check import FlowCheck
from syncfabric.sim.drive.static.log import StaticLog
from syncfabric.sim.drive.static.operations import Turn, barriers_of, groups_of, network_of
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["StaticJudge"]


class StaticJudge(Judging):
    """Compares hardware and model, and judges barriers and flits by their rules.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    log : StaticLog
        Is shown the wires.
    coverage : bool
        Whether to note what is met.

    Attributes
    ----------
    collectives : CollectiveCheck or None
        The rules of operations in place of barriers, if there are any.
    coverage : StaticCoverage or None
        What was met, if that is asked for.
    """

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, log: StaticLog, *, coverage: bool = False
    ) -> None:
        barriers = barriers_of(plan, scenario.collectives)
        super().__init__(barriers)
        self._log = log
        self.collectives = CollectiveCheck(plan, scenario) if scenario.collectives else None
        self._flow = FlowCheck(network_of(plan), groups_of(barriers))
        self.coverage = StaticCoverage(barriers, self._flow) if coverage else None

    def _all_done(self, chunk: Chunk) -> Sequence[Done]:
        if self.coverage is not None:
            self.coverage.begin(chunk)
        return [*chunk.turns, *chunk.arrivals]

    def _done(self, done: Done) -> Iterator[Mismatch]:
        if isinstance(done, Arrival):
            self.barriers.arrive(done)
        elif isinstance(done, Turn) and self.collectives is not None:
            yield from self.collectives.turn(done)

    def _judge(self, line: Line) -> Iterator[Mismatch]:
        record, cycle = line.record, line.cycle
        covers = not self.mismatches  # what goes wrong covers nothing
        if record.release:
            yield from self.barriers.release(line)
        for node in bits(record.release):
            for other, seen, wanted in self._flow.release(node):
                rule = "flits read before a member leaves Wait"
                yield Mismatch(cycle, other, rule, seen, wanted)
        if record.valid or record.credit:
            self.load.add(record.valid)
            self._log.note(cycle, record)
            for link, rule in self._flow.note(record):
                yield self._at_lane(cycle, link, rule)
            if self.collectives is not None:
                yield from self.collectives.note(cycle, record)
        if covers and self.coverage is not None:
            self.coverage.note(line)

    def _at_end(self, cycle: int, report: Sequence[Sequence[int]] | None) -> Iterator[Mismatch]:
        yield from self._unfinished(cycle)
        if self.collectives is not None:
            yield from self.collectives.close(cycle)
        for link, seen, wanted in self._flow.close():
            yield self._at_lane(cycle, link, "flits held at the end", seen, wanted)
