"""A collective engine: its sources, and which of them is served (E4, E5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from syncfabric.models.golden.engine.commands import Commands, Request
from syncfabric.models.golden.engine.memory import (
    Answer,
    Commit,
    Entry,
    Head,
    Memory,
    Message,
    Service,
    Sweep,
    Visit,
    Way,
)
from syncfabric.models.layout.engine import EngineCounter, EngineLayout, Kind

__all__ = ["Engine", "Outputs"]

LEAST_ROOM = 16
"""Messages for which a queue has room at least."""


class Queue:
    """The source of a link: a head, and a queue behind it.

    The cycle that a message is longer in block RAM (E4.7) is left out: it falls into a service of
    three cycles, so nothing depends on it.

    Parameters
    ----------
    room : int
        Messages that the queue holds, the head not counted.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._queue = deque[Message]()
        self._full = self._waiting = False
        self.head: Message | None = None

    @property
    def messages(self) -> list[Message]:
        """Head and queue, the first to leave first."""
        return [self.head, *self._queue] if self.head else []

    def advance(self, *, taken: bool) -> None:
        """Let the head go if it is taken, and the next one come if there is none."""
        queue = self._queue
        self._full = len(queue) >= self._room
        self._waiting = bool(queue) or (self.head is not None and not taken)
        if self.head is None or taken:
            self.head = queue.popleft() if queue else None

    def receive(self, message: Message) -> bool:
        """Put a message where it belongs; return whether it has been dropped."""
        if not self._waiting:
            self.head = message
            return False
        if message.kind == Kind.BROKEN or self._full:
            return True
        self._queue.append(message)
        return False


class Watchdog:
    """Says when an entry is visited, and which, E8.

    Parameters
    ----------
    period : int
        Cycles from visit to visit; 0: none.
    entries : int

    Attributes
    ----------
    due : Visit or None
    """

    def __init__(self, period: int, entries: int) -> None:
        self._period, self._entries = period, entries
        self._next = 0
        self.due: Visit | None = None

    def step(self, now: int, *, loaded: bool) -> None:
        """Go over a clock edge."""
        if loaded:
            self._next = (self._next + 1) % self._entries
            self.due = None
        if self._period and (now + 1) % self._period == 0:
            self.due = Visit(self._next)


@dataclass(frozen=True)
class Outputs:
    """What an engine drives in a cycle; ``answer`` is of the config port, ``freed`` an entry."""

    links: dict[int, Message]
    arrive_ready: bool
    release: Message | None
    answer: Answer | None
    freed: int | None


class Engine:
    """Cycle-exact model of ``rtl/engine/``.

    Parameters
    ----------
    layout : EngineLayout
        Links, own process, groups, data bits and operations.
    stages : int
        Cycles a router.
    watchdog : int, optional
        Cycles from visit to visit; 0: none.
    counters, read_back : bool, optional
        Parts that may be left out.
    shared : bool, optional
        Links are those of packets, shared or routed: the engine can be held, and has two stages
        at least.

    Attributes
    ----------
    links : dict of int to Message
        Messages on links in this cycle: they depend on none of its inputs.
    """

    def __init__(
        self,
        layout: EngineLayout,
        *,
        stages: int,
        watchdog: int = 0,
        counters: bool = True,
        read_back: bool = True,
        shared: bool = False,
    ) -> None:
        self.layout, self.stages, self.shared = layout, stages, shared
        self._interval = stages - 1 if stages > 2 or shared else stages
        self._local = layout.links
        room = max(LEAST_ROOM, layout.entries)
        self._queues = [Queue(room) for _ in range(layout.links)]
        self._memory = Memory(layout, watched=watchdog > 0, read_back=read_back)
        self._commands = Commands(layout, counters=counters)
        self._watchdog = Watchdog(watchdog, layout.entries)
        self._head: Head | None = Sweep(0)
        self._swept = 1
        self._grant, self._pointer = {self._local}, self._local
        self._now = 0
        self._begins = 0  # the cycle in which the service that is under way has begun
        self._service: tuple[int, Head] | None = None
        self._done: Service | None = None
        self._before: Service | None = None
        self._begin()

    def entry(self, number: int) -> Entry:
        """Return image and state of an entry at the start of this cycle."""
        return self._memory[number]

    def waiting(self, link: int) -> list[Message]:
        """Return the messages of a link that are not merged at the start of this cycle."""
        messages: list[Message] = []
        if self._service and self._service[0] == link and self._begins < self._now:
            messages = [self._service[1]]  # type: ignore[list-item]
        return messages + self._queues[link].messages

    @property
    def links(self) -> dict[int, Message]:
        """Messages on links in this cycle."""
        done = self._on_links
        return {p: m for p, m in done.sends.items() if p != self._local} if done else {}

    @property
    def ways(self) -> tuple[Way, ...]:
        """Where messages on links go in this cycle, by link; empty if they are not routed."""
        return self._on_links.entry.image.ways if self._on_links else ()

    @property
    def _on_links(self) -> Service | None:
        return self._done if self._interval == self.stages else self._before

    def step(
        self,
        inputs: Mapping[int, Message] | None = None,
        arrive: Message | None = None,
        request: Request | None = None,
        *,
        hold: bool = False,
    ) -> Outputs:
        """Go through a cycle.

        Parameters
        ----------
        inputs : mapping of int to Message, optional
            Messages that come, by link.
        arrive : Message, optional
            The arrival that the own process offers.
        request : Request, optional
            To the config port.
        hold : bool, optional
            No service begins; only with shared links.

        Returns
        -------
        Outputs
            As they are in this cycle, before its edge.
        """
        held = hold and self.shared and (self._service is None or self._begins == self._now)
        if held:
            self._service = self._done = None
        done, before = self._done, self._before
        taken = self._service[0] if self._service and self._begins == self._now else None
        if taken == self._local:
            self._head = None
        for p, queue in enumerate(self._queues):
            queue.advance(taken=p == taken)
        stay = self._heads()
        load, ready = self._load(arrive, request)
        outputs = Outputs(
            self.links,
            ready,
            before.sends.get(self._local) if before else None,
            self._commands.answer,
            before.freed if before else None,
        )

        events = [done.event] if done and done.event is not None else []
        for p, message in (inputs or {}).items():
            if self._queues[p].receive(message):
                events.append(EngineCounter.OVERFLOW)
        self._head = load or self._head
        if not held:
            self._choose(stay, self._heads())
        answer = done.answer if done else None
        self._commands.step(request, answer, events, loaded=isinstance(load, Commit))
        self._watchdog.step(self._now, loaded=isinstance(load, Visit))
        if done:
            self._memory[done.number] = done.entry
            self._service = None
        self._before = done
        self._now += 1
        self._begin()
        return outputs

    def _heads(self) -> set[int]:
        heads = {p for p, queue in enumerate(self._queues) if queue.head is not None}
        return heads if self._head is None else heads | {self._local}

    def _begin(self) -> None:
        """Begin the service of this cycle, and execute it if this is its execute cycle."""
        if self._service is None and len(self._grant) == 1:
            (source,) = self._grant
            head = self._head if source == self._local else self._queues[source].head
            assert head is not None
            self._service, self._begins = (source, head), self._now
        self._done = None
        if self._service and self._now == self._begins + self._interval - 1:
            self._done = self._memory.serve(*self._service, self._commands.staged)

    def _load(self, arrive: Message | None, request: Request | None) -> tuple[Head | None, bool]:
        """Return what the local source loads, and whether it is ready for an arrival."""
        if self._head is not None:
            return None, False
        if self._swept < self.layout.entries:
            self._swept += 1
            return Sweep(self._swept - 1), False
        load = self._commands.offered(request) or self._watchdog.due
        if load:
            return load, False
        if not self.layout.own:
            return None, False
        return arrive and arrive._replace(kind=arrive.kind & Kind.LAST), True

    def _choose(self, candidates: set[int], heads: set[int]) -> None:
        """Choose what is granted in the next cycle, by the heads that it has anyway, and all."""
        if self._service and not self._done:
            return
        if candidates:
            self._pointer = min({p for p in candidates if p > self._pointer} or candidates)
            self._grant = {self._pointer}
        else:
            self._pointer, self._grant = self._local, heads
