"""Hardware against model, and both against the rules: line by line, until everything is quiet."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.cause_check import CauseCheck
from syncfabric.sim.drive.churn.check import ChurnCheck
from syncfabric.sim.drive.churn.notes import Note, Told
from syncfabric.sim.drive.comparison import Comparison
from syncfabric.sim.drive.coverage import Coverage
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.lanes import CreditLedger, LaneCounter
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.names import Names
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.put_port import Put
from syncfabric.sim.drive.replay import Passages
from syncfabric.sim.drive.software import MemberStep
from syncfabric.sim.drive.static.operations import Turn
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["Done", "Judge", "Judging"]

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


class Judge(Judging):
    """Compares hardware and model, and judges barriers, packets and links by their rules.

    Parameters
    ----------
    plan : BarrierPlan
    coverage : Coverage, optional
    churn : bool
        Whether groups come and go.
    scheme : bool
        Whether the one group synchronizes by a scheme.
    replay : bool
        Whether a schedule is played.

    Attributes
    ----------
    coverage : Coverage or None
    packets : PacketCheck
        The rules of packets, and what they measured.
    passages : Passages or None
        Which packet was where, when a schedule is played.
    """

    def __init__(
        self,
        plan: BarrierPlan,
        *,
        coverage: Coverage | None = None,
        churn: bool = False,
        scheme: bool = False,
        replay: bool = False,
    ) -> None:
        network = plan.spec.message_network
        super().__init__(plan)
        self._plan, self.coverage = plan, coverage
        self.packets = PacketCheck(network)
        self._causes = CauseCheck(plan) if scheme else None
        self.passages = Passages(network) if replay else None
        self._lives = ChurnCheck(plan, self.barriers) if churn else None
        self._ledger, self._chunk = CreditLedger(network), Chunk(0)

    def _all_done(self, chunk: Chunk) -> Sequence[Done]:
        self._chunk = chunk
        if self.coverage is not None:
            self.coverage.begin(chunk)
        # A member that arrives for the first time is noted before.
        return [*chunk.notes, *chunk.arrivals, *chunk.steps, *chunk.puts]

    def _judge(self, line: Line) -> Iterator[Mismatch]:
        record, chunk = line.record, self._chunk
        # What goes wrong covers nothing.
        covers = not self.mismatches
        if self._lives is not None and line.answer is not None:
            yield from self._lives.answer(line, chunk.answered.get(line.cycle))
        if record.release:
            yield from self._released(line, chunk)
        if record.valid or record.credit:
            self.load.add(record.valid)
            for lane, rule in self._ledger.note(record.valid, record.credit):
                yield self._at_lane(line.cycle, lane, rule)
        if record.valid:
            yield from self.packets.note(line)
            if self._causes is not None:
                self._causes.note(line)
            if self.passages is not None:
                self.passages.note(line)
        if covers and self.coverage is not None:
            self.coverage.note(line, self._ledger.full)

    def _done(self, done: Done) -> Iterator[Mismatch]:
        if isinstance(done, Arrival):
            self.barriers.arrive(done)
        elif isinstance(done, Put):
            self.packets.software.put(done)
            if self._causes is not None:
                self._causes.put(done)
        elif isinstance(done, MemberStep):
            yield from self._causes.step(done) if self._causes is not None else ()
        elif self._lives is not None and not isinstance(done, Turn):
            yield from self._lives.note(done)

    def _at_end(self, cycle: int, report: Sequence[Sequence[int]] | None) -> Iterator[Mismatch]:
        yield from self._lives.close(cycle) if self._lives is not None else ()
        yield from self._causes.close(cycle) if self._causes is not None else ()
        yield from self._unfinished(cycle)
        for source, destination in self.packets.lost():
            node = self._spec.topology.node(source)
            yield Mismatch(cycle, node, "lost packet's destination", destination, None)
        for lane, count in self._ledger.outstanding().items():
            yield self._at_lane(cycle, lane, "credits outstanding at the end", count)
        if report is not None and self._plan.spec.message_network.channels:
            yield from self._reported(cycle, report)

    def _reported(self, cycle: int, report: Sequence[Sequence[int]]) -> Iterator[Mismatch]:
        sums = [sum(column) for column in zip(*report, strict=True)]
        created, sent, overflow, packets, flits, errors = sums[:6]
        if self.packets.software.used:  # the sinks know the generator's packets only
            errors = 0
        for name, seen, wanted in (
            ("packets sent, of those created", sent, created - overflow),
            ("packets that did not fit a source's queue", overflow, 0),
            ("packets that the sinks counted", packets, self.packets.ejected),
            ("flits that the sinks counted", flits, self.packets.flits_out),
            ("flits that the sinks found wrong", errors, 0),
        ):
            if seen != wanted:
                yield Mismatch(cycle, None, name, seen, wanted)
