"""One group's life: what its manager and its members know of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from syncfabric.models.planning.plan import MessageGroupPlan
from syncfabric.sim.drive.arrivals import GroupArrivals

__all__ = ["Life", "Stage"]


class Stage(enum.Enum):
    """How far a life is."""

    BORN = enum.auto()
    """It is not set up yet."""
    LIVES = enum.auto()
    """It is set up."""
    ENDS = enum.auto()
    """It is to be cleared or killed, or is being so."""
    LEAVES = enum.auto()
    """It is torn down, or given up; some member may not know yet."""
    GONE = enum.auto()
    """Nothing of it is left, and its registers are looked at."""


@dataclass
class Life:
    """A group that comes and goes.

    Parameters
    ----------
    number : int
        See ``notes``.
    group : MessageGroupPlan
        Its plan; the registers' numbers there do not count.
    epoch : int
        Of its set-up.
    entries : list of tuple of int
        What its manager's memory is to hold; see ``manager_entries``.
    nodes : list of int
        Its members' nodes, in their order.
    targets : tuple of int
        Where it has registers, numbered as on the config port.
    episodes : int
        Barriers, if it is not killed before.
    doomed : bool
        Whether it is killed.
    manager : int
        Which one sets it up.
    arrivals : GroupArrivals
        When members arrive.

    Attributes
    ----------
    stage : Stage
        How far it is.
    since : int
        Cycle in which it came so far, or a member was last released.
    places : dict of int to int
        By member, the register at its node that it has chosen.
    due : set of int
        Members that would arrive, if they could.
    came : set of int
        Members that have arrived before.
    tries : int
        Set-ups that were refused.
    given_up : bool
        There will be no further try.
    freed : bool
        The manager knows that the last barrier is over.
    told : bool
        It knows so by a packet.
    asked : bool
        Its root node has been asked whether the last barrier is over.
    """

    number: int
    group: MessageGroupPlan
    epoch: int
    entries: list[tuple[int, ...]]
    nodes: list[int]
    targets: tuple[int, ...]
    episodes: int
    doomed: bool
    manager: int
    arrivals: GroupArrivals
    since: int
    stage: Stage = Stage.BORN
    places: dict[int, int] = field(default_factory=dict)
    due: set[int] = field(default_factory=set)
    came: set[int] = field(default_factory=set)
    tries: int = 0
    given_up: bool = False
    freed: bool = False
    told: bool = False
    asked: bool = False

    @property
    def gid(self) -> int:
        """The group's number."""
        return self.group.id

    @property
    def killed(self) -> bool:
        """Whether it ends, or has ended, by being killed."""
        return self.doomed and not self.given_up

    @property
    def all_arrived(self) -> bool:
        """Whether all members have arrived for the last time."""
        return min(self.arrivals.arrived) == self.episodes

    def enter(self, stage: Stage, now: int) -> None:
        """Go on to a stage."""
        self.stage, self.since = stage, now

    def arrives_last(self, member: int) -> bool:
        """Return whether a member's next arrival is its last."""
        return self.arrivals.arrived[member] == self.episodes - 1
