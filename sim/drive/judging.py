"""Hardware against model, and both against the rules: line by line, until everything is quiet."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.churn.notes import Note, Told
from syncfabric.sim.drive.comparison import Comparison
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.lanes import LaneCounter
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.names import Names
from syncfabric.sim.drive.put_port import Put
from syncfabric.sim.drive.software import MemberStep
from syncfabric.sim.drive.static.operations import Turn
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["Done", "Judging"]

Done: TypeAlias = Note | Arrival | MemberStep | Put | Turn
"""Something that software has done."""


class Judging(Comparison):
    """Compares hardware and model, and judges barriers and links by their rules.

    Parameters
    ----------
    plan : BarrierPlan
        Of the groups that have barriers.

    Attributes
    ----------
    barriers : BarrierCheck
        The rules of barriers, and what they measured.
    load : LaneCounter
        Flits of every lane.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        super().__init__(plan.spec.network)
        self.barriers, self.load = BarrierCheck(plan), LaneCounter()
        self._names = Names(plan.spec.network)

    @abstractmethod
    def _all_done(self, chunk: Chunk) -> Sequence[Done]:
        """Return what software has done in a chunk; of a cycle, what is judged first."""

    @abstractmethod
    def _done(self, done: Done) -> Iterator[Mismatch]:
        """Take in what software has done; it comes after the wires of its cycle, a turn before."""

    @abstractmethod
    def _judge(self, line: Line) -> Iterator[Mismatch]:
        """Judge the wires of a cycle."""

    @abstractmethod
    def _at_end(self, cycle: int, report: Sequence[Sequence[int]] | None) -> Iterator[Mismatch]:
        """Judge the end."""

    def follow(self, chunk: Chunk, lines: Sequence[Line]) -> None:
        """Judge lines of a chunk by the rules."""
        done = deque(sorted(self._all_done(chunk), key=lambda each: each.cycle))
        for line in lines:
            while done and done[0].cycle < line.cycle + isinstance(done[0], Turn):
                self._report_all(self._done(done.popleft()))
            self._report_all(self._judge(line))
        for each in done:
            self._report_all(self._done(each))

    def close(self, cycle: int, report: Sequence[Sequence[int]] | None = None) -> None:
        """Judge the end: every episode is over, and what is left under way is in its place.

        Parameters
        ----------
        cycle : int
            In which the run ended.
        report : sequence of sequence of int, optional
            The hardware's traffic report, a row a node; see ``sim/assemble/bench.py``.
        """
        self._report_all(self._at_end(cycle, report))

    def _released(self, line: Line, chunk: Chunk) -> Iterator[Mismatch]:
        """Judge the releases of a cycle; software says which are broken ones."""
        told = (note for note in chunk.notes if isinstance(note, Told))
        broken = {(t.node, t.register) for t in told if t.cycle == line.cycle}
        yield from self.barriers.release(line, broken)

    def _unfinished(self, cycle: int) -> Iterator[Mismatch]:
        for gid, out in self.barriers.unfinished():
            yield Mismatch(cycle, None, f"group {gid}: members released at the end", out, 0)

    def _report_all(self, mismatches: Iterator[Mismatch]) -> None:
        for mismatch in mismatches:
            self._report(mismatch)

    def _at_lane(
        self, cycle: int, lane: int, rule: str, seen: int | None = None, wanted: int | None = None
    ) -> Mismatch:
        node, signal = self._names.rule(lane, rule)
        return Mismatch(cycle, node, signal, seen, wanted)
