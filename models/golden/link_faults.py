"""Faults of links, between their two guards (docs/microarchitecture-faults.md, F6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import NamedTuple

from syncfabric.models.faults.fault import Fault, FaultKind

__all__ = ["LinkFaults", "Spoilt"]


class Spoilt(NamedTuple):
    """What faults do to the wires of a link.

    Attributes
    ----------
    silent : bool
        All forward wires are 0, before any is inverted.
    flips, lost : int
        Forward wires that are inverted, and credit wires that are 0; see ``Fault.mask``.
    dead : bool
        All wires back are 0.
    """

    silent: bool
    flips: int = 0
    lost: int = 0
    dead: bool = False


class LinkFaults:
    """What tests do to links, cycle by cycle.

    Attributes
    ----------
    dead : set of int
        Links that are dead by now.
    """

    def __init__(self) -> None:
        self._planned: dict[int, list[Fault]] = {}
        self.dead: set[int] = set()

    def plan(self, faults: Iterable[Fault]) -> None:
        """Plan faults of cycles to come."""
        for fault in faults:
            self._planned.setdefault(fault.cycle, []).append(fault)

    def is_due(self, now: int) -> bool:
        """Return whether there is one in this cycle."""
        return now in self._planned

    def following(self) -> int | None:
        """Return the cycle of the next one, None if there is none."""
        return min(self._planned, default=None)

    def happen(self, now: int) -> dict[int, list[Fault]]:
        """Return a cycle's faults, by link."""
        found: dict[int, list[Fault]] = {}
        for fault in self._planned.pop(now, ()):
            found.setdefault(fault.link, []).append(fault)
            if fault.kind is FaultKind.DEAD:
                self.dead.add(fault.link)
        return found

    def spoil(self, link: int, faults: Sequence[Fault], *, still: bool) -> Spoilt:
        """Return what becomes of a link's wires; ``still``: all forward ones are 0.

        Faults of one cycle come one after the other, in the order of kinds and masks.
        """
        if link in self.dead:
            return Spoilt(silent=True, lost=-1, dead=True)
        silent, flips, lost = False, 0, 0
        for _, _, kind, mask in sorted(astuple(fault) for fault in faults):
            if kind is FaultKind.FLIP:
                flips ^= mask
            elif kind is FaultKind.DROP:
                silent, flips = True, 0
            elif kind is FaultKind.CREDIT:
                lost |= mask
            elif kind is FaultKind.FORGED and (silent or still) and not flips:
                flips = mask
        return Spoilt(silent, flips, lost)
