"""What a search for a schedule tells while it works, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from syncfabric.models.collectives.schedule import Step

__all__ = ["Found", "Progress", "Stop", "Told"]


@dataclass(frozen=True)
class Progress:
    """How far a search is."""

    conflicts: int
    """Of the best that it has; 0 is a schedule."""
    evaluations: int
    """Moves, or individuals, that it has tried since it began."""
    seconds: float
    """Since it began."""


@dataclass(frozen=True)
class Found:
    """What a search hands back.

    Parameters
    ----------
    steps : tuple of Step or None
        Only if there is no conflict in them.
    conflicts : int
        Of the best that was found; 0 with ``steps``.
    evaluations : int
        Moves, or individuals, that were tried.
    seconds : float
    infeasible : bool
        It is proved that there is no schedule with so few steps.
    """

    steps: tuple[Step, ...] | None
    conflicts: int
    evaluations: int
    seconds: float
    infeasible: bool = False


Told = Callable[[Progress], None]
"""Is told now and then how far a search is."""

Stop = Callable[[], bool]
"""Turns true when a search is to end with the best that it has."""
