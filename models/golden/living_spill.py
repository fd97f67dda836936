"""What set-up by managers adds to a spill engine of any kind: lives of entries, and their end."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Collection
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from syncfabric.models.golden.record import Message
from syncfabric.models.golden.set_up_steps import Access
from syncfabric.models.golden.spill_base import SpillBase
from syncfabric.models.golden.spill_parts import Arrival, Entry, Operation, Request
from syncfabric.models.messages import Command, Kind, RegisterWord

__all__ = ["LivingSpill", "Report"]

Answered: TypeAlias = Callable[[int, bool, int], None]
"""Hears that an access has been merged: in which cycle, whether refused, and the data."""


class Report(NamedTuple):
    """A group that has had its last barrier, and the manager to be told so."""

    gid: int
    manager: int


class LivingEntry(Entry, Protocol):
    """An entry with the life of a register."""

    go: bool
    last: bool
    dying: bool
    freed: bool
    broken: bool
    manager: int

    @property
    def ready(self) -> bool:
        """Whether the node's process may arrive."""

    def joins(self, kind: int) -> bool:
        """Return whether a message of this kind comes from a child, as REDUCE or LAST."""

    def open(self) -> frozenset[int]:
        """Let members arrive, on GO; return the children that have to be told."""

    def die(self) -> frozenset[int]:
        """Drop the episode; return the children that have to be told."""

    def fire(self) -> None:
        """Have the parent told that all are in."""

    def bury(self) -> None:
        """Become free."""


LivingT = TypeVar("LivingT", bound=LivingEntry)


class LivingSpill(SpillBase[LivingT]):
    """Spilled groups of one place with the life of section S7 of docs/microarchitecture.md.

    Attributes
    ----------
    alarms : set of int or None
        Where the engine puts its place's number when a report is there, shared with the set-up
        sinks; None where there is no sink.
    report : Report or None
        The report register.
    """

    def _enliven(self) -> None:
        """Add to an engine's state what lives need."""
        self.alarms: set[int] | None = None
        self.report: Report | None = None
        self._freed: deque[int] = deque()
        self._dying: set[int] = set()
        self._waves: dict[int, frozenset[int]] = {}
        self._access: tuple[Access, Answered] | None = None

    # What is done in turn.

    def has_work(self) -> bool:
        """Return whether an operation is under way or could be accepted without any message."""
        reports = bool(self._freed) and self.report is None
        return super().has_work() or reports or self._access is not None

    def serve(self, access: Access, answered: Answered) -> None:
        """Take an access of the set-up sink of this place, requested from this cycle on."""
        self._access = access, answered

    def _first(self, sending: int | None) -> Operation | None:
        """Return what goes before messages and local requests, if there is any."""
        first = self._to_fetch(sending) or self._to_report()
        return first or self._to_configure() or self._to_serve()

    def _to_report(self) -> Operation | None:
        if self.report is not None or not self._freed:
            return None
        gid = self._freed.popleft()
        return lambda started, sending: self._look_at(gid)

    def _to_serve(self) -> Operation | None:
        if self._access is None:
            return None
        (access, answered), self._access = self._access, None
        request = Request(*access)
        return lambda started, sending: answered(self.due, *self._obey(request, sending))

    def finish(self, now: int, started: bool, sending: int | None) -> None:
        """Merge and write, in the last cycle of an operation; what has died is gone before."""
        if self.operation is not None and now == self.due:
            for gid in self._dying.copy():
                entry = self.entries[gid]
                if not entry.queued and sending != gid:
                    entry.bury()
                    self._dying.discard(gid)
        super().finish(now, started, sending)

    # Messages and arrivals.

    def _joins(self, entry: LivingT, message: Message) -> bool:
        return entry.joins(message.kind)

    def _join(self, entry: LivingT, message: Message, port: int) -> None:
        super()._join(entry, message, port)
        if message.kind == Kind.REDUCE:
            entry.last = False

    def _hear(self, gid: int, entry: LivingT, message: Message) -> None:
        if message.kind == Kind.DISTRIBUTE:
            super()._hear(gid, entry, message)
        elif message.kind == Kind.BROKEN:
            self._die(gid, entry, above=frozenset())
        else:
            self._open(gid, entry, above=frozenset())

    def _is_ready(self, entry: LivingT, started: bool) -> bool:
        return entry.ready

    def _enter(self, entry: LivingT, arrival: Arrival) -> None:
        super()._enter(entry, arrival)
        entry.broken = False
        entry.last = entry.last and arrival.last

    def _pass_on(self, entry: LivingT) -> None:
        super()._pass_on(entry)
        entry.fire()

    def _finish(self, gid: int, entry: LivingT, result: int) -> None:
        super()._finish(gid, entry, result)
        self._waves[gid] = entry.below
        if entry.freed and self.alarms is not None and gid not in self._freed:
            self._freed.append(gid)

    def _told(self, gid: int, entry: LivingT) -> Collection[int]:
        return self._waves[gid]

    # The life of entries.

    def _open(self, gid: int, entry: LivingT, above: frozenset[int]) -> None:
        """Let members arrive; ``above``: who is told besides the children."""
        self._begin(gid, entry, entry.open() | above)
        if self._has_process(entry) and not self._is_alone(entry):
            self._inform(gid, 0, Kind.GO)

    def _die(self, gid: int, entry: LivingT, above: frozenset[int]) -> None:
        """Drop the episode; ``above``: who is told besides the children."""
        had = self._had_arrived(entry)
        self._begin(gid, entry, entry.die() | above)
        self._dying.add(gid)
        entry.broken = entry.broken or had
        self._forget(gid)
        if self._has_process(entry):
            self._inform(gid, 0, Kind.BROKEN)

    def _begin(self, gid: int, entry: LivingT, told: frozenset[int]) -> None:
        """Begin a wave."""
        self._waves[gid] = told
        if told:
            self._enqueue(gid, entry)

    @abstractmethod
    def _had_arrived(self, entry: LivingT) -> bool:
        """Return whether the node's own process waits for the end of an episode."""

    def _is_alone(self, entry: LivingT) -> bool:
        """Return whether the group has no GO to wait for."""
        return False

    def _above(self, entry: LivingT, kind: Kind) -> frozenset[int]:
        """Let the node in which a barrier turns around be told too; return by which port."""
        return frozenset()

    def _release(self, gid: int, result: int) -> None:
        self._inform(gid, result, Kind.DISTRIBUTE)

    def _inform(self, gid: int, result: int, kind: Kind) -> None:
        self.released.append((self.unit.node, gid, result, int(kind)))

    # Freed groups.

    def _look_at(self, gid: int) -> None:
        """Report a group that is free, if it still is."""
        entry = self._entry(gid)
        if entry.valid and entry.freed:
            entry.freed = False
            self.report = Report(gid, entry.manager)
            if self.alarms is not None:
                self.alarms.add(self.unit.node)

    def _forget(self, gid: int) -> None:
        if self.report is not None and self.report.gid == gid:
            self.report = None

    # The config port.

    def _write(self, gid: int, entry: LivingT, word: int, data: int, sending: int | None) -> bool:
        if word == self.unit.command_word:
            return self._command(gid, entry, data, sending)
        written = super()._write(gid, entry, word, data, sending)
        if written and word == RegisterWord.CONTROL:
            self._forget(gid)
        return written

    def _command(self, gid: int, entry: LivingT, data: int, sending: int | None) -> bool:
        """Obey a command; return whether it was allowed."""
        if not entry.valid or data not in (Command.GO, Command.KILL):
            return False
        if data == Command.KILL:
            if not entry.dying:
                self._die(gid, entry, self._above(entry, Kind.BROKEN))
            return True
        if entry.is_busy() or sending == gid:
            return False
        if not entry.go:
            self._open(gid, entry, self._above(entry, Kind.GO))
        return True
