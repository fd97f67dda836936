"""The spill engine of a mesh's node: groups beyond its registers."""

from __future__ import annotations

from syncfabric.models.golden.barrier_register import PARENT, BarrierRegister
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.spill_base import Answer, Request, SendRegister, SpillBase
from syncfabric.models.messages import Counter, Kind

__all__ = ["Answer", "Request", "SendRegister", "SpillEngine"]

REDUCE = int(Kind.REDUCE)
LOCAL = 4


class SpillEngine(SpillBase[BarrierRegister]):
    """Spilled groups of one node (docs/microarchitecture.md, section 5).

    Parameters
    ----------
    unit : BarrierUnit
        The node's barrier unit, with which it shares the counters and the sending.
    rules : Rules
        What the network prescribes.
    released : list of (node, gid, result)
        What is released in the next cycle, shared by all nodes; appended to.
    answers : list of Answer
        The config port's answer in the next cycle, shared by all nodes; appended to.
    """

    def __init__(
        self,
        unit: BarrierUnit,
        rules: Rules,
        released: list[tuple[int, int, int]],
        answers: list[Answer],
    ) -> None:
        super().__init__(unit, rules.mask, answers, candidates=LOCAL + 1, local=LOCAL)
        self.rules, self.released = rules, released

    def _new_entry(self) -> BarrierRegister:
        return BarrierRegister(self.rules, self.unit.node)

    def _contents(self, entry: BarrierRegister) -> tuple[set[int], int]:
        if entry.fired:
            return {PARENT}, entry.acc
        return set(entry.children), entry.result

    def _message(self, port: int, message: Message, sending: int | None) -> None:
        gid = message.gid
        entry = self._entry(gid)
        if not entry.valid or not entry.uses(message, port, entry.queued or sending == gid):
            self.unit.count(Counter.STRAY)
        elif message.kind == REDUCE:
            entry.count_in(port, message.data)
            self._fire(gid, entry)
        else:
            self._release(gid, entry, message.data)

    def _arrive(self, gid: int, data: int, started: bool) -> None:
        entry = self._entry(gid)
        if not entry.valid or not started or entry.local:
            self.unit.count(Counter.REFUSED_ARRIVE)
            return
        entry.local = True
        entry.merge(data)
        self._fire(gid, entry)

    def _fire(self, gid: int, entry: BarrierRegister) -> None:
        if not entry.may_fire():
            return
        if entry.root:
            self._release(gid, entry, entry.acc)
        else:
            entry.fired = True
            self._enqueue(gid, entry)

    def _release(self, gid: int, entry: BarrierRegister, result: int) -> None:
        entry.finish(result)
        self.released.append((self.unit.node, gid, result))
        if entry.children:
            self._enqueue(gid, entry)
