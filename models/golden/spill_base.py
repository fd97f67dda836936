"""The spill engine of any kind of network: one operation in three cycles on entries by GID."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from syncfabric.models.golden.order import RoundRobin
from syncfabric.models.golden.record import Message, SpillRelease
from syncfabric.models.golden.spill_parts import (
    Answer,
    Arrival,
    Entry,
    Operation,
    Request,
    SendRegister,
    Unit,
)
from syncfabric.models.messages import REGISTER_WORDS, SPILL_BASE, Counter, Kind

__all__ = ["SpillBase"]

MERGE = 2
"""Cycles from the acceptance of an operation to its merging."""

REDUCE = int(Kind.REDUCE)

EntryT = TypeVar("EntryT", bound=Entry)


class SpillBase(ABC, Generic[EntryT]):
    """Spilled groups of one place; what becomes of a message is said by the subclass.

    Parameters
    ----------
    unit : Unit
        The place's registers, with which it shares the counters and the sending.
    mask : int
        All data bits.
    new_entry : callable
        Makes an entry as it is after reset.
    released : list of (node, gid, result)
        What processes are told in the next cycle, shared by all places; appended to.
    answers : list of Answer
        The config port's answer in the next cycle, shared by all places; appended to.
    candidates : int
        How many take turns: inputs, and the local request.
    local : int or None
        Number of the local request among them.
    """

    up: ClassVar[int]
    """Number of the message to the parent among a register's."""

    def __init__(
        self,
        unit: Unit,
        mask: int,
        new_entry: Callable[[], Any],
        released: list[SpillRelease],
        answers: list[Answer],
        *,
        candidates: int,
        local: int | None,
    ) -> None:
        self.unit, self.mask, self.new_entry, self.local = unit, mask, new_entry, local
        self.released, self.answers = released, answers
        self.entries: dict[int, EntryT] = {}
        self.queue: deque[int] = deque()
        self.send = SendRegister()
        self.number = len(unit.registers)
        unit.outbox.senders.append(self.send)
        self.holding: Arrival | None = None
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
        self.due = now + MERGE
        self.operation = self._first(sending)
        if self.operation is not None:
            return None
        candidates = set(presented)
        if self.holding is not None and self.local is not None:
            candidates.add(self.local)
        if not candidates:
            return None
        port = self.turn.choose(candidates)
        if port == self.local:
            assert self.holding is not None
            arrival, self.holding = self.holding, None
            self.operation = lambda started, sending: self._arrive(arrival, started, sending)
            return None
        message = presented[port]
        self.operation = lambda started, sending: self._message(port, message, sending)
        return port

    def _first(self, sending: int | None) -> Operation | None:
        """Return what goes before messages and local requests, if there is any."""
        return self._to_fetch(sending) or self._to_configure()

    def _to_fetch(self, sending: int | None) -> Operation | None:
        if sending is not None or not self.queue:
            return None
        gid = self.queue.popleft()
        return lambda started, sending: self._fetch(gid)

    def _to_configure(self) -> Operation | None:
        request, self.request = self.request, None
        if request is None:
            return None
        return lambda started, sending: self.answers.append((True, *self._obey(request, sending)))

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

    def _entry(self, gid: int) -> EntryT:
        if gid not in self.entries:
            self.entries[gid] = self.new_entry()
        return self.entries[gid]

    # Messages and arrivals.

    def _message(self, port: int, message: Message, sending: int | None) -> None:
        entry = self._entry(message.gid)
        if not entry.valid or not self._uses(entry, message, port, sending):
            self.unit.count(Counter.STRAY)
        elif self._joins(entry, message):
            self._join(entry, message, port)
            self._fire(message.gid, entry, sending)
        else:
            self._hear(message.gid, entry, message)

    @abstractmethod
    def _uses(self, entry: EntryT, message: Message, port: int, sending: int | None) -> bool:
        """Return whether a message for a valid entry is used; else it is a stray."""

    def _joins(self, entry: EntryT, message: Message) -> bool:
        """Return whether a message that is used comes from a child."""
        return message.kind == REDUCE

    def _join(self, entry: EntryT, message: Message, port: int) -> None:
        """Use a message from a child."""
        entry.count_in(port, message.data)

    def _hear(self, gid: int, entry: EntryT, message: Message) -> None:
        """Use a message from the parent."""
        self._finish(gid, entry, message.data)

    def _arrive(self, arrival: Arrival, started: bool, sending: int | None) -> None:
        """Use a local request, or refuse it."""
        entry = self._entry(arrival.gid)
        if self._is_ready(entry, started) and entry.admits():
            self._enter(entry, arrival)
            self._fire(arrival.gid, entry, sending)
        else:
            self.unit.count(Counter.REFUSED_ARRIVE)

    def _is_ready(self, entry: EntryT, started: bool) -> bool:
        """Return whether a group can be used; ``started``: ``start`` has been high."""
        return started and entry.valid

    def _enter(self, entry: EntryT, arrival: Arrival) -> None:
        """Use a local request."""
        entry.enter(arrival.data)

    # Ends of episodes.

    def _fire(self, gid: int, entry: EntryT, sending: int | None) -> None:
        if not self._may_fire(gid, entry, sending):
            return
        if entry.root:
            self._finish(gid, entry, entry.acc)
        else:
            self._pass_on(entry)
            self._enqueue(gid, entry)

    @abstractmethod
    def _may_fire(self, gid: int, entry: EntryT, sending: int | None) -> bool:
        """Return whether all are in, and nothing from before is in the way."""

    def _pass_on(self, entry: EntryT) -> None:
        """Have the parent told that all are in."""
        entry.fired = True

    def _finish(self, gid: int, entry: EntryT, result: int) -> None:
        """End an episode."""
        if entry.finish(result):
            self._enqueue(gid, entry)
        if self._has_process(entry):
            self._release(gid, result)

    @abstractmethod
    def _has_process(self, entry: EntryT) -> bool:
        """Return whether a process of this place belongs to the group."""

    def _release(self, gid: int, result: int) -> None:
        self.released.append((self.unit.node, gid, result))

    # Sending.

    def _enqueue(self, gid: int, entry: EntryT) -> None:
        if not entry.queued:
            entry.queued = True
            self.queue.append(gid)

    def _fetch(self, gid: int) -> None:
        entry, send = self._entry(gid), self.send
        entry.queued = False
        send.gid, send.epoch, send.letters = gid, entry.epoch, list(entry.letters)
        if entry.fired:
            send.pending, send.data = {self.up}, entry.acc
        else:
            send.pending, send.data = set(self._told(gid, entry)), entry.result
        if send.pending:
            self.unit.outbox.sending.add(self.number)

    def _told(self, gid: int, entry: EntryT) -> Collection[int]:
        """Return to whom a queued entry that has not fired has something to say."""
        return entry.below

    # The config port.

    def _obey(self, request: Request, sending: int | None) -> tuple[bool, int]:
        """Obey a config request; return whether it is refused, and the answer's data."""
        gid, word = divmod(request.address - SPILL_BASE, REGISTER_WORDS)
        entry = self._entry(gid)
        if not request.write:
            found = entry.read(word)
            return found is None, found or 0
        refused = not self._write(gid, entry, word, request.data, sending)
        if refused:
            self.unit.count(Counter.REFUSED_WRITE)
        return refused, 0

    def _write(self, gid: int, entry: EntryT, word: int, data: int, sending: int | None) -> bool:
        """Write a word; return whether that was allowed."""
        if entry.refuses(word, entry.is_busy() or sending == gid):
            return False
        entry.write(word, data)
        return True
