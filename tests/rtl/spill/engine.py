"""A spill engine whose groups managers set up, as section S7 tells it."""

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from syncfabric.models.messages import CONTROL, Command, Kind
from tests.rtl.spill.entry import Entry, EntryKind, Heard, combined

__all__ = ["EngineModel", "Inputs", "Outcome", "Request"]


class Request(NamedTuple):
    """A request for a word of an entry."""

    gid: int
    word: int
    write: bool
    data: int


class Answer(NamedTuple):
    """An answer to one."""

    ready: int = 0
    error: int = 0
    data: int = 0


@dataclass
class Inputs:
    """What reaches the engine in a cycle."""

    here: dict[int, Heard] = field(default_factory=dict)
    request: Request | None = None
    access: Request | None = None
    local: tuple[int, int, bool] | None = None
    sent: set[int] = field(default_factory=set)
    take_report: bool = False


@dataclass
class Outcome:
    """What is seen in that cycle: which port's message is taken, and events."""

    taken: int | None = None
    granted: bool = False
    stray: bool = False
    refused_arrive: bool = False
    refused_write: bool = False


class Fetch(NamedTuple):
    gid: int


class Report(NamedTuple):
    gid: int


class Asked(NamedTuple):
    request: Request
    own: bool

    @property
    def gid(self) -> int:
        return self.request.gid


class Message(NamedTuple):
    port: int
    heard: Heard

    @property
    def gid(self) -> int:
        return self.heard.gid


class Local(NamedTuple):
    gid: int
    data: int
    last: bool


Operation: TypeAlias = Fetch | Report | Asked | Message | Local


class EngineModel:
    """Entries, a queue, a list, a send register, a report, and one operation at a time.

    Attributes
    ----------
    to_send : set of int
        Bits of the send register: ports of children; 4 on a mesh, else the port, for the parent.
    letter : Heard, upward : bool
        What they say; it is for the parent.
    answer, own_answer, release, report, holding
        What shows in this cycle; ``release`` is (gid, result, kind).
    seen : Counter
        What has happened.
    """

    def __init__(self, kind: EntryKind) -> None:
        self.kind, self.bits = kind, kind.spec.data_bits
        self.entries: defaultdict[int, Entry] = defaultdict(Entry)
        self.queue: deque[int] = deque()
        self.listed: deque[int] = deque()
        self.to_send: set[int] = set()
        self.letter, self.upward = Heard(0, 0, 0, 0), False
        self.report: tuple[int, int] | None = None
        self.answer, self.own_answer = Answer(), Answer()
        self.release: tuple[int, int, int] | None = None
        self.holding: Local | None = None
        self.seen: Counter[str] = Counter()
        self._asked: Request | None = None
        self._pointer = self._wait = 0
        self._work: Operation | None = None

    def held(self, gid: int) -> set[int]:
        """Return what the send register has of a group."""
        return self.to_send if self.to_send and self.letter.gid == gid else set()

    def step(self, inputs: Inputs) -> Outcome:
        """Go through a cycle."""
        self.answer, self.own_answer, self.release = Answer(), Answer(), None
        self._asked = inputs.request or self._asked
        reported, loaded, outcome = self.report, None, Outcome()
        if self._wait == 0:
            self._work = self._accept(inputs, outcome)
            self._wait = 2 if self._work is not None else 0
        else:
            self._wait -= 1
            if self._wait == 0:
                loaded = self._finish(outcome)
        if inputs.take_report and self.report == reported:
            self.report = None
        self.to_send = self.to_send - inputs.sent if loaded is None else loaded
        if inputs.local is not None:
            self.holding = Local(*inputs.local)
        return outcome

    def _accept(self, inputs: Inputs, outcome: Outcome) -> Operation | None:
        if not self.to_send and self.queue:
            return Fetch(self.queue.popleft())
        if self.report is None and self.listed:
            return Report(self.listed.popleft())
        if self._asked is not None:
            if inputs.access is not None:
                self.seen["the sink waits for the network"] += 1
            asked, self._asked = self._asked, None
            return Asked(asked, own=False)
        if inputs.access is not None:
            outcome.granted = True
            return Asked(inputs.access, own=True)
        count = self.kind.links + self.kind.process
        for number in (*range(self._pointer, count), *range(self._pointer)):
            if number in inputs.here:
                self._pointer, outcome.taken = (number + 1) % count, number
                return Message(number, inputs.here[number])
            if number == self.kind.links and self.holding is not None:
                self._pointer = (number + 1) % count
                local, self.holding = self.holding, None
                return local
        return None

    def _finish(self, outcome: Outcome) -> set[int] | None:
        """Do what was accepted; return what the send register holds from now on, if it is new."""
        work = self._work
        assert work is not None
        gid = work.gid
        entry, held = self.entries[gid], self.held(gid)
        if entry.dying and not entry.queued and not held:
            self.seen["gone"] += 1
            entry.control["valid"], entry.go, entry.dying = 0, False, False
        if isinstance(work, Fetch):
            return self._fetch(gid, entry)
        if isinstance(work, Report):
            entry.listed = False
            if entry.control["valid"] and entry.freed:
                entry.freed, self.report = False, (gid, entry.control["manager"])
                self.seen["report"] += 1
            else:
                self.seen["nothing to report"] += 1
        elif isinstance(work, Asked):
            self._configure(work, entry, held, outcome)
        elif isinstance(work, Message):
            outcome.stray = not self._hear(gid, entry, work, held)
            self._fire(gid, entry, held)
        else:
            outcome.refused_arrive = not self._arrive(entry, work)
            self._fire(gid, entry, held)
        return None

    def _busy(self, entry: Entry, held: set[int]) -> bool:
        return bool(
            entry.arrived or entry.local or entry.fired or entry.queued or held or entry.dying
        )

    def _fetch(self, gid: int, entry: Entry) -> set[int]:
        entry.queued, self.upward = False, entry.fired
        epoch = entry.control["epoch"]
        if entry.fired:
            kind = Kind.GO if entry.last else Kind.REDUCE
            self.letter = Heard(kind, gid, epoch, entry.acc)
            self.seen["LAST" if entry.last else "REDUCE"] += 1
            return self.kind.up_bits(entry)
        self.letter = Heard(entry.wave, gid, epoch, entry.result)
        if self.kind.ends_waves and entry.wave != Kind.DISTRIBUTE:
            self.seen["a wave that ends here"] += 1
            return set()
        self.seen[Kind(entry.wave).name] += 1
        self.seen["beyond"] += entry.beyond
        return self.kind.children(entry) | (self.kind.up(entry) if entry.beyond else set())

    def _hear(self, gid: int, entry: Entry, work: Message, held: set[int]) -> bool:
        """Judge a message; return whether it is used."""
        port, heard = work
        if entry.dying:
            self.seen["stray while dying"] += 1
        if not entry.control["valid"] or entry.dying:
            return False
        if heard.epoch != entry.control["epoch"]:
            return False
        waves = self.kind.hears_waves(entry, port, heard.turn)
        if heard.kind == Kind.REDUCE or (heard.kind == Kind.GO and entry.go):
            used = self.kind.counts(entry, port, heard.turn, held)
            if used:
                entry.arrived.append(port)
                entry.last = entry.last and heard.kind == Kind.GO
                entry.acc = combined(entry.control["op"], entry.acc, heard.data, self.bits)
        elif heard.kind == Kind.DISTRIBUTE:
            waits = entry.fired and not entry.queued and not held and not entry.control["root"]
            used = waits and self.kind.from_parent(entry, port, heard.turn)
            if used:
                self._end_episode(gid, entry, heard.data)
        elif heard.kind == Kind.GO:
            used = waves and not self._busy(entry, held)
            if used:
                self._go(gid, entry, commanded=False)
        else:
            used = waves
            if used:
                self._die(gid, entry, held, commanded=False)
        return used

    def _arrive(self, entry: Entry, work: Local) -> bool:
        """Judge a local request; return whether it is taken."""
        ready = entry.control["valid"] and not entry.dying
        ready = ready and (entry.go or self.kind.alone(entry))
        if not ready or entry.local or entry.fired or not self.kind.member(entry):
            return False
        entry.local, entry.broken = True, False
        entry.last = entry.last and work.last
        entry.acc = combined(entry.control["op"], entry.acc, work.data, self.bits)
        return True

    def _fire(self, gid: int, entry: Entry, held: set[int]) -> None:
        lives = entry.control["valid"] and not entry.dying and not entry.fired
        if not lives or not self.kind.complete(entry, held):
            return
        if not entry.control["root"]:
            entry.fired = True
            self._enqueue(gid, entry)
            return
        if entry.last:
            entry.freed = True
            self.seen["freed"] += 1
            if self.kind.sink and not entry.listed:
                entry.listed = True
                self.listed.append(gid)
        self._end_episode(gid, entry, entry.acc)

    def _end_episode(self, gid: int, entry: Entry, result: int) -> None:
        entry.arrived, entry.local, entry.fired, entry.last = [], False, False, True
        entry.result, entry.acc = result, entry.identity(self.bits)
        self._wave(gid, entry, Kind.DISTRIBUTE, commanded=False)
        self._tell(gid, entry, Kind.DISTRIBUTE, result)

    def _go(self, gid: int, entry: Entry, *, commanded: bool) -> None:
        if entry.go:
            self.seen["GO again"] += 1
            return
        entry.go = True
        self._wave(gid, entry, Kind.GO, commanded=commanded)
        if not self.kind.alone(entry):
            self._tell(gid, entry, Kind.GO, 0)

    def _die(self, gid: int, entry: Entry, held: set[int], *, commanded: bool) -> None:
        if entry.dying:
            self.seen["KILL again"] += 1
            return
        how = "queued" if entry.queued else "in the send register" if held else "idle"
        self.seen[f"dies {how}"] += 1
        self.seen["dies with the process in"] += self.kind.process and entry.local
        entry.broken = entry.broken or (self.kind.process and (entry.local or entry.fired))
        entry.arrived, entry.local, entry.fired = [], False, False
        entry.go, entry.freed, entry.dying = False, False, True
        self._withdraw(gid)
        self._wave(gid, entry, Kind.BROKEN, commanded=commanded)
        self._tell(gid, entry, Kind.BROKEN, 0)

    def _withdraw(self, gid: int) -> None:
        if self.report is not None and self.report[0] == gid:
            self.report = None
            self.seen["withdrawn"] += 1

    def _wave(self, gid: int, entry: Entry, kind: Kind, *, commanded: bool) -> None:
        entry.wave = kind
        entry.beyond = commanded and self.kind.beyond(entry)
        if self.kind.ends_waves and kind != Kind.DISTRIBUTE:
            return
        if self.kind.children(entry) or (entry.beyond and self.kind.up(entry)):
            self._enqueue(gid, entry)

    def _enqueue(self, gid: int, entry: Entry) -> None:
        if not entry.queued:
            entry.queued = True
            self.queue.append(gid)

    def _tell(self, gid: int, entry: Entry, kind: Kind, result: int) -> None:
        if self.kind.process and self.kind.member(entry):
            self.release = (gid, result, kind)
            self.seen[f"told {kind.name}"] += 1

    def _configure(self, work: Asked, entry: Entry, held: set[int], outcome: Outcome) -> None:
        gid, word, write, data = work.request
        error, read = True, 0
        if write and word == 0:
            error = self._busy(entry, held)
            if error and entry.dying:
                self.seen["BUSY while dying"] += 1
            if not error:
                entry.control = CONTROL.unpack(data % (1 << CONTROL.width))
                if not self.kind.turns:
                    entry.control["turn"] = 0
                entry.acc, entry.last = entry.identity(self.bits), True
                entry.go = entry.freed = entry.broken = False
                self._withdraw(gid)
        elif write and word == self.kind.command and entry.control["valid"]:
            if data == Command.GO and not self._busy(entry, held):
                error = False
                self._go(gid, entry, commanded=True)
            elif data == Command.KILL:
                error = False
                self._die(gid, entry, held, commanded=True)
        elif write and word in self.kind.image and not entry.control["valid"]:
            error, entry.image[word] = False, self.kind.kept(word, data)
        elif not write:
            contents = self.kind.read(entry, word)
            error, read = contents is None, contents or 0
        outcome.refused_write = error and write
        if work.own:
            self.own_answer = Answer(1, int(error), read)
        else:
            self.answer = Answer(1, int(error), read)
