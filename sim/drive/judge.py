"""The rules of networks of engines: barriers, packets, lanes, and groups that come and go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.cause_check import CauseCheck
from syncfabric.sim.drive.churn.check import ChurnCheck
from syncfabric.sim.drive.coverage import Coverage
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.judging import Done, Judging
from syncfabric.sim.drive.lanes import CreditLedger
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.put_port import Put
from syncfabric.sim.drive.replay import Passages
from syncfabric.sim.drive.software import MemberStep
from syncfabric.sim.drive.static.operations import Turn
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["Judge"]


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
