"""Entries of a collective engine, and what a service does to one (E3, E6 to E8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import add, and_, or_, xor
from typing import NamedTuple, TypeAlias

from syncfabric.models.layout.engine import MOST_PORTS, WORD_BITS, Code, EngineLayout, Kind
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.messages.registers import Op

_OPERATIONS: dict[int, Callable[[int, int], int]] = {
    Op.OR: or_,
    Op.AND: and_,
    Op.XOR: xor,
    Op.MAX: max,
    Op.MIN: min,
    Op.SUM: add,
}
_NO_PORT = frozenset[int]()
_PORTS = [frozenset({p}) for p in range(MOST_PORTS)]
_WORD = (1 << WORD_BITS) - 1
_PLAIN, _GO, _LAST, _BROKEN = map(int, Kind)


class Message(NamedTuple):
    """A message on a link, or to or from the own process; ``tag`` is its key (E2), 0 without."""

    entry: int
    epoch: int
    kind: int
    data: int = 0
    tag: int = 0


class Route(NamedTuple):
    """Where a routed message goes, and its lane: its class, and behind a dateline 2 more."""

    place: tuple[int, ...]
    lane: int


class Commit(NamedTuple):
    """A command of the config port."""

    code: int
    epoch: int
    entry: int
    word: int


class Sweep(NamedTuple):
    """Clears an entry after reset."""

    entry: int


class Visit(NamedTuple):
    """The watchdog's look at an entry."""

    entry: int


Head: TypeAlias = Message | Commit | Sweep | Visit
"""What waits at a source."""


class Answer(NamedTuple):
    """An answer of the config port.

    Attributes
    ----------
    error : bool
    rdata : int
    meaning : int
        The bits of ``rdata`` that have a meaning; the others may be anything.
    """

    error: bool
    rdata: int = 0
    meaning: int = _WORD


@dataclass(frozen=True)
class Image:
    """What SETUP writes, unpacked: names by link, and last, if messages are routed, the parent's.

    ``routes`` belong to routed names.
    """

    word: int
    children: frozenset[int]
    parent: frozenset[int]
    op: int
    names: tuple[tuple[int, int], ...]
    routes: tuple[Route, ...] = ()
    key: int = 0

    @classmethod
    def unpack(cls, layout: EngineLayout, word: int) -> Image:
        """Return the image that a word of bits holds."""
        fields = layout.image.unpack(word)
        return cls(
            word,
            frozenset(p for p in range(layout.ports) if fields["children"] >> p & 1),
            frozenset(p for p in range(layout.links) if fields["parent"] >> p & 1),
            fields["op"],
            tuple((fields[f"entry_{p}"], fields[f"epoch_{p}"]) for p in layout.named),
            tuple(
                Route(tuple(fields[f"{x}_{p}"] for x in layout.place), fields[f"route_class_{p}"])
                for p in layout.named
            )
            if layout.routed
            else (),
            fields.get("key", 0),
        )


class Freed(NamedTuple):
    """A root's entry whose group has ended by LAST."""

    entry: int
    epoch: int


class Entry(NamedTuple):
    """Image and state of an entry, E3."""

    image: Image
    alive: bool = False
    epoch: int = 0
    missing: frozenset[int] = _NO_PORT
    turn: bool = False
    last: bool = False
    fresh: bool = False
    acc: int = 0
    old: bool = False

    @property
    def is_root(self) -> bool:
        """Whether it has no parent."""
        return not self.image.parent

    @property
    def waits(self) -> bool:
        """Whether it awaits members, or its parent's answer."""
        return not self.fresh or (self.turn and self.last and not self.is_root)


class Service(NamedTuple):
    """What a service does in its execute cycle: to the entry of a number, and to ports.

    Attributes
    ----------
    links : mapping of int to Message
        What links carry.
    routes : mapping of int to Route
        Where routed messages go.
    own : Message or None
        What the own process gets.
    """

    number: int
    entry: Entry
    links: Mapping[int, Message] = {}
    routes: Mapping[int, Route] = {}
    own: Message | None = None
    freed: Freed | None = None
    event: EngineWord | None = None
    answer: Answer | None = None


class Memory:
    """All entries of an engine.

    Parameters
    ----------
    layout : EngineLayout
    watched : bool
        There is a watchdog, so ``old`` has a meaning.
    read_back : bool
        Commands answer with more than ``alive`` and ``epoch``.

    Attributes
    ----------
    waiting : set of int
        Entries that are alive and wait, if they are watched.
    """

    def __init__(self, layout: EngineLayout, *, watched: bool, read_back: bool) -> None:
        self._layout, self._watched, self._read_back = layout, watched, read_back
        self._blank = Entry(Image.unpack(layout, 0))
        self._entries = [self._blank] * layout.entries
        self._mask = (1 << layout.data_bits) - 1
        self.waiting = set[int]()

    def __getitem__(self, number: int) -> Entry:
        return self._entries[number]

    def __setitem__(self, number: int, entry: Entry) -> None:
        self._entries[number] = entry
        if self._watched:
            if entry.alive and entry.waits:
                self.waiting.add(number)
            else:
                self.waiting.discard(number)

    def serve(self, port: int, head: Head, staged: int) -> Service:
        """Return what a service does; the memory is not changed.

        Parameters
        ----------
        port : int
            The source.
        head : Head
            What it had.
        staged : int
            The staged image.
        """
        number = head.entry % self._layout.entries
        entry = self._entries[number]
        if type(head) is Message:
            if entry.alive and head.epoch == entry.epoch and head.tag == entry.image.key:
                if head.kind == _BROKEN:
                    if port in entry.image.parent:
                        return self._merge(number, _BROKEN, head.data, _NO_PORT)
                elif port in entry.missing:
                    return self._merge(number, head.kind, head.data, _PORTS[port])
            return Service(number, entry, event=EngineWord.UNEXPECTED)
        if type(head) is Commit:
            return self._command(number, head, staged)
        if type(head) is Sweep:
            return Service(number, self._blank)
        if entry.alive and entry.waits and entry.old:
            return self._merge(number, _BROKEN, 0, _NO_PORT)
        return Service(number, entry._replace(old=entry.waits))

    def _merge(self, number: int, kind: int, data: int, port: frozenset[int]) -> Service:
        """Merge what is no unexpected message, and fire if it completes or breaks: rules 5 to 16.

        A BROKEN's own port is left out: its entry ends.
        """
        entry = self._entries[number]
        image, _, epoch, missing, turn, last, fresh, acc, _ = entry
        broken = kind == _BROKEN
        if broken:
            data = 0
        elif not fresh:
            combine = _OPERATIONS.get(image.op, _OPERATIONS[Op.OR])
            data = combine(acc, data) & self._mask
        if kind == _LAST and not last:
            kind = _PLAIN
        if missing != port and not broken:
            last = kind == _LAST
            merged = Entry(image, True, epoch, missing - port, turn, last, False, data, False)
            return Service(number, merged)
        down = turn or broken
        to, root = image.children if down else image.parent, not image.parent
        ends = down and (broken or kind == _LAST)
        missing, turn = missing - port | to, root or not turn
        after = Entry(image, not ends, epoch, missing, turn, True, True, data, False)
        links, routes, own = {}, {}, None
        for p in to:
            if p == self._layout.links:
                own = Message(number, epoch, kind, data, image.key)
                continue
            name = p if down or not image.routes else -1
            links[p] = Message(*image.names[name], kind, data, image.key)
            if image.routes:
                routes[p] = image.routes[name]
        freed = Freed(number, epoch) if ends and root and kind == _LAST else None
        return Service(number, after, links, routes, own, freed)

    def _command(self, number: int, commit: Commit, staged: int) -> Service:
        entry = self._entries[number]
        answer = self._read(entry, commit.word if commit.code == Code.READ else 0)
        same = commit.epoch == entry.epoch
        match commit.code:
            case Code.READ:
                done = Service(number, entry)
            case Code.SETUP if same and not entry.alive:
                done = Service(number, self._set_up(entry, staged))
            case Code.GO if same and entry.alive and not entry.missing:
                done = self._merge(number, _GO, 0, _NO_PORT)
            case Code.KILL if same and entry.alive:
                done = self._merge(number, _BROKEN, 0, _NO_PORT)
            case Code.KILL if not entry.alive:
                done = Service(number, entry._replace(epoch=commit.epoch))
            case _:
                refused = EngineWord.REFUSED_COMMAND
                return Service(number, entry, event=refused, answer=answer._replace(error=True))
        return done._replace(answer=answer)

    def _set_up(self, entry: Entry, staged: int) -> Entry:
        image, epoch = Image.unpack(self._layout, staged), (entry.epoch + 1) % 4
        return Entry(image, True, epoch, missing=image.parent, turn=True, fresh=True)

    def _read(self, entry: Entry, word: int) -> Answer:
        """Return a word of an entry, and what of it has a meaning."""
        layout = self._layout
        if not self._read_back:
            return Answer(False, self._status(entry) & 0b111)
        if word == 0:
            bits = layout.status.width
            known = 0b111 if not entry.alive else (1 << bits) - 1
            if not self._watched:
                known &= ~(1 << layout.status.offsets["old"])
            return Answer(False, self._status(entry), _WORD >> bits << bits | known)
        if word == 1:
            known = entry.alive and not entry.fresh
            return Answer(
                False, entry.acc, _WORD if known else _WORD >> layout.data_bits << layout.data_bits
            )
        at = (word - 2) * WORD_BITS
        bits = max(0, layout.image.width - at)
        return Answer(
            False, entry.image.word >> at & _WORD, _WORD if entry.alive else _WORD >> bits << bits
        )

    def _status(self, entry: Entry) -> int:
        return self._layout.status.pack({**_flags(entry), "epoch": entry.epoch})

    def stored(self, number: int) -> tuple[tuple[int, int], ...]:
        """Return an entry's word of each memory (``EngineLayout.memories``), and its defined bits.

        Source: E3.3, E3.4.
        """
        entry, layout = self._entries[number], self._layout
        bits, state, acc = layout.image.width, layout.state, (1 << layout.data_bits) - 1
        image = entry.image.word | entry.epoch << bits, -1 if entry.alive else -1 << bits
        if not entry.alive:
            known = 1 << state.offsets["alive"]
        else:
            known = -1 if self._watched else ~(1 << state.offsets["old"])
        states = state.pack(_flags(entry)), known
        data = entry.acc, acc if entry.alive and not entry.fresh else 0
        return (image, states, data) if layout.data_bits else (image, states)


def _flags(entry: Entry) -> dict[str, int]:
    """Return an entry's state without epoch and merged data, by field."""
    names = ("alive", "turn", "last", "fresh", "old")
    missing = sum(1 << p for p in entry.missing)
    return {"missing": missing, **{name: int(getattr(entry, name)) for name in names}}
