"""Faults of links, between their two guards (docs/microarchitecture-faults.md, F6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from syncfabric.models.faults.fault import Fault, FaultKind

__all__ = ["LinkFaults"]


class LinkFaults:
    """What tests do to links, cycle by cycle.

    Parameters
    ----------
    width : int
        Forward wires of a link.

    Attributes
    ----------
    ever : bool
        Whether there have been any, or will be.
    dead : set of int
        Links that are dead by now.
    """

    def __init__(self, width: int) -> None:
        self._wires = (1 << width) - 1
        self._planned: dict[int, list[Fault]] = {}
        self.ever = False
        self.dead: set[int] = set()

    def plan(self, faults: Iterable[Fault]) -> None:
        """Plan faults of cycles to come."""
        for fault in faults:
            self._planned.setdefault(fault.cycle, []).append(fault)
            self.ever = True

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

    def spoil(
        self, link: int, faults: Sequence[Fault], forward: int, credit: int, empty: int
    ) -> tuple[int, int, int]:
        """Return what is left on the way of forward wires, credits and ``empty``."""
        if link in self.dead:
            return 0, 0, 0
        dropped = False
        for fault in faults:
            dropped = dropped or fault.kind is FaultKind.DROP
            if fault.kind is FaultKind.FLIP:
                forward ^= fault.mask & self._wires
            elif fault.kind is FaultKind.CREDIT:
                credit &= ~fault.mask
            elif fault.kind is FaultKind.FORGED and not forward:
                forward = fault.mask & self._wires
        return 0 if dropped else forward, credit, empty
