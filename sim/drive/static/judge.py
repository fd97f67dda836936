"""A static network's hardware against its model, and both against the rules of its barriers."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.comparison import Comparison
from syncfabric.sim.drive.lanes import LaneCounter, bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.names import Names
from syncfabric.sim.drive.static.flow_check import FlowCheck
from syncfabric.sim.drive.static.log import StaticLog
from syncfabric.sim.drive.static.parts import groups_of, network_of
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["StaticJudge"]


class StaticJudge(Comparison):
    """Compares hardware and model, and judges barriers and flits by their rules.

    Parameters
    ----------
    plan : BarrierPlan
    log : StaticLog
        Is shown the wires.

    Attributes
    ----------
    barriers : BarrierCheck
        The rules of barriers, and what they measured.
    load : LaneCounter
        Flits of every link.
    """

    def __init__(self, plan: BarrierPlan, log: StaticLog) -> None:
        network = network_of(plan)
        super().__init__(network)
        self.barriers, self._log = BarrierCheck(plan), log
        self._flow = FlowCheck(network, groups_of(plan))
        self.load, self._names = LaneCounter(), Names(network)

    def follow(self, chunk: Chunk, lines: Sequence[Line]) -> None:
        """Judge lines of a chunk by the rules."""
        arrivals = iter(chunk.arrivals)
        arrival = next(arrivals, None)
        for line in lines:
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
        while arrival is not None:
            self.barriers.arrive(arrival)
            arrival = next(arrivals, None)

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
        for link, seen, wanted in self._flow.close():
            self._at_link(cycle, link, "flits held at the end", seen, wanted)

    def _at_link(
        self, cycle: int, link: int, rule: str, seen: int | None = None, wanted: int | None = None
    ) -> None:
        node, signal = self._names.rule(link, rule)
        self._report(Mismatch(cycle, node, signal, seen, wanted))
