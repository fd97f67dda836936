"""What must hold of groups that come and go, judged by answers and releases."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import Operation
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import COMMIT_ADDRESS
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.churn.notes import Born, Came, Ended, Gone, Note, Ordered
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.lifecycle.counters import counters_of
from syncfabric.sim.results import Mismatch

__all__ = ["ChurnCheck", "enter_life"]

OF_KILLED = {"engine OVERFLOW", "engine UNEXPECTED", "engine REFUSED_COMMAND"}
"""What is counted of messages that are under way when their group is killed."""


def enter_life(barriers: BarrierCheck, note: Note) -> Iterator[Mismatch]:
    """Have the barriers of a group judged from its birth on; a KILL lets it release as broken."""
    match note:
        case Born():
            barriers.enter(note.life, note.gid, note.op, note.nodes)
        case Came():
            yield from barriers.sit(note.cycle, note.life, note.member, note.node, note.register)
        case Ordered(operation=Operation.KILL):
            barriers.kill(note.life)


class ChurnCheck:
    """Judges lives: no model is asked.

    Every life's barriers are judged by ``barriers``. Besides: a life has all its barriers, or is
    killed; when it is over nobody waits in it, and no entry of its is alive; only where a life was
    killed has anything been dropped.

    Parameters
    ----------
    plan : BarrierPlan
        The groups that stay.
    barriers : BarrierCheck
        Where the lives are entered.
    """

    def __init__(self, plan: BarrierPlan, barriers: BarrierCheck) -> None:
        network = plan.spec.network
        assert isinstance(network, MessageSpec)
        self._barriers, self._layout = barriers, network.shape.router.layout
        self._counters = {counter.place: counter.name for counter in counters_of(network)}
        self._lives: dict[int, Born] = {}
        self._killed: set[int] = set()
        self._unread: dict[tuple[int, int], int] = {}  # GID, by target and entry of what is over
        self._ending = False

    def note(self, note: Note) -> Iterator[Mismatch]:
        """Take a note; those of a cycle come after its releases."""
        yield from enter_life(self._barriers, note)
        match note:
            case Born():
                self._lives[note.life] = note
            case Ordered(operation=Operation.KILL):
                self._killed.add(note.life)
            case Gone():
                yield from self._gone(note)
            case Ended():
                self._ending = True

    def _gone(self, note: Gone) -> Iterator[Mismatch]:
        born = self._lives.pop(note.life)
        episodes, inside = self._barriers.leave(note.life)
        name = f"group {born.gid}"
        if inside:
            what = f"{name}: members inside when it was gone"
            yield Mismatch(note.cycle, None, what, len(inside), 0)
        if note.life not in self._killed and episodes != born.episodes:
            yield Mismatch(note.cycle, None, f"{name}: episodes", episodes, born.episodes)
        places = zip(born.targets, born.entries, strict=True)
        self._unread.update(dict.fromkeys(places, born.gid))

    def answer(self, line: Line, request: ConfigRequest | None) -> Iterator[Mismatch]:
        """Judge an answer of the config port to a request."""
        assert line.answer is not None
        _, data = line.answer
        if request is None:
            yield Mismatch(line.cycle, None, "answer to no request", data, None)
        elif request.write and request.address == COMMIT_ADDRESS:
            commit = COMMIT.unpack(request.data)
            place = request.node, commit["entry"]
            if commit["code"] == Code.READ and place in self._unread:
                gid = self._unread.pop(place)
                if self._layout.status.unpack(data)["alive"]:
                    what = f"target {place[0]}: group {gid}: entry {place[1]} alive when it is over"
                    yield Mismatch(line.cycle, None, what, 1, 0)
        elif self._ending and data and not request.write:
            name = self._counters.get((request.node, request.address))
            if name is not None and not (self._killed and name in OF_KILLED):
                what = f"target {request.node}: {name} at the end"
                yield Mismatch(line.cycle, None, what, data, 0)

    def close(self, cycle: int) -> Iterator[Mismatch]:
        """Judge the end: no life is left, and every entry of theirs has been read."""
        for born in self._lives.values():
            yield Mismatch(cycle, None, f"group {born.gid}: life that does not end", 1, 0)
        for (target, entry), gid in self._unread.items():
            what = f"target {target}: group {gid}: entry {entry} not read when it was over"
            yield Mismatch(cycle, None, what, 0, 1)
