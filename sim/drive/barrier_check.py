"""What must hold of barriers, judged by arrivals and releases alone: no model is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import and_, or_, xor

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.results import Mismatch

__all__ = ["BarrierCheck"]


def _combine(op: str, data_bits: int) -> Callable[[list[int]], int]:
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

    def __init__(self, members: int, combine: Callable[[list[int]], int]) -> None:
        self.members, self.combine = members, combine
        self.here: dict[int, int] = {}
        self.ahead: dict[int, int] = {}
        self.out: set[int] = set()
        self.last, self.last_ahead = 0, 0
        self.latency: list[int] = []


class BarrierCheck:
    """Nobody is released before the last member has arrived, and everybody once an episode.

    Every result is the members' data combined, too.

    Parameters
    ----------
    plan : BarrierPlan
        Groups and members.

    Attributes
    ----------
    latency : list of list of int
        For each group, cycles from last arrival to last release of each episode.
    releases : int
        Members released.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.network
        self._plan, self._registers = plan, network.barrier_registers
        self._groups = [
            _Group(len(group.members), _combine(group.op, network.data_bits))
            for group in plan.groups
        ]
        self._member: dict[tuple[int, int, int], tuple[int, int]] = {}
        for number, group in enumerate(plan.groups):
            for member, (node, place) in enumerate(group.places.items()):
                index = network.topology.index(node)
                key = (index, -1, group.id) if place is None else (index, place, -1)
                self._member[key] = (number, member)
        self.latency = [group.latency for group in self._groups]
        self.releases = 0

    def arrive(self, arrival: Arrival) -> None:
        """Take an arrival; those of a cycle come after its releases."""
        group = self._groups[arrival.group]
        if arrival.member in group.out:
            group.ahead[arrival.member] = arrival.data
            group.last_ahead = arrival.cycle
        else:
            group.here[arrival.member] = arrival.data
            group.last = arrival.cycle

    def release(self, line: Line) -> Iterator[Mismatch]:
        """Judge the releases of a cycle; yield what breaks a rule."""
        record = line.record
        for bit, result in zip(bits(record.release), record.results, strict=True):
            node, register = divmod(bit, self._registers)
            yield from self._judge(line.cycle, (node, register, -1), result)
        for node, gid, result in record.spill:
            yield from self._judge(line.cycle, (node, -1, gid), result)

    def _judge(self, cycle: int, key: tuple[int, int, int], result: int) -> Iterator[Mismatch]:
        node = self._plan.spec.network.topology.node(key[0])
        if key not in self._member:
            yield Mismatch(cycle, node, "release of no member", str(key[1:]), None)
            return
        number, member = self._member[key]
        group, gid = self._groups[number], self._plan.groups[number].id
        self.releases += 1
        if len(group.here) < group.members:
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
            group.here, group.ahead, group.out = group.ahead, {}, set()
            group.last = group.last_ahead

    def unfinished(self) -> Iterator[tuple[int, int]]:
        """Yield (GID, members released) of groups whose episode has begun and is not over."""
        for group, planned in zip(self._groups, self._plan.groups, strict=True):
            if group.here:
                yield planned.id, len(group.out)
