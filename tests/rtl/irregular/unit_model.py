"""All that synchronizes in a switch or node interface, as sections I3 to I6 tell it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from syncfabric.models.messages import COUNTER_BASE, COUNTER_BITS, Counter
from syncfabric.models.networks.spec import IrregularSpec
from tests.rtl.irregular.sync_model import Message, SyncModel
from tests.rtl.irregular.tree_model import Inputs, TreeModel

__all__ = ["UnitInputs", "UnitModel"]

READABLE = (0, 1, 5, 6, 7)


class Answer(NamedTuple):
    """An answer of the config port."""

    ready: bool = False
    error: bool = False
    data: int = 0


@dataclass
class UnitInputs:
    """What reaches a unit in a cycle: messages on links, open outputs, events of the packet side.

    ``request`` is (address, write, data).
    """

    links: dict[int, Message] = field(default_factory=dict)
    opens: set[int] = field(default_factory=set)
    overflows: int = 0
    strays: int = 0
    request: tuple[int, bool, int] | None = None
    arrive: dict[int, int] = field(default_factory=dict)
    start: bool = False


class UnitModel:
    """Registers, inputs, sender, counters and config port.

    Attributes
    ----------
    answer : Answer
        Of the config port in this cycle.
    sent : set of int, letter : Message
        What was sent in the cycle that ``step`` went through.
    """

    def __init__(self, spec: IrregularSpec, *, node: bool) -> None:
        self.spec, self.node = spec, node
        count, cycles = spec.barrier_registers, 1 if node else spec.cycles_per_hop
        self.registers = [TreeModel(spec, node=node) for _ in range(count)]
        self.links = 1 if node else spec.ports
        self.inputs = [SyncModel(buffered=spec.buffered, cycles=cycles) for _ in range(self.links)]
        self.started, self.answer = False, Answer()
        self.counters = dict.fromkeys(Counter, 0)
        self.sent, self.letter = set[int](), Message(0, 0, 0, 0)
        self._events = dict.fromkeys(Counter, 0)  # of the cycle before
        self._asked: tuple[int, bool, int] | None = None
        self._sender = self._serial = 0  # pointers

    @property
    def observed(self) -> int:
        """State as a bench sees it."""
        word, at = 0, 0
        width = 2 * (self.registers[0].ports + 1 + self.spec.data_bits)
        for register in self.registers:
            word |= register.observed << at
            at += width
        for counter in Counter:
            word |= self.counters[counter] << at
            at += COUNTER_BITS
        return word

    def step(self, inputs: UnitInputs) -> None:
        """Go through a cycle."""
        events = dict.fromkeys(Counter, 0)
        names = [register.name for register in self.registers]
        shown, match = {}, {}
        for p, source in enumerate(self.inputs):
            link = inputs.links.get(p)
            message = source.presented(link)
            events[Counter.OVERFLOW] += source.overflows(link)
            if message is not None:
                shown[p], match[p] = message, source.match(link, names)
        sent = self._send(inputs.opens)
        writes, answer = self._look(shown, match, inputs.arrive, events)
        mine = [{p: m for p, m in shown.items() if r in match[p]} for r in range(len(names))]

        # Who takes which message.
        reduces = [r.reduces(own) for r, own in zip(self.registers, mine, strict=True)]
        candidates = set[int]().union(*reduces)
        chosen = None
        if self.registers[0].serial and candidates:
            chosen = min(candidates, key=lambda p: (p - self._serial) % self.links)
            self._serial = (chosen + 1) % self.links
        held = candidates - {chosen} if self.registers[0].serial else set()
        used: set[int] = set()
        for r, register in enumerate(self.registers):
            step = Inputs(mine[r], chosen, inputs.arrive.get(r), self.started, writes.get(r))
            step.sent = sent.get(r, set())
            used |= register.used(step)
            refused = step.arrive is not None and not register.accepts(step)
            events[Counter.REFUSED_ARRIVE] += refused
            register.step(step)
        taken = set(shown) - held
        events[Counter.STRAY] += len(taken - used) + inputs.strays
        events[Counter.OVERFLOW] += inputs.overflows
        for p, source in enumerate(self.inputs):
            source.step(inputs.links.get(p), names, taken=p in taken)

        for counter in Counter:
            self.counters[counter] = min(255, self.counters[counter] + self._events[counter])
        self._events, self._asked, self.answer = events, inputs.request, answer
        self.started = self.started or inputs.start

    def _send(self, opens: set[int]) -> dict[int, set[int]]:
        """Return the ports by which a register sends."""
        letters = [(register.to_send, register.letter) for register in self.registers]
        self.sent, self.letter = set(), Message(0, 0, 0, 0)
        for r in (*range(self._sender, len(letters)), *range(self._sender)):
            ports, letter = letters[r]
            if ports & opens:
                self._sender = (r + 1) % len(letters)
                self.sent, self.letter = ports & opens, letter
                return {r: self.sent}
        return {}

    def _look(
        self,
        shown: dict[int, Message],
        match: dict[int, set[int]],
        arrive: dict[int, int],
        events: dict[Counter, int],
    ) -> tuple[dict[int, tuple[int, int]], Answer]:
        """Look at the request of the cycle before; return writes and the answer."""
        if self._asked is None:
            return {}, Answer()
        address, write, data = self._asked
        number, word = divmod(address, 8)
        writes, error, read = {}, True, 0
        if number < len(self.registers):
            register = self.registers[number]
            if write and word in (0, 1):
                writes[number] = (word, data)
                messages = {p: m for p, m in shown.items() if number in match[p]}
                error = register.refuses(
                    Inputs(messages, arrive=arrive.get(number), write=writes[number])
                )
            elif not write and word in READABLE:
                error, read = False, register.read(word)
        elif not write and 0 <= address - COUNTER_BASE < len(Counter):
            error, read = False, self.counters[Counter(address - COUNTER_BASE)]
        events[Counter.REFUSED_WRITE] += write and error
        return writes, Answer(True, error, read)
