"""What a spill engine works with: requests, arrivals, its send register, and entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from syncfabric.models.golden.outbox import Letter, Outbox
from syncfabric.models.golden.register_file import Image
from syncfabric.models.messages import Counter

__all__ = ["Answer", "Arrival", "Entry", "Operation", "Request", "SendRegister", "Unit"]

Answer: TypeAlias = tuple[bool, bool, int]
"""Of the config port: ready, error and data."""

Operation: TypeAlias = Callable[[bool, int | None], None]
"""What is merged, given ``started`` and the group that is being sent."""


class SendRegister:
    """The messages of the spilled group that is being sent."""

    __slots__ = ("data", "epoch", "gid", "letters", "pending")

    def __init__(self) -> None:
        self.gid = self.epoch = self.data = 0
        self.pending: set[int] = set()
        self.letters: list[Letter | None] = []

    def data_for(self, place: int) -> int:
        """Return the data of its messages."""
        return self.data


class Request(NamedTuple):
    """A config request for a spilled entry."""

    address: int
    write: bool
    data: int


class Arrival(NamedTuple):
    """A local request; ``last`` with set-up by managers only."""

    gid: int
    data: int
    last: bool = False


class Entry(Image, Protocol):
    """A register's image and state, in memory."""

    epoch: int
    fired: bool
    root: bool
    letters: list[Letter | None]
    queued: bool

    @property
    def below(self) -> frozenset[int]:
        """The children that are told by a message."""

    def count_in(self, port: int, data: int) -> None:
        """Take a used REDUCE."""

    def admits(self) -> bool:
        """Return whether the node's own process may arrive, if the group can be used."""

    def enter(self, data: int) -> None:
        """Take the arrival of the node's own process."""

    def finish(self, result: int) -> frozenset[int]:
        """End the episode; return the children that have to be told by a message."""


class Unit(Protocol):
    """The registers beside which an engine works."""

    outbox: Outbox
    command_word: int | None

    @property
    def node(self) -> int:
        """Number of the router, switch or node interface."""

    @property
    def registers(self) -> Sequence[Any]:
        """All registers."""

    def count(self, counter: Counter) -> None:
        """Count an event."""
