"""How far the whole search for a schedule is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Standing"]


@dataclass(frozen=True)
class Standing:
    """What is told of a search while it works."""

    method: str
    steps: int
    """That it is trying to do with."""
    best: int | None
    """Steps of the shortest schedule so far."""
    bound: int
    """What is proved to be needed."""
    conflicts: int
    """Left in the best attempt of this method."""
    evaluations: int
    """Of all methods."""
    seconds: float
    """Since the search began."""
