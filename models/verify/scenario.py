"""What happens in an exploration: routers, groups, managers, and how much may go wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from syncfabric.models.verify.entry import Image

__all__ = ["ATTEMPTS", "Group", "Rules", "Scenario"]


@dataclass(frozen=True)
class Rules:
    """Rules of hardware and software.

    Parameters
    ----------
    epochs : int
        Number of epochs; 1: messages have none.
    under_way : int
        An assumption: an entry is set up fewer times than this while a message for it is under way,
        and one time less while its FREED is.
    whole : bool
        An entry fires only when nothing is missing.
    anded : bool
        LAST leaves an entry only if all that merged said so.
    ready : bool
        A process arrives only when its register is ready.
    busy : bool
        SETUP of an entry that is alive is refused.
    shares : bool
        A manager's requests for entries outside its share are refused.
    kill_epoch : bool
        KILL needs the entry's epoch.
    ended : bool
        A SETUP that was obeyed before and whose instance is over is answered ENDED, not EPOCH.
    tags : int
        Number of tags; 1: a manager takes replies of a command that it aborted. With more, no
        packet is assumed to be under way when its tag comes again.
    freed_epoch : bool
        Software compares the epoch of FREED.
    freed_in_order : bool
        FREED leaves a router before the replies of later requests, and so comes before them. (No
        rule of the contract: with it, ``freed_epoch`` is not needed.)
    awaits : bool
        START is sent when all SETUPs were OK.
    root_last : bool
        START, which sends GO, goes to the root after the other routers' SETUP.
    again : bool
        After BUSY the same command is given again; else the group is killed first.
    kills_before_reuse : bool
        After ABORT, an entry is used for another group only after KILL.
    kill_sets : bool
        KILL gives an entry that is not alive the epoch of the command.
    """

    epochs: int = 4
    under_way: int = 4
    whole: bool = True
    anded: bool = True
    ready: bool = True
    busy: bool = True
    shares: bool = True
    kill_epoch: bool = True
    ended: bool = True
    tags: int = 4
    freed_epoch: bool = True
    freed_in_order: bool = False
    awaits: bool = True
    root_last: bool = True
    again: bool = True
    kills_before_reuse: bool = True
    kill_sets: bool = True


ATTEMPTS = 16
"""Instances of a group at most; instance k of group g is number ``ATTEMPTS * g + k``."""


@dataclass(frozen=True)
class Group:
    """A group of one barrier or more.

    Parameters
    ----------
    tree : dict[int, int]
        Each router's parent; the root is its own parent.
    members : tuple[int, ...]
        Routers whose processes take part. The first of several says LAST each time it arrives.
    entries : dict[int, int]
        Each router's entry; those not named are entry 0.
    barriers : int
        Number of barriers, the last of which all members say to be it.
    kill : bool
        The manager may kill it whenever it has no command under way.
    """

    tree: dict[int, int]
    members: tuple[int, ...]
    entries: dict[int, int] = field(default_factory=dict)
    barriers: int = 1
    kill: bool = False

    @cached_property
    def routers(self) -> tuple[int, ...]:
        """Routers of the tree, the root last."""
        return tuple(sorted(self.tree, key=lambda router: (self.tree[router] == router, router)))

    @property
    def root(self) -> int:
        """The root's router."""
        return self.routers[-1]

    def entry(self, router: int) -> int:
        """Return the number of the group's entry at a router of its tree."""
        return self.entries.get(router, 0)

    def image(self, router: int, own: int, epochs: dict[int, int]) -> Image:
        """Return a router's image; ``own`` is its own process's port, port j leads to router j."""
        children = sum(1 << child for child, up in self.tree.items() if router == up != child)
        if router in self.members:
            children |= 1 << own
        up = self.tree[router]
        names = tuple((self.entry(j), epochs[j]) if j in self.tree else (0, 0) for j in range(own))
        return Image(children, 0 if up == router else 1 << up, names)

    def says_last(self, member: int, barrier: int) -> bool:
        """Return whether a member's arrival for a barrier, from 1, is LAST."""
        return barrier == self.barriers or member == self.members[0] != self.members[-1]

    def arrivals(self, barrier: int) -> int:
        """Return the data of a release: the arrivals of all members in a barrier, from 1."""
        return sum(self.arrival(member, barrier) for member in self.members)

    def arrival(self, member: int, barrier: int) -> int:
        """Return the data of a member's arrival: one bit."""
        return 1 << self.members.index(member) * self.barriers + barrier - 1


@dataclass(frozen=True)
class Scenario:
    """An exploration.

    Parameters
    ----------
    routers : int
        Number of routers; any two may be neighbours.
    groups : tuple[Group, ...]
        All groups.
    managers : tuple[tuple[int, ...], ...]
        The groups that each manager sets up, one after the other. Manager m has the m-th share of
        every router's entries.
    entries : int
        Entries of each router.
    losses : int
        Requests, replies and FREED that may be lost.
    aborts : int
        Commands that may be aborted although nothing was lost.
    breaks : int
        Entries that may be killed by their own router: its watchdog, or the config chain.
    meddles : int
        Requests that the last manager sends for entries that are not its own.
    epochs : tuple[int, ...]
        Epochs of all entries at first, which managers do not know; none: 0, which they know.
    linked : bool
        Nodes are node interfaces at the far end of links, as elsewhere than on meshes.
    drops : bool
        BROKEN on links between routers may be dropped.
    rules : Rules
        The rules that are kept.
    """

    routers: int
    groups: tuple[Group, ...]
    managers: tuple[tuple[int, ...], ...]
    entries: int = 1
    losses: int = 0
    aborts: int = 0
    breaks: int = 0
    meddles: int = 0
    epochs: tuple[int, ...] = ()
    linked: bool = False
    drops: bool = False
    rules: Rules = field(default_factory=Rules)

    def owner(self, entry: int) -> int:
        """Return the manager in whose share an entry is."""
        return entry // (self.entries // len(self.managers))

    def group(self, instance: int) -> Group:
        """Return the group of an instance."""
        return self.groups[instance // ATTEMPTS]
