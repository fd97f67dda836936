"""Events of groups that are set up and ended during a run, as software records them for checks.

Their numbers follow those of the plan's groups, which are their places in the plan.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from syncfabric.models.layout.setup import Operation

__all__ = ["AllOver", "BrokenRelease", "Commanded", "Created", "GroupEvent", "Joined", "Removed"]


class Created(NamedTuple):
    """A group begins: its members know of it, the network does not."""

    cycle: int
    number: int
    gid: int
    op: str
    nodes: tuple[int, ...]
    """Its members'."""
    targets: tuple[int, ...] = ()
    """Where it has entries that are read when it is over, numbered as on the config port."""
    episodes: int = 0
    entries: tuple[int, ...] = ()
    """Its entry at each of the targets."""


class Joined(NamedTuple):
    """A member found its register ready, and arrives there from now on."""

    cycle: int
    number: int
    member: int
    node: int
    register: int


class Commanded(NamedTuple):
    """A manager, or the host, has begun with a command for a group."""

    cycle: int
    number: int
    manager: int
    """The manager's node; -1: it is the host's."""
    operation: Operation


class BrokenRelease(NamedTuple):
    """The release of a register in this cycle is a broken one."""

    cycle: int
    node: int
    register: int


class Removed(NamedTuple):
    """A group is over: no member is inside, and its entries are free."""

    cycle: int
    number: int


class AllOver(NamedTuple):
    """All is over: every counter is read from now on."""

    cycle: int


GroupEvent: TypeAlias = Created | Joined | Commanded | BrokenRelease | Removed | AllOver
