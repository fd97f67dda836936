"""What the software of churn says it did: the check holds the hardware against it.

Lives are numbered on from the plan's groups, whose numbers are their places in the plan.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from syncfabric.models.layout.setup import Operation
from syncfabric.sim.drive.recovery.notes import Told

__all__ = ["Born", "Came", "Ended", "Gone", "Note", "Ordered", "Told"]


class Born(NamedTuple):
    """A life begins: its members know of it, the network does not."""

    cycle: int
    life: int
    gid: int
    op: str
    nodes: tuple[int, ...]
    """Its members'."""
    targets: tuple[int, ...]
    """Where it has entries, numbered as on the config port."""
    episodes: int
    entries: tuple[int, ...]
    """Its entry at each of the targets."""


class Came(NamedTuple):
    """A member found its register ready, and arrives there from now on."""

    cycle: int
    life: int
    member: int
    node: int
    register: int


class Ordered(NamedTuple):
    """A life's manager has begun with a command for it."""

    cycle: int
    life: int
    manager: int
    """The manager's node."""
    operation: Operation


class Gone(NamedTuple):
    """A life is over: its entries are read from now on, to see that they are free."""

    cycle: int
    life: int


class Ended(NamedTuple):
    """All is over: every counter is read from now on."""

    cycle: int


Note: TypeAlias = Born | Came | Ordered | Told | Gone | Ended
