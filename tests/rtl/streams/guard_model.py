"""Both guards of a directed link of streams (docs/microarchitecture-streams.md, V12)."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from syncfabric.models.golden.link import Carried, Check
from syncfabric.models.layout.streams import CHECKED_BITS, StreamLayout

SILENT = 15


class StreamSeen(NamedTuple):
    """What is on the forward wires: ``valid`` and ``faults`` a bit a channel, ``sent`` counts.

    ``right`` says whether their check bits are.
    """

    valid: int = 0
    word: int = 0
    faults: int = 0
    sent: Sequence[int] = ()
    right: bool = True


class StreamGiven(NamedTuple):
    """What a receiver hands on: a word, the channels that fail; whether CORRUPT and LOST count."""

    word: Carried | None
    faults: frozenset[int]
    corrupt: bool
    lost: bool


class StreamSender:
    """The sender's guard: one call of ``sends``, then one of ``step``, a cycle.

    Parameters
    ----------
    layout : StreamLayout

    Attributes
    ----------
    sent : list of int
        Counts on the link, by channel; after ``sends`` those of this cycle.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._all = layout.places + 1
        self.sent = [0] * layout.channels
        self._given = [0] * layout.channels
        self._right = False

    def sends(self, channel: int | None) -> None:
        """Note of which channel a word is on the link in this cycle."""
        if channel is not None:
            self.sent[channel] = (self.sent[channel] + 1) % self._all

    def step(self, freed: Sequence[int], *, right: bool) -> tuple[list[int], bool]:
        """Return the channels that get a credit, and whether CORRUPT counts.

        Parameters
        ----------
        freed : sequence of int
            Counts that come back.
        right : bool
            Their check bits are right.
        """
        wrong, self._right = self._right and not right, right
        behind = [c for c, count in enumerate(freed) if right and count != self._given[c]]
        for c in behind:
            self._given[c] = (self._given[c] + 1) % self._all
        return behind, wrong


class StreamReceiver:
    """The receiver's guard: one call of ``gives``, then one of ``step``, a cycle.

    Parameters
    ----------
    layout : StreamLayout

    Attributes
    ----------
    freed : list of int
        Counts on the link, by channel; after ``gives`` those of this cycle.
    failed : frozenset of int
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._all, self._channels = layout.places + 1, range(layout.channels)
        self.freed = [0] * layout.channels
        self._got = [0] * layout.channels
        self._wrong = SILENT
        self.failed = frozenset[int]()

    def gives(self, credits: Collection[int]) -> None:
        """Note the router's credits in this cycle."""
        for c in credits:
            self.freed[c] = (self.freed[c] + 1) % self._all

    def step(self, seen: StreamSeen, opens: Collection[int]) -> StreamGiven:
        """End a cycle.

        Parameters
        ----------
        seen : StreamSeen
        opens : collection of int
            Channels that are open here.
        """
        right = seen.right
        silent = not right and self._wrong == SILENT
        corrupt = not right and not self._wrong
        self._wrong = 0 if right else min(SILENT, self._wrong + 1)
        failed, word = self.failed, None
        faults = {c for c in self._channels if c in failed or (right and seen.faults >> c & 1)}
        lost = set[int]()
        for c in self._channels if right else ():
            comes, count = seen.valid >> c & 1, seen.sent[c]
            dropped = (count - self._got[c]) % self._all
            if dropped != comes:
                lost.add(c)
            elif comes and c not in failed:
                word, dropped = (c, seen.word), 0
            self._got[c] = count
            self.freed[c] = (self.freed[c] + dropped) % self._all
        fails = self._channels if silent else failed | lost
        self.failed = frozenset(fails) & frozenset(opens)
        return StreamGiven(word, frozenset(faults), corrupt, bool(lost))


class StreamChecks:
    """Check bits of a guarded link, as they are on its wires.

    Parameters
    ----------
    layout : StreamLayout
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout, self._bits = layout, layout.check_bits
        self._ones = (1 << layout.check_bits) - 1
        self._counts = layout.channels * layout.place_bits
        above = layout.word.width + 2 * layout.channels + self._counts
        last = CHECKED_BITS * (-(-layout.bits // CHECKED_BITS) - 1)
        if layout.shared:  # words are checked among packets
            above, last = layout.channels + self._counts, 0
        self._widths = [CHECKED_BITS] * (last // CHECKED_BITS) + [above - last]
        self._checks = [Check(self._bits, width) for width in self._widths]
        self._back = Check(self._bits, self._counts)

    def _pack(self, counts: Sequence[int]) -> int:
        return sum(count << c * self._layout.place_bits for c, count in enumerate(counts))

    def forward(self, seen: StreamSeen) -> int:
        """Return ``stream_sent``."""
        layout, counts = self._layout, self._pack(seen.sent)
        above = 0 if layout.shared else layout.word.width + layout.channels
        whole = seen.word | seen.valid << layout.word.width if above else 0
        whole |= seen.faults << above | counts << above + layout.channels
        for i, (check, width) in enumerate(zip(self._checks, self._widths, strict=True)):
            bits = check.of(whole & (1 << width) - 1) ^ self._ones
            counts |= bits << self._counts + i * self._bits
            whole >>= width
        return counts

    def back(self, freed: Sequence[int]) -> int:
        """Return ``stream_freed``."""
        counts = self._pack(freed)
        return counts | (self._back.of(counts) ^ self._ones) << self._counts
