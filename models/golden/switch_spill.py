"""The spill engine of a switch or node interface: groups beyond its registers."""

from __future__ import annotations

from syncfabric.models.golden.record import Message
from syncfabric.models.golden.spill_base import Answer, SpillBase
from syncfabric.models.golden.switch_register import PROCESS, UP, SwitchRegister
from syncfabric.models.golden.switch_unit import SwitchUnit
from syncfabric.models.messages import Counter, Kind

__all__ = ["SwitchSpill"]

REDUCE = int(Kind.REDUCE)


class SwitchSpill(SpillBase[SwitchRegister]):
    """Spilled groups of one place (docs/microarchitecture.md, section I6).

    Parameters
    ----------
    unit : SwitchUnit
        Its registers, with which it shares the counters and the sending.
    released : list of (node, gid, result)
        What is released in the next cycle, shared by all nodes; appended to.
    answers : list of Answer
        The config port's answer in the next cycle, shared by all places; appended to.
    """

    def __init__(
        self,
        unit: SwitchUnit,
        released: list[tuple[int, int, int]],
        answers: list[Answer],
    ) -> None:
        rules = unit.rules
        local = PROCESS if rules.process else None
        super().__init__(unit, rules.mask, answers, candidates=rules.ports, local=local)
        self.rules, self.released = rules, released

    def _new_entry(self) -> SwitchRegister:
        return SwitchRegister(self.rules)

    def _contents(self, entry: SwitchRegister) -> tuple[set[int], int]:
        if entry.fired:
            return {UP}, entry.acc
        return set(entry.children - self.rules.process), entry.result

    def _message(self, port: int, message: Message, sending: int | None) -> None:
        gid = message.gid
        entry = self._entry(gid)
        sends = sending == gid
        pending = entry.queued or (sends and port in self.send.pending)
        known = entry.valid and message.epoch == entry.epoch
        if not known or not entry.uses(message, port, pending, entry.queued or sends):
            self.unit.count(Counter.STRAY)
        elif message.kind == REDUCE:
            entry.count_in(port, message.data)
            self._fire(gid, entry, sends)
        else:
            self._finish(gid, entry, message.data)

    def _arrive(self, gid: int, data: int, started: bool) -> None:
        entry = self._entry(gid)
        if not entry.valid or not started or not entry.admits():
            self.unit.count(Counter.REFUSED_ARRIVE)
            return
        entry.count_in(PROCESS, data)
        self._fire(gid, entry, self.sends() == gid)

    def _fire(self, gid: int, entry: SwitchRegister, sends: bool) -> None:
        if entry.queued or sends or not entry.may_fire():
            return
        if entry.root:
            self._finish(gid, entry, entry.acc)
        else:
            entry.fired = True
            self._enqueue(gid, entry)

    def _finish(self, gid: int, entry: SwitchRegister, result: int) -> None:
        if entry.finish(result):
            self._enqueue(gid, entry)
        if self.rules.process & entry.children:
            self.released.append((self.unit.node, gid, result))
