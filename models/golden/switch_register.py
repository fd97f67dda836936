"""One process group at one switch or node interface: its image, and what has happened so far."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.golden.combiner import Combiner
from syncfabric.models.golden.outbox import Letter
from syncfabric.models.golden.record import Message
from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    MOST_PORTS,
    PENDING,
    TREE,
    IrregularLayout,
    Kind,
    SwitchWord,
)
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["PROCESS", "UP", "SwitchRegister", "TreeRules"]

UP = MOST_PORTS
"""Number of the message to the parent among the pending ones; below are the children's ports."""

PROCESS = 1
"""Port of a node interface at which its process is: no message leaves by it."""

REDUCE, DISTRIBUTE = int(Kind.REDUCE), int(Kind.DISTRIBUTE)


class TreeRules(Combiner):
    """What is the same for every register of one switch or node interface.

    Parameters
    ----------
    network : IrregularSpec
        Data, operations and layouts.
    exits : sequence of (int or None)
        By port, the lane of synchronization that leaves by it; None for a node's process.

    Attributes
    ----------
    kept_bits : dict of word to int
        The bits of an image that a register keeps: ports that it has, and no ``turn``.
    watched : bool
        Whether registers have a watchdog: those of nodes.
    """

    __slots__ = ("exits", "kept_bits", "layout", "ports", "process", "watched")

    def __init__(self, network: IrregularSpec, exits: Sequence[int | None]) -> None:
        super().__init__(network)
        self.layout: IrregularLayout = network.layout
        self.exits, self.ports = exits, len(exits)
        self.process = frozenset(port for port, lane in enumerate(exits) if lane is None)
        self.watched = network.watched and bool(self.process)
        turn = 1 << CONTROL.offsets["turn"]
        parent, children = (1 << (self.ports - 1).bit_length()) - 1, (1 << self.ports) - 1
        self.kept_bits = {
            SwitchWord.CONTROL: (1 << CONTROL.width) - 1 & ~turn,
            SwitchWord.TREE: TREE.pack({"parent": parent, "children": children}),
        }


class SwitchRegister:
    """A barrier register (docs/microarchitecture.md, I4).

    Parameters
    ----------
    rules : TreeRules
        What the place prescribes.
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
        "letters",
        "old",
        "op",
        "parent",
        "pending",
        "result",
        "root",
        "rules",
        "tripped",
        "valid",
        "words",
    )

    def __init__(self, rules: TreeRules) -> None:
        self.rules = rules
        self.words: dict[int, int] = {SwitchWord.CONTROL: 0, SwitchWord.TREE: 0}
        self.arrived: set[int] = set()
        self.pending: set[int] = set()
        self.fired = self.done = False
        self.tripped = self.old = self.broken = False
        self.acc = self.result = 0
        self.letters: list[Letter | None] = [None] * (MOST_PORTS + 1)
        self._read_image()

    def read(self, word: int) -> int | None:
        """Return a word on the config port; None if it does not exist."""
        if word == SwitchWord.ARRIVED:
            seen = ARRIVED.pack({"arrived": _bits(self.arrived), "fired": self.fired})
            return seen | self.above << ARRIVED.width
        if word == SwitchWord.PENDING:
            to_children = _bits(self.pending - {UP})
            return PENDING.pack({"children": to_children, "parent": UP in self.pending})
        return self.result if word == SwitchWord.RESULT else self.words.get(word)

    def refuses(self, word: int, busy: bool) -> bool:
        """Return whether a write would meet an episode, a valid image, or a word only to read."""
        if word == SwitchWord.CONTROL:
            return busy
        return word != SwitchWord.TREE or self.valid

    def write(self, word: int, data: int) -> None:
        """Change a word of the image; a new control word clears ``acc`` and ``done``."""
        self.words[word] = data & self.rules.kept_bits[SwitchWord(word)]
        self._read_image()
        if word == SwitchWord.CONTROL:
            self.acc = self.rules.identity(self.op)
            self.done = self.broken = False
            if self.tripped:
                self.reset_episode()

    def reset_episode(self) -> None:
        """Forget who has arrived."""
        self.arrived.clear()
        self.fired = self.tripped = False

    def _read_image(self) -> None:
        control = CONTROL.unpack(self.words[SwitchWord.CONTROL])
        tree = TREE.unpack(self.words[SwitchWord.TREE])
        self.valid, self.root = bool(control["valid"]), bool(control["root"])
        self.op, self.epoch, self.gid = control["op"], control["epoch"], control["gid"]
        self.parent = tree["parent"]
        ports = range(self.rules.ports)
        self.children = frozenset(port for port in ports if tree["children"] >> port & 1)
        for child in ports:
            self.letters[child] = self._letter(child, DISTRIBUTE)
        self.letters[UP] = self._letter(self.parent, REDUCE)

    def _letter(self, port: int, kind: int) -> Letter | None:
        """Return a message by an output; None if there is no such output."""
        lane = self.rules.exits[port] if port < self.rules.ports else None
        if lane is None:
            return None
        fields = {"kind": kind, "gid": self.gid, "epoch": self.epoch}
        return Letter(port, lane, self.rules.layout.sync.pack(fields), kind, 0, 0)

    def is_busy(self) -> bool:
        """Return whether an episode is under way, so that the image must stay as it is."""
        return self.fired or bool(self.arrived) or bool(self.pending)

    @property
    def waits(self) -> bool:
        """Whether the node's own process waits for the end of an episode."""
        arrived = PROCESS in self.arrived or (self.fired and PROCESS in self.children)
        return arrived and self.valid and not self.tripped

    def trip(self) -> None:
        """Give up waiting."""
        self.tripped = self.broken = self.done = True
        self.pending.clear()

    def uses(self, message: Message, port: int, pending: bool, up: bool) -> bool:
        """Return whether a message for this group is used; else it is a stray.

        Parameters
        ----------
        message : Message
            A message with this register's GID and epoch.
        port : int
            The input it came by.
        pending : bool
            Whether a message to that port's child has not left yet.
        up : bool
            Whether the message to the parent has not left yet.
        """
        if self.tripped:
            return False
        if message.kind == REDUCE:
            return port in self.children and port not in self.arrived and not pending
        if message.kind != DISTRIBUTE or self.root or port != self.parent:
            return False
        return self.fired and not up

    def admits(self) -> bool:
        """Return whether the node's own process may arrive (section I5)."""
        return PROCESS in self.children and PROCESS not in self.arrived and not self.fired

    def enter(self, data: int) -> None:
        """Take the arrival of the node's own process."""
        self.count_in(PROCESS, data)

    def count_in(self, port: int, data: int) -> None:
        """Take a used REDUCE."""
        self.arrived.add(port)
        self.acc = self.rules.combine(self.op, self.acc, data)

    def may_fire(self) -> bool:
        """Return whether all are in and nobody has been told, if nothing is pending."""
        complete = bool(self.children) and self.children <= self.arrived
        return complete and not (self.fired or self.tripped)

    def finish(self, result: int) -> frozenset[int]:
        """End the episode: at the root when it fires, elsewhere on a used DISTRIBUTE.

        Returns
        -------
        frozenset of int
            The children that have to be told by a message; a node's process is not.
        """
        self.result = result
        self.arrived.clear()
        self.fired = False
        self.acc = self.rules.identity(self.op)
        return self.below

    @property
    def below(self) -> frozenset[int]:
        """The children that are told by a message."""
        return self.children - self.rules.process

    @property
    def status_bits(self) -> int:
        """Width of ``status``."""
        return 2 * self.rules.ports + 2 + self.rules.watched

    def data_for(self, place: int) -> int:
        """Return the data of the message to a child, or to the parent."""
        return self.acc if place == UP else self.result

    def status(self) -> int:
        """Return its state as in ``observe``: ``arrived``, ``fired``, ``pending``, ``up``."""
        ports = self.rules.ports
        word = _bits(self.arrived) | self.fired << ports | self.above << 2 * ports + 2
        return (
            word | _bits(self.pending - {UP}) << ports + 1 | (UP in self.pending) << 2 * ports + 1
        )

    @property
    def above(self) -> int:
        """What stands above an episode's bits."""
        return int(self.tripped)


def _bits(ports: set[int]) -> int:
    return sum(1 << port for port in ports)
