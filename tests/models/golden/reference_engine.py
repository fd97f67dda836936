"""The collective engine as docs/microarchitecture-engine.md says, rule by rule, from its history.

No state is kept: what has come, which services there were, and what each has done to an entry are
written down, and every rule looks it up. Nothing here is shared with the golden model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from syncfabric.models.layout.engine import COMMIT, EngineLayout

PLAIN, GO, LAST, BROKEN = range(4)
READ, SETUP, START, KILL = range(4)
OVERFLOW, UNEXPECTED, REFUSED_COMMAND = range(3)
ALL = 0xFFFFFFFF

Words: TypeAlias = tuple[int, int, int, int, int]
"""Entry, epoch, kind, data, key of a message; the key is 0 if there are none."""


@dataclass
class Thing:
    """Something at a source: a message, or a command, visit or sweep of the local source."""

    what: str  # message, command, visit, sweep
    words: Any
    came: int  # on the link, or loaded
    queued: bool = False
    head_from: int | None = None
    taken: int | None = None

    def is_head(self, t: int) -> bool:
        before = self.head_from is not None and self.head_from <= t
        return before and (self.taken is None or self.taken >= t)

    def is_in_queue(self, t: int) -> bool:
        """Whether the queue holds it at the start of t."""
        return self.queued and self.came < t and (self.head_from is None or self.head_from > t)


@dataclass
class Done:
    """A service: of which source, from s to e, and what it has sent in e."""

    source: int
    thing: Thing
    s: int
    e: int
    sends: dict[int, tuple[int, int, int, int | None, int]] = field(default_factory=dict)
    routes: dict[int, tuple[tuple[int, ...], int]] = field(default_factory=dict)  # if routed
    freed: tuple[int, int] | None = None


@dataclass
class Merge:
    """What became of an entry by a message, a GO or a KILL."""

    port: int | None
    kind: int
    data: int  # of a KILL without meaning
    to: frozenset[int] | None = None  # the ports S, if it has fired
    ended: bool = False


@dataclass
class Instance:
    """What an entry has been through since its last SETUP."""

    image: Mapping[str, int]
    word: int
    merges: list[Merge] = field(default_factory=list)
    visited: bool = False  # since the last merge


class ReferenceEntry:
    """E3, by what has happened since the sweep."""

    def __init__(self, layout: EngineLayout) -> None:
        self.layout = layout
        self.set_ups = 0  # since the last KILL that gave it an epoch
        self.given = 0
        self.instance: Instance | None = None

    def ports(self, name: str) -> frozenset[int]:
        assert self.instance
        return frozenset(p for p in range(16) if self.instance.image[name] >> p & 1)

    @property
    def epoch(self) -> int:
        return (self.given + self.set_ups) % 4

    @property
    def alive(self) -> bool:
        return self.instance is not None and not any(merge.ended for merge in self.instance.merges)

    @property
    def fires(self) -> list[int]:
        """Places in the history at which it has fired."""
        assert self.instance
        return [i for i, merge in enumerate(self.instance.merges) if merge.to is not None]

    @property
    def since(self) -> list[Merge]:
        """What was merged since the last completion."""
        assert self.instance
        return self.instance.merges[self.fires[-1] + 1 if self.fires else 0 :]

    @property
    def root(self) -> bool:
        return not self.ports("parent")

    @property
    def turn(self) -> bool:
        return self.root or len(self.fires) % 2 == 0

    @property
    def fresh(self) -> bool:
        return not self.since

    @property
    def last(self) -> bool:
        return bool(self.fires) and all(merge.kind == LAST for merge in self.since)

    @property
    def missing(self) -> frozenset[int]:
        assert self.instance
        awaited = self.instance.merges[self.fires[-1]].to if self.fires else self.ports("parent")
        assert awaited is not None
        return awaited - {merge.port for merge in self.since}

    @property
    def waits(self) -> bool:
        return not self.fresh or (self.turn and self.last and not self.root)

    @property
    def old(self) -> bool:
        assert self.instance
        return self.instance.visited and self.waits

    def combination(self, *more: int) -> int:
        """E6.6, over all that was merged and what comes."""
        assert self.instance
        op, modulus = self.instance.image["op"], 1 << self.layout.data_bits
        numbers = [merge.data for merge in self.since] + list(more)
        result = numbers[0]
        for number in numbers[1:]:
            result = (
                result | number,
                result & number,
                result ^ number,
                max(result, number),
                min(result, number),
                (result + number) % modulus,
            )[op]
        return result

    def read(self, word: int, watched: bool) -> tuple[int, int]:
        """A word of READ, and its bits that have a meaning."""
        if word == 0:
            return self.status(watched)
        if word == 1:
            unknown = (1 << self.layout.data_bits) - 1
            if not self.alive or self.fresh:
                return 0, ALL & ~unknown
            return self.combination(), ALL
        bits = self.layout.image.width
        known = sum(1 << i for i in range(32) if self.alive or 32 * (word - 2) + i >= bits)
        return (self.instance.word >> 32 * (word - 2) & known if self.instance else 0), known

    def status(self, watched: bool) -> tuple[int, int]:
        fields = {"alive": int(self.alive), "epoch": self.epoch}
        known = {"alive", "epoch"}
        if self.alive:
            fields |= {
                "turn": self.turn,
                "last": self.last,
                "fresh": self.fresh,
                "old": self.old and watched,
                "missing": sum(2**p for p in self.missing),
            }
            known |= fields.keys() - {"" if watched else "old"}
        places, mask = self.layout.status.offsets, ALL
        for part in self.layout.status.fields:
            if part.name not in known:
                mask &= ~((1 << part.width) - 1 << places[part.name])
        return sum(int(value) << places[name] for name, value in fields.items()), mask


class ReferenceEngine:
    """``cycle`` goes through a cycle, and returns what is on the ports, by their names."""

    def __init__(
        self,
        layout: EngineLayout,
        stages: int,
        watchdog: int = 0,
        counters: bool = True,
        read_back: bool = True,
        shared: bool = False,
    ) -> None:
        self.shared = shared
        self.layout, self.S, self.W = layout, stages, watchdog
        self.counters, self.read_back = counters, read_back
        self.N, self.E, self.slow = layout.links, layout.entries, layout.groups > 32
        self.I = (1, 1 if shared else 2, 2, 3)[stages - 1]
        self.Q = max(16, self.E)
        self.t = 0
        self.things: list[list[Thing]] = [[] for _ in range(self.N + 1)]
        self.things[self.N].append(Thing("sweep", 0, -1, head_from=0))
        self.loads: dict[str, int] = {"sweep": 1, "visit": 0}
        self.last_visit_loaded = -1
        self.services: list[Done] = []
        self.choices = [self.N]  # what pointer has become in each choice
        self.grant = {self.N}
        self.entries = [ReferenceEntry(layout) for _ in range(self.E)]
        self.events: list[tuple[int, int]] = []  # counter, cycle
        self.expired = 0
        self.staged = [0] * 8
        self.first: int | None = None  # first cycle of the request that is not answered
        self.offering = False
        self.answers: dict[int, tuple[bool, int, int]] = {}  # by cycle: error, rdata, meaning

    # E4

    def head(self, p: int, t: int) -> Thing | None:
        heads = [thing for thing in self.things[p] if thing.is_head(t)]
        assert len(heads) <= 1
        return heads[0] if heads else None

    def link(self, p: int, words: Words | None) -> None:
        t, head = self.t, self.head(p, self.t)
        queue = [thing for thing in self.things[p] if thing.is_in_queue(t)]
        taken = head is not None and head.taken == t
        waits = bool(queue) or (head is not None and not taken)  # rule 2
        full = len(queue) == self.Q  # rule 5
        if queue and (head is None or taken) and (not self.slow or queue[0].came + 2 <= t):
            queue[0].head_from = t + 1  # rules 6 and 7
        if words is None:
            return
        if not waits:
            self.things[p].append(Thing("message", words, t, head_from=t + 1))  # rule 1
        elif words[2] == BROKEN or full:
            self.events.append((OVERFLOW, t))  # rules 3 and 4
        else:
            self.things[p].append(Thing("message", words, t, queued=True))

    def is_visit_due(self) -> bool:
        if not self.W or self.t < self.W:
            return False
        tick = self.t // self.W * self.W - 1
        return tick >= self.last_visit_loaded

    def local(self, arrive: Words | None, request: tuple[bool, int, int] | None) -> bool:
        """Load the local source, and return ``arrive_ready``."""
        t, head = self.t, self.head(self.N, self.t)
        if head is not None and head.taken != t:
            return False
        if self.loads["sweep"] < self.E:
            load = Thing("sweep", self.loads["sweep"], t, head_from=t + 1)
        elif request and self.offering:
            self.offering = False
            load = Thing("command", COMMIT.unpack(request[2]), t, head_from=t + 1)
        elif self.is_visit_due():
            self.last_visit_loaded = t
            load = Thing("visit", self.loads["visit"] % self.E, t, head_from=t + 1)
        else:
            if arrive and self.layout.own:
                number, epoch, kind, data, key = arrive
                words = (number, epoch, LAST if kind & 2 else PLAIN, data, key)  # rule 11
                self.things[self.N].append(Thing("message", words, t, head_from=t + 1))
            return self.layout.own
        self.things[self.N].append(load)
        self.loads[load.what] = self.loads.get(load.what, 0) + 1
        return False

    # E5

    def choose(self) -> None:
        t = self.t
        if any(x.s <= t < x.e for x in self.services):
            self.grant = set()  # rule 8
            return
        will = [
            (p, thing)
            for p, things in enumerate(self.things)
            for thing in things
            if thing.is_head(t + 1)
        ]
        candidates = {p for p, thing in will if thing.came < t}
        if not candidates:  # rule 5
            self.grant = {p for p, _ in will}
            self.choices.append(self.N)
            return
        pointer = self.choices[-1]
        for p in [*range(pointer + 1, self.N + 1), *range(pointer + 1)]:  # rules 6 and 7
            if p in candidates:
                self.grant = {p}
                self.choices.append(p)
                return

    # E6 to E8

    def serve(self, x: Done) -> None:
        what, words = x.thing.what, x.thing.words
        if what == "sweep":
            self.entries[words] = ReferenceEntry(self.layout)
        elif what == "visit":
            entry = self.entries[words]
            if entry.alive and entry.waits and entry.old:
                self.expired += 1
                self.act(x, words, None, BROKEN, 0)
            elif entry.instance is not None:
                entry.instance.visited = True
        elif what == "command":
            self.command(x, words)
        else:
            number, epoch, kind, data, key = words
            entry = self.entries[number]
            same = entry.alive and entry.epoch == epoch
            if same and self.layout.key_bits and entry.instance:
                same = entry.instance.image["key"] == key
            broken = same and kind == BROKEN and x.source in entry.ports("parent")
            hit = same and kind != BROKEN and x.source in entry.missing
            if broken or hit:
                self.act(x, number, x.source, kind, data)
            else:
                self.events.append((UNEXPECTED, x.e))

    def act(self, x: Done, number: int, p: int | None, kind: int, data: int) -> None:
        entry = self.entries[number]
        assert entry.instance
        merge = Merge(p, kind, data)
        entry.instance.visited = False
        complete = kind != BROKEN and entry.missing == (set() if p is None else {p})
        if complete or kind == BROKEN:
            down = entry.turn or kind == BROKEN
            out = kind
            if kind in (PLAIN, LAST):
                out = LAST if kind == LAST and entry.last else PLAIN
            merge.to = entry.ports("children" if down else "parent")
            merge.ended = down and out in (LAST, BROKEN)
            result = 0 if out == BROKEN else entry.combination(data)
            for q in merge.to:
                image, name = entry.instance.image, (number, entry.epoch)
                if q != self.N:
                    n = "u" if self.layout.routed and not down else str(q)  # L2, rule 2
                    name = (image[f"entry_{n}"], image[f"epoch_{n}"])
                    if self.layout.routed:
                        x.routes[q] = (image[f"x_{n}"], image[f"y_{n}"]), image[f"route_class_{n}"]
                x.sends[q] = (*name, out, result, image.get("key", 0))
            if entry.root and down and out == LAST:
                x.freed = number, entry.epoch
        entry.instance.merges.append(merge)

    def command(self, x: Done, words: Mapping[str, int]) -> None:
        number = words["entry"] % self.E
        entry, code = self.entries[number], words["code"]
        if not self.read_back:
            rdata, known = entry.status(False)[0] & 7, ALL
        else:
            rdata, known = entry.read(words["word"] if code == READ else 0, self.W > 0)
        same, error = words["epoch"] == entry.epoch, False
        if code == SETUP and not entry.alive and same:
            word = sum(word << 32 * k for k, word in enumerate(self.staged))
            word %= 1 << self.layout.image.width
            entry.instance = Instance(self.layout.image.unpack(word), word)
            entry.set_ups += 1
        elif code == START and entry.alive and same and not entry.missing:
            self.act(x, number, None, GO, 0)
        elif code == KILL and entry.alive and same:
            self.act(x, number, None, BROKEN, 0)
        elif code == KILL and not entry.alive:
            entry.given, entry.set_ups = words["epoch"], 0
        elif code != READ:
            error = True
            self.events.append((REFUSED_COMMAND, x.e))
        self.answers[x.e + 1] = error, rdata, known

    def ask(self, request: tuple[bool, int, int] | None) -> None:
        """E7, rules 1 to 5, in the first cycle of a request."""
        if request is None or self.first is not None:
            return
        self.first = self.t
        write, address, data = request
        if write and address == 0:
            self.offering = True
            return
        answer = (True, 0, ALL)
        if write and address >= 1 and 32 * (address - 1) < self.layout.image.width:
            self.staged[address - 1] = data
            answer = (False, 0, ALL)
        elif not write and 16 <= address <= 18:
            past = sum(counter == address - 16 and e + 2 <= self.t for counter, e in self.events)
            answer = (False, min(255, past) if self.counters else 0, ALL)
        self.answers[self.t + 1] = answer

    def cycle(
        self,
        inputs: Mapping[int, Words],
        arrive: Words | None = None,
        request: tuple[bool, int, int] | None = None,
        hold: bool = False,
    ) -> dict[str, Any]:
        t = self.t
        begun_before = any(x.s < t <= x.e for x in self.services)
        held = self.shared and hold and not begun_before  # E5, rule 9
        self.ask(request)
        if len(self.grant) == 1 and not begun_before and not held:
            (source,) = self.grant
            thing = self.head(source, t)
            assert thing
            thing.taken = t
            self.services.append(Done(source, thing, t, t + self.I - 1))
        for x in self.services:
            if x.e == t:
                self.serve(x)
        for p in range(self.N):
            self.link(p, inputs.get(p))
        ready = self.local(arrive, request)
        if not held:
            self.choose()

        ports: dict[str, Any] = {"arrive_ready": ready, "release": None, "freed": None}
        ports |= {"links": {}, "routes": {}}
        for x in self.services:
            if t == (x.e if self.S == self.I else x.e + 1):
                ports["links"] = {q: words for q, words in x.sends.items() if q != self.N}
                ports["routes"] = x.routes
            if t == x.e + 1:
                ports["release"], ports["freed"] = x.sends.get(self.N), x.freed
        ports["answer"] = self.answers.get(t)
        if ports["answer"]:
            self.first = None
        self.forget()
        self.t += 1
        return ports

    def forget(self) -> None:
        """Leave out what no rule looks up any more."""
        t = self.t
        self.services = [x for x in self.services if x.e >= t]
        for things in self.things:
            things[:] = [thing for thing in things if thing.taken is None or thing.taken >= t]
