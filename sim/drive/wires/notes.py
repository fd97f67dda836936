"""What software says it did to groups on barrier wires: the checks go by it."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = ["Doomed", "Loose", "Whole", "WireNote"]


class Loose(NamedTuple):
    """Members may arrive, but not all slots of a group are set up: its barriers may take longer."""

    cycle: int
    group: int
    """Place of the group in the plan."""


class Doomed(NamedTuple):
    """From now on slots of a group may be cleared, or trip: its members may be released broken."""

    cycle: int
    group: int


class Whole(NamedTuple):
    """All slots of a group are set up, and if it was doomed nobody is inside."""

    cycle: int
    group: int


WireNote: TypeAlias = Loose | Doomed | Whole
