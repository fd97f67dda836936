"""Hardware against model, and both against the rules: line by line, until everything is quiet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.cause_check import CauseCheck
from syncfabric.sim.drive.churn.check import ChurnCheck
from syncfabric.sim.drive.churn.notes import Note, Told
from syncfabric.sim.drive.comparison import Comparison
from syncfabric.sim.drive.coverage import Coverage
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lanes import CreditLedger, LaneCounter
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.names import Names
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.put_port import Put
from syncfabric.sim.drive.replay import Passages
from syncfabric.sim.drive.schemes.steps import MemberStep
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["Judge"]

_Done: TypeAlias = Note | Arrival | MemberStep | Put
"""Something that software has done."""


class Judge(Comparison):
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
    barriers, packets : BarrierCheck, PacketCheck
        The rules, and what they measured.
    load : LaneCounter
        Flits of every lane.
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
        super().__init__(network)
        self._plan, self._coverage = plan, coverage
        self.barriers, self.packets = BarrierCheck(plan), PacketCheck(network)
        self._causes = CauseCheck(plan) if scheme else None
        self.passages = Passages(network) if replay else None
        self._lives = ChurnCheck(plan, self.barriers) if churn else None
        self.load, self._ledger = LaneCounter(), CreditLedger(network)
        self._names = Names(network)

    def follow(self, chunk: Chunk, lines: Sequence[Line]) -> None:
        """Judge lines of a chunk by the rules."""
        # What goes wrong covers nothing.
        coverage = None if self.mismatches else self._coverage
        if coverage is not None:
            coverage.begin(chunk)
        # A member that arrives for the first time is noted before.
        all_done: list[_Done]
        all_done = [*chunk.notes, *chunk.arrivals, *chunk.steps, *chunk.puts]
        told = [note for note in chunk.notes if isinstance(note, Told)]
        done = iter(sorted(all_done, key=lambda done: done.cycle))
        now = next(done, None)
        for line in lines:
            while now is not None and now.cycle < line.cycle:
                self._done(now)
                now = next(done, None)
            record = line.record
            if self._lives is not None and line.answer is not None:
                for mismatch in self._lives.answer(line, chunk.answered.get(line.cycle)):
                    self._report(mismatch)
            if record.release:
                broken = {(t.node, t.register) for t in told if t.cycle == line.cycle}
                for mismatch in self.barriers.release(line, broken):
                    self._report(mismatch)
            if record.valid or record.credit:
                self.load.add(record.valid)
                for lane, rule in self._ledger.note(record.valid, record.credit):
                    self._report(self._at_lane(line.cycle, lane, rule))
            if record.valid:
                for mismatch in self.packets.note(line):
                    self._report(mismatch)
                if self._causes is not None:
                    self._causes.note(line)
                if self.passages is not None:
                    self.passages.note(line)
            if coverage is not None:
                coverage.note(line, self._ledger.full)
        while now is not None:
            self._done(now)
            now = next(done, None)

    def _done(self, done: _Done) -> None:
        """Take in what the software has done."""
        if isinstance(done, Arrival):
            self.barriers.arrive(done)
        elif isinstance(done, Put):
            self.packets.software.put(done)
            if self._causes is not None:
                self._causes.put(done)
        elif isinstance(done, MemberStep):
            for mismatch in self._causes.step(done) if self._causes is not None else ():
                self._report(mismatch)
        elif self._lives is not None:
            for mismatch in self._lives.note(done):
                self._report(mismatch)

    def close(self, cycle: int, *, report: Sequence[Sequence[int]] | None) -> None:
        """Judge the end: everything has drained, and the hardware's sinks agree.

        Parameters
        ----------
        cycle : int
            In which the run ended.
        report : sequence of sequence of int, optional
            The hardware's traffic report, a row a node; see ``sim/assemble/bench.py``.
        """
        for mismatch in self._lives.close(cycle) if self._lives is not None else ():
            self._report(mismatch)
        for mismatch in self._causes.close(cycle) if self._causes is not None else ():
            self._report(mismatch)
        for gid, out in self.barriers.unfinished():
            self._report(Mismatch(cycle, None, f"group {gid}: members released at the end", out, 0))
        for source, destination in self.packets.lost():
            node = self._spec.topology.node(source)
            self._report(Mismatch(cycle, node, "lost packet's destination", destination, None))
        for lane, count in self._ledger.outstanding().items():
            self._report(self._at_lane(cycle, lane, "credits outstanding at the end", count))
        if report is not None and self._plan.spec.message_network.channels:
            self._judge_report(cycle, report)

    def _judge_report(self, cycle: int, report: Sequence[Sequence[int]]) -> None:
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
                self._report(Mismatch(cycle, None, name, seen, wanted))

    def _at_lane(self, cycle: int, lane: int, rule: str, seen: int | None = None) -> Mismatch:
        node, signal = self._names.rule(lane, rule)
        return Mismatch(cycle, node, signal, seen, None)
