"""A core's streams, cycle by cycle (docs/microarchitecture-cores.md, K7), memory included."""

from dataclasses import dataclass, field

from syncfabric.models.golden.record import Beat
from syncfabric.models.messages.core import STREAM, STREAM_STATUS, CoreWord, FaultReason

_QUIET = 8


@dataclass(frozen=True)
class DmaInputs:
    """What is seen in a cycle: the core's request, slots that are ready, and both ports."""

    valid: bool = False
    write: bool = False
    word: int = 0
    data: int = 0
    opens: int = 0
    takes: bool = False
    beat: Beat | None = None
    place: int | None = None
    """The word that the core accesses."""
    stored: int | None = None
    """What it stores there."""


@dataclass
class DmaAnswer:
    """What is shown in it; ``beat`` is at ``s_axis``, and ``takes`` at ``m_axis``."""

    chosen: bool = False
    ready: bool = False
    result: int = 0
    fault: FaultReason = FaultReason.NONE
    sends: bool = False
    receives: bool = False
    beat: Beat | None = None
    takes: bool = True


@dataclass
class DmaModel:
    """One stream at a time between memory and a process's ports.

    Parameters
    ----------
    channels : int
    memory : list of int
        Words.
    """

    channels: int
    memory: list[int]
    source: int = 0
    target: int = 0
    count: int = 0
    command: dict[str, int] = field(default_factory=dict)
    operand: int = 0
    """Bytes that are not taken."""
    shown: int | None = None
    """The word that was read last, until it is taken."""
    room: int = 0
    received: int = 0
    sends: bool = False
    receives: bool = False
    done: bool = False
    broken: bool = False
    long: bool = False
    quiet: int = 0
    seen: set[str] = field(default_factory=set)

    def step(self, now: DmaInputs) -> DmaAnswer:
        """Go on for a cycle."""
        answer = self._answer(now) if now.valid else DmaAnswer()
        answer.beat = self._offered()
        under_way = self.sends or self.receives
        answer.takes = not (self.receives and not self.quiet and self._is_busy(now, self.target))
        written = None
        if answer.takes:
            written = self._receive(now)
        else:
            self._look(now)
        self._send(now, answer.beat, written)
        if now.place is not None and now.stored is not None:
            self.memory[now.place] = now.stored
        if under_way and not self.sends and not self.receives:
            self.done = True
        if answer.ready and now.write:
            self._store(now)
        return answer

    def _answer(self, now: DmaInputs) -> DmaAnswer:
        busy = self.sends or self.receives
        if now.write:
            if now.word not in range(CoreWord.STREAM_FROM, CoreWord.STREAM + 1):
                return DmaAnswer()
            if busy:
                self.seen.add("stalled")
                return DmaAnswer(chosen=True, sends=True)
            if now.word == CoreWord.STREAM and not self._is_allowed(now.data):
                self.seen.add("refused")
                return DmaAnswer(chosen=True, fault=FaultReason.ADDRESS)
            return DmaAnswer(chosen=True, ready=True)
        if now.word == CoreWord.STREAM_RECEIVED:
            return DmaAnswer(chosen=True, ready=True, result=self.received)
        if now.word == CoreWord.STREAM_STATUS or (now.word == CoreWord.STREAM_WAIT and not busy):
            names = ("sends", "receives", "done", "broken", "long")
            status = STREAM_STATUS.pack({name: int(getattr(self, name)) for name in names})
            return DmaAnswer(chosen=True, ready=True, result=status)
        waits = now.word == CoreWord.STREAM_WAIT
        return DmaAnswer(chosen=waits, receives=waits)

    def _is_allowed(self, data: int) -> bool:
        command = STREAM.unpack(data & (1 << STREAM.width) - 1)
        used = [self.source] if command["gives"] else []
        used += [self.target] if command["takes"] else []
        size = 4 * len(self.memory)
        fits = all(place % 4 == 0 and place + self.count <= size for place in used)
        return fits and command["channel"] < self.channels

    def _store(self, now: DmaInputs) -> None:
        match now.word:
            case CoreWord.STREAM_FROM:
                self.source = now.data
            case CoreWord.STREAM_TO:
                self.target = now.data
            case CoreWord.STREAM_BYTES:
                self.count = now.data
            case CoreWord.STREAM:
                self.command = STREAM.unpack(now.data & (1 << STREAM.width) - 1)
                self.operand = self.count if self.command["gives"] else 0
                self.room = self.count if self.command["takes"] else 0
                self.sends = self.receives = True
                self.done = self.broken = self.long = False
                self.received, self.shown = 0, None
                self._bare = not self.operand

    def _offered(self) -> Beat | None:
        if not self.sends or (self.shown is None and not self._bare):
            return None
        user = STREAM.pack(self.command) & 0x7F
        keep = 0 if self._bare else (1 << min(4, self.operand)) - 1
        return Beat(self.shown or 0, keep, self.operand <= 4, self.command["channel"], user)

    def _send(self, now: DmaInputs, beat: Beat | None, written: int | None) -> None:
        """Read the next word if the last one goes, and its bank is not written."""
        taken = beat is not None and now.takes
        reads = self.sends and not self._bare and (beat is None or (taken and not beat.last))
        if taken:
            self.seen.add("sent")
            self.shown = None
            self.operand = max(0, self.operand - 4)
            self.sends = not (beat and beat.last)
        if reads and written is not None and (written ^ self.source >> 2) & 1 == 0:
            self.seen.add("same bank")
        elif reads and self._is_busy(now, self.source):
            self.seen.add("core's bank")
        elif reads:
            self.seen |= {"both"} if written is not None else set()
            self.shown = self.memory[self.source >> 2]
            self.source += 4

    @staticmethod
    def _is_busy(now: DmaInputs, address: int) -> bool:
        return now.place is not None and (now.place ^ address >> 2) & 1 == 0

    def _look(self, now: DmaInputs) -> None:
        """See whether the group has ended, while the core has the bank."""
        self.seen.add("waits")
        if not now.opens >> self.command["channel"] & 1:
            self.quiet = _QUIET

    def _receive(self, now: DmaInputs) -> int | None:
        """Return the word that is written, if one is."""
        if not self.receives:
            return None
        written, beat = None, now.beat
        if self.quiet:
            self.quiet -= 1
            self.seen |= {"dropped"} if beat else set()
            if not self.quiet:
                self.receives, self.broken = False, True
                self.seen.add("quiet")
            return None
        if beat and beat.tid == self.command["channel"]:
            kept = beat.keep & (1 << min(4, self.room)) - 1
            if kept != beat.keep:
                self.long = True
                self.seen.add("long")
            if kept:
                written = self.target >> 2
                self._write(written, kept, beat.data)
            self.target += 4
            self.room -= kept.bit_count()
            self.received += kept.bit_count()
            if beat.last:
                self.receives, self.broken = False, bool(beat.user)
                self.seen.add("broken" if beat.user else "whole")
                return written
        if not now.opens >> self.command["channel"] & 1:
            self.quiet = _QUIET
        return written

    def _write(self, place: int, kept: int, data: int) -> None:
        mask = sum(0xFF << 8 * byte for byte in range(4) if kept >> byte & 1)
        self.memory[place] = (self.memory[place] & ~mask) | (data & mask)

    _bare: bool = False
