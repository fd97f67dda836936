"""What the checker says of a schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from syncfabric.models.collectives.topology import Channel

__all__ = ["Conflict", "Message", "Report"]

Message = tuple[int, int]
"""Origin and destination."""


@dataclass(frozen=True)
class Conflict:
    """One place where a schedule breaks a rule."""

    step: int | None
    """From 1; None if it is about the whole schedule."""
    text: str
    messages: tuple[Message, ...] = ()
    """Origin and destination of the messages that it is about."""
    channel: Channel | None = None
    """Where they meet."""

    def words(self) -> str:
        """Say it in one line."""
        return self.text if self.step is None else f"step {self.step}: {self.text}"

    def to_json(self) -> dict[str, Any]:
        """Return the conflict as ``check --json`` prints it."""
        return {
            "step": self.step,
            "channel": None if self.channel is None else list(self.channel),
            "messages": [list(message) for message in self.messages],
            "text": self.text,
        }


@dataclass(frozen=True)
class Report:
    """What the checker found."""

    conflicts: tuple[Conflict, ...]
    """The first ones, by steps; none if the schedule is right."""
    count: int
    """All of them."""
    required: int
    """Pairs of origin and destination that must be served."""
    served: int
    """Of these: served."""
    longest: int
    """Channels of the longest path of a transfer."""
    detour: int
    """Hops that some message's way is longer than a shortest path, at most."""

    @property
    def right(self) -> bool:
        """Whether no rule is broken."""
        return self.count == 0
