"""What sources and sinks of streams do, cycle by cycle."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.stream_movement import StreamProcess
from syncfabric.models.golden.stream_results import FIXED, MASK, turned
from syncfabric.models.layout.stream_traffic import COMMAND, LANE_STEP, STALLS, WORD_STEP
from syncfabric.models.layout.streams import HEAD, LANE_BITS, StreamLayout


def _next(state: int) -> int:
    """Return what follows a number of xorshift32."""
    state ^= state << 13 & MASK
    state ^= state >> 17
    return state ^ (state << 5 & MASK)


class _Pauses:
    """Draws pauses: the state's low byte is compared with a rate."""

    def __init__(self) -> None:
        self.rate = self._state = 0

    def begin(self, rate: int, seed: int) -> None:
        """Begin anew with a seed of 16 bits."""
        self.rate, self._state = rate, 2 * seed + 1

    def draw(self) -> bool:
        """Return whether there is a pause."""
        pauses = self._state % 256 < self.rate
        self._state = _next(self._state)
        return pauses


class SourceModel:
    """Cycle-exact model of ``StreamSource``, one call a cycle while anything waits.

    Parameters
    ----------
    layout : StreamLayout
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout, self._pauses = layout, _Pauses()
        self._waiting = deque[Mapping[str, int]]()
        self._place = 0
        self._kept: Beat | None = None

    @property
    def waits(self) -> bool:
        """Whether there is anything to send."""
        return bool(self._waiting)

    @property
    def ahead(self) -> list[int]:
        """Channels of the packets that are not yet sent whole."""
        return [command["tid"] for command in self._waiting]

    @property
    def sending(self) -> int | None:
        """The seed of a packet whose first beat is offered or taken, and the last one not."""
        begun = self._place or self._kept
        return self._waiting[0]["seed"] if begun else None

    def put(self, command: int) -> None:
        """Take a command, to be looked at from the next call on."""
        self._waiting.append(COMMAND.unpack(command))

    def set(self, stalls: int) -> None:
        """Begin with pauses, from the next call on."""
        pauses = STALLS.unpack(stalls)
        self._pauses.begin(pauses["source"], pauses["seed"])

    def offer(self) -> Beat | None:
        """Return what is offered in a cycle."""
        if self._kept is None and self._waiting and not self._pauses.draw():
            self._kept = self._beat(self._waiting[0])
        return self._kept

    def took(self) -> None:
        """Note that what is offered is taken in this cycle."""
        assert self._kept
        self._place += 1
        if self._kept.last:
            self._waiting.popleft()
            self._place = 0
        self._kept = None

    def _beat(self, command: Mapping[str, int]) -> Beat:
        many, tid, user = command["words"], command["tid"], command["user"]
        if not many:
            return Beat(0, 0, True, tid, user)
        size, last = self._layout.bits // 8, self._place == many - 1
        ones = (command["bytes"] or size) if last else size
        kind = HEAD.unpack(user)["type"]
        lanes = _lanes(command["seed"] + self._place * WORD_STEP, self._layout, kind)
        data = sum(lane << LANE_BITS * number for number, lane in enumerate(lanes))
        return Beat(data & (1 << 8 * ones) - 1, (1 << ones) - 1, last, tid, user)


def _lanes(state: int, layout: StreamLayout, kind: int) -> Iterator[int]:
    fixed, ones = FIXED.get(kind, (0, 0))
    for number in range(layout.bits // LANE_BITS):
        yield _next((state + number * LANE_STEP) & MASK) & ~fixed | ones


@dataclass
class Counts:
    """What a sink has counted of a channel; see ``COUNTS``."""

    packets: int = 0
    words: int = 0
    aborted: int = 0
    checksum: int = 0
    first: int = 0
    last: int = 0
    begun: bool = field(default=False, compare=False)

    def take(self, beat: Beat, now: int) -> None:
        """Count a beat."""
        self.checksum = turned(self.checksum, 1) ^ _check(beat)
        self.words += beat.keep > 0
        self.packets += beat.last and not beat.user
        self.aborted += beat.last and beat.user
        if not self.begun:
            self.first = now
        self.last, self.begun = now, not beat.last

    @property
    def row(self) -> list[int]:
        """All, in the order of ``COUNTS``."""
        return [self.packets, self.words, self.aborted, self.checksum, self.first, self.last]


class SinkModel:
    """Cycle-exact model of ``StreamSink``.

    Parameters
    ----------
    layout : StreamLayout

    Attributes
    ----------
    counts : list of Counts
        By channel.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._pauses = _Pauses()
        self.counts = [Counts() for _ in range(layout.channels)]

    def set(self, stalls: int) -> None:
        """Begin with pauses, from the next call on."""
        pauses = STALLS.unpack(stalls)
        self._pauses.begin(pauses["sink"], pauses["seed"] ^ 0xFFFF)

    def accepts(self) -> bool:
        """Return whether the beat of a cycle is taken."""
        return not self._pauses.draw()

    def take(self, beat: Beat, now: int) -> None:
        """Count a beat that is taken."""
        self.counts[beat.tid].take(beat, now)


class TrafficProcess(StreamProcess):
    """A process with a source and a sink; words of a cycle count from the next one on.

    Parameters
    ----------
    layout : StreamLayout

    Attributes
    ----------
    begun : list of (int, int)
        Seed of each packet's operand, and the cycle in which its first beat was offered.
    """

    def __init__(self, layout: StreamLayout) -> None:
        super().__init__()
        self.source, self.sink = SourceModel(layout), SinkModel(layout)
        self.begun: list[tuple[int, int]] = []
        self._words = deque[tuple[int, Callable[[int], None], int]]()

    @property
    def ahead(self) -> list[int]:
        """Channels of packets that are not yet sent whole."""
        coming = [word for _, act, word in self._words if act == self.source.put]
        return [*self.source.ahead, *(COMMAND.unpack(word)["tid"] for word in coming)]

    def put(self, now: int, command: int) -> None:
        """Give the source a command in a cycle."""
        self._words.append((now, self.source.put, command))

    def set(self, now: int, stalls: int) -> None:
        """Say in a cycle how source and sink pause."""
        self._words += (now, self.source.set, stalls), (now, self.sink.set, stalls)

    def begins(self, now: int) -> int | None:
        """Return a cycle from ``now`` on before which nothing is offered; None: nothing ever is."""
        return now if self._words or self.source.waits else None

    def offer(self, now: int) -> Beat | None:
        """Return what is offered in a cycle; once offered, a beat is so until it is taken."""
        self._receive(now)
        before = self.source.sending
        beat = self.source.offer()
        if beat and before is None:
            assert self.source.sending is not None
            self.begun.append((self.source.sending, now))
        return beat

    def took(self) -> None:
        """Note that what is offered is taken in this cycle."""
        self.source.took()

    def take(self, beat: Beat, now: int) -> None:
        """Take a beat."""
        self.sink.take(beat, now)

    def accepts(self, now: int) -> bool:
        """Return whether the beat of a cycle is taken."""
        self._receive(now)
        return self.sink.accepts()

    def _receive(self, now: int) -> None:
        while self._words and self._words[0][0] < now:
            _, act, word = self._words.popleft()
            act(word)


def _check(beat: Beat) -> int:
    """Return what a beat adds to a checksum."""
    keep, data, check = beat.keep, beat.data, beat.last << 31
    data &= sum(0xFF << 8 * byte for byte in range(keep.bit_length()) if keep >> byte & 1)
    while keep:
        check, keep = check ^ keep & MASK, keep >> 32
    lane = 0
    while data:
        check, data, lane = check ^ turned(data & MASK, lane), data >> 32, lane + 1
    return check
