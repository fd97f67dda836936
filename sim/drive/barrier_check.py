"""What must hold of barriers, checked by arrivals and releases alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_, xor

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import Operation
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.scenario import Outcome
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.drive.trace import (
    Act,
    AllOver,
    Arrival,
    BrokenRelease,
    Chunk,
    Commanded,
    Created,
    Joined,
    Line,
    Removed,
    Report,
    Rule,
    bits,
)
from syncfabric.sim.results import Mismatch


def combination(op: str, data_bits: int) -> Callable[[Sequence[int]], int]:
    """Return how a group's data become its result."""
    mask = (1 << data_bits) - 1
    operations: dict[str, Callable[[Sequence[int]], int]] = {
        "or": lambda data: reduce(or_, data),
        "and": lambda data: reduce(and_, data),
        "xor": lambda data: reduce(xor, data),
        "max": max,
        "min": min,
        "sum": lambda data: sum(data) & mask,
    }
    return operations[op]


@dataclass
class _Group:
    """One group's present episode, and the arrivals for the next."""

    gid: int
    members: int
    combine: Callable[[Sequence[int]], int]
    bound: int | None = None
    killed: bool = False
    here: dict[int, int] = field(default_factory=dict)
    ahead: dict[int, int] = field(default_factory=dict)
    out: set[int] = field(default_factory=set)
    lost: set[int] = field(default_factory=set)
    last: int = 0
    last_ahead: int = 0
    latency: list[int] = field(default_factory=list)

    @property
    def inside(self) -> set[int]:
        """Members that have arrived and are not released."""
        return (self.here.keys() - self.out | self.ahead.keys()) - self.lost


class BarrierCheck(Rule):
    """No member is released before the last has arrived, and each once an episode.

    Every result is the members' data combined. A barrier on wires takes no longer than the plan
    says, whatever other groups do. Groups that come and go are numbered on from those of the plan;
    one that is killed may release its members as broken, each once.

    Parameters
    ----------
    plan : BarrierPlan
        Groups and members.

    Attributes
    ----------
    latency : list of list of int
        For each group of the plan, cycles from last arrival to last release of each episode.
    releases, broken, early : int
        Members released; as broken; and before all had arrived.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.network
        self._topology, self._registers = network.topology, network.port_registers
        self._data_bits = network.data_bits
        self._groups: dict[int, _Group] = {}
        self._member: dict[tuple[int, int], tuple[int, int]] = {}
        self._broken: set[BrokenRelease] = set()
        for number, group in enumerate(plan.groups):
            combine = combination(group.op, network.data_bits)
            on_wires = group.slot_register is not None
            bound = group.bound if on_wires else None
            self._groups[number] = _Group(group.id, len(group.members), combine, bound)
            for member, place in enumerate(plan.endpoints(group)):
                self._member[place] = number, member
        self.latency = [group.latency for group in self._groups.values()]
        self.releases = self.broken = self.early = 0

    def state(self, number: int) -> tuple[int, set[int]]:
        """Return a group's episodes so far, and its members that wait for a release."""
        group = self._groups[number]
        return len(group.latency), group.inside

    def begin(self, chunk: Chunk) -> None:
        """Take a chunk in: software says which of its releases are broken ones."""
        self._broken = {act for act in chunk.acts if isinstance(act, BrokenRelease)}

    def act(self, act: Act) -> Iterator[Mismatch]:
        """Take an arrival in, or what happens to a group that comes and goes."""
        match act:
            case Arrival():
                self._arrive(act)
            case Created():
                combine = combination(act.op, self._data_bits)
                self._groups[act.number] = _Group(act.gid, len(act.nodes), combine)
            case Joined():
                yield from self._come(act)
            case Commanded(operation=Operation.KILL):
                self._groups[act.number].killed = True
            case Removed():
                del self._groups[act.number]

    def report(self, outcome: Outcome) -> None:
        """Add how many members were released."""
        outcome.releases = self.releases

    def _come(self, came: Joined) -> Iterator[Mismatch]:
        """Note a member's register; yield that another member waits there for a release."""
        gid, key = self._groups[came.number].gid, (came.node, came.register)
        other, place = self._member.get(key, (came.number, came.member))
        if other in self._groups and place in self._groups[other].inside:
            old, where = self._groups[other].gid, self._topology.node(came.node)
            rule = f"group {old}: register taken from a member"
            yield Mismatch(came.cycle, where, rule, gid, old)
        self._member[key] = (came.number, came.member)

    def _arrive(self, arrival: Arrival) -> None:
        group = self._groups[arrival.group]
        if arrival.member in group.out:
            group.ahead[arrival.member] = arrival.data
            group.last_ahead = arrival.cycle
        else:
            group.here[arrival.member] = arrival.data
            group.last = arrival.cycle

    def wires(self, line: Line) -> Iterator[Mismatch]:
        """Check the releases of a cycle."""
        record, cycle = line.record, line.cycle
        if not record.release:
            return
        for bit, result in zip(bits(record.release), record.results, strict=True):
            key = divmod(bit, self._registers)
            node, broken = self._topology.node(key[0]), BrokenRelease(cycle, *key) in self._broken
            number, member = self._member.get(key, (-1, 0))
            group = self._groups.get(number)
            self.broken += broken
            self.releases += not broken and group is not None
            if group is None:
                rule = "broken release of no member" if broken else "release of no member"
                yield Mismatch(cycle, node, rule, str(key[1]), None)
                continue
            wrong = (
                _broken_off(group, member) if broken else self._end(group, member, cycle, result)
            )
            for rule, seen, wanted in wrong:
                yield Mismatch(cycle, node, f"group {group.gid}: {rule}", seen, wanted)

    def _end(
        self, group: _Group, member: int, cycle: int, result: int
    ) -> Iterator[tuple[str, int, int]]:
        """End a member's episode; yield the rules that this breaks, seen and wanted."""
        if len(group.here) < group.members:
            self.early += 1
            yield "arrivals before a release", len(group.here), group.members
            return
        if member in group.out:
            yield "releases of a member in an episode", 2, 1
            return
        wanted = group.combine(list(group.here.values()))
        if result != wanted:
            yield "result of all members", result, wanted
        group.out.add(member)
        if len(group.out) == group.members:
            group.latency.append(cycle - group.last)
            if group.bound is not None and group.latency[-1] > group.bound:
                yield "cycles of a barrier", group.latency[-1], group.bound
            group.here, group.ahead, group.out = group.ahead, {}, set()
            group.last = group.last_ahead

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Yield the groups whose episode has begun and is not over."""
        for group in self._groups.values():
            if group.here:
                rule = f"group {group.gid}: members released at the end"
                yield Mismatch(cycle, None, rule, len(group.out), 0)


def _broken_off(group: _Group, member: int) -> Iterator[tuple[str, int, int]]:
    """Release a member as broken; yield the rules that this breaks, seen and wanted."""
    if not group.killed:
        yield "broken, and not killed", 1, 0
    elif member in group.lost:  # BROKEN reaches members that have not arrived, too
        yield "broken release of a member", 1, 0
    group.lost.add(member)


OF_KILLED = {"engine OVERFLOW", "engine UNEXPECTED", "engine REFUSED_COMMAND"}
"""Events counted for messages in flight when their group is killed."""


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
        network = plan.spec.message_network
        self._barriers, self._layout = barriers, network.shape.router.layout
        self._counters = {counter.place: counter.name for counter in counters_of(network)}
        self._instances: dict[int, Created] = {}
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
                self._instances[act.number] = act
            case Commanded(operation=Operation.KILL):
                self._killed.add(act.number)
            case Removed():
                yield from self._gone(act)
            case AllOver():
                self._ending = True

    def _gone(self, act: Removed) -> Iterator[Mismatch]:
        created = self._instances.pop(act.number)
        episodes, inside = self._barriers.state(act.number)
        name = f"group {created.gid}"
        if inside:
            what = f"{name}: members inside when it was gone"
            yield Mismatch(act.cycle, None, what, len(inside), 0)
        if act.number not in self._killed and episodes != created.episodes:
            yield Mismatch(act.cycle, None, f"{name}: episodes", episodes, created.episodes)
        places = zip(created.targets, created.entries, strict=True)
        self._unread.update(dict.fromkeys(places, created.gid))

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
        """Check the end: no instance is left, and every entry of theirs has been read."""
        for created in self._instances.values():
            yield Mismatch(cycle, None, f"group {created.gid}: still present at the end", 1, 0)
        for (target, entry), gid in self._unread.items():
            what = f"target {target}: group {gid}: entry {entry} not read when it was over"
            yield Mismatch(cycle, None, what, 0, 1)
