"""What must hold of groups that come and go, judged by the hardware's answers and releases."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator
from dataclasses import dataclass

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    COUNTER_BASE,
    LIFE,
    MANAGER_BASE,
    MANAGER_STATUS,
    REGISTER_WORDS,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    RegisterWord,
    Request,
    SwitchWord,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.churn.notes import Born, Came, Ended, Gone, Note, Ordered
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.targets import targets_of
from syncfabric.sim.results import Mismatch

__all__ = ["ChurnCheck"]

FREED_BIT = 1 << 8
MAY_REFUSE = (Answer.FULL, Answer.EXISTS)
"""What a set-up may be answered on a network in use; anything else is a mistake."""


@dataclass
class _Life:
    """What is known of a life: from the software's notes, and from the hardware."""

    born: Born
    killed: bool = False
    freed: bool = False


class ChurnCheck:
    """Judges lives: no model is asked.

    Every life's barriers are judged by ``barriers``. Besides: a group is freed after its last
    barrier, and only then cleared; when it is gone, nobody waits in it, and no register knows it;
    at the end the registers are those of the plan's groups, and only routers of killed groups have
    had strays.

    Parameters
    ----------
    plan : BarrierPlan
        The groups that stay.
    barriers : BarrierCheck
        Where the lives are entered.
    """

    def __init__(self, plan: BarrierPlan, barriers: BarrierCheck) -> None:
        self._plan, self._barriers = plan, barriers
        network = plan.spec.network
        self._targets = targets_of(network)
        self._irregular = isinstance(network, IrregularSpec)
        self._lives: dict[int, _Life] = {}
        self._by_gid: dict[int, _Life] = {}  # the last life of each, also when it is gone
        self._commands: dict[int, Ordered] = {}  # by manager
        self._strayed: set[int] = set()  # where killed groups had registers
        self._found: Tally[int] = Tally()  # registers of each GID at the end
        self._ending = False
        self._seats: dict[tuple[int, int], int] = {}  # GID, by node and register

    # What the software did.

    def note(self, note: Note) -> Iterator[Mismatch]:
        """Take a note; those of a cycle come after its releases."""
        match note:
            case Born():
                life = self._lives[note.life] = self._by_gid[note.gid] = _Life(note)
                self._barriers.enter(note.life, note.gid, note.op, note.nodes)
            case Came():
                if note.register is not None:
                    self._seats[note.node, note.register] = self._lives[note.life].born.gid
                    yield from self._barriers.sit(
                        note.cycle, note.life, note.member, note.node, note.register
                    )
            case Ordered():
                life = self._lives[note.life]
                self._commands[note.manager] = note
                if note.operation is Request.KILL:
                    life.killed = True
                    self._strayed.update(life.born.targets)
                    self._barriers.kill(note.life)
                elif note.operation is Request.CLEAR and not life.freed:
                    yield self._of(life, note.cycle, "cleared, and not freed")
            case Gone():
                yield from self._bury(note)
            case Ended():
                self._ending = True

    def _bury(self, note: Gone) -> Iterator[Mismatch]:
        life = self._lives.pop(note.life)
        episodes, inside = self._barriers.leave(note.life)
        wanted = 0 if note.given_up else life.born.episodes
        if inside:
            yield self._of(life, note.cycle, "members inside when it was gone", len(inside))
        if not life.killed and episodes != wanted:
            yield self._of(life, note.cycle, "episodes", episodes, wanted)
        if not life.killed and life.freed == note.given_up:
            yield self._of(life, note.cycle, "freed", int(life.freed), int(not note.given_up))

    # What the hardware says.

    def answer(self, line: Line, request: ConfigRequest | None) -> Iterator[Mismatch]:
        """Judge an answer of the config port to a request."""
        assert line.answer is not None
        refused, data = line.answer
        if request is None:
            yield Mismatch(line.cycle, None, "answer to no request", data, None)
            return
        if refused:
            yield self._at(line.cycle, request, "refused request", request.address)
            return
        if request.write:
            return
        word = request.address - MANAGER_BASE
        if word == ManagerWord.FREED and data & FREED_BIT:
            yield from self._freed(line.cycle, data & FREED_BIT - 1)
        elif word == ManagerWord.STATUS:
            yield from self._ended(line.cycle, request, data)
        elif COUNTER_BASE <= request.address < COUNTER_BASE + len(Counter):
            yield from self._counted(line.cycle, request, data)
        elif request.address < COUNTER_BASE:
            yield from self._register(line.cycle, request, data)

    def _freed(self, cycle: int, gid: int) -> Iterator[Mismatch]:
        life = self._by_gid.get(gid)
        if life is None:
            yield Mismatch(cycle, None, f"group {gid}: freed, and never there", 1, 0)
            return
        if life.killed:
            return  # it had its last barrier before it was killed, or an old life had
        if life.born.life not in self._lives:
            yield self._of(life, cycle, "freed, and gone")
            return
        episodes, here = self._barriers.stands(life.born.life)
        last = life.born.episodes - (here == len(life.born.nodes))
        if life.freed or episodes != last:
            yield self._of(life, cycle, "freed after episodes", episodes, life.born.episodes)
        life.freed = True

    def _ended(self, cycle: int, request: ConfigRequest, data: int) -> Iterator[Mismatch]:
        status, order = MANAGER_STATUS.unpack(data), self._commands[request.node]
        refusable = order.operation is Request.SETUP and status["code"] in MAY_REFUSE
        failed = status["state"] == ManagerState.FAILED and refusable
        if status["state"] != ManagerState.DONE and not failed:
            name = f"{order.operation.name} for group {self._lives[order.life].born.gid}"
            yield self._at(cycle, request, f"{name}: status", data)

    def _register(self, cycle: int, request: ConfigRequest, data: int) -> Iterator[Mismatch]:
        register, word = divmod(request.address, REGISTER_WORDS)
        if word == RegisterWord.CONTROL:
            control = CONTROL.unpack(data)
            if not control["valid"]:
                return
            gid = control["gid"]
            self._found[gid] += self._ending
            life = self._by_gid.get(gid)
            if life is not None and life.born.life not in self._lives:
                yield self._at(cycle, request, f"group {gid}: register that it has left", data)
        elif self._irregular and word == SwitchWord.ARRIVED:
            # No packet tells of a barrier that turns around in a node: its process looks itself.
            gid = self._seats.get((request.node, register), -1)
            if LIFE.unpack(data >> ARRIVED.width)["freed"] and gid in self._by_gid:
                yield from self._freed(cycle, gid)

    def _counted(self, cycle: int, request: ConfigRequest, data: int) -> Iterator[Mismatch]:
        counter = Counter(request.address - COUNTER_BASE)
        may = counter is Counter.REFUSED_WRITE  # CLEAR of a register that is busy
        if request.node in self._strayed:
            may |= counter is Counter.STRAY
        if data and not may:
            yield self._at(cycle, request, f"{counter.name} at the end", data, 0)

    def close(self, cycle: int) -> Iterator[Mismatch]:
        """Judge the end: the plan's groups are as they were, and nothing else is left."""
        for life in self._lives.values():
            yield self._of(life, cycle, "life that does not end", 1)
        if not self._ending:
            return
        groups = self._plan.message_groups
        wanted = {group.id: sum(1 for _ in group.registers()) for group in groups}
        for gid in sorted(wanted.keys() | self._found.keys()):
            found, expected = self._found[gid], wanted.get(gid, 0)
            if found != expected:
                yield Mismatch(cycle, None, f"group {gid}: registers at the end", found, expected)

    def _of(self, life: _Life, cycle: int, what: str, seen: int = 1, wanted: int = 0) -> Mismatch:
        return Mismatch(cycle, None, f"group {life.born.gid}: {what}", seen, wanted)

    def _at(
        self, cycle: int, request: ConfigRequest, what: str, seen: int, wanted: int | None = None
    ) -> Mismatch:
        return Mismatch(cycle, self._targets.names[request.node], what, seen, wanted)
