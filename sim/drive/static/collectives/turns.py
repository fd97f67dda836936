"""When members begin and end operations: the run's notes to its judge."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Turn"]


class Turn(NamedTuple):
    """A member begins an operation in a cycle, or has ended one before it.

    Parameters
    ----------
    cycle : int
    course, member : int
        Place of the group among those with collectives, and of the member in it.
    ends : bool
    word : int or None
        What it ends up with.
    """

    cycle: int
    course: int
    member: int
    ends: bool = False
    word: int | None = None
