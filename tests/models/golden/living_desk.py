"""One spill engine by itself where managers set groups up: an operation at a time, by hand."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from typing import Any

from syncfabric.models.golden.living_spill import LivingSpill
from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.spill_parts import Arrival, Request
from syncfabric.models.messages import (
    ARRIVED,
    COMMAND_WORD,
    CONTROL,
    LIFE,
    NODE_WORD,
    STATUS,
    Command,
    Kind,
    RegisterWord,
    SwitchWord,
    spill_address,
)
from syncfabric.models.networks.spec import MeshSpec, RegisterSpec
from tests.models.golden.irregular_bench import line
from tests.models.golden.set_up_bench import tree_word

__all__ = ["GID", "Desk", "MeshDesk", "NodeDesk", "SwitchDesk"]

GID = 9
EPOCH = 2


class Desk(ABC):
    """The engine of a place, with an entry for group 9."""

    command: int
    status: RegisterWord | SwitchWord
    status_bits: int
    up: int
    children: tuple[int, ...]

    def __init__(self, network: RegisterSpec, target: int) -> None:
        self.model = model_of(network)
        self.unit: Any = self.model._places[target].unit
        spill = self.model._places[target].spill
        assert isinstance(spill, LivingSpill)
        self.spill: LivingSpill[Any] = spill
        self.now = 0
        self.write_image(root=False)

    @abstractmethod
    def image(self) -> dict[int, int]:
        """Return the words of the entry's tree."""

    def write_image(self, *, root: bool, gid: int = GID) -> None:
        """Begin a life."""
        assert self.write(0, 0, gid)
        for word, data in self.image().items():
            assert self.write(word, data, gid)
        control = {"valid": 1, "root": root, "gid": gid, "epoch": EPOCH, "manager": 1}
        assert self.write(0, CONTROL.pack(control), gid)

    def do(self, operation: Callable[[int | None], None]) -> None:
        """Merge an operation with what the send register holds now."""
        self.spill.operation = lambda started, sending: operation(sending)
        self.spill.due = self.now
        self.spill.finish(self.now, False, self.spill.sends())
        self.now += 1

    def give(self, kind: Kind, port: int, turn: int = 0, data: int = 0) -> bool:
        """Give it a message; return whether that is used."""
        message = Message(0, kind, GID, EPOCH, 0, turn, data, 0, 0)
        before = self.counted()
        self.do(lambda sending: self.spill._message(port, message, sending))
        return self.counted() == before

    @abstractmethod
    def counted(self) -> int:
        """Return how many events have been counted so far."""

    @abstractmethod
    def from_parent(self, kind: Kind, data: int = 0) -> bool:
        """Give it a message as the parent sends it; return whether that is used."""

    @abstractmethod
    def from_child(self, child: int, kind: Kind = Kind.REDUCE, data: int = 0) -> bool:
        """Give it a message as a child sends it; return whether that is used."""

    def arrive(self, data: int = 0, *, last: bool = False, gid: int = GID) -> bool:
        """Let the process arrive; return whether that is accepted."""
        before = self.counted()
        self.do(lambda sending: self.spill._arrive(Arrival(gid, data, last), False, sending))
        return self.counted() == before

    def request(self, word: int, data: int | None = None, gid: int = GID) -> tuple[bool, int]:
        address = spill_address(gid, RegisterWord.CONTROL) + word
        found: list[tuple[bool, int]] = []
        asked = Request(address, data is not None, data or 0)
        self.do(lambda sending: found.append(self.spill._obey(asked, sending)))
        return found[0]

    def write(self, word: int, data: int, gid: int = GID) -> bool:
        """Write a word; return whether that is allowed."""
        return not self.request(word, data, gid)[0]

    def order(self, command: Command) -> bool:
        """Write the command word; return whether that is allowed."""
        return self.write(self.command, command)

    def life(self) -> set[str]:
        """Read the bits of its life that are set, and whether it is valid."""
        _, status = self.request(self.status)
        _, control = self.request(0)
        found = {name for name, bit in LIFE.unpack(status >> self.status_bits).items() if bit}
        return found | ({"valid"} if CONTROL.unpack(control)["valid"] else set())

    def told(self) -> list[tuple[Kind, int]]:
        """Return what the process has been told since this was asked last."""
        found = [(Kind(told[3]), told[2]) for told in self.spill.released]
        self.spill.released.clear()
        return found

    def fetch(self) -> dict[int, Kind]:
        """Load the send register from the queue; return what it holds by place."""
        assert self.spill.sends() is None
        gid = self.spill.queue.popleft()
        self.do(lambda sending: self.spill._fetch(gid))
        return self.holds()

    def holds(self) -> dict[int, Kind]:
        """Return the messages that the send register holds, by place."""
        letters = enumerate(self.spill.send.letters)
        kinds = {place: Kind(letter.kind) for place, letter in letters if letter}
        return {place: kinds[place] for place in self.spill.send.pending}

    def leave(self, places: Collection[int]) -> None:
        """Let messages of the send register have left."""
        self.spill.send.pending.difference_update(places)

    def open(self) -> None:
        """Let GO come and go on."""
        assert self.from_parent(Kind.GO)
        self.send()
        self.told()

    def send(self) -> dict[int, Kind]:
        """Fetch and send everything; return what was sent last."""
        sent: dict[int, Kind] = {}
        while self.spill.queue:
            sent = self.fetch()
            self.leave(sent)
        return sent

    def arrive_all(self, *, last: bool = False) -> None:
        """Let everybody arrive at this place."""
        for child in range(len(self.children)):
            assert self.from_child(child, Kind.GO if last else Kind.REDUCE)
        if self.spill.local is not None:
            assert self.arrive(last=last)


class MeshDesk(Desk):
    """The middle of a mesh: parent to the west, children to the east and north."""

    command, status, status_bits = RegisterWord.STATUS, RegisterWord.STATUS, STATUS.width
    up, children = 4, (0, 1)

    def __init__(self) -> None:
        keys = {"width": 3, "height": 3, "setup": "manager", "spill": True, "data_bits": 8}
        super().__init__(MeshSpec.model_validate({"kind": "mesh", "flit_bits": 40, **keys}), 4)

    def image(self) -> dict[int, int]:
        places = {
            RegisterWord.PARENT: (0, 1),
            RegisterWord.EAST: (2, 1),
            RegisterWord.NORTH: (1, 2),
        }
        return {
            word: NODE_WORD.pack({"x": x, "y": y, "present": 1}) for word, (x, y) in places.items()
        }

    def counted(self) -> int:
        return sum(self.unit.counters)

    def from_parent(self, kind: Kind, data: int = 0) -> bool:
        return self.give(kind, 2, 1, data)

    def from_child(self, child: int, kind: Kind = Kind.REDUCE, data: int = 0) -> bool:
        return self.give(kind, child, 1 - child, data)


class TreeDesk(Desk):
    """A place of an irregular network."""

    command, status, status_bits = COMMAND_WORD, SwitchWord.ARRIVED, ARRIVED.width
    up = 16

    def counted(self) -> int:
        return len(self.model._events)  # type: ignore[attr-defined]

    def from_parent(self, kind: Kind, data: int = 0) -> bool:
        return self.give(kind, 0, 0, data)

    def from_child(self, child: int, kind: Kind = Kind.REDUCE, data: int = 0) -> bool:
        return self.give(kind, self.children[child], 0, data)


class SwitchDesk(TreeDesk):
    """A switch with its parent at port 0, and children at ports 2 and 3."""

    children = (2, 3)

    def __init__(self, turnaround: str = "switch") -> None:
        network = line(1, spill=True, setup="manager", turnaround=turnaround)
        super().__init__(network, 2)

    def image(self) -> dict[int, int]:
        return {SwitchWord.TREE: tree_word(0, self.children)}


class NodeDesk(TreeDesk):
    """A node interface; its only child is the process."""

    children = ()

    def __init__(self, below: Collection[int] = (1,)) -> None:
        self.below = below
        super().__init__(line(1, spill=True, setup="manager"), 0)

    def image(self) -> dict[int, int]:
        return {SwitchWord.TREE: tree_word(0, self.below)}
