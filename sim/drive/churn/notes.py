"""What software says it did to groups that come and go: checks hold the hardware against it.

Lives are numbered on from the plan's groups, whose numbers are their places in the plan.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from syncfabric.models.layout.setup import Operation

__all__ = ["Born", "Came", "Ended", "Gone", "Note", "Ordered", "Told"]


class Born(NamedTuple):
    """A life begins: its members know of it, the network does not."""

    cycle: int
    life: int
    gid: int
    op: str
    nodes: tuple[int, ...]
    """Its members'."""
    targets: tuple[int, ...] = ()
    """Where it has entries that are read when it is over, numbered as on the config port."""
    episodes: int = 0
    entries: tuple[int, ...] = ()
    """Its entry at each of the targets."""


class Came(NamedTuple):
    """A member found its register ready, and arrives there from now on."""

    cycle: int
    life: int
    member: int
    node: int
    register: int


class Ordered(NamedTuple):
    """A life's manager, or the host, has begun with a command for it."""

    cycle: int
    life: int
    manager: int
    """The manager's node; -1: it is the host's."""
    operation: Operation


class Told(NamedTuple):
    """The release of a register in this cycle is a broken one."""

    cycle: int
    node: int
    register: int


class Gone(NamedTuple):
    """A life is over: whoever was inside is not released, and its entries are free."""

    cycle: int
    life: int


class Ended(NamedTuple):
    """All is over: every counter is read from now on."""

    cycle: int


Note: TypeAlias = Born | Came | Ordered | Told | Gone | Ended
