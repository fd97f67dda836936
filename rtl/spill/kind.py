"""What a kind of network says of its spilled groups."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from amaranth import Const, Module, Value
from amaranth.lib import wiring

from syncfabric.rtl.spill.operations import SpillOperations

__all__ = ["EntryKind", "Work"]


@dataclass(frozen=True)
class Work:
    """An operation in its third cycle.

    Parameters
    ----------
    now : SpillOperations
        What it is.
    entry, after : entry
        The entry that it is about, and what becomes of it.
    held : Value
        Messages of this group that the send register has not sent yet, a bit each.
    """

    now: SpillOperations
    entry: Any
    after: Any
    held: Value


class EntryKind(wiring.Component, ABC):
    """Where a group's messages come from and go to.

    Members
    -------
    Those of the engine that is made of it: `SpillEngine` of its kind of network.
    """

    @abstractmethod
    def _heard(self, port: int) -> Value:
        """Return what comes by a port."""

    @abstractmethod
    def _pending(self) -> tuple[Value, Value]:
        """Return the messages that the send register holds, a bit each, and their GID."""

    @abstractmethod
    def _load(self, m: Module, work: Work) -> None:
        """Let the send register take what a FETCH brings, or drop what is sent."""

    @abstractmethod
    def _children(self, work: Work, reduce: Value) -> tuple[Value, Value]:
        """Return whether a REDUCE for the entry is used, and which children have arrived then."""

    @abstractmethod
    def _upward(self, entry: Any) -> Value:
        """Return the port that leads to the parent, as a bit."""

    @abstractmethod
    def _from_parent(self, work: Work) -> Value:
        """Return whether the message came where the parent's come."""

    @abstractmethod
    def _is_complete(self, work: Work, arrived: Value) -> Value:
        """Return whether an entry that has not fired may, once these have arrived."""

    @abstractmethod
    def _downward(self, entry: Any) -> Value:
        """Return the children that are reached over links, a bit each."""

    @abstractmethod
    def _words(self, entry: Any, flags: list[Value]) -> dict[int, Value]:
        """Return the contents of an entry's words; ``flags`` stand above its state."""

    @abstractmethod
    def _write(self, m: Module, work: Work) -> None:
        """Write the word of the image that is asked for."""

    def _hears_waves(self, work: Work) -> Value:
        """Return whether a GO or BROKEN came where it may come."""
        return self._from_parent(work) & ~work.entry.control.root

    def _is_member(self, entry: Any) -> Value:
        """Return whether the node's process is in the group."""
        return Const(1)

    def _is_alone(self, entry: Any) -> Value:
        """Return whether it is all of the group, so that nobody says GO."""
        return Const(0)
