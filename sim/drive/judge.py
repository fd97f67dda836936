"""Hardware against model, and both against the rules: line by line, until everything is quiet."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import zip_longest

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.coverage import Coverage
from syncfabric.sim.drive.lanes import CreditLedger, LaneCounter, Spacing
from syncfabric.sim.drive.lines import EMPTY, Line, explain, parse, parse_wires, wires_of
from syncfabric.sim.drive.names import Names
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.session import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["KEPT", "Judge"]

KEPT = 20
"""Mismatches that are kept of a run."""


class Judge:
    """Takes a run in, chunk by chunk, as the hardware showed it.

    Where the hardware's lines are the model's, the lines already read serve for both: the rules
    are judged by what the hardware did in any case.

    Parameters
    ----------
    plan : BarrierPlan
    coverage : Coverage, optional

    Attributes
    ----------
    mismatches : list of Mismatch
        The first, in the order of finding.
    barriers, packets : BarrierCheck, PacketCheck
        The rules, and what they measured.
    load : LaneCounter
        Flits of every lane.
    """

    def __init__(self, plan: BarrierPlan, *, coverage: Coverage | None = None) -> None:
        self._plan, self._spec = plan, plan.spec.network
        self._coverage = coverage
        self.mismatches: list[Mismatch] = []
        self.barriers, self.packets = BarrierCheck(plan), PacketCheck(self._spec)
        self.load, self._ledger = LaneCounter(), CreditLedger(self._spec)
        self._spacing, self._names = Spacing(self._spec), Names(self._spec)

    def compare(self, chunk: Chunk, text: Sequence[str]) -> None:
        """Compare what the hardware's probe wrote in a chunk's cycles with what it must."""
        if list(text) == chunk.text:
            self.follow(chunk, chunk.lines)
            return
        lines: list[Line] = []
        cycle = chunk.first
        try:
            for words in text:
                lines.append(parse(words, cycle))
                cycle = lines[-1].cycle
        except (ValueError, IndexError):
            last = _key(lines[-1]) if lines else (-1, False)
            before = [line for line in chunk.lines if _key(line) <= last]
            self._tell_apart(lines, before)
            self._unreadable(chunk, text[len(lines)], len(before))
        else:
            self._tell_apart(lines, chunk.lines)
        if not self.mismatches:  # they differ in words alone, which is a difference too
            place = next(i for i, (a, b) in enumerate(zip_longest(text, chunk.text)) if a != b)
            self._unreadable(chunk, text[place] if place < len(text) else "", place)
        self.follow(chunk, lines)

    def _unreadable(self, chunk: Chunk, text: str, place: int) -> None:
        """Report a line that cannot be read, where ``place`` is the number of the model's."""
        wanted = chunk.lines[place] if place < len(chunk.lines) else Line(chunk.end, EMPTY)
        told = chunk.text[place] if place < len(chunk.text) else ""
        with suppress(ValueError):
            seen = parse_wires(text)
            if seen.cycle == wanted.cycle:
                for mismatch in explain(self._spec, seen, wires_of(wanted)):
                    self._report(mismatch)
        self._report(Mismatch(wanted.cycle, None, "line of the probe", text, told))

    def _tell_apart(self, hardware: list[Line], model: list[Line]) -> None:
        """Report the differences, cycle by cycle."""
        ours, theirs = ({_key(line): line for line in lines} for lines in (hardware, model))
        for key in sorted(ours.keys() | theirs.keys()):
            seen = ours.get(key, Line(key[0], EMPTY))
            wanted = theirs.get(key, Line(key[0], EMPTY))
            for mismatch in explain(self._spec, seen, wanted):
                self._report(mismatch)

    def follow(self, chunk: Chunk, lines: Sequence[Line]) -> None:
        """Judge lines of a chunk by the rules."""
        # What goes wrong covers nothing.
        coverage = None if self.mismatches else self._coverage
        if coverage is not None:
            coverage.begin(chunk)
        arrivals = iter(chunk.arrivals)
        arrival = next(arrivals, None)
        for line in lines:
            while arrival is not None and arrival.cycle < line.cycle:
                self.barriers.arrive(arrival)
                arrival = next(arrivals, None)
            record = line.record
            if record.release or record.spill:
                for mismatch in self.barriers.release(line):
                    self._report(mismatch)
            if record.valid or record.credit:
                self.load.add(record.valid)
                for lane, rule in self._ledger.note(record.valid, record.credit):
                    self._report(self._at_lane(line.cycle, lane, rule))
            if record.valid:
                for lane in self._spacing.note(line.cycle, record.valid):
                    self._report(self._at_lane(line.cycle, lane, "messages in adjacent cycles"))
                for mismatch in self.packets.note(line):
                    self._report(mismatch)
            if coverage is not None:
                coverage.note(line, self._ledger.full)
        while arrival is not None:
            self.barriers.arrive(arrival)
            arrival = next(arrivals, None)

    def close(self, cycle: int, *, report: Sequence[Sequence[int]] | None) -> None:
        """Judge the end: everything has drained, and the hardware's sinks agree.

        Parameters
        ----------
        cycle : int
            In which the run ended.
        report : sequence of sequence of int, optional
            The hardware's traffic report, a row a node; see ``sim/assemble/bench.py``.
        """
        for gid, out in self.barriers.unfinished():
            self._report(Mismatch(cycle, None, f"group {gid}: members released at the end", out, 0))
        for source, destination in self.packets.lost():
            node = self._spec.topology.node(source)
            self._report(Mismatch(cycle, node, "lost packet's destination", destination, None))
        for lane, count in self._ledger.outstanding().items():
            self._report(self._at_lane(cycle, lane, "credits outstanding at the end", count))
        if report is not None:
            self._judge_report(cycle, report)

    def _judge_report(self, cycle: int, report: Sequence[Sequence[int]]) -> None:
        sums = [sum(column) for column in zip(*report, strict=True)]
        created, sent, overflow, packets, flits, errors = sums[:6]
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

    def _report(self, mismatch: Mismatch) -> None:
        if len(self.mismatches) < KEPT:
            self.mismatches.append(mismatch)


def _key(line: Line) -> tuple[int, bool]:
    """Return what lines are in order of: cycles, and observations after the wires."""
    return line.cycle, line.observed is not None
