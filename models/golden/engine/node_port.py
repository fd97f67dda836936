"""The adapter between a process with bits for each group, and the engine's own port."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from syncfabric.models.golden.counters import Counters
from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.words import PortWord

_PLAIN, _GO, _LAST, _BROKEN = map(int, Kind)


class Arrival(NamedTuple):
    """A pulse of ``arrive``, with its register's bits of ``last`` and ``data``."""

    data: int = 0
    last: bool = False


@dataclass(frozen=True)
class NodePortOutputs:
    """What the process sees in a cycle: registers, by number.

    ``result`` is None where it has no meaning: after BROKEN.
    """

    released: Set[int]
    ready: Set[int]
    done: Set[int]
    broken: Set[int]
    result: tuple[int | None, ...]


class NodePort:
    """Cycle-exact model of ``rtl/engine/node_port.py``.

    Parameters
    ----------
    registers : int
        R; register r is entry r.
    counters : bool, optional
        REFUSED_ARRIVE is there.

    Attributes
    ----------
    waiting : set of int
        Registers whose arrival the engine has not granted.
    ready, done, broken : set of int
        Registers that the process sees so.
    refuses : bool
        An arrive of the cycle gone through last was refused.
    offer : Message or None
        What the engine is offered in this cycle.
    is_idle : bool
        Nothing changes without an arrival or a message.
    """

    def __init__(self, registers: int, *, counters: bool = True) -> None:
        self._registers = range(registers)
        self._counters = Counters(PortWord, built=counters)
        self.ready, self.done, self.broken = set[int](), set[int](), set[int]()
        self.waiting = set[int]()
        self.refuses, self.is_idle = False, True
        self.offer: Message | None = None
        self._may_arrive = set[int]()
        self._granted = -1  # registers up to this one have had their turn
        self._result: list[int | None] = [0] * registers
        self._epoch = [0] * registers
        self._key = [0] * registers
        self._kept = [Arrival()] * registers

    @property
    def refused(self) -> int:
        """The counter REFUSED_ARRIVE."""
        return self._counters[PortWord.REFUSED_ARRIVE]

    def _offered(self) -> Message | None:
        """Return what the engine is offered in this cycle."""
        r = min((r for r in self.waiting if r > self._granted), default=None)
        if r is None:
            return None
        kept = self._kept[r]
        kind = _LAST if kept.last else _PLAIN
        return Message(r, self._epoch[r], kind, kept.data, self._key[r])

    def result(self, register: int) -> int:
        """Return a register's result; 0 where it has no meaning."""
        return self._result[register] or 0

    def step(
        self, arrive: Mapping[int, Arrival], message: Message | None, *, granted: bool
    ) -> NodePortOutputs:
        """Go through a cycle; see ``advance``."""
        outputs = self.outputs(message)
        self.advance(arrive, message, granted=granted)
        return outputs

    def over(self, message: Message | None) -> bool:
        """Return whether a message of the engine releases a register."""
        return message is not None and message.kind != Kind.GO and message.entry in self._registers

    def outputs(self, message: Message | None) -> NodePortOutputs:
        """Return what the process sees in a cycle in which the engine sends that."""
        released, broken, result = frozenset[int](), frozenset(self.broken), list(self._result)
        if message and message.entry in self._registers:
            r = message.entry
            breaks = message.kind == Kind.BROKEN
            broken = broken | {r} if breaks else broken - {r}
            if message.kind != Kind.GO:
                released = frozenset({r})
                result[r] = None if breaks else message.data
        ready, done = frozenset(self.ready), frozenset(self.done)
        return NodePortOutputs(released, ready, done, broken, tuple(result))

    def advance(
        self, arrive: Mapping[int, Arrival], message: Message | None, *, granted: bool
    ) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        arrive : mapping of int to Arrival
            The registers whose ``arrive`` is high.
        message : Message or None
            From the engine.
        granted : bool
            The engine accepts the offer.
        """
        if message and message.entry not in self._registers:
            message = None
        offer = self.offer
        accepted, self.refuses = list[int](), False
        if arrive:
            accepted = [r for r in arrive if self._accepts(r, message)]
            self.refuses = any(r not in self._may_arrive and r not in accepted for r in arrive)
        if self.refuses or not self._counters.is_idle:
            self._counters.step([PortWord.REFUSED_ARRIVE] * self.refuses)
        if message:
            self._receive(message)
        if offer is None:
            self._granted = -1
        elif granted:
            self._granted = offer.entry
            self.waiting.discard(offer.entry)
        for r in accepted:
            self._may_arrive.discard(r)
            self.waiting.add(r)
            self.done.discard(r)
            self._kept[r] = arrive[r]
        self.offer = self._offered() if self.waiting else None
        self.is_idle = not self.waiting and self._granted < 0 and self._counters.is_idle

    def _accepts(self, register: int, message: Message | None) -> bool:
        if message and message.entry == register:
            return message.kind == _PLAIN
        return register in self._may_arrive

    def _receive(self, message: Message) -> None:
        r, kind = message.entry, message.kind
        self._epoch[r], self._key[r] = message.epoch, message.tag
        self.waiting.discard(r)
        goes_on = kind in (_GO, _PLAIN)
        if goes_on:
            self.ready.add(r)
            self._may_arrive.add(r)
        else:
            self.ready.discard(r)
            self._may_arrive.discard(r)
        if kind == _BROKEN:
            self.broken.add(r)
        else:
            self.broken.discard(r)
        if kind == _GO:
            self.done.discard(r)
        else:
            self.done.add(r)
            self._result[r] = None if kind == _BROKEN else message.data
