"""Random stimuli of a node port, legal and illegal, that follow its golden model."""

import random
from collections import Counter
from typing import NamedTuple

from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.golden.engine.node_port import Arrival, NodePort, NodePortOutputs
from syncfabric.models.layout.engine import Kind


class NodePortInputs(NamedTuple):
    """Input ports in a cycle; ``message`` comes from the engine."""

    arrive: dict[int, Arrival]
    message: Message | None
    ready: bool


class NodePortStimuli:
    """A golden node port, and inputs for it.

    The engine's side is that of an engine: GO, then a PLAIN or LAST for each arrival that it has
    granted, and BROKEN at any time; with probability ``wrong`` any message for any entry.

    Parameters
    ----------
    registers, data_bits : int
    rng : random.Random
    entries : int, optional
        Entries of the engine; those without a register are used by wrong messages.
    counters : bool, optional

    Attributes
    ----------
    port : NodePort
    seen : Counter of str
        What has happened.
    """

    def __init__(
        self,
        registers: int,
        data_bits: int,
        rng: random.Random,
        entries: int = 0,
        *,
        counters: bool = True,
    ) -> None:
        self.rng, self.bits, self.registers = rng, data_bits, registers
        self.entries = max(registers, entries)
        self.port = NodePort(registers, counters=counters)
        self.busy, self.wrong = rng.choice((0.05, 0.3, 0.8)), rng.choice((0.0, 0.05))
        self.alive: dict[int, int] = {}  # epoch of groups that have had GO
        self.granted: set[int] = set()
        self.seen = Counter[str]()

    def word(self) -> int:
        return self.rng.getrandbits(self.bits) if self.bits else 0

    def message(self) -> Message | None:
        """Draw a message of the engine."""
        rng = self.rng
        if rng.random() < self.wrong:
            kind = rng.choice(list(Kind))
            return Message(rng.randrange(self.entries), rng.randrange(4), kind, self.word())
        r = rng.randrange(self.registers)
        if rng.random() > self.busy:
            return None
        if r not in self.alive:
            return Message(r, rng.randrange(4), Kind.GO, self.word())
        if r in self.granted:
            kind = rng.choice((Kind.PLAIN, Kind.PLAIN, Kind.PLAIN, Kind.LAST, Kind.BROKEN))
            return Message(r, self.alive[r], kind, self.word())
        if rng.random() < 0.2:
            return Message(r, self.alive[r], Kind.BROKEN, self.word())
        return None

    def inputs(self) -> NodePortInputs:
        """Draw the inputs of a cycle."""
        rng, message = self.rng, self.message()
        arrive = {
            r: Arrival(self.word(), rng.random() < 0.3)
            for r in range(self.registers)
            if rng.random() < self.busy
        }
        return NodePortInputs(arrive, message, rng.random() < 0.7)

    def step(self, inputs: NodePortInputs) -> tuple[NodePortOutputs, Message | None]:
        """Go through a cycle; return what the port drives, to the process and to the engine."""
        offer, message = self.port.offer, inputs.message
        granted = offer is not None and inputs.ready
        outputs = self.port.step(inputs.arrive, message, granted=granted)
        if offer and granted:
            self.granted.add(offer.entry)
            self.seen["granted"] += 1
        if message:
            self.seen[Kind(message.kind).name] += 1
            if message.kind == Kind.GO:
                self.alive[message.entry] = message.epoch
            else:
                self.granted.discard(message.entry)
                if message.kind != Kind.PLAIN:
                    self.alive.pop(message.entry, None)
        after = self.port.offer
        self.seen["offered"] += after is not None
        return outputs, offer
