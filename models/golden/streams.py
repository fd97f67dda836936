"""Streams of a router, cycle by cycle: which channel is served, and what leaves (V1 to V8, V13)."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from syncfabric.models.golden.link import Carried
from syncfabric.models.golden.operators import Operators
from syncfabric.models.golden.slots import SlotState
from syncfabric.models.golden.stream_channel import Channel, Form
from syncfabric.models.golden.stream_pauses import Pauses
from syncfabric.models.layout.streams import StreamLayout


class Result:
    """What a join has on a link, or in the turn, in a cycle to come.

    Attributes
    ----------
    channel, port, due : int
        The channel, where the result leaves, and the cycle in which it is on that link.
    word : int
        The result, once all words have been taken.
    words : dict of int to int
        What has been taken, by port.
    fits : bool
        All of it fits.
    """

    def __init__(self, channel: int, port: int, due: int, word: int) -> None:
        self.channel, self.port, self.due, self.word = channel, port, due, word
        self.words: dict[int, int] = {}
        self.fits = True


class Joins:
    """The joins of all channels of a router.

    Parameters
    ----------
    layout : StreamLayout
    form : Form
    operators : Operators

    Attributes
    ----------
    fails : set of int
        Channels of which words do not fit in this cycle.
    """

    def __init__(self, layout: StreamLayout, form: Form, operators: Operators) -> None:
        self._form, self._operators = form, operators
        self._serial = layout.join == "serial"
        self._latency, self._pace = layout.latency, layout.operator_latency
        self._results = deque[Result]()  # by the cycle in which they are due
        self._ports = deque[int]()  # serial: those still to be taken from
        self._now = 0
        self.fails = set[int]()

    def begin(self, now: int) -> None:
        """Begin a cycle."""
        self._now = now
        self.fails.clear()
        while self._results and self._results[0].due < now:
            self._results.popleft()

    @property
    def under_way(self) -> set[int]:
        """The channels of results that are under way, those on a link among them."""
        return {result.channel for result in self._results}

    @property
    def is_free(self) -> bool:
        """Whether a join can be taken."""
        return not (self._serial and self._results and self._results[-1].due > self._now)

    def coming(self) -> Result | None:
        """Return the result that is on a link in the next cycle."""
        due = (result for result in self._results if result.due == self._now + 1)
        return next(due, None)

    def take(self, c: int, channel: Channel) -> list[int]:
        """Take a join that is ready; return the ports that words leave."""
        ports = sorted(channel.inputs())
        cycles = len(ports) * self._pace if self._serial else self._latency
        result = Result(c, channel.above, self._now + cycles, self._form.unfit)
        channel.tokens[channel.above] -= 1
        self._results.append(result)
        first, later = (ports[:1], ports[1:]) if self._serial else (ports, [])
        self._ports.extend(later)
        for p in first:
            self._look(result, p, channel)
        if not later:
            self._end(result, channel)
        return first

    def go_on(self, channels: Sequence[Channel]) -> tuple[int, int] | None:
        """Go on with a serial join; return the port that a word leaves, and the channel.

        A channel that is open no more stays so while a result of it is under way.
        """
        if not self._ports:
            return None
        result = self._results[-1]
        channel = channels[result.channel]
        if (result.due - self._now) % self._pace:
            return None
        p = self._ports.popleft()
        if not channel.open:
            return None
        self._look(result, p, channel)
        if not self._ports:
            self._end(result, channel)
        return p, result.channel

    def _look(self, result: Result, port: int, channel: Channel) -> None:
        """Take a word, and see whether it fits (V5.3)."""
        word, form = channel.buffers[port].popleft(), self._form
        first = next(iter(result.words.values()), word)
        result.words[port] = word
        if channel.up:
            fits = not word & form.head and word >> form.bits == first >> form.bits
        else:
            operation = word & form.operation
            fits = bool(word & form.head) and operation == first & form.operation
            fits = fits and self._operators.has(operation & 7, operation >> 3)
        result.fits &= fits

    def _end(self, result: Result, channel: Channel) -> None:
        """Make the result of words that fit, and change the channel's state (V5.5, V5.6)."""
        if not result.fits:
            self.fails.add(result.channel)
            return
        words, form = result.words, self._form
        first = next(iter(words.values()))
        if channel.up:
            result.word = first
            if len(words) > 1:
                data = {p: word & form.mask for p, word in words.items()}
                function, kind = channel.operation & 7, channel.operation >> 3
                combined = self._operators.joined(function, kind, data)
                result.word = combined | first >> form.bits << form.bits
            channel.up = not first & form.tail
            return
        takes = frozenset(p for p, word in words.items() if word & form.takes)
        gives = frozenset(p for p, word in words.items() if not word & form.tail)
        operation = first & form.operation
        channel.opens(operation, takes, gives)
        result.word = form.head | operation
        result.word |= (form.takes if takes else 0) | (0 if gives else form.tail)


At: TypeAlias = tuple[int, int]
"""A port and a channel."""

_NO_WORDS: Mapping[int, Carried] = {}


class RouterStreams:
    """Cycle-exact model of the streams of a router.

    Parameters
    ----------
    layout : StreamLayout

    Attributes
    ----------
    sends : dict of int to (int, int)
        By port, the channel and the word on the link in this cycle.
    freed : list of (int, int)
        Ports and channels whose ``stream_credit`` is high in this cycle.
    events : int
        Words that the cycle gone through last has dropped.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._places, self._turn, form = layout.places, layout.ports, Form(layout)
        self._pauses = Pauses.of_router(layout)
        self._joins = Joins(layout, form, Operators(layout))
        self._channels = [
            Channel(form, layout.ports + 1, layout.places) for _ in range(layout.channels)
        ]
        self.sends: dict[int, Carried] = {}
        self.freed: list[At] = []
        self.events = 0
        self._now = 0  # steps gone through
        self._turning: dict[int, Carried] = {}  # what leaves by the turn in this cycle
        self._returned: list[At] = []  # credits of the turn in this cycle
        self._pointer = 0
        self._held = frozenset[int]()
        self._changed = False

    # What others see between steps.

    @property
    def is_idle(self) -> bool:
        """Whether steps without inputs and visits would change nothing, and nothing is shown."""
        waits = self._joins.under_way or any(here.failed for here in self._channels)
        return self._pauses.is_idle and not (self._changed or waits)

    @property
    def watches(self) -> bool:
        """Whether a visit may change something."""
        return any(here.is_pending for here in self._channels)

    def holds(self, slot: int) -> bool:
        """Return whether a SETUP waits in the cycle gone through last (V6.5).

        The same holds in cycles after it that are left out for being idle.
        """
        return slot in self._held

    def failed(self, slots: Sequence[SlotState]) -> list[int]:
        """Return the channels that have failed in this cycle.

        Parameters
        ----------
        slots : sequence of SlotState
            By channel.
        """
        pairs = enumerate(zip(self._channels, slots, strict=True))
        return [c for c, (here, slot) in pairs if here.failed and slot.alive]

    # A cycle.

    def step(
        self,
        slots: Sequence[SlotState],
        words: Mapping[int, Carried] = _NO_WORDS,
        credits: Collection[At] = (),
        faults: Collection[At] = (),
        *,
        visited: bool = False,
        late: bool = False,
    ) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        slots : sequence of SlotState
            By channel, in this cycle.
        words : mapping of int to (int, int)
            By port, the channel and the word that come.
        credits, faults : collection of (int, int)
            Ports and channels whose ``stream_credit``, or ``stream_fault``, comes.
        visited : bool
            The watchdog looks.
        late : bool
            A word has left in place of a flit in the cycle before (V13.4).
        """
        self._pauses.step(late=late)
        channels, joins = self._channels, self._joins
        joins.begin(self._now)
        under_way = joins.under_way
        closes = sum([here.begin(slot) for here, slot in zip(channels, slots, strict=True)])
        pending = {c for c, here in enumerate(channels) if visited and here.is_pending}
        owed = [here.owed for here in channels]
        coming = {**words, **self._turning}
        comes = {c for p, (c, _) in coming.items() if p == channels[c].above}
        self._held = frozenset(
            c for c, here in enumerate(channels) if here.holds_words or c in under_way or c in comes
        )
        full = [p for p, (c, _) in coming.items() if len(channels[c].buffers[p]) == self._places]
        fails = {coming.pop(p)[0] for p in full}
        self.events = len(full)
        fails.update(c for p, c in faults if p in {*channels[c].children, channels[c].above})
        left = self._serve()
        fails |= joins.fails
        for c, here in enumerate(channels):
            left += [(p, c) for p in here.drop()]
        leaves = {c for _, c in left}
        opens = False
        for c, here in enumerate(channels):
            if here.watch(left=c in leaves, visited=visited, pending=c in pending):
                fails.add(c)
            opens |= here.end(slots[c], fails=c in fails)
        states = closes or opens or owed != [here.owed for here in channels]
        moves = words or credits or self._returned or left or self.sends
        self._changed = bool(states or moves)
        self._finish(coming, credits, left)

    def _serve(self) -> list[At]:
        """Join and fork; return where words leave buffers."""
        channels, joins = self._channels, self._joins
        # All is ready by the state at the start of the cycle.
        pauses = self._pauses
        forks = [here.can_fork(pauses=pauses.forks) for here in channels]
        owed = [c for c, here in enumerate(channels) if here.owed]
        ready = [
            joins.is_free and not pauses.joins and here.can_join() and all(d == c for d in owed)
            for c, here in enumerate(channels)
        ]
        served = self._choose(forks, ready)
        left = [at for at in (joins.go_on(channels),) if at]
        if ready[served]:
            left += [(p, served) for p in joins.take(served, channels[served])]
        result = joins.coming()
        self.sends = {result.port: (result.channel, result.word)} if result else {}
        blocks = [c for c, here in enumerate(channels) if forks[c] and here.is_blocked(self.sends)]
        if forks[served]:
            here = channels[served]
            copies, leaves = here.fork(self.sends)
            if leaves:
                left.append((here.above, served))
            here.owed &= not copies
            self.sends |= {q: (served, word) for q, word in copies.items()}
        for c in blocks:
            channels[c].owed = True
        return left

    def _choose(self, forks: Sequence[bool], joins: Sequence[bool]) -> int:
        """Return the channel that is served; if none is ready, one for which nothing is done."""
        many = len(forks)
        for i in range(many):
            c = (self._pointer + i) % many
            if forks[c] or joins[c]:
                self._pointer = (c + 1) % many
                return c
        return 0

    def _finish(
        self, coming: Mapping[int, Carried], credits: Collection[At], left: Collection[At]
    ) -> None:
        """Put words into buffers, count credits, and show what leaves."""
        turn, channels = self._turn, self._channels
        for p, (c, word) in coming.items():
            channels[c].buffers[p].append(word)
        for p, c in (*credits, *self._returned):
            channels[c].tokens[p] += 1
        self._turning = {turn: self.sends.pop(turn)} if turn in self.sends else {}
        self._returned = [at for at in left if at[0] == turn]
        self.freed = [at for at in left if at[0] != turn]
        self._now += 1
