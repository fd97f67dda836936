"""A static network's hardware against its model, and both against the rules of its barriers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.comparison import Comparison
from syncfabric.sim.drive.lanes import LaneCounter, bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.names import Names
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.collectives.judge import CollectiveCheck
from syncfabric.sim.drive.static.collectives.turns import Turn
from syncfabric.sim.drive.static.coverage import StaticCoverage
from syncfabric.sim.drive.static.flow_check import FlowCheck
from syncfabric.sim.drive.static.log import StaticLog
from syncfabric.sim.drive.static.parts import barriers_of, groups_of, network_of
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["StaticJudge"]


class StaticJudge(Comparison):
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
    barriers : BarrierCheck
        The rules of barriers, and what they measured.
    collectives : CollectiveCheck or None
        The rules of operations in place of barriers, if there are any.
    load : LaneCounter
        Flits of every link.
    coverage : StaticCoverage or None
        What was met, if that is asked for.
    """

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, log: StaticLog, *, coverage: bool = False
    ) -> None:
        network, barriers = network_of(plan), barriers_of(plan, scenario)
        super().__init__(network)
        self.barriers, self._log = BarrierCheck(barriers), log
        self.collectives = CollectiveCheck(plan, scenario) if scenario.collectives else None
        self._flow = FlowCheck(network, groups_of(barriers))
        self.load, self._names = LaneCounter(), Names(network)
        self.coverage = StaticCoverage(barriers, self._flow) if coverage else None

    def follow(self, chunk: Chunk, lines: Sequence[Line]) -> None:
        """Judge lines of a chunk by the rules."""
        arrivals = iter(chunk.arrivals)
        arrival = next(arrivals, None)
        turns = deque(chunk.turns)
        # What goes wrong covers nothing.
        coverage = None if self.mismatches else self.coverage
        if coverage is not None:
            coverage.begin(chunk)
        for line in lines:
            self._turn(turns, line.cycle)
            while arrival is not None and arrival.cycle < line.cycle:
                self.barriers.arrive(arrival)
                arrival = next(arrivals, None)
            record = line.record
            if record.release:
                self._release(line)
            if record.valid or record.credit:
                self.load.add(record.valid)
                self._log.note(line.cycle, record)
                for link, rule in self._flow.note(record):
                    self._at_link(line.cycle, link, rule)
                if self.collectives is not None:
                    for mismatch in self.collectives.note(line.cycle, record):
                        self._report(mismatch)
            if coverage is not None:
                coverage.note(line)
        self._turn(turns, chunk.end)
        while arrival is not None:
            self.barriers.arrive(arrival)
            arrival = next(arrivals, None)

    def _turn(self, turns: deque[Turn], cycle: int) -> None:
        """Take in who has begun or ended an operation by a cycle, its wires not yet seen."""
        while self.collectives is not None and turns and turns[0].cycle <= cycle:
            for mismatch in self.collectives.turn(turns.popleft()):
                self._report(mismatch)

    def _release(self, line: Line) -> None:
        for mismatch in self.barriers.release(line):
            self._report(mismatch)
        for node in bits(line.record.release):
            for other, seen, wanted in self._flow.release(node):
                rule = "flits read before a member leaves Wait"
                self._report(Mismatch(line.cycle, other, rule, seen, wanted))

    def close(self, cycle: int) -> None:
        """Judge the end: every episode is over, and what is left under way is in its place.

        Parameters
        ----------
        cycle : int
            In which the run ended.
        """
        for gid, out in self.barriers.unfinished():
            self._report(Mismatch(cycle, None, f"group {gid}: members released at the end", out, 0))
        if self.collectives is not None:
            for mismatch in self.collectives.close(cycle):
                self._report(mismatch)
        for link, seen, wanted in self._flow.close():
            self._at_link(cycle, link, "flits held at the end", seen, wanted)

    def _at_link(
        self, cycle: int, link: int, rule: str, seen: int | None = None, wanted: int | None = None
    ) -> None:
        node, signal = self._names.rule(link, rule)
        self._report(Mismatch(cycle, node, signal, seen, wanted))
