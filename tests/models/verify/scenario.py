"""What happens in an exploration: groups, managers, rules, and how much may go wrong.

Entries and messages are as E6 and E7 have them, packets as N3. What is known beside them is the
*instance*: one set-up of one group, with all its identical retries. No rule looks at its number;
the checks do.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from tests.models.verify.explorer import Violation

PLAIN, GO, LAST, BROKEN = range(4)


class Image(NamedTuple):
    """What SETUP writes: sets of ports as bits, and (entry, epoch) at each neighbour."""

    children: int
    parent: int
    names: tuple[tuple[int, int], ...]


class Entry(NamedTuple):
    """State of an entry. While it is not alive, all but its epoch is as in :data:`DEAD`."""

    epoch: int
    alive: int = 0
    instance: int = -1
    image: Image = Image(0, 0, ())
    missing: int = 0
    turn: int = 0
    last: int = 0
    fresh: int = 0
    acc: int = 0


DEAD = Entry(0)


class Message(NamedTuple):
    """A message; its data are the arrivals that it stands for, a bit each."""

    epoch: int
    kind: int
    data: int
    instance: int


Fired = tuple[Entry, int, int, int]
"""The entry afterwards; the ports to which is sent, 0 for none; the kind and data that are sent."""


def serve(
    entry: Entry,
    port: int,
    message: Message,
    *,
    modulo: int = 4,
    whole: bool = True,
    anded: bool = True,
) -> Fired | None:
    """Serve a message at an entry (E6, rules 1 to 15).

    Parameters
    ----------
    entry : Entry
        State before.
    port : int
        The port by which the message came, as a bit; 0 for GO of the config port.
    message : Message
        What came.
    modulo : int
        Number of epochs.
    whole, anded : bool
        Rules that a weakening leaves out: a completion needs all ports; LAST needs all that
        merged to say so.

    Returns
    -------
    Fired | None
        None if nothing changes (the message is unexpected).

    Raises
    ------
    Violation
        A message of one instance changes another.
    """
    kind = message.kind
    if not entry.alive or (entry.epoch - message.epoch) % modulo:
        return None
    if kind == BROKEN:
        if not port & entry.image.parent:
            return None
    elif not port & entry.missing if port else entry.missing:
        return None
    if message.instance != entry.instance:
        raise Violation("a message of an old instance changes a new one")
    if kind == BROKEN:
        return kill(entry)
    data = message.data if entry.fresh else entry.acc | message.data
    last = entry.last if kind == LAST or not anded else 0
    missing = entry.missing & ~port
    if missing and whole:
        return entry._replace(missing=missing, acc=data, fresh=0, last=last), 0, 0, 0
    if kind != GO:
        kind = LAST if kind == LAST and last else PLAIN
    to = entry.image.children if entry.turn else entry.image.parent
    if entry.turn and kind == LAST:
        return Entry(entry.epoch), to, kind, data
    turn = 1 - entry.turn if entry.image.parent else 1
    after = entry._replace(missing=missing | to, turn=turn, last=1, fresh=1, acc=0)
    return after, to, kind, data


def kill(entry: Entry) -> Fired:
    """End an entry that is alive: BROKEN goes to its children."""
    return Entry(entry.epoch), entry.image.children, BROKEN, 0


class Operation(IntEnum):
    """Operations of a request; GO is START after its first access."""

    SETUP = 0
    START = 1
    KILL = 2
    GO = 3


class Code(IntEnum):
    """Codes of a reply."""

    OK = 0
    BUSY = 1
    EPOCH = 2
    DENIED = 3
    FREED = 5
    ENDED = 6


class Request(NamedTuple):
    """A request; KILL has no image."""

    operation: Operation
    tag: int
    entry: int
    epoch: int
    instance: int
    image: Image


class Reply(NamedTuple):
    """A reply or FREED, with the true epoch of the entry."""

    code: Code
    tag: int
    entry: int
    epoch: int
    instance: int


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
