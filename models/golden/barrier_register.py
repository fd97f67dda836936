"""One process group at one node: the image that set-up writes, and what has happened so far."""

from __future__ import annotations

from syncfabric.models.golden.outbox import Letter
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.wiring import HERE
from syncfabric.models.messages import (
    CONTROL,
    NODE_WORD,
    PARENT_WORD,
    STATUS,
    Kind,
    RegisterWord,
)

__all__ = ["PARENT", "BarrierRegister", "class_down"]

PARENT = 4
"""Number of the message to the parent among the pending ones; 0 to 3 are the children."""

REDUCE, DISTRIBUTE = int(Kind.REDUCE), int(Kind.DISTRIBUTE)
ARRIVED, LOCAL, WAITING, FIRED, PENDING = (
    STATUS.offsets[name] for name in ("arrived", "local", "waiting", "fired", "pending")
)


def class_down(child: int) -> int:
    """Return the class of a message to a child: X first to +X and -X, Y first to +Y and -Y."""
    return child % 2


class BarrierRegister:
    """A barrier register (section 4).

    ``arrived`` holds the children whose REDUCE is in, by port.

    Parameters
    ----------
    rules : Rules
        What the network prescribes.
    node : int
        Index of the node where it is.
    """

    __slots__ = (
        "acc",
        "arrived",
        "broken",
        "children",
        "done",
        "epoch",
        "fired",
        "gid",
        "kept",
        "letters",
        "local",
        "node",
        "old",
        "op",
        "pending",
        "relay",
        "result",
        "root",
        "rules",
        "tripped",
        "turn",
        "valid",
        "waiting",
        "words",
    )

    def __init__(self, rules: Rules, node: int) -> None:
        self.rules = rules
        self.node = node
        self.words = [0] * (RegisterWord.SOUTH + 1)
        self.arrived: set[int] = set()
        self.pending: set[int] = set()
        self.local = self.waiting = self.fired = self.done = False
        self.tripped = self.old = self.broken = False
        self.acc = self.result = self.kept = 0
        self.letters: list[Letter | None] = [None] * 5
        self._read_image()

    def write(self, word: int, data: int) -> None:
        """Change a word of the image; a new control word clears ``acc`` and ``done``."""
        self.words[word] = data & self.rules.kept_bits[word]
        self._read_image()
        if word == RegisterWord.CONTROL:
            self.acc = self.rules.identity(self.op)
            self.done = self.broken = False
            if self.tripped:
                self.reset_episode()

    def reset_episode(self) -> None:
        """Forget who has arrived."""
        self.arrived.clear()
        self.local = self.waiting = self.fired = self.tripped = False

    def _read_image(self) -> None:
        control = CONTROL.unpack(self.words[RegisterWord.CONTROL])
        self.valid, self.root = bool(control["valid"]), bool(control["root"])
        self.turn, self.op = control["turn"], control["op"]
        self.epoch, self.gid = control["epoch"], control["gid"]
        self.relay = bool(PARENT_WORD.unpack(self.words[RegisterWord.PARENT])["relay"])
        nodes = [NODE_WORD.unpack(word) for word in self.words[RegisterWord.PARENT :]]
        self.children = frozenset(child for child in range(4) if nodes[1 + child]["present"])
        for child in range(4):
            place = nodes[1 + child]
            self.letters[child] = self._letter(
                child, class_down(child), DISTRIBUTE, place["x"], place["y"]
            )
        code = self.rules.wiring.code(nodes[0]["x"], nodes[0]["y"])
        port = self.rules.wiring.routes(self.node, self.turn)[code]
        self.letters[PARENT] = None
        if port != HERE:
            self.letters[PARENT] = self._letter(
                port, self.turn, REDUCE, nodes[0]["x"], nodes[0]["y"]
            )

    def _letter(self, port: int, turn: int, kind: int, x: int, y: int) -> Letter:
        wiring = self.rules.wiring
        code = wiring.code(x, y)
        fields = {
            "kind": kind,
            "gid": self.gid,
            "epoch": self.epoch,
            "x": code & (1 << wiring.x_bits) - 1,
            "y": code >> wiring.x_bits,
            "turn": turn,
        }
        raw = self.rules.layout.sync.pack(fields)
        return Letter(
            port, wiring.lane(self.node, port, wiring.link_channels + turn), raw, kind, code, turn
        )

    def is_busy(self) -> bool:
        """Return whether an episode is under way, so that the image must stay as it is."""
        begun = self.local or self.waiting or self.fired
        return begun or bool(self.arrived) or bool(self.pending)

    @property
    def waits(self) -> bool:
        """Whether the node's own process waits for the end of an episode."""
        return (self.local or self.waiting) and self.valid and not self.tripped

    def trip(self) -> None:
        """Give up waiting."""
        self.tripped = self.broken = self.done = True
        self.pending.clear()

    def uses(self, message: Message, port: int, parent_pending: bool) -> bool:
        """Return whether a message for this group is used; else it is a stray (section 4.2).

        What other messages of the cycle do is left to the unit.

        Parameters
        ----------
        message : Message
            A message with this register's GID.
        port : int
            The input it came by.
        parent_pending : bool
            Whether the message to the parent has not left yet.
        """
        if message.epoch != self.epoch or self.tripped:
            return False
        if message.kind == REDUCE:
            if self.fired:
                return False
            expected = port in self.children and port not in self.arrived
            return expected and message.turn == 1 - class_down(port)
        if message.kind != DISTRIBUTE or not self.fired or parent_pending:
            return False
        return self.hears(message, port)

    def hears(self, message: Message, port: int) -> bool:
        """Return whether a message comes as those of the parent do."""
        if self.root:
            return False
        up = self.letters[PARENT]
        return message.turn != self.turn and up is not None and up.port == port

    def count_in(self, port: int, data: int) -> None:
        """Take a used REDUCE."""
        self.arrived.add(port)
        self.merge(data)

    def merge(self, data: int) -> None:
        """Combine a word into ``acc``."""
        self.acc = self.rules.combine(self.op, self.acc, data)

    def admits(self) -> bool:
        """Return whether the node's own process may arrive, if the group can be used."""
        return not self.local and not self.waiting

    def enter(self, data: int) -> None:
        """Take the arrival of the node's own process."""
        self.local = True
        self.merge(data)

    def is_complete(self) -> bool:
        """Return whether all children are in."""
        return len(self.arrived) == len(self.children)

    def may_fire(self) -> bool:
        """Return whether all are in, and nobody has been told."""
        awaits_own = not self.relay and not self.local
        nobody = self.relay and not self.children
        return self.is_complete() and not (awaits_own or nobody or self.fired or self.tripped)

    def finish(self, result: int) -> frozenset[int]:
        """End the episode: at the root when it fires, elsewhere on a used DISTRIBUTE.

        Returns
        -------
        frozenset of int
            The children that have to be told.
        """
        self.result = result
        self.arrived.clear()
        self.local = self.fired = False
        self.acc = self.rules.identity(self.op)
        self.done = not self.relay
        return self.below

    @property
    def below(self) -> frozenset[int]:
        """The children that are told by a message."""
        return self.children

    def read(self, word: int) -> int | None:
        """Return a word on the config port: of the image, status or result; None if none may."""
        if word == RegisterWord.STATUS:
            return self.status()
        if word == RegisterWord.RESULT:
            return self.result
        return self.words[word]

    def refuses(self, word: int, busy: bool) -> bool:
        """Return whether a write would meet an episode, a valid image, or a word only to read."""
        if word == RegisterWord.CONTROL:
            return busy
        return word > RegisterWord.SOUTH or self.valid

    @property
    def status_bits(self) -> int:
        """Width of ``status``."""
        return STATUS.width + self.rules.watched

    def data_for(self, place: int) -> int:
        """Return the data of the message to a child, or to the parent."""
        return self.acc if place == PARENT else self.result

    def status(self) -> int:
        """Return the status word."""
        return self.state() | self.tripped << STATUS.width

    def state(self) -> int:
        """Return an episode's bits."""
        word = 0
        for child in self.arrived:
            word |= 1 << ARRIVED + child
        for place in self.pending:
            word |= 1 << PENDING + place
        return word | self.local << LOCAL | self.waiting << WAITING | self.fired << FIRED
