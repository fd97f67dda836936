"""A spilled entry, and what kinds of network say of it, as the contract tells them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple

from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    LIFE,
    NODE_WORD,
    PARENT_WORD,
    STATUS,
    TREE,
    Kind,
    Op,
)
from syncfabric.models.networks.mesh import STEP, Port
from syncfabric.models.networks.spec import (
    IrregularSpec,
    MeshSpec,
    RegisterSpec,
)

__all__ = ["Entry", "EntryKind", "Heard", "MeshEntries", "TreeEntries", "combined"]


class Heard(NamedTuple):
    """A message; ``turn`` is its class, on a mesh."""

    kind: int
    gid: int
    epoch: int
    data: int
    turn: int = 0

    def bits(self, spec: RegisterSpec) -> int:
        names = {field.name for field in spec.layout.sync.fields}
        fields = {name: value for name, value in self._asdict().items() if name in names}
        return spec.layout.sync.pack(fields)


def combined(op: int, a: int, b: int, bits: int) -> int:
    """Return two words combined."""
    return (a | b, a & b, a ^ b, max(a, b), min(a, b), a + b)[op] % (1 << bits)


@dataclass
class Entry:
    """All that the memory holds of a group; ``image`` by word."""

    image: dict[int, int] = field(default_factory=dict)
    control: dict[str, int] = field(default_factory=lambda: CONTROL.unpack(0))
    arrived: list[int] = field(default_factory=list)
    local: bool = False
    fired: bool = False
    queued: bool = False
    acc: int = 0
    result: int = 0
    go: bool = False
    last: bool = False
    dying: bool = False
    freed: bool = False
    broken: bool = False
    wave: int = Kind.REDUCE
    listed: bool = False
    beyond: bool = False

    @property
    def life(self) -> int:
        """What stands above the state."""
        return LIFE.pack({field.name: int(getattr(self, field.name)) for field in LIFE.fields})

    def identity(self, bits: int) -> int:
        return (1 << bits) - 1 if self.control["op"] in (Op.AND, Op.MIN) else 0


class EntryKind(ABC):
    """Where an entry's messages come from and go to."""

    spec: RegisterSpec
    links: int
    image: tuple[int, ...]
    command: int
    process: bool
    sink: bool
    ends_waves = False
    turns = False

    @abstractmethod
    def children(self, entry: Entry) -> set[int]:
        """The children over links."""

    @abstractmethod
    def up(self, entry: Entry) -> set[int]:
        """The port to the parent; none if it leads nowhere."""

    @abstractmethod
    def up_bits(self, entry: Entry) -> set[int]:
        """The send register's bit of a message to the parent; none if it leads nowhere."""

    @abstractmethod
    def counts(self, entry: Entry, port: int, turn: int, held: set[int]) -> bool:
        """Whether a REDUCE by this port is a new child's."""

    @abstractmethod
    def from_parent(self, entry: Entry, port: int, turn: int) -> bool:
        """Whether a message came where a DISTRIBUTE would."""

    @abstractmethod
    def complete(self, entry: Entry, held: set[int]) -> bool:
        """Whether all have arrived, and nothing stands in the way."""

    @abstractmethod
    def read(self, entry: Entry, word: int) -> int | None:
        """A word's contents; None: there is none."""

    @abstractmethod
    def kept(self, word: int, data: int) -> int:
        """What is kept of an image word."""

    def hears_waves(self, entry: Entry, port: int, turn: int) -> bool:
        return not entry.control["root"] and self.from_parent(entry, port, turn)

    def member(self, entry: Entry) -> bool:
        return True

    def alone(self, entry: Entry) -> bool:
        return False

    def beyond(self, entry: Entry) -> bool:
        """Whether what a command begins goes by the parent's port, too."""
        return False


class TreeEntries(EntryKind):
    """Of a switch or node interface."""

    image, command = (1,), 4

    def __init__(self, spec: IrregularSpec, *, node: bool) -> None:
        self.spec, self.node = spec, node
        self.ports = 2 if node else spec.ports
        self.links = 1 if node else spec.ports
        self.process, self.sink, self.ends_waves = node, not node, node
        self.turns_in_node = spec.turnaround == "node"

    def _tree(self, entry: Entry) -> dict[str, int]:
        return TREE.unpack(entry.image.get(1, 0))

    def _all(self, entry: Entry) -> set[int]:
        return {p for p in range(self.ports) if self._tree(entry)["children"] >> p & 1}

    def children(self, entry: Entry) -> set[int]:
        return {p for p in self._all(entry) if p < self.links}

    def up(self, entry: Entry) -> set[int]:
        return {self._tree(entry)["parent"]} & set(range(self.links))

    def up_bits(self, entry: Entry) -> set[int]:
        return self.up(entry)

    def counts(self, entry: Entry, port: int, turn: int, held: set[int]) -> bool:
        pending = set(range(self.links)) if entry.queued else held
        return port in self.children(entry) - set(entry.arrived) - pending

    def from_parent(self, entry: Entry, port: int, turn: int) -> bool:
        return port in self.up(entry)

    def hears_waves(self, entry: Entry, port: int, turn: int) -> bool:
        return self.node or super().hears_waves(entry, port, turn)

    def complete(self, entry: Entry, held: set[int]) -> bool:
        quiet = not entry.queued and not held & self.children(entry)
        there = set(entry.arrived) | ({1} if self.node and entry.local else set())
        return quiet and bool(self._all(entry)) and there == self._all(entry)

    def member(self, entry: Entry) -> bool:
        return self.node and 1 in self._all(entry)

    def alone(self, entry: Entry) -> bool:
        return bool(entry.control["root"]) and 0 not in self._all(entry)

    def beyond(self, entry: Entry) -> bool:
        return self.turns_in_node and not self.node and not entry.control["root"]

    def read(self, entry: Entry, word: int) -> int | None:
        arrived = set(entry.arrived) | ({1} if self.node and entry.local else set())
        state = {"arrived": sum(1 << p for p in arrived), "fired": entry.fired}
        return {
            0: CONTROL.pack(entry.control),
            1: entry.image.get(1, 0),
            5: ARRIVED.pack(state) | entry.life << ARRIVED.width,
            6: int(entry.queued),
            7: entry.result,
        }.get(word)

    def kept(self, word: int, data: int) -> int:
        tree = TREE.unpack(data % (1 << TREE.width))
        parent = tree["parent"] % (1 << (self.ports - 1).bit_length())
        return TREE.pack({"parent": parent, "children": tree["children"] % (1 << self.ports)})


class MeshEntries(EntryKind):
    """Of the router at (x, y)."""

    image, command, links, process, sink = (1, 2, 3, 4, 5), 6, 4, True, True
    turns = True

    def __init__(self, spec: MeshSpec, x: int, y: int) -> None:
        self.spec, self.x, self.y = spec, x, y
        self.bits = spec.layout.x_bits, spec.layout.y_bits

    def children(self, entry: Entry) -> set[int]:
        places = [NODE_WORD.unpack(entry.image.get(2 + p, 0)) for p in range(4)]
        return {p for p, place in enumerate(places) if place["present"]}

    def up(self, entry: Entry) -> set[int]:
        place = NODE_WORD.unpack(entry.image.get(1, 0))
        away = place["x"] - self.x, place["y"] - self.y
        ways = [p for p in (Port.EAST, Port.WEST) if STEP[p][0] * away[0] > 0]
        others = [p for p in (Port.NORTH, Port.SOUTH) if STEP[p][1] * away[1] > 0]
        order = others + ways if entry.control["turn"] else ways + others
        return set(map(int, order[:1]))

    def up_bits(self, entry: Entry) -> set[int]:
        return {4}

    def counts(self, entry: Entry, port: int, turn: int, held: set[int]) -> bool:
        if entry.fired:
            return False
        return port in self.children(entry) - set(entry.arrived) and turn == 1 - port % 2

    def from_parent(self, entry: Entry, port: int, turn: int) -> bool:
        return turn != entry.control["turn"] and port in self.up(entry)

    def complete(self, entry: Entry, held: set[int]) -> bool:
        own = entry.local if self.member(entry) else bool(self.children(entry))
        return own and len(entry.arrived) == len(self.children(entry))

    def member(self, entry: Entry) -> bool:
        return not PARENT_WORD.unpack(entry.image.get(1, 0))["relay"]

    def read(self, entry: Entry, word: int) -> int | None:
        arrived = sum(1 << p for p in entry.arrived)
        state = {"arrived": arrived, "local": entry.local, "fired": entry.fired}
        status = STATUS.pack({**state, "pending": entry.queued << 4})
        return {
            0: CONTROL.pack(entry.control),
            **{n: entry.image.get(n, 0) for n in self.image},
            6: status | entry.life << STATUS.width,
            7: entry.result,
        }[word]

    def kept(self, word: int, data: int) -> int:
        place = PARENT_WORD.unpack(data % (1 << PARENT_WORD.width))
        return PARENT_WORD.pack(
            {
                "x": place["x"] % (1 << self.bits[0]),
                "y": place["y"] % (1 << self.bits[1]),
                "present": place["present"] if word > 1 else 0,
                "relay": place["relay"] if word == 1 else 0,
            }
        )
