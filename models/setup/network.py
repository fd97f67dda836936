"""Registers, the links between them, and the members: what every way to set up has in common.

A state changes by one event at a time: a message leaves a register, or comes to the next; a member
opens, arrives or closes. Each link carries a group's messages in order, and takes as long as it
likes. Every event is checked as it happens; a state that may not be raises :class:`Violation`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Self, TypeAlias

from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.planning.switch_tree import UPLINK_PORT, Seat
from syncfabric.models.setup.entry import Change, Entry, Release, arrive, receive, send
from syncfabric.models.setup.life import Life, Progress, Stage
from syncfabric.models.setup.message import Message
from syncfabric.models.setup.rules import Rules

__all__ = ["Event", "Network", "Violation"]

Event: TypeAlias = tuple[Any, ...]
"""An event's name and what it is about."""


class Violation(Exception):  # noqa: N818 - it says what was violated
    """Something that may never happen has happened, or something is left at the end."""


class Network(ABC):
    """A network's state, and what may happen next.

    Parameters
    ----------
    topology : Irregular
        Switches, links and nodes.
    lives : iterable of Life
        The groups that are to live, in any order.
    rules : Rules
        What is kept to.
    registers : int or None
        Barrier registers of a switch; None for as many as are asked for.
    """

    def __init__(
        self,
        topology: Irregular,
        lives: Iterable[Life],
        *,
        rules: Rules | None = None,
        registers: int | None = None,
    ) -> None:
        self.topology, self.registers = topology, registers
        self.rules = rules or Rules()
        self.lives = {life.number: life for life in lives}
        self.progress = {life.number: Progress.first(life) for life in self.lives.values()}
        self._member = {
            (life.number, node): member
            for life in self.lives.values()
            for member, (node, _) in enumerate(life.nodes)
        }
        self.entries: dict[tuple[Seat, int], Entry] = {}
        self.links: dict[tuple[Seat, int, int], tuple[Message, ...]] = {}
        self.killed: frozenset[int] = frozenset()
        self.strays = 0

    def copy(self) -> Self:
        """Return a state that changes apart from this one."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.progress = self.progress.copy()
        other.entries = self.entries.copy()
        other.links = self.links.copy()
        return other

    def key(self) -> Hashable:
        """Return what tells this state from all others."""
        return (
            frozenset(self.entries.items()),
            frozenset(self.links.items()),
            frozenset(self.progress.items()),
            self.killed,
        )

    def events(self) -> list[Event]:
        """Return everything that may happen next."""
        found: list[Event] = [("deliver", *link) for link in self.links]
        for (seat, gid), entry in self.entries.items():
            if entry.up:
                found.append(("send", seat, gid, entry.image.parent))
            if entry.pending:
                ports = range(entry.pending.bit_length())
                found += [("send", seat, gid, p) for p in ports if entry.pending >> p & 1]
            if not isinstance(seat, int) and entry.life in self.progress:
                found.extend(self._node_events(seat, entry))
        for number, progress in self.progress.items():
            found.extend(self._life_events(self.lives[number], progress))
        return found

    def apply(self, event: Event) -> None:
        """Let one of ``events`` happen.

        Raises
        ------
        Violation
            It may never.
        """
        getattr(self, f"_{event[0]}")(*event[1:])

    def at_once(self) -> Event | None:
        """Return one of ``events`` that may as well happen now as later, if there is one.

        Then everything that can happen otherwise, or go wrong, can still do so after it.
        """
        return None

    def check_end(self) -> None:
        """Check that everything is over and nothing left, when nothing can happen any more.

        Raises
        ------
        Violation
            Something waits forever, or an entry or a message stays.
        """
        for number, progress in self.progress.items():
            raise Violation(f"stuck: life {number} at {progress}")
        for what, left in self._left():
            for key in left:
                raise Violation(f"orphaned {what}: {key}")

    def _left(self) -> Iterator[tuple[str, Iterable[Any]]]:
        yield "entry", self.entries
        yield "message", self.links

    @abstractmethod
    def _life_events(self, life: Life, progress: Progress) -> Iterator[Event]:
        """Yield what may be begun next of one life."""

    @abstractmethod
    def _may_close(self, life: Life, progress: Progress, member: int) -> bool:
        """Return whether a member has no more use for its register."""

    # Messages.

    def _send(self, seat: Seat, gid: int, port: int) -> None:
        change, message = send(self.entries[seat, gid], port, node=not isinstance(seat, int))
        self._put(seat, gid, change)
        self.links[seat, port, gid] = (*self.links.get((seat, port, gid), ()), message)

    def _deliver(self, seat: Seat, port: int, gid: int) -> None:
        message, *rest = self.links.pop((seat, port, gid))
        if rest:
            self.links[seat, port, gid] = tuple(rest)
        there, by = self._across(seat, port)
        node = not isinstance(there, int)
        entry = self.entries.get((there, gid))
        change = entry and receive(entry, by, message, node=node, rules=self.rules)
        if entry is None or change is None:
            self._stray(there, message)
            return
        if entry.life != message.life:
            raise Violation(f"{message} of an old life used at {there} by life {entry.life}")
        self._put(there, gid, change)

    def _across(self, seat: Seat, port: int) -> tuple[Seat, int]:
        """Return who is at the other end of a link, and by which port."""
        if not isinstance(seat, int):
            return seat
        if self.topology.node_at(seat, port) is not None:
            return (seat, port), UPLINK_PORT
        end = self.topology.across(seat, port)
        assert end is not None, "trees are made of links"
        return end

    def _stray(self, seat: Seat, message: Message) -> None:
        if message.life not in self.killed:
            raise Violation(f"lost at {seat}: {message}")
        self.strays += 1

    # Members.

    def _node_events(self, node: Place, entry: Entry) -> Iterator[Event]:
        """Yield what a member may do to its register: arrive, or close it."""
        life, progress = self.lives[entry.life], self.progress[entry.life]
        member = self._member[entry.life, node]
        arrived = progress.arrived[member]
        if arrived > progress.released[member] or entry.fired:
            return
        if arrived < life.barriers and self._ready(entry, life):
            yield "arrive", life.number, member
        if not entry.busy and not entry.freed and self._may_close(life, progress, member):
            yield "close", life.number, member

    def _ready(self, entry: Entry, life: Life) -> bool:
        return (entry.go or not self.rules.go) and not entry.dying

    def _arrive(self, number: int, member: int) -> None:
        life, progress = self.lives[number], self.progress[number]
        node, image = life.nodes[member]
        times = progress.arrived[member] + 1
        arrived = _with(progress.arrived, member, times)
        self.progress[number] = progress._replace(arrived=arrived)
        last = life.last and times == life.barriers
        self._put(node, image.gid, arrive(self.entries[node, image.gid], last=last))

    def _close(self, number: int, member: int) -> None:
        life = self.lives[number]
        del self.entries[life.nodes[member][0], life.gid]

    def _release(self, node: Place, number: int, release: Release) -> None:
        progress = self.progress[number]
        member = self._member[number, node]
        times = progress.released[member] + 1
        if release is Release.RELEASED and min(progress.arrived) < times:
            raise Violation(f"{node} of life {number} released early: {progress.arrived}")
        if release is Release.BROKEN and number not in self.killed:
            raise Violation(f"{node} of life {number} released with an error, but nobody killed it")
        if times > progress.arrived[member]:
            raise Violation(f"{node} of life {number} released, but it had not arrived")
        released = _with(progress.released, member, times)
        self.progress[number] = progress._replace(released=released)

    def _put(self, seat: Seat, gid: int, change: Change) -> None:
        """Write a register's new state, and tell the process what it sees of it."""
        number = self.entries[seat, gid].life
        if change.entry is None:
            del self.entries[seat, gid]
        else:
            self.entries[seat, gid] = change.entry
        if change.release and not isinstance(seat, int):
            self._release(seat, number, change.release)

    # Ends.

    def _room(self, switch: int) -> bool:
        """Return whether a switch has a free register."""
        held = sum(seat == switch for seat, _ in self.entries)
        return self.registers is None or held < self.registers

    def _tidy(self, number: int) -> None:
        """Forget a life when its manager and all members are through with it."""
        life, progress = self.lives[number], self.progress[number]
        if progress.stage not in (Stage.OVER, Stage.REFUSED):
            return
        held = [self.entries.get((node, life.gid)) for node, _ in life.nodes]
        if any(entry is not None and entry.life == number for entry in held):
            return
        if progress.arrived != progress.released:
            raise Violation(f"life {number} over, but a member waits: {progress}")
        del self.progress[number]


def _with(counts: tuple[int, ...], place: int, count: int) -> tuple[int, ...]:
    return (*counts[:place], count, *counts[place + 1 :])
