"""A collective engine: its sources, and which of them is served (E4, E5)."""

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from syncfabric.models.golden.engine.commands import Commands, Request
from syncfabric.models.golden.engine.memory import (
    Answer,
    Commit,
    Entry,
    Freed,
    Head,
    Memory,
    Message,
    Route,
    Service,
    Sweep,
    Visit,
)
from syncfabric.models.layout.engine import EngineLayout, Kind, interval_of
from syncfabric.models.layout.words import EngineWord

LEAST_CAPACITY = 16
"""Least capacity of a queue, in messages."""

QUIESCE = 4
"""Cycles after the service of a visit, or of the sweep's last command, until nothing moves."""

_BROKEN = int(Kind.BROKEN)
_NOTHING: Mapping[int, Message] = {}


class Outputs(NamedTuple):
    """What an engine drives in a cycle; ``answer`` is of the config port."""

    links: Mapping[int, Message]
    arrive_ready: bool
    release: Message | None
    answer: Answer | None
    freed: Freed | None


class Engine:
    """Cycle-exact model of ``rtl/engine/``.

    Sources have a bit each in words: the links from bit 0, and above them the local source. The
    cycle that a message is longer in block RAM (E4.7) is left out: it falls into a service of
    three cycles, so nothing depends on it.

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
    links : mapping of int to Message
        Messages on links in this cycle: they depend on none of its inputs.
    now : int
        This cycle.
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
        self._interval = interval_of(stages, shared=shared)
        self._late = self._interval < stages  # there is a register before the link
        self._local, self._own = layout.links, layout.own
        self._entries = layout.entries
        self._capacity = max(LEAST_CAPACITY, layout.entries)
        self._queues = [deque[Message]() for _ in range(layout.links)]
        self._heads: list[Head | None] = [*[None] * layout.links, Sweep(0)]
        self._present = 1 << layout.links  # sources with a head
        self._memory = Memory(layout, watched=watchdog > 0, read_back=read_back)
        self._commands = Commands(layout, counters=counters)
        self._period, self._visit = watchdog, 0
        self._due: Visit | None = None
        self._swept = 1
        self._grant, self._pointer = 1 << self._local, self._local
        self.now = 0
        self._begins = 0  # the cycle in which the service in progress has begun
        self._service: tuple[int, Head] | None = None
        self._done: Service | None = None
        self._before: Service | None = None
        self._begin()

    def entry(self, number: int) -> Entry:
        """Return image and state of an entry at the start of this cycle."""
        return self._memory[number]

    def stored(self, number: int) -> tuple[tuple[int, int], ...]:
        """Return an entry's words at the start of this cycle, and what is defined; see `Memory`."""
        return self._memory.stored(number)

    def waiting(self, link: int) -> list[Message]:
        """Return the messages of a link that are not merged at the start of this cycle."""
        messages: list[Message] = []
        if self._service and self._service[0] == link and self._begins < self.now:
            messages = [self._service[1]]  # type: ignore[list-item]
        head = self._heads[link]
        return [*messages, head, *self._queues[link]] if head else messages  # type: ignore[list-item]

    @property
    def links(self) -> Mapping[int, Message]:
        """Messages on links in this cycle."""
        done = self._on_links
        return done.links if done else _NOTHING

    @property
    def routes(self) -> Mapping[int, Route]:
        """Where messages on links go in this cycle, by link; empty if they are not routed."""
        return self._on_links.routes if self._on_links else {}

    @property
    def release(self) -> Message | None:
        """The message to the own process in this cycle."""
        return self._before.own if self._before else None

    @property
    def staged(self) -> int:
        """The staged image."""
        return self._commands.staged

    @property
    def answer(self) -> Answer | None:
        """The answer of the config port in this cycle."""
        return self._commands.answer

    @property
    def freed(self) -> Freed | None:
        """The root's entry whose end is reported in this cycle."""
        return self._before.freed if self._before else None

    @property
    def _on_links(self) -> Service | None:
        return self._before if self._late else self._done

    @property
    def is_idle(self) -> bool:
        """Whether nothing but the watchdog's time moves without inputs."""
        moves = self._present or self._grant or self._service or self._before or self._due
        return not moves and self._swept == self._entries and self._commands.is_idle

    @property
    def _rests(self) -> bool:
        """Whether nothing but `_before` changes in this cycle without inputs."""
        moves = self._present or self._grant or self._service or self._done or self._period
        return not moves and self._swept == self._entries and self._commands.is_idle

    @property
    def watches(self) -> bool:
        """Whether a visit of the watchdog may change anything."""
        return bool(self._memory.waiting)

    def is_due(self, cycle: int) -> bool:
        """Return whether a visit becomes due at the end of a cycle."""
        return self._period > 0 and (cycle + 1) % self._period == 0

    def step(
        self,
        inputs: Mapping[int, Message] | None = None,
        arrive: Message | None = None,
        request: Request | None = None,
        *,
        hold: bool = False,
    ) -> Outputs:
        """Go through a cycle; see ``advance``.

        Returns
        -------
        Outputs
            As they are in this cycle, before its edge.
        """
        links, release, answer, freed = self.links, self.release, self.answer, self.freed
        ready = self.advance(inputs or _NOTHING, arrive, request, hold=hold)
        return Outputs(links, ready, release, answer, freed)

    def advance(
        self,
        inputs: Mapping[int, Message] = _NOTHING,
        arrive: Message | None = None,
        request: Request | None = None,
        *,
        hold: bool = False,
    ) -> bool:
        """Go over a clock edge; return ``arrive_ready``.

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
        """
        if not inputs and not arrive and not request and self._rests:
            self.now += 1
            self._before = None
            return self._own
        held = hold and self.shared and (self._service is None or self._begins == self.now)
        if held:
            self._service = self._done = None
        done, service, heads, local = self._done, self._service, self._heads, self._local
        events = [done.event] if done and done.event is not None else []
        granted = service[0] if service and self._begins == self.now else -1
        kept, came = self._present, 0
        queued: list[tuple[int, Message]] = []
        for p, message in inputs.items():
            queue = self._queues[p]
            if not queue and (p == granted or not kept >> p & 1):
                came |= 1 << p
                queued.append((p, message))
            elif message.kind == _BROKEN or len(queue) >= self._capacity:
                events.append(EngineWord.OVERFLOW)
            else:
                queued.append((p, message))
        if granted >= 0:
            if granted != local and self._queues[granted]:
                heads[granted] = self._queues[granted].popleft()
            else:
                heads[granted] = None
                kept ^= 1 << granted
        for p, message in queued:
            if came >> p & 1:
                heads[p] = message
            else:
                self._queues[p].append(message)
        load, ready = None, False
        if not kept >> local:
            if arrive or request or self._due or self._swept < self._entries:
                load, ready = self._load(arrive, request)
            else:
                ready = self._own
            if load is not None:
                heads[local] = load
                came |= 1 << local
        self._present = present = kept | came
        if not held and (done or not service):
            if kept:  # E5.6
                above = kept >> self._pointer + 1 << self._pointer + 1
                chosen = above or kept
                self._grant = chosen & -chosen
                self._pointer = self._grant.bit_length() - 1
            else:  # E5.5
                self._pointer, self._grant = local, present
        self.now += 1
        if request or events or not self._commands.is_idle or (done and done.answer):
            answer = done.answer if done else None
            self._commands.step(request, answer, events, loaded=type(load) is Commit)
        if self._period:
            self._watch(loaded=type(load) is Visit)
        if done:
            self._memory[done.number] = done.entry
            self._service = None
        shows = done and (done.own or done.freed or (done.links and self._late))
        self._before = done if shows else None
        self._begin()
        return ready

    def skip(self, cycles: int) -> None:
        """Go through cycles without inputs, in which nothing happens that can be seen.

        The engine is idle, or as after reset, and no visit in these cycles changes anything.
        """
        end = self.now + cycles
        if self.now == 0 and self._swept < self._entries:
            swept = self._interval * self._entries + QUIESCE
            if end >= swept and not 0 < self._period <= swept:
                self._sweep_over()
                self.now = swept
            else:
                while self.now < end and not self.is_idle:
                    self.step()
        if self._period:
            last = end // self._period * self._period
            if last > self.now and end - last < self._interval + QUIESCE:
                self._pass(last - 1)
                while self.now < end:
                    self.step()
        self._pass(end)

    def _pass(self, end: int) -> None:
        """Let time go on to a cycle; the visits in between are over by then."""
        if self._period:
            self._visit += end // self._period - self.now // self._period
            self._visit %= self._entries
        self.now = end

    def _sweep_over(self) -> None:
        """Put all state to what it is after the sweep."""
        self._heads[self._local] = self._service = self._done = self._before = None
        self._swept = self._entries
        self._present = self._grant = 0

    def _begin(self) -> None:
        """Begin the service of this cycle, and execute it if this is its execute cycle."""
        grant = self._grant
        service = self._service
        if service is None and grant and not grant & grant - 1:
            source = grant.bit_length() - 1
            head = self._heads[source]
            assert head is not None
            service = self._service = source, head
            self._begins = self.now
        self._done = None
        if service and self.now == self._begins + self._interval - 1:
            self._done = self._memory.serve(*service, self._commands.staged)

    def _load(self, arrive: Message | None, request: Request | None) -> tuple[Head | None, bool]:
        """Return what the local source, which is free, loads, and whether it takes an arrival."""
        if self._swept < self._entries:
            self._swept += 1
            return Sweep(self._swept - 1), False
        load = self._commands.offered(request) or self._due
        if load:
            return load, False
        if not self._own:
            return None, False
        return arrive and arrive._replace(kind=arrive.kind & Kind.LAST), True

    def _watch(self, *, loaded: bool) -> None:
        """Say which entry is visited, and when (E8); ``now`` is the next cycle already."""
        if loaded:
            self._visit = (self._visit + 1) % self._entries
            self._due = None
        if self.now % self._period == 0:
            self._due = Visit(self._visit)
