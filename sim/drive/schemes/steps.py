"""What members do in a scheme that goes by packets, as the scheme itself tells it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

__all__ = ["MemberStep", "StepKind"]


class StepKind(Enum):
    """What a member does."""

    ARRIVE = "arrive"
    TELL = "tell"
    """It tells everybody all that it knows, by other ways than packets."""
    RELEASE = "release"
    """It goes on."""


class MemberStep(NamedTuple):
    """A step of the one group's member."""

    cycle: int
    member: int
    kind: StepKind
