"""A core's words for barriers, cycle by cycle (docs/microarchitecture-cores.md, K4)."""

from dataclasses import dataclass, field

from syncfabric.models.messages.core import (
    ARRIVE_BASE,
    DONE,
    DONE_BASE,
    LAST_BASE,
    WAIT_BASE,
    CoreWord,
    FaultReason,
)


@dataclass(frozen=True)
class PortInputs:
    """What the words see in a cycle: the request if there is one, the node's port, packets owed.

    ``ready``, ``done``, ``broken`` and ``released`` have a bit a register; ``results`` is by
    register.
    """

    valid: bool = False
    write: bool = False
    word: int = 0
    data: int = 0
    ready: int = 0
    done: int = 0
    broken: int = 0
    released: int = 0
    results: tuple[int, ...] = ()
    owing: bool = False


@dataclass(frozen=True)
class PortAnswer:
    """What they answer, and what goes to the node's port: ``arrive`` and ``last``, a bit each."""

    chosen: bool = False
    ready: bool = False
    result: int = 0
    fault: FaultReason = FaultReason.NONE
    arrive: int = 0
    last: int = 0
    fenced: bool = False
    waiting: bool = False


@dataclass
class BarrierPortModel:
    """The words of a node's port with some registers.

    Parameters
    ----------
    registers : int
    has_last : bool
        The port has these.
    """

    registers: int
    has_last: bool = False
    fence: int = 0
    inside: set[int] = field(default_factory=set)
    owed: set[int] = field(default_factory=set)

    def step(self, now: PortInputs) -> PortAnswer:
        """Go on for a cycle."""
        over = now.released | (~now.ready if self.has_last else 0)
        self.inside -= {r for r in self.inside if over >> r & 1}
        answer = self._answer(now) if now.valid else PortAnswer()
        self.inside |= {r for r in range(self.registers) if answer.arrive >> r & 1}
        return answer

    def _answer(self, now: PortInputs) -> PortAnswer:
        if now.write and now.word == CoreWord.FENCE:
            self.fence = now.data & (1 << self.registers) - 1
            return PortAnswer(chosen=True, ready=True)
        if not now.write and now.word == CoreWord.FENCE_WAIT:
            return PortAnswer(chosen=True, ready=not now.owing, fenced=now.owing)
        base, r = now.word & ~31, now.word & 31
        if base not in ((ARRIVE_BASE, LAST_BASE) if now.write else (WAIT_BASE, DONE_BASE)):
            return PortAnswer()
        if r >= self.registers or (base == LAST_BASE and not self.has_last):
            return PortAnswer(chosen=True, fault=FaultReason.ADDRESS)
        if base == DONE_BASE:
            return PortAnswer(chosen=True, ready=True, result=self._status(now, r))
        return self._wait(now, r) if base == WAIT_BASE else self._arrive(now, r, base)

    def _status(self, now: PortInputs, r: int) -> int:
        return DONE.pack(
            {
                "done": now.done >> r & 1,
                "ready": now.ready >> r & 1,
                "broken": now.broken >> r & 1 if self.has_last else 0,
                "waiting": r in self.inside,
            }
        )

    def _wait(self, now: PortInputs, r: int) -> PortAnswer:
        if r not in self.owed:
            return PortAnswer(chosen=True, fault=FaultReason.NO_ARRIVE)
        if r in self.inside:
            return PortAnswer(chosen=True, waiting=True)
        self.owed.discard(r)
        result = now.results[r] if now.results else 0
        return PortAnswer(chosen=True, ready=True, result=result)

    def _arrive(self, now: PortInputs, r: int, base: int) -> PortAnswer:
        ready, broken = now.ready >> r & 1, now.broken >> r & 1 and self.has_last
        if not ready and not broken:
            return PortAnswer(chosen=True, fault=FaultReason.NOT_READY)
        if r in self.inside:
            return PortAnswer(chosen=True, fault=FaultReason.WAITING)
        if self.fence >> r & 1 and now.owing:
            return PortAnswer(chosen=True, fenced=True)
        self.owed.add(r)
        arrive = 1 << r if ready else 0
        last = arrive if base == LAST_BASE else 0
        return PortAnswer(chosen=True, ready=True, arrive=arrive, last=last)
