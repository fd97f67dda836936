"""What a run with churn found: how groups came and went, and what that cost the others."""

from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict

from syncfabric.sim.spread import CONFIG, Spread

__all__ = ["ChurnCost", "ChurnResult"]


@dataclass(frozen=True)
class ChurnCost:
    """What lives cost one of the file's groups: its latency without and with them."""

    __pydantic_config__: ClassVar[ConfigDict] = CONFIG

    id: int
    """Group identifier (GID)."""
    quiet: Spread | None
    """Latency before the first life; null if no barrier was made then."""
    churning: Spread | None
    """Latency from the first life's birth to the last one's end; null likewise."""
    bound: int | None
    """Most cycles that a barrier may take, alone on an idle network."""


@dataclass(frozen=True)
class ChurnResult:
    """Groups that were set up and torn down while the file's groups went on."""

    __pydantic_config__: ClassVar[ConfigDict] = CONFIG

    lives: int
    """Groups that were drawn; each is torn down, killed, or given up."""
    killed: int
    """Of these: killed, at a random moment."""
    given_up: int
    """Of these: never set up, for no entries were free beside the file's groups."""
    refused: int
    """Commands of set-ups that were refused, and given again."""
    set_up_cycles: Spread | None
    """Cycles from a set-up's first write to its end."""
    set_up_packets: Spread | None
    """Packets of a set-up: requests and replies."""
    tear_down_cycles: Spread | None
    """Cycles until the end of a group, or a KILL, is over."""
    tear_down_packets: Spread | None
    """Packets of a tear-down: requests, replies, and the one that tells that a group is freed."""
    costs: tuple[ChurnCost, ...]
    """What it cost the file's groups, in the file's order."""
