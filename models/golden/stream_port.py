"""A process's port of streams: beats that go up, and beats of results (V9, V13)."""

from collections import deque
from collections.abc import Collection

from syncfabric.models.golden.link import Carried
from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.stream_channel import Form
from syncfabric.models.golden.stream_pauses import Pauses
from syncfabric.models.layout.streams import StreamLayout


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
    taken : bool
        The beat offered in the cycle gone through last was taken.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._form, self._places, self._many = Form(layout), layout.places, layout.channels
        self._bytes = layout.bits // 8
        self._all = (1 << self._bytes) - 1
        self.beat: Beat | None = None
        self.sends: Carried | None = None
        self.freed: list[int] = []
        self.open = frozenset[int]()
        self.taken = False
        self._pauses = Pauses.of_interface()
        self._tokens = [layout.places] * self._many
        # Channels of packets of which the head has gone up, and of packets that are dropped.
        self._begun, self._drops = set[int](), set[int]()
        self._buffers = [deque[int]() for _ in range(self._many)]
        self._under_way = set[int]()  # channels of which a packet with more than a head comes down
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
        self._cut |= self._under_way - self.open
        self.freed = self._closed()
        if self.beat is None or accepts:
            self._load()
        if word and not full:
            self._buffers[word[0]].append(word[1])
        for c in credits:
            self._tokens[c] += 1
        opened = frozenset(c for c in ready if c < self._many)
        moves = self.sends or self.freed or self.taken or word or credits or opened != self.open
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
        self.sends, self.taken = None, False
        self._drops |= self._begun - self.open
        self._begun &= self.open
        if beat is None:
            return
        c = beat.tid % self._many
        if c in self._drops or c not in self.open:
            self.taken = True
            (self._drops.discard if beat.last else self._drops.add)(c)
        elif self._tokens[c] and not self._pauses.joins:
            self._tokens[c] -= 1
            self.sends = c, self._word(beat, c)
        if self.taken and beat.last:
            self._begun.discard(c)

    def _word(self, beat: Beat, c: int) -> int:
        """Return a head, or a beat as a word, that goes up."""
        form, ones = self._form, _ones(beat.keep) if beat.last else self._bytes
        if c not in self._begun:
            self.taken = beat.last and not ones
            self._begun.add(c)
            return form.head | (form.tail if self.taken else 0) | beat.user
        self.taken = True
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
                self._under_way.discard(c)
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
        (self._under_way.discard if last else self._under_way.add)(c)
        if word & form.head:
            return Beat(0, 0, True, c) if last else None
        size = (word & form.tail - 1) >> form.bits
        keep = (1 << size) - 1 if last and size else self._all
        return Beat(word & (1 << 8 * keep.bit_length()) - 1, keep, last, c)


def _ones(keep: int) -> int:
    """Return how many ones a mask begins with."""
    return (~keep & keep + 1).bit_length() - 1
