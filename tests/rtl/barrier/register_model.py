"""One barrier register as sections 4.1 to 4.5 of the contract tell it, with sets and names."""

from dataclasses import dataclass, field
from typing import NamedTuple

from syncfabric.models.messages import (
    CONTROL,
    NODE_WORD,
    PARENT_WORD,
    STATUS,
    Kind,
    Op,
    RegisterWord,
)
from syncfabric.models.networks.mesh import Mesh, Node, Port, Turn
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["PARENT", "Inputs", "Message", "RegisterModel", "combined"]

PARENT = 4


class Message(NamedTuple):
    """What a bench presents at a port; ``turn`` is its class."""

    kind: Kind
    gid: int
    epoch: int
    turn: Turn
    data: int


@dataclass
class Inputs:
    """All that reaches a register in a cycle. ``chosen`` is a port, ``"local"`` or nothing."""

    messages: dict[int, Message] = field(default_factory=dict)
    chosen: int | str | None = None
    arrive: bool = False
    data: int = 0
    started: bool = True
    write: tuple[RegisterWord, int] | None = None
    sent: frozenset[int] = frozenset()


def combined(op: int, a: int, b: int, bits: int) -> int:
    """Return two words combined by an operation, modulo 2^bits."""
    return {
        Op.OR: a | b,
        Op.AND: a & b,
        Op.XOR: a ^ b,
        Op.MAX: max(a, b),
        Op.MIN: min(a, b),
        Op.SUM: (a + b) % (1 << bits),
    }[Op(op)]


class RegisterModel:
    """State of a register, judged at the start of a cycle and changed at its end.

    Parameters
    ----------
    spec : MeshSpec
        Its options.
    here : Node
        Where it is.
    """

    def __init__(self, spec: MeshSpec, here: Node) -> None:
        self.spec, self.here, self.mesh = spec, here, Mesh(spec.width, spec.height)
        self.serial = spec.operations == "all"
        self.image = dict.fromkeys(RegisterWord, 0)
        self.arrived: set[int] = set()
        self.local = self.waiting = self.fired = self.done = self.released = False
        self.pending: set[int] = set()
        self.kept = self.acc = self.result = 0

    # The image.

    def control(self, name: str) -> int:
        """Return a field of the control word."""
        return CONTROL.unpack(self.image[RegisterWord.CONTROL])[name]

    def place(self, word: RegisterWord) -> Node:
        """Return a node of the image, as far as the mesh's coordinates reach."""
        fields, layout = NODE_WORD.unpack(self.image[word]), self.spec.layout
        return fields["x"] % (1 << layout.x_bits), fields["y"] % (1 << layout.y_bits)

    @property
    def children(self) -> set[int]:
        words = [self.image[RegisterWord(RegisterWord.EAST + p)] for p in range(4)]
        return {p for p in range(4) if NODE_WORD.unpack(words[p])["present"]}

    @property
    def relay(self) -> bool:
        return bool(PARENT_WORD.unpack(self.image[RegisterWord.PARENT])["relay"])

    @property
    def up_port(self) -> Port:
        return self.port_up(Turn(self.control("turn")))

    def port_up(self, turn: Turn) -> Port:
        """Return the first port of the way to the parent."""
        return self.mesh.first_port(self.here, self.place(RegisterWord.PARENT), turn)

    @property
    def identity(self) -> int:
        return Op(self.control("op")).identity(self.spec.data_bits)

    @property
    def busy(self) -> bool:
        begun = self.arrived or self.pending
        return bool(begun or self.local or self.waiting or self.fired)

    def refuses(self, word: RegisterWord) -> bool:
        """Return whether a write of a word is refused."""
        return self.busy if word == RegisterWord.CONTROL else bool(self.control("valid"))

    @property
    def status(self) -> int:
        arrived = sum(1 << p for p in self.arrived)
        fields = {"arrived": arrived, "local": self.local, "waiting": self.waiting}
        pending = sum(1 << p for p in self.pending)
        return STATUS.pack({**fields, "fired": self.fired, "pending": pending})

    # What happens in a cycle.

    def _live(self, inputs: Inputs) -> bool:
        written = inputs.write is not None and inputs.write[0] == RegisterWord.CONTROL
        return bool(self.control("valid")) and not (written and not self.busy)

    def matches(self, inputs: Inputs) -> set[int]:
        """Return the ports whose message is for this register."""
        live, gid = self._live(inputs), self.control("gid")
        return {port for port, message in inputs.messages.items() if live and message.gid == gid}

    def reduces(self, inputs: Inputs) -> set[int]:
        """Return the ports with a REDUCE that would be used, were it combined."""
        found = set()
        for port in sorted(self.matches(inputs)):
            message = inputs.messages[port]
            if message.epoch != self.control("epoch") or message.kind != Kind.REDUCE or self.fired:
                continue
            along_x = port in (Port.EAST, Port.WEST)
            came_right = message.turn == (Turn.Y_FIRST if along_x else Turn.X_FIRST)
            if port in self.children - self.arrived and came_right:
                found.add(port)
        return found

    def distribute(self, inputs: Inputs) -> int | None:
        """Return the port of the DISTRIBUTE that is used."""
        if not self.fired or self.control("root") or PARENT in self.pending:
            return None
        for port in sorted(self.matches(inputs)):
            message, turn = inputs.messages[port], self.control("turn")
            if message.epoch != self.control("epoch") or message.kind != Kind.DISTRIBUTE:
                continue
            if message.turn != turn and port == self.up_port:
                return port
        return None

    def accepts(self, inputs: Inputs) -> bool:
        """Return whether an arrive is accepted."""
        ready = self._live(inputs) and inputs.started and not self.relay
        return ready and not self.local and not self.waiting

    def used(self, inputs: Inputs) -> set[int]:
        """Return the ports whose message is used."""
        reduces, down = self.reduces(inputs), self.distribute(inputs)
        if self.serial:
            reduces = {port for port in reduces if port == inputs.chosen}
        return reduces | (set() if down is None else {down})

    def _merge(self, word: int) -> None:
        self.acc = combined(self.control("op"), self.acc, word, self.spec.data_bits)

    def _finish(self, result: int) -> None:
        self.result, self.acc = result, self.identity
        self.arrived = set()
        self.local = self.fired = False
        self.released = self.done = not self.relay
        self.pending |= self.children

    def outcome(self, inputs: Inputs) -> "RegisterModel":
        """Return the register after the messages of a cycle, with nothing sent or written yet."""
        after = RegisterModel(self.spec, self.here)
        after.__dict__.update(self.__dict__)
        after.arrived, after.pending, after.image = (
            set(self.arrived), set(self.pending), dict(self.image),
        )  # fmt: skip
        after.released = False
        down = self.distribute(inputs)
        for port in self.used(inputs) - {down}:
            after.arrived.add(port)
            after._merge(inputs.messages[port].data)
        if inputs.chosen == "local":
            after._merge(self.kept)
            after.waiting, after.local = False, True
        if down is not None:
            after._finish(inputs.messages[down].data)
        elif self._live(inputs) and not self.fired and after.all_in:
            if self.control("root"):
                after._finish(after.acc)
            else:
                after.fired = True
                after.pending.add(PARENT)
        return after

    @property
    def complete(self) -> bool:
        """Whether all children are in."""
        return self.arrived >= self.children

    @property
    def all_in(self) -> bool:
        """Whether nobody is awaited; a relay awaits somebody's child at least."""
        own = bool(self.children) if self.relay else self.local
        return own and self.complete

    def sendable(self, inputs: Inputs) -> tuple[set[int], int]:
        """Return the messages that the sender sees in a cycle, and their data."""
        state = self if self.spec.barrier_pipeline else self.outcome(inputs)
        return set(state.pending), state.acc if PARENT in state.pending else state.result

    def step(self, inputs: Inputs) -> None:
        """End the cycle."""
        after = self.outcome(inputs)
        if inputs.arrive and self.accepts(inputs):
            after.done = False
            if self.serial:
                after.waiting, after.kept = True, inputs.data
            else:
                after.local = True
                after._merge(inputs.data)
        after.pending -= inputs.sent
        if inputs.write is not None and not self.refuses(inputs.write[0]):
            word, contents = inputs.write
            layouts = {RegisterWord.CONTROL: CONTROL, RegisterWord.PARENT: PARENT_WORD}
            layout = layouts.get(word, NODE_WORD)
            after.image[word] = contents % (1 << layout.width)
            if word == RegisterWord.CONTROL:
                after.acc, after.done = after.identity, False
        self.__dict__.update(after.__dict__)
