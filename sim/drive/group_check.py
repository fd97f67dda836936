"""What must hold of groups that come and go, judged by answers and releases."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import Operation
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.drive.trace import (
    Act,
    AllOver,
    Chunk,
    Commanded,
    Created,
    Line,
    Removed,
    Report,
    Rule,
)
from syncfabric.sim.results import Mismatch

__all__ = ["GroupCheck"]

OF_KILLED = {"engine OVERFLOW", "engine UNEXPECTED", "engine REFUSED_COMMAND"}
"""What is counted of messages that are under way when their group is killed."""


class GroupCheck(Rule):
    """What must hold of groups that come and go, besides their barriers.

    Each has all its barriers, or is killed; when it is over no member waits in it, and no entry of
    it is alive; only where one was killed has anything been dropped.

    Parameters
    ----------
    plan : BarrierPlan
        The groups that stay.
    barriers : BarrierCheck
        The groups' barriers; it is applied after this rule.
    """

    def __init__(self, plan: BarrierPlan, barriers: BarrierCheck) -> None:
        network = plan.spec.network
        assert isinstance(network, MessageSpec)
        self._barriers, self._layout = barriers, network.shape.router.layout
        self._counters = {counter.place: counter.name for counter in counters_of(network)}
        self._lives: dict[int, Created] = {}
        self._killed: set[int] = set()
        self._unread: dict[tuple[int, int], int] = {}  # GID, by target and entry of what is over
        self._ending = False
        self._chunk = Chunk(0)

    def begin(self, chunk: Chunk) -> None:
        """Take a chunk in: which requests the config port answers."""
        self._chunk = chunk

    def act(self, act: Act) -> Iterator[Mismatch]:
        """Take in what happens to a group."""
        match act:
            case Created():
                self._lives[act.number] = act
            case Commanded(operation=Operation.KILL):
                self._killed.add(act.number)
            case Removed():
                yield from self._gone(act)
            case AllOver():
                self._ending = True

    def _gone(self, note: Removed) -> Iterator[Mismatch]:
        born = self._lives.pop(note.number)
        episodes, inside = self._barriers.state(note.number)
        name = f"group {born.gid}"
        if inside:
            what = f"{name}: members inside when it was gone"
            yield Mismatch(note.cycle, None, what, len(inside), 0)
        if note.number not in self._killed and episodes != born.episodes:
            yield Mismatch(note.cycle, None, f"{name}: episodes", episodes, born.episodes)
        places = zip(born.targets, born.entries, strict=True)
        self._unread.update(dict.fromkeys(places, born.gid))

    def wires(self, line: Line) -> Iterator[Mismatch]:
        """Check an answer of the config port."""
        if line.answer is None:
            return
        _, data = line.answer
        request = self._chunk.answered.get(line.cycle)
        if request is None:
            yield Mismatch(line.cycle, None, "answer to no request", data, None)
        elif request.write and request.address == EngineWord.COMMIT:
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

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Check the end: no life is left, and every entry of theirs has been read."""
        for born in self._lives.values():
            yield Mismatch(cycle, None, f"group {born.gid}: life that does not end", 1, 0)
        for (target, entry), gid in self._unread.items():
            what = f"target {target}: group {gid}: entry {entry} not read when it was over"
            yield Mismatch(cycle, None, what, 0, 1)
