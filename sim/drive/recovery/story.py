"""What happens in a run of a recovery, and what it took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from syncfabric.models.networks.dead import NOTHING, Dead

__all__ = ["Cost", "Move", "Spans", "Story"]

Place = tuple[int, int]


class Move(NamedTuple):
    """A member of a group goes to another node."""

    group: int
    start: Place
    end: Place


@dataclass(frozen=True)
class Story:
    """What happens in a run.

    Parameters
    ----------
    dead : Dead
        What dies; or nothing.
    moves : tuple of Move
        Members that go elsewhere, if nothing dies.
    at : int
        Cycles from the first arrivals until that happens.
    patience : int
        Cycles that a member waits for its release, until software takes its group for broken.
    episodes : int
        Barriers of each group before that happens, at least, and after all is well again.
    jitter : int
        Cycles from a member's release to its next arrival, at most.
    seed : int
        Of arrivals and data.
    limit : int
        Cycles after which the run is given up.
    """

    dead: Dead = NOTHING
    moves: tuple[Move, ...] = ()
    at: int = 400
    patience: int = 500
    episodes: int = 10
    jitter: int = 16
    seed: int = 1
    limit: int = 200_000


@dataclass
class Cost:
    """What one group's recovery took, in cycles, one after the other.

    Parameters
    ----------
    group : int
    detect : int
        From the death until software gives the group up; of a move, until its last barrier is over.
    wait : int
        Until it is this group's turn.
    end : int
        Killing it, or awaiting its end, until none of its entries is alive.
    set_up : int
        Writing its entries, or the managers' commands.
    go : int
        From there until every member may arrive.
    first : int
        From there until all are released for the first time.
    packets : int
        Requests and replies.
    commands : int
        Commands of managers.
    writes : int
        Writes over the config port, but for those to managers.
    """

    group: int
    detect: int = 0
    wait: int = 0
    end: int = 0
    set_up: int = 0
    go: int = 0
    first: int = 0
    packets: int = 0
    commands: int = 0
    writes: int = 0

    @property
    def total(self) -> int:
        """From the event to the first release of all."""
        return self.detect + self.wait + self.end + self.set_up + self.go + self.first


@dataclass
class Spans:
    """Latencies of a group's barriers: before it happened, until all was well, and after."""

    before: list[int] = field(default_factory=list)
    during: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
