"""What must hold of barriers, judged by arrivals and releases alone: no model is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import reduce
from operator import and_, or_, xor

from syncfabric.models.planning.plan import BarrierPlan, GroupPlan
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.results import Mismatch

__all__ = ["BarrierCheck", "combination"]


def combination(op: str, data_bits: int) -> Callable[[list[int]], int]:
    """Return how a group's data become its result."""
    mask = (1 << data_bits) - 1
    operations: dict[str, Callable[[list[int]], int]] = {
        "or": lambda data: reduce(or_, data),
        "and": lambda data: reduce(and_, data),
        "xor": lambda data: reduce(xor, data),
        "max": max,
        "min": min,
        "sum": lambda data: sum(data) & mask,
    }
    return operations[op]


class _Group:
    """One group's present episode, and the arrivals for the next."""

    def __init__(
        self,
        gid: int,
        members: int,
        combine: Callable[[list[int]], int],
        bound: int | None,
    ) -> None:
        self.gid, self.members, self.combine, self.bound = gid, members, combine, bound
        self.killed = False
        self.here: dict[int, int] = {}
        self.ahead: dict[int, int] = {}
        self.out: set[int] = set()
        self.lost: set[int] = set()
        self.last, self.last_ahead = 0, 0
        self.latency: list[int] = []

    @property
    def inside(self) -> set[int]:
        """Members that have arrived and are not released."""
        return (self.here.keys() - self.out | self.ahead.keys()) - self.lost


class BarrierCheck:
    """Nobody is released before the last member has arrived, and everybody once an episode.

    Every result is the members' data combined, too. A barrier on wires takes no longer than the
    plan says, whatever other groups do. Groups that come and go are numbered on from those of the
    plan; one that is killed may release its members as broken, each once.

    Parameters
    ----------
    plan : BarrierPlan
        Groups and members.

    Attributes
    ----------
    latency : list of list of int
        For each group, cycles from last arrival to last release of each episode.
    releases, broken, early : int
        Members released; as broken; and before all had arrived.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.network
        self._plan, self._registers = plan, network.port_registers
        self._groups: dict[int, _Group] = {}
        self._member: dict[tuple[int, int], tuple[int, int]] = {}
        for number, group in enumerate(plan.groups):
            combine = combination(group.op, network.data_bits)
            on_wires = isinstance(group, GroupPlan) and group.slot_register is not None
            bound = group.bound if on_wires else None
            self._groups[number] = _Group(group.id, len(group.members), combine, bound)
            for member, (node, place) in enumerate(group.places.items()):
                index = network.topology.index(node)
                self._member[index, place] = (number, member)
        self.latency = [group.latency for group in self._groups.values()]
        self.releases = self.broken = self.early = 0

    def enter(self, number: int, gid: int, op: str, nodes: Sequence[int]) -> None:
        """Take in a group that comes and goes."""
        network = self._plan.spec.network
        combine = combination(op, network.data_bits)
        self._groups[number] = _Group(gid, len(nodes), combine, None)

    def sit(
        self, cycle: int, number: int, member: int, node: int, register: int
    ) -> Iterator[Mismatch]:
        """Note a member's register; yield that somebody waits there for a release."""
        gid, key = self._groups[number].gid, (node, register)
        other, place = self._member.get(key, (number, member))
        if other in self._groups and place in self._groups[other].inside:
            where = self._plan.spec.network.topology.node(node)
            old = self._groups[other].gid
            yield Mismatch(cycle, where, f"group {old}: register taken from a member", gid, old)
        self._member[key] = (number, member)

    def kill(self, number: int) -> None:
        """Let a group release its members as broken from now on."""
        self._groups[number].killed = True

    def leave(self, number: int) -> tuple[int, set[int]]:
        """Forget a group; return its episodes, and who is still inside."""
        group = self._groups.pop(number)
        return len(group.latency), group.inside

    def arrive(self, arrival: Arrival) -> None:
        """Take an arrival; those of a cycle come after its releases."""
        group = self._groups[arrival.group]
        if arrival.member in group.out:
            group.ahead[arrival.member] = arrival.data
            group.last_ahead = arrival.cycle
        else:
            group.here[arrival.member] = arrival.data
            group.last = arrival.cycle

    def release(self, line: Line, broken: Collection[tuple[int, int]] = ()) -> Iterator[Mismatch]:
        """Judge the releases of a cycle; yield what breaks a rule.

        Parameters
        ----------
        line : Line
            The wires of the cycle.
        broken : collection of (node, register)
            Registers whose ``broken`` is set.
        """
        record = line.record
        for bit, result in zip(bits(record.release), record.results, strict=True):
            node, register = divmod(bit, self._registers)
            seat = (node, register)
            if seat in broken:
                yield from self._judge_broken(line.cycle, seat)
            else:
                yield from self._judge(line.cycle, seat, result)

    def _judge(self, cycle: int, key: tuple[int, int], result: int) -> Iterator[Mismatch]:
        node = self._plan.spec.network.topology.node(key[0])
        if not self._knows(key):
            yield Mismatch(cycle, node, "release of no member", str(key[1]), None)
            return
        number, member = self._member[key]
        group = self._groups[number]
        gid = group.gid
        self.releases += 1
        if len(group.here) < group.members:
            self.early += 1
            yield Mismatch(
                cycle,
                node,
                f"group {gid}: arrivals before a release",
                len(group.here),
                group.members,
            )
            return
        if member in group.out:
            yield Mismatch(cycle, node, f"group {gid}: releases of a member in an episode", 2, 1)
            return
        wanted = group.combine(list(group.here.values()))
        if result != wanted:
            yield Mismatch(cycle, node, f"group {gid}: result of all members", result, wanted)
        group.out.add(member)
        if len(group.out) == group.members:
            group.latency.append(cycle - group.last)
            if group.bound is not None and group.latency[-1] > group.bound:
                what = f"group {gid}: cycles of a barrier"
                yield Mismatch(cycle, node, what, group.latency[-1], group.bound)
            group.here, group.ahead, group.out = group.ahead, {}, set()
            group.last = group.last_ahead

    def _knows(self, key: tuple[int, int]) -> bool:
        return key in self._member and self._member[key][0] in self._groups

    def _judge_broken(self, cycle: int, key: tuple[int, int]) -> Iterator[Mismatch]:
        """Judge the release of a member whose group is dead."""
        node = self._plan.spec.network.topology.node(key[0])
        self.broken += 1
        if not self._knows(key):
            yield Mismatch(cycle, node, "broken release of no member", str(key[1]), None)
            return
        number, member = self._member[key]
        group = self._groups[number]
        if not group.killed:
            yield Mismatch(cycle, node, f"group {group.gid}: broken, and not killed", 1, 0)
        elif member in group.lost:  # BROKEN reaches members that have not arrived, too
            yield Mismatch(cycle, node, f"group {group.gid}: broken release of a member", 1, 0)
        group.lost.add(member)

    def unfinished(self) -> Iterator[tuple[int, int]]:
        """Yield (GID, members released) of groups whose episode has begun and is not over."""
        for group in self._groups.values():
            if group.here:
                yield group.gid, len(group.out)
