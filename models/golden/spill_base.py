"""The spill engine of any kind of network: one operation in three cycles on entries by GID."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from syncfabric.models.golden.order import RoundRobin
from syncfabric.models.golden.outbox import Letter, Outbox
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.register_file import Image
from syncfabric.models.messages import REGISTER_WORDS, SPILL_BASE, Counter

__all__ = ["Answer", "Request", "SendRegister", "SpillBase"]

MERGE = 2
"""Cycles from the acceptance of an operation to its merging."""

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


class Entry(Image, Protocol):
    """A register's image and state, in memory."""

    epoch: int
    letters: list[Letter | None]
    queued: bool


EntryT = TypeVar("EntryT", bound=Entry)


class Unit(Protocol):
    """The registers beside which an engine works."""

    outbox: Outbox

    @property
    def node(self) -> int:
        """Number of the router, switch or node interface."""

    @property
    def registers(self) -> Sequence[Any]:
        """All registers."""

    def count(self, counter: Counter) -> None:
        """Count an event."""


class SpillBase(ABC, Generic[EntryT]):
    """Spilled groups of one place; what becomes of a message is said by the subclass.

    Parameters
    ----------
    unit : Unit
        The place's registers, with which it shares the counters and the sending.
    mask : int
        All data bits.
    answers : list of Answer
        The config port's answer in the next cycle, shared by all places; appended to.
    candidates : int
        How many take turns: inputs, and the local request.
    local : int or None
        Number of the local request among them.
    """

    def __init__(
        self,
        unit: Unit,
        mask: int,
        answers: list[Answer],
        *,
        candidates: int,
        local: int | None,
    ) -> None:
        self.unit, self.mask, self.answers, self.local = unit, mask, answers, local
        self.entries: dict[int, EntryT] = {}
        self.queue: deque[int] = deque()
        self.send = SendRegister()
        self.number = len(unit.registers)
        unit.outbox.senders.append(self.send)
        self.holding: tuple[int, int] | None = None
        self.request: Request | None = None
        self.turn = RoundRobin(candidates)
        self.due = 0
        self.operation: Operation | None = None

    def sends(self) -> int | None:
        """Return the group whose messages the send register holds, None if it is empty."""
        return self.send.gid if self.send.pending else None

    def has_work(self) -> bool:
        """Return whether an operation is under way or could be accepted without any message."""
        waits = self.holding is not None or self.request is not None
        return self.operation is not None or waits or (bool(self.queue) and not self.send.pending)

    def accept(self, now: int, presented: Mapping[int, Message], sending: int | None) -> int | None:
        """Begin an operation if the engine is idle.

        Parameters
        ----------
        now : int
            This cycle.
        presented : mapping of port to message
            Messages for the engine.
        sending : int or None
            What ``sends`` said at the start of the cycle.

        Returns
        -------
        int or None
            The port whose message has been taken.
        """
        if self.operation is not None:
            return None
        port: int | None = None
        if sending is None and self.queue:
            gid = self.queue.popleft()
            self.operation = lambda started, sending: self._fetch(gid)
        elif self.request is not None:
            request, self.request = self.request, None
            self.operation = lambda started, sending: self._configure(request, sending)
        else:
            candidates = set(presented)
            if self.holding is not None and self.local is not None:
                candidates.add(self.local)
            if not candidates:
                return None
            port = self.turn.choose(candidates)
            if port == self.local:
                port = None
                assert self.holding is not None
                (gid, data), self.holding = self.holding, None
                self.operation = lambda started, sending: self._arrive(gid, data, started)
            else:
                self._accept_message(port, presented[port])
        self.due = now + MERGE
        return port

    def _accept_message(self, port: int, message: Message) -> None:
        self.operation = lambda started, sending: self._message(port, message, sending)

    def finish(self, now: int, started: bool, sending: int | None) -> None:
        """Merge and write, in the last cycle of an operation.

        Parameters
        ----------
        now : int
            This cycle.
        started : bool
            Whether arrivals are allowed yet.
        sending : int or None
            What ``sends`` said at the start of the cycle.
        """
        if self.operation is not None and now == self.due:
            operation, self.operation = self.operation, None
            operation(started, sending)

    @abstractmethod
    def _new_entry(self) -> EntryT:
        """Return an entry as it is after reset."""

    @abstractmethod
    def _contents(self, entry: EntryT) -> tuple[set[int], int]:
        """Return what a queued entry has to send, and with which data."""

    @abstractmethod
    def _message(self, port: int, message: Message, sending: int | None) -> None:
        """Use a message, or count it as a stray."""

    @abstractmethod
    def _arrive(self, gid: int, data: int, started: bool) -> None:
        """Use a local request, or refuse it."""

    def _entry(self, gid: int) -> EntryT:
        if gid not in self.entries:
            self.entries[gid] = self._new_entry()
        return self.entries[gid]

    def _fetch(self, gid: int) -> None:
        entry, send = self._entry(gid), self.send
        entry.queued = False
        send.gid, send.epoch, send.letters = gid, entry.epoch, list(entry.letters)
        send.pending, send.data = self._contents(entry)
        if send.pending:
            self.unit.outbox.sending.add(self.number)

    def _enqueue(self, gid: int, entry: EntryT) -> None:
        if not entry.queued:
            entry.queued = True
            self.queue.append(gid)

    def _configure(self, request: Request, sending: int | None) -> None:
        gid, word = divmod(request.address - SPILL_BASE, REGISTER_WORDS)
        entry = self._entry(gid)
        if not request.write:
            found = entry.read(word)
            self.answers.append((True, found is None, found or 0))
            return
        refused = entry.refuses(word, entry.is_busy() or sending == gid)
        if refused:
            self.unit.count(Counter.REFUSED_WRITE)
        else:
            entry.write(word, request.data)
        self.answers.append((True, refused, 0))
