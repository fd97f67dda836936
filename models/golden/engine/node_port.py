"""The adapter between a process with bits for each group, and the engine's own port."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from syncfabric.models.golden.counters import Counters
from syncfabric.models.golden.engine.memory import Message
from syncfabric.models.layout.engine import Kind

__all__ = ["Arrival", "NodePort", "NodePortOutputs"]


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

    What the contract leaves open: before the first arrival is taken, the lowest register is
    offered; an arrival that is accepted in the cycle of LAST or BROKEN ends with its group; a
    message for an entry without a register is ignored.

    Parameters
    ----------
    registers : int
        R; register r is entry r.
    counters : bool, optional
        REFUSED_ARRIVE is there.

    Attributes
    ----------
    waiting : set of int
        Registers whose arrival the engine has not taken.
    ready, done, broken : set of int
        Registers that the process sees so.
    """

    def __init__(self, registers: int, *, counters: bool = True) -> None:
        self._registers = range(registers)
        self._counters = Counters(1, built=counters)
        self.ready, self.done, self.broken = set[int](), set[int](), set[int]()
        self._arrived, self.waiting = set[int](), set[int]()
        self._result: list[int | None] = [0] * registers
        self._epoch = [0] * registers
        self._kept = [Arrival()] * registers
        self._taken = registers

    @property
    def refused(self) -> int:
        """The counter REFUSED_ARRIVE."""
        return self._counters[0]

    @property
    def offer(self) -> Message | None:
        """What the engine is offered in this cycle."""
        if not self.waiting:
            return None
        r = self._offered()
        kind = Kind.LAST if self._kept[r].last else Kind.PLAIN
        return Message(r, self._epoch[r], kind, self._kept[r].data)

    def _offered(self) -> int:
        return min((r for r in self.waiting if r > self._taken), default=min(self.waiting))

    @property
    def is_idle(self) -> bool:
        """Whether nothing changes without an arrival or a message."""
        return not self.waiting and self._counters.is_idle

    def result(self, register: int) -> int:
        """Return a register's result; 0 where it has no meaning."""
        return self._result[register] or 0

    def step(
        self, arrive: Mapping[int, Arrival], message: Message | None, *, taken: bool
    ) -> NodePortOutputs:
        """Go through a cycle; see ``advance``."""
        outputs = self.shown(message)
        self.advance(arrive, message, taken=taken)
        return outputs

    def over(self, message: Message | None) -> bool:
        """Return whether a message of the engine releases a register."""
        return message is not None and message.kind != Kind.GO and message.entry in self._registers

    def shown(self, message: Message | None) -> NodePortOutputs:
        """Return what the process sees in a cycle in which the engine sends that."""
        released, broken, result = frozenset[int](), frozenset(self.broken), list(self._result)
        if message and self.over(message):
            r = message.entry
            breaks = message.kind == Kind.BROKEN
            released, broken = frozenset({r}), broken | {r} if breaks else broken
            result[r] = None if breaks else message.data
        ready, done = frozenset(self.ready), frozenset(self.done)
        return NodePortOutputs(released, ready, done, broken, tuple(result))

    def advance(
        self, arrive: Mapping[int, Arrival], message: Message | None, *, taken: bool
    ) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        arrive : mapping of int to Arrival
            The registers whose ``arrive`` is high.
        message : Message or None
            From the engine.
        taken : bool
            The engine takes what it is offered.
        """
        if message and message.entry not in self._registers:
            message = None
        released = message.entry if message and message.kind != Kind.GO else -1
        again = released if message and message.kind == Kind.PLAIN else -1
        accepted, refused = [], 0
        for r in arrive:
            if r in self.ready and (r not in self._arrived or r == again):
                accepted.append(r)
            else:
                refused += 1
        self._counters.step([0] * refused)
        if taken and self.waiting:
            self._taken = self._offered()
            self.waiting.remove(self._taken)
        if message:
            self._receive(message)
        for r in accepted:
            if r != released or r == again:
                self._arrived.add(r)
                self.waiting.add(r)
                self.done.discard(r)
                self._kept[r] = arrive[r]

    def _receive(self, message: Message) -> None:
        r = message.entry
        self._epoch[r] = message.epoch
        if message.kind == Kind.GO:
            self.ready.add(r)
            self.done.discard(r)
            self.broken.discard(r)
            return
        self.done.add(r)
        self._arrived.discard(r)
        self._result[r] = message.data
        if message.kind != Kind.PLAIN:
            self.ready.discard(r)
        if message.kind == Kind.BROKEN:
            self.waiting.discard(r)
            self.broken.add(r)
            self._result[r] = None
