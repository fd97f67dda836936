"""The checker of a run: hardware against model, and the rules against the hardware's trace."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import TypeVar

from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.drive.differences import explain
from syncfabric.sim.drive.trace import (
    EMPTY,
    Act,
    Chunk,
    Line,
    Report,
    Rule,
    Turn,
    parse,
    parse_wires,
    wires_of,
)
from syncfabric.sim.results import Mismatch

__all__ = ["KEPT", "Checker"]

KEPT = 20
"""Mismatches that are kept of a run."""

R = TypeVar("R", bound=Rule)


class Checker:
    """Compares hardware and model line by line, and applies rules to what the hardware did.

    Parameters
    ----------
    spec : AnySpec
        The network.
    rules : sequence of Rule
        In a cycle they are applied in this order.

    Attributes
    ----------
    mismatches : list of Mismatch
        The first, in the order of finding.
    """

    def __init__(self, spec: AnySpec, rules: Sequence[Rule] = ()) -> None:
        self._spec, self.rules = spec, rules
        self.mismatches: list[Mismatch] = []

    def find(self, kind: type[R]) -> R | None:
        """Return the rule of a class, if it is applied."""
        return next((rule for rule in self.rules if isinstance(rule, kind)), None)

    def rule(self, kind: type[R]) -> R:
        """Return the rule of a class, which is applied."""
        rule = self.find(kind)
        assert rule is not None
        return rule

    def compare(self, chunk: Chunk, text: Sequence[str]) -> None:
        """Compare what the hardware's probe wrote in a chunk with what it must; apply the rules.

        Where the hardware's lines are the model's, the lines already read serve for both.
        """
        if chunk.meanings:
            text = [_defined(line, chunk.meanings) for line in text]
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

    def follow(self, chunk: Chunk, lines: Sequence[Line]) -> None:
        """Apply the rules to lines of a chunk, and to software's acts in it."""
        for rule in self.rules:
            rule.begin(chunk)
        acts = deque(sorted(chunk.acts, key=_order))
        for line in lines:
            while acts and _order(acts[0]) < (line.cycle, True):
                act = acts.popleft()
                for rule in self.rules:
                    self._report(rule.act(act))
            for rule in self.rules:
                self._report(rule.wires(line))
        for act in acts:
            for rule in self.rules:
                self._report(rule.act(act))

    def close(self, cycle: int, report: Report = None) -> None:
        """Apply the rules to the end of a run, in a cycle in which all is quiet."""
        for rule in self.rules:
            self._report(rule.close(cycle, report))

    def _unreadable(self, chunk: Chunk, text: str, place: int) -> None:
        """Report a line that cannot be read, where ``place`` is the number of the model's."""
        wanted = chunk.lines[place] if place < len(chunk.lines) else Line(chunk.end, EMPTY)
        model = chunk.text[place] if place < len(chunk.text) else ""
        with suppress(ValueError):
            seen = parse_wires(text)
            if seen.cycle == wanted.cycle:
                self._report(explain(self._spec, seen, wires_of(wanted)))
        self._report([Mismatch(wanted.cycle, None, "line of the probe", text, model)])

    def _tell_apart(self, hardware: list[Line], model: list[Line]) -> None:
        """Report the differences, cycle by cycle."""
        ours, theirs = ({_key(line): line for line in lines} for lines in (hardware, model))
        for key in sorted(ours.keys() | theirs.keys()):
            seen = ours.get(key, Line(key[0], EMPTY))
            wanted = theirs.get(key, Line(key[0], EMPTY))
            self._report(explain(self._spec, seen, wanted))

    def _report(self, mismatches: Iterable[Mismatch]) -> None:
        for mismatch in mismatches:
            if len(self.mismatches) < KEPT:
                self.mismatches.append(mismatch)


_ANSWER = re.compile(r"^([0-9a-f]+) .* c[01]:([0-9a-f]+)$")


def _defined(line: str, meanings: Mapping[int, int]) -> str:
    """Return a line of the probe without the undefined bits of an answer."""
    answer = _ANSWER.match(line)
    if not answer or (mask := meanings.get(int(answer[1], 16))) is None:
        return line
    return f"{line[: answer.start(2)]}{int(answer[2], 16) & mask:x}"


def _order(act: Act) -> tuple[int, bool]:
    """Return what acts are in order of: cycles, and in each turns before the wires."""
    return act.cycle, not isinstance(act, Turn)


def _key(line: Line) -> tuple[int, bool]:
    """Return what lines are in order of: cycles, and observations after the wires."""
    return line.cycle, line.observed is not None
