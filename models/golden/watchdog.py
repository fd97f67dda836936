"""The watchdog of registers that are messages': nobody waits for ever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

__all__ = ["Seen", "Watchdog", "WatchedRegister"]


class WatchedRegister(Protocol):
    """A register at which a process can wait."""

    old: bool

    @property
    def waits(self) -> bool:
        """Whether the node's own process waits for the end of an episode."""


class Unit(Protocol):
    """A node's registers."""

    @property
    def node(self) -> int:
        """Number of the node."""

    @property
    def registers(self) -> Sequence[WatchedRegister]:
        """All of them."""

    def is_dying(self, r: int) -> bool:
        """Return whether a register dies by a command of this cycle."""

    def trip(self, r: int) -> None:
        """Release the process of a register with ``broken``."""


Seen: TypeAlias = Sequence[tuple[Unit, int]]


class Watchdog:
    """Looks at registers where somebody waits (docs/microarchitecture-faults.md, F5).

    In a cycle in which it ``is_due``, ``look`` comes first, and ``bite`` after all that messages
    do; ``watch`` is the edge.

    Parameters
    ----------
    period : int
        Cycles from one look to the next.
    """

    def __init__(self, period: int) -> None:
        self.period = period
        self._watched: dict[tuple[int, int], Unit] = {}

    def is_due(self, now: int) -> bool:
        """Return whether this is a cycle in which it looks at anybody."""
        return (now + 1) % self.period == 0 and bool(self._watched)

    def idle_until(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which it will, None if there is nobody."""
        return now + -(now + 1) % self.period if self._watched else None

    def look(self) -> Seen:
        """Return who waits at the start of this cycle."""
        for node, r in list(self._watched):
            if not self._watched[node, r].registers[r].waits:
                del self._watched[node, r]
        return [(unit, r) for (_, r), unit in self._watched.items()]

    def bite(self, seen: Seen) -> list[int]:
        """Trip those that still wait, if it has seen them before; return their nodes."""
        tripped = []
        for unit, r in seen:
            register = unit.registers[r]
            if register.waits and not unit.is_dying(r):
                if register.old:
                    unit.trip(r)
                    tripped.append(unit.node)
                register.old = True
        return tripped

    def watch(self, unit: Unit, r: int) -> None:
        """Look after a process that has arrived in this cycle."""
        unit.registers[r].old = False
        self._watched[unit.node, r] = unit
