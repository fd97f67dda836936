"""The spill engine of a node: groups beyond its registers, one operation in three cycles."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from syncfabric.models.golden.barrier_register import PARENT, BarrierRegister, Letter
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.config_port import read_word, write_is_refused
from syncfabric.models.golden.order import RoundRobin
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.messages import (
    REGISTER_WORDS,
    SPILL_BASE,
    Counter,
    Kind,
    RegisterWord,
)

__all__ = ["Answer", "SendRegister", "SpillEngine"]

REDUCE = int(Kind.REDUCE)
LOCAL = 4
MERGE = 2
"""Cycles from the acceptance of an operation to its merging."""

Answer: TypeAlias = tuple[bool, bool, int]
"""Of the config port: ready, error and data."""


class SendRegister:
    """The messages of the spilled group that is being sent."""

    __slots__ = ("data", "epoch", "gid", "letters", "pending")

    def __init__(self) -> None:
        self.gid = self.epoch = self.data = 0
        self.pending: set[int] = set()
        self.letters: list[Letter | None] = [None] * 5

    def data_for(self, place: int) -> int:
        """Return the data of its messages."""
        return self.data


class Request(NamedTuple):
    """A config request for a spilled entry."""

    address: int
    write: bool
    data: int


class SpillEngine:
    """Spilled groups of one node (docs/microarchitecture.md, section 5).

    Parameters
    ----------
    unit : BarrierUnit
        The node's barrier unit, with which it shares the counters and the sending.
    rules : Rules
        What the network prescribes.
    released : list of (node, gid, result)
        What is released in the next cycle, shared by all nodes; appended to.
    answers : list of Answer
        The config port's answer in the next cycle, shared by all nodes; appended to.
    """

    def __init__(
        self,
        unit: BarrierUnit,
        rules: Rules,
        released: list[tuple[int, int, int]],
        answers: list[Answer],
    ) -> None:
        self.unit, self.rules, self.released, self.answers = unit, rules, released, answers
        self.entries: dict[int, BarrierRegister] = {}
        self.queue: deque[int] = deque()
        self.send = SendRegister()
        self.number = len(unit.registers)
        unit.outbox.senders.append(self.send)
        self.holding: tuple[int, int] | None = None
        self.request: Request | None = None
        self.turn = RoundRobin(5)
        self.due = 0
        self.operation: Callable[[bool, int | None], None] | None = None

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
            if self.holding is not None:
                candidates.add(LOCAL)
            if not candidates:
                return None
            port = self.turn.choose(candidates)
            if port == LOCAL:
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

    def _entry(self, gid: int) -> BarrierRegister:
        if gid not in self.entries:
            self.entries[gid] = BarrierRegister(self.rules, self.unit.node)
        return self.entries[gid]

    def _fetch(self, gid: int) -> None:
        entry, send = self._entry(gid), self.send
        entry.queued = False
        send.gid, send.epoch, send.letters = gid, entry.epoch, list(entry.letters)
        if entry.fired:
            send.pending, send.data = {PARENT}, entry.acc
        else:
            send.pending, send.data = set(entry.children), entry.result
        if send.pending:
            self.unit.outbox.sending.add(self.number)

    def _message(self, port: int, message: Message, sending: int | None) -> None:
        gid = message.gid
        entry = self._entry(gid)
        if not entry.valid or not entry.uses(message, port, entry.queued or sending == gid):
            self.unit.count(Counter.STRAY)
        elif message.kind == REDUCE:
            entry.count_in(port, message.data)
            self._fire(gid, entry)
        else:
            self._release(gid, entry, message.data)

    def _arrive(self, gid: int, data: int, started: bool) -> None:
        entry = self._entry(gid)
        if not entry.valid or not started or entry.local:
            self.unit.count(Counter.REFUSED_ARRIVE)
            return
        entry.local = True
        entry.merge(data)
        self._fire(gid, entry)

    def _fire(self, gid: int, entry: BarrierRegister) -> None:
        if not entry.may_fire():
            return
        if entry.root:
            self._release(gid, entry, entry.acc)
        else:
            entry.fired = True
            self._enqueue(gid, entry)

    def _release(self, gid: int, entry: BarrierRegister, result: int) -> None:
        entry.finish(result)
        self.released.append((self.unit.node, gid, result))
        if entry.children:
            self._enqueue(gid, entry)

    def _enqueue(self, gid: int, entry: BarrierRegister) -> None:
        if not entry.queued:
            entry.queued = True
            self.queue.append(gid)

    def _configure(self, request: Request, sending: int | None) -> None:
        gid, word = divmod(request.address - SPILL_BASE, REGISTER_WORDS)
        entry = self._entry(gid)
        if not request.write:
            self.answers.append((True, False, read_word(entry, word)))
            return
        refused = write_is_refused(entry, word, entry.is_busy() or sending == gid)
        if refused:
            self.unit.count(Counter.REFUSED_WRITE)
        else:
            entry.write(RegisterWord(word), request.data)
        self.answers.append((True, refused, 0))
