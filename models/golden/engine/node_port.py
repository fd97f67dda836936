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
    """

    def __init__(self, registers: int, *, counters: bool = True) -> None:
        self._registers = range(registers)
        self._counters = Counters(1, built=counters)
        self._ready, self._done, self._broken = set[int](), set[int](), set[int]()
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
        r = min({r for r in self.waiting if r > self._taken} or self.waiting)
        kind = Kind.LAST if self._kept[r].last else Kind.PLAIN
        return Message(r, self._epoch[r], kind, self._kept[r].data)

    def step(
        self, arrive: Mapping[int, Arrival], message: Message | None, *, taken: bool
    ) -> NodePortOutputs:
        """Go through a cycle.

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
        over = frozenset({message.entry} if message and message.kind != Kind.GO else ())
        again = over if message and message.kind == Kind.PLAIN else frozenset()
        outputs = NodePortOutputs(
            over,
            frozenset(self._ready),
            frozenset(self._done),
            frozenset(self._broken),
            tuple(self._result),
        )
        accepted = arrive.keys() & self._ready & (again | arrive.keys() - self._arrived)
        self._counters.step([0] * len(arrive.keys() - accepted))
        offer = self.offer
        if taken and offer:
            self._taken = offer.entry
            self.waiting.remove(offer.entry)
        if message:
            self._receive(message)
        for r in accepted - (over - again):
            self._arrived.add(r)
            self.waiting.add(r)
            self._done.discard(r)
            self._kept[r] = arrive[r]
        return outputs

    def _receive(self, message: Message) -> None:
        r = message.entry
        self._epoch[r] = message.epoch
        if message.kind == Kind.GO:
            self._ready.add(r)
            self._done.discard(r)
            self._broken.discard(r)
            return
        self._done.add(r)
        self._arrived.discard(r)
        self._result[r] = message.data
        if message.kind != Kind.PLAIN:
            self._ready.discard(r)
        if message.kind == Kind.BROKEN:
            self.waiting.discard(r)
            self._broken.add(r)
            self._result[r] = None
