"""Hardware against model, line by line: what the probe wrote, and what it must have."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest

from syncfabric.models.networks.spec import (
    AnySpec,
)
from syncfabric.sim.drive.lines import EMPTY, Line, explain, parse, parse_wires, wires_of
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["KEPT", "Comparison"]

KEPT = 20
"""Mismatches that are kept of a run."""


class Comparison(ABC):
    """Takes a run in, chunk by chunk, as the hardware showed it.

    Where the hardware's lines are the model's, the lines already read serve for both: the rules
    are judged by what the hardware did in any case.

    Parameters
    ----------
    spec : AnySpec

    Attributes
    ----------
    mismatches : list of Mismatch
        The first, in the order of finding.
    """

    def __init__(self, spec: AnySpec) -> None:
        self._spec = spec
        self.mismatches: list[Mismatch] = []

    @abstractmethod
    def follow(self, chunk: Chunk, lines: Sequence[Line]) -> None:
        """Judge lines of a chunk by the rules."""

    def compare(self, chunk: Chunk, text: Sequence[str]) -> None:
        """Compare what the hardware's probe wrote in a chunk's cycles with what it must."""
        if chunk.meanings:
            text = [_with_meaning(line, chunk.meanings) for line in text]
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

    def _report(self, mismatch: Mismatch) -> None:
        if len(self.mismatches) < KEPT:
            self.mismatches.append(mismatch)


_ANSWER = re.compile(r"^([0-9a-f]+) .* c[01]:([0-9a-f]+)$")


def _with_meaning(line: str, meanings: Mapping[int, int]) -> str:
    """Return a line of the probe without the bits of an answer that mean nothing."""
    answer = _ANSWER.match(line)
    if not answer or (mask := meanings.get(int(answer[1], 16))) is None:
        return line
    return f"{line[: answer.start(2)]}{int(answer[2], 16) & mask:x}"


def _key(line: Line) -> tuple[int, bool]:
    """Return what lines are in order of: cycles, and observations after the wires."""
    return line.cycle, line.observed is not None
