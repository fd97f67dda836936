"""Streams at the two ends of a node's links, cycle by cycle: its router and its process's port.

Of a router: which channel is granted, and what leaves (V1 to V8, V13). Of a process: beats that go
up, and beats of results (V9, V13).
"""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from syncfabric.models.golden.joins import Joins
from syncfabric.models.golden.link import Carried
from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.slots import SlotState
from syncfabric.models.golden.stream_channel import Channel, Form
from syncfabric.models.golden.stream_pauses import Pauses
from syncfabric.models.layout.streams import StreamLayout

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
        self._joins = Joins(layout, form)
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
        deferred = [here.deferred for here in channels]
        coming = {**words, **self._turning}
        comes = {c for p, (c, _) in coming.items() if p == channels[c].above}
        self._held = frozenset(
            c for c, here in enumerate(channels) if here.holds_words or c in under_way or c in comes
        )
        full = [p for p, (c, _) in coming.items() if len(channels[c].buffers[p]) == self._places]
        fails = {coming.pop(p)[0] for p in full}
        self.events = len(full)
        fails.update(c for p, c in faults if p in {*channels[c].children, channels[c].above})
        left = self._grant()
        fails |= joins.fails
        for c, here in enumerate(channels):
            left += [(p, c) for p in here.drop()]
        leaves = {c for _, c in left}
        opens = False
        for c, here in enumerate(channels):
            if here.watch(left=c in leaves, visited=visited, pending=c in pending):
                fails.add(c)
            opens |= here.end(slots[c], fails=c in fails)
        states = closes or opens or deferred != [here.deferred for here in channels]
        moves = words or credits or self._returned or left or self.sends
        self._changed = bool(states or moves)
        self._finish(coming, credits, left)

    def _grant(self) -> list[At]:
        """Join and fork; return where words leave buffers."""
        channels, joins = self._channels, self._joins
        # All is ready by the state at the start of the cycle.
        pauses = self._pauses
        forks = [here.can_fork(pauses=pauses.forks) for here in channels]
        deferred = [c for c, here in enumerate(channels) if here.deferred]
        ready = [
            joins.is_free and not pauses.joins and here.can_join() and all(d == c for d in deferred)
            for c, here in enumerate(channels)
        ]
        granted = self._choose(forks, ready)
        left = [at for at in (joins.go_on(channels),) if at]
        if ready[granted]:
            left += [(p, granted) for p in joins.take(granted, channels[granted])]
        result = joins.coming()
        self.sends = {result.port: (result.channel, result.word)} if result else {}
        blocks = [c for c, here in enumerate(channels) if forks[c] and here.is_blocked(self.sends)]
        if forks[granted]:
            here = channels[granted]
            copies, leaves = here.fork(self.sends)
            if leaves:
                left.append((here.above, granted))
            here.deferred &= not copies
            self.sends |= {q: (granted, word) for q, word in copies.items()}
        for c in blocks:
            channels[c].deferred = True
        return left

    def _choose(self, forks: Sequence[bool], joins: Sequence[bool]) -> int:
        """Return the channel that is granted; if none is ready, one for which nothing is done."""
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


class ProcessStreams:
    """Cycle-exact model of a process's port of streams.

    Parameters
    ----------
    layout : StreamLayout

    Attributes
    ----------
    beat : Beat or None
        On ``m_axis`` in this cycle.
    sends : (int, int) or None
        The channel and the word on the link to the router in this cycle.
    freed : list of int
        Channels whose ``stream_credit`` is high in this cycle.
    open : set of int
        Channels that are open in this cycle.
    accepted : bool
        The beat offered in the cycle gone through last was accepted.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._form, self._places, self._many = Form(layout), layout.places, layout.channels
        self._bytes = layout.bits // 8
        self._all = (1 << self._bytes) - 1
        self.beat: Beat | None = None
        self.sends: Carried | None = None
        self.freed: list[int] = []
        self.open = frozenset[int]()
        self.accepted = False
        self._pauses = Pauses.of_interface()
        self._tokens = [layout.places] * self._many
        # Channels of packets of which the head has gone up, and of packets that are dropped.
        self._begun, self._drops = set[int](), set[int]()
        self._buffers = [deque[int]() for _ in range(self._many)]
        self._receiving = set[int]()  # channels of which a packet with more than a head comes down
        self._cut = set[int]()  # those of them that have been closed since
        self._pointer = 0
        self._changed = False

    @property
    def is_idle(self) -> bool:
        """Whether steps with the same inputs, and no words or credits, would change nothing."""
        return self._pauses.is_idle and not self._changed

    def step(
        self,
        ready: Collection[int],
        offered: Beat | None = None,
        word: Carried | None = None,
        credits: Collection[int] = (),
        *,
        accepts: bool = True,
        late: bool = False,
    ) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        ready : collection of int
            Slots that are ``ready``.
        offered : Beat or None
            On ``s_axis``.
        word : (int, int) or None
            The channel and the word from the router.
        credits : collection of int
            Channels whose ``stream_credit`` comes.
        accepts : bool
            ``tready`` of ``m_axis``.
        late : bool
            A word has been on the link in place of a flit in the cycle before (V13.4).
        """
        self._pauses.step(late=late)
        before = self.beat, self._begun.copy(), self._drops.copy(), self._pointer
        full = word is not None and len(self._buffers[word[0]]) == self._places
        self._send(offered)
        self._cut |= self._receiving - self.open
        self.freed = self._closed()
        if self.beat is None or accepts:
            self._load()
        if word and not full:
            self._buffers[word[0]].append(word[1])
        for c in credits:
            self._tokens[c] += 1
        opened = frozenset(c for c in ready if c < self._many)
        moves = self.sends or self.freed or self.accepted or word or credits or opened != self.open
        self.open = opened
        self._changed = bool(moves) or before != (
            self.beat,
            self._begun,
            self._drops,
            self._pointer,
        )

    # Up.

    def _send(self, beat: Beat | None) -> None:
        """Send a head or a beat, or drop the beat."""
        self.sends, self.accepted = None, False
        self._drops |= self._begun - self.open
        self._begun &= self.open
        if beat is None:
            return
        c = beat.tid % self._many
        if c in self._drops or c not in self.open:
            self.accepted = True
            (self._drops.discard if beat.last else self._drops.add)(c)
        elif self._tokens[c] and not self._pauses.joins:
            self._tokens[c] -= 1
            self.sends = c, self._word(beat, c)
        if self.accepted and beat.last:
            self._begun.discard(c)

    def _word(self, beat: Beat, c: int) -> int:
        """Return a head, or a beat as a word, that goes up."""
        form, ones = self._form, _ones(beat.keep) if beat.last else self._bytes
        if c not in self._begun:
            self.accepted = beat.last and not ones
            self._begun.add(c)
            return form.head | (form.tail if self.accepted else 0) | beat.user
        self.accepted = True
        ones = ones or self._bytes
        size = ones % self._bytes << form.bits
        return beat.data & (1 << 8 * ones) - 1 | size | (form.tail if beat.last else 0)

    # Down.

    def _closed(self) -> list[int]:
        """Let words of channels that are not open leave; return the channels."""
        channels = [c for c, buffer in enumerate(self._buffers) if buffer and c not in self.open]
        for c in channels:
            self._buffers[c].popleft()
        return channels

    def _load(self) -> None:
        """Load the register with the next beat."""
        self.beat = None
        for i in range(self._many):
            c = (self._pointer + i) % self._many
            if c in self._cut:
                self._cut.discard(c)
                self._receiving.discard(c)
                self.beat = Beat(0, 0, True, c, 1)
            elif c in self.open and self._buffers[c]:
                self.beat = self._beat(c, self._buffers[c].popleft())
                self.freed.append(c)
            else:
                continue
            self._pointer = (c + 1) % self._many
            return

    def _beat(self, c: int, word: int) -> Beat | None:
        """Return the beat that a word makes."""
        form, last = self._form, bool(word & self._form.tail)
        (self._receiving.discard if last else self._receiving.add)(c)
        if word & form.head:
            return Beat(0, 0, True, c) if last else None
        size = (word & form.tail - 1) >> form.bits
        keep = (1 << size) - 1 if last and size else self._all
        return Beat(word & (1 << 8 * keep.bit_length()) - 1, keep, last, c)


def _ones(keep: int) -> int:
    """Return how many ones a mask begins with."""
    return (~keep & keep + 1).bit_length() - 1
