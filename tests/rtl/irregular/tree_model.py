"""One barrier register of an irregular network as I4 and I5 tell it, with sets of ports."""

from dataclasses import dataclass, field

from syncfabric.models.messages import ARRIVED, CONTROL, PENDING, TREE, Kind, Op, SwitchWord
from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.sync_model import Message

__all__ = ["Inputs", "TreeModel"]


def _combined(op: int, a: int, b: int, bits: int) -> int:
    full = (1 << bits) - 1
    return (a | b, a & b, a ^ b, max(a, b), min(a, b), a + b)[op] & full


def _word(bits: set[int]) -> int:
    return sum(1 << bit for bit in bits)


@dataclass
class Inputs:
    """All that reaches a register in a cycle: messages that match it, by port, and the rest.

    ``chosen`` is the port whose REDUCE the serial combiner takes, ``arrive`` the process's data.
    """

    messages: dict[int, Message] = field(default_factory=dict)
    chosen: int | None = None
    arrive: int | None = None
    started: bool = True
    write: tuple[int, int] | None = None
    sent: set[int] = field(default_factory=set)


class TreeModel:
    """State of a register, judged at the start of a cycle and changed at its end.

    Parameters
    ----------
    spec : IrregularSpec
    node : bool
        A node interface's; its port 1 is the process.
    """

    def __init__(self, spec: IrregularSpec, *, node: bool) -> None:
        self.spec, self.node = spec, node
        self.ports = 2 if node else spec.ports
        self.links = {0} if node else set(range(spec.ports))
        self.serial = spec.operations == "all" and not node
        self.control = CONTROL.unpack(0)
        self.parent, self.children = 0, set[int]()
        self.arrived, self.pending = set[int](), set[int]()
        self.fired = self.up = self.released = self.done = self.rewritten = False
        self.acc = self.result = 0

    @property
    def valid(self) -> bool:
        return bool(self.control["valid"])

    @property
    def name(self) -> tuple[int, int] | None:
        """What matches it: GID and epoch, if it is valid."""
        return (self.control["gid"], self.control["epoch"]) if self.valid else None

    @property
    def identity(self) -> int:
        full = (1 << self.spec.data_bits) - 1
        return full if self.control["op"] in (Op.AND, Op.MIN) else 0

    @property
    def busy(self) -> bool:
        return bool(self.arrived or self.pending or self.fired or self.up)

    @property
    def to_send(self) -> set[int]:
        """The ports by which something is to be sent."""
        return self.pending | ({self.parent} if self.up else set())

    @property
    def letter(self) -> Message:
        """The message that it sends, if it has one."""
        kind, data = (Kind.REDUCE, self.acc) if self.up else (Kind.DISTRIBUTE, self.result)
        return Message(kind, self.control["gid"], self.control["epoch"], data)

    def reduces(self, messages: dict[int, Message]) -> set[int]:
        """Return the ports with a REDUCE that would be used, were it combined."""
        waits = set() if self.rewritten else self.children - self.arrived - self.pending
        return {p for p, message in messages.items() if message.kind == Kind.REDUCE and p in waits}

    def distribute(self, messages: dict[int, Message]) -> int | None:
        """Return the port of the DISTRIBUTE that is used."""
        message = messages.get(self.parent)
        awaits = self.fired and not self.up and not self.control["root"] and not self.rewritten
        down = awaits and message is not None and message.kind == Kind.DISTRIBUTE
        return self.parent if down else None

    def used(self, inputs: Inputs) -> set[int]:
        """Return the ports whose message is used."""
        reduces, down = self.reduces(inputs.messages), self.distribute(inputs.messages)
        if self.serial:
            reduces &= {inputs.chosen}
        return reduces if down is None else reduces | {down}

    def accepts(self, inputs: Inputs) -> bool:
        """Return whether the process's arrive counts."""
        free = 1 in self.children - self.arrived and not self.fired
        return inputs.arrive is not None and self.valid and inputs.started and free

    def refuses(self, inputs: Inputs) -> bool:
        """Return whether the write is refused."""
        if inputs.write is None:
            return False
        if inputs.write[0] == SwitchWord.CONTROL:
            return self.busy or bool(inputs.messages) or (self.node and inputs.arrive is not None)
        return self.valid or inputs.write[0] != SwitchWord.TREE

    def read(self, word: int) -> int:
        """Return what the config port reads."""
        tree = {"parent": self.parent, "children": _word(self.children)}
        return (
            {
                SwitchWord.CONTROL: CONTROL.pack(self.control),
                SwitchWord.TREE: TREE.pack(tree),
                SwitchWord.ARRIVED: ARRIVED.pack(
                    {"arrived": _word(self.arrived), "fired": self.fired}
                ),
                SwitchWord.PENDING: PENDING.pack(
                    {"children": _word(self.pending), "parent": self.up}
                ),
                SwitchWord.RESULT: self.result,
            }.get(SwitchWord(word), 0)
            if word in set(SwitchWord)
            else 0
        )

    @property
    def observed(self) -> int:
        """State as a bench sees it."""
        word, at, bits = 0, 0, self.spec.data_bits
        for value, width in (
            (_word(self.arrived), self.ports), (self.fired, 1), (_word(self.pending), self.ports),
            (self.up, 1), (self.acc, bits), (self.result, bits),
        ):  # fmt: skip
            word |= value << at
            at += width
        return word

    def step(self, inputs: Inputs) -> bool:
        """End the cycle; return whether it fired, or was told the result."""
        messages, used = inputs.messages, self.used(inputs)
        down, accepted = self.distribute(messages), self.accepts(inputs)
        refused, quiet = self.refuses(inputs), not self.pending
        if accepted:
            self.done = False
        self.pending -= inputs.sent
        self.up = self.up and self.parent not in inputs.sent
        words = [messages[p].data for p in sorted(used - {down})]
        self.arrived |= used - {down}
        if accepted and inputs.arrive is not None:
            words.append(inputs.arrive)
            self.arrived.add(1)
        for word in words:
            self.acc = _combined(self.control["op"], self.acc, word, self.spec.data_bits)
        complete = bool(self.children) and self.children <= self.arrived
        fires = self.valid and not self.fired and quiet and complete and down is None
        self.released = False
        if down is not None:
            self._finish(messages[down].data)
        elif fires and self.control["root"]:
            self._finish(self.acc)
        elif fires:
            self.fired = self.up = True
        self.rewritten = False
        if inputs.write is not None and not refused:
            self._write(*inputs.write)
        return fires or down is not None

    def _finish(self, result: int) -> None:
        self.result, self.acc = result, self.identity
        self.arrived, self.fired, self.pending = set(), False, self.children & self.links
        if self.node and 1 in self.children:
            self.released = self.done = True

    def _write(self, word: int, data: int) -> None:
        if word == SwitchWord.CONTROL:
            self.control = CONTROL.unpack(data % (1 << CONTROL.width)) | {"turn": 0}
            self.acc, self.done, self.rewritten = self.identity, False, True
        else:
            tree = TREE.unpack(data % (1 << TREE.width))
            self.parent = tree["parent"] % (1 << (self.ports - 1).bit_length())
            self.children = {p for p in range(self.ports) if tree["children"] >> p & 1}
