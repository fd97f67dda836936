"""What must hold of operations, checked by the wires and by when members begin and end.

What the wires must carry follows from section R9 and Python's integers alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import combination
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.operations import (
    FROM_ROOT,
    HIGHEST_FIRST,
    Collective,
    CollectiveOutcome,
    Shape,
    Turn,
    asked_of,
    network_of,
    words_of,
)
from syncfabric.sim.drive.trace import Act, Line, Report, Rule, bits, flits_on
from syncfabric.sim.results import Mismatch

__all__ = ["CollectiveCheck"]

PORTS = len(Port)


class Operation:
    """One operation: what every member reads, sends and ends up with, and when it did.

    Parameters
    ----------
    place : int
        Of the collective in the scenario.
    asked : Collective
    shape : Shape
    words : list of int
        By member.
    """

    def __init__(self, place: int, asked: Collective, shape: Shape, words: Sequence[int]) -> None:
        self.place, self.asked, self.from_root = place, asked, asked.kind in FROM_ROOT
        self.begun: dict[int, int] = {}
        self.done: dict[int, int] = {}
        self.ended = 0
        self.reads: dict[int, list[int]] = {}
        self.sends: dict[int, list[int]] = {}
        self.words: dict[int, int] = {}
        """What a member must end up with that it has not brought along."""
        self._bits = shape.bits
        root, *others = shape.order
        if self.from_root:
            self.words = dict.fromkeys(others, words[root])
            if asked.kind == "scatter":
                self.words = {member: words[member] for member in sorted(others)}
            parts = [words[root]] if asked.kind == "broadcast" else self.words.values()
            stream = [flit for word in parts for flit in self._flits(word)]
            self.reads = dict.fromkeys(shape.order if shape.ring else others, stream)
            self.sends = {root: stream}
            return
        combine, token = combination(asked.op, asked.flits * shape.bits), words[root]
        self.sends[root] = self._flits(token)
        for member in others:
            self.reads[member] = self._flits(token)
            token = combine([token, words[member]])
            self.sends[member] = self._flits(token)
        self.reads[root], self.words = self._flits(token), {root: token}
        if asked.kind == "allreduce":
            self.words = dict.fromkeys(shape.order, token)
            for member in others:
                self.reads[member] += self._flits(token)
            for member in shape.order[:-1]:
                self.sends[member] += self._flits(token)

    def _flits(self, word: int) -> list[int]:
        """Return a word's flits in the order of the wires."""
        flits = [word >> self._bits * i & (1 << self._bits) - 1 for i in range(self.asked.flits)]
        return flits[::-1] if self.asked.op in HIGHEST_FIRST else flits


def _shown(flits: Sequence[int]) -> str:
    return " ".join(f"{flit:x}" for flit in flits)


@dataclass
class _Member:
    """A member's port, as the wires show it, and how far it is."""

    node: Node
    begun: int = 0
    done: int = 0
    """Operations begun, and those of which it has read and sent everything."""
    buffer: deque[int] = field(default_factory=deque)
    read: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)


class _Group:
    """A group's members, and the operations that are not over."""

    def __init__(
        self,
        plan: BarrierPlan,
        group: GroupPlan,
        asked: Sequence[tuple[int, Collective]],
        scenario: Scenario,
    ) -> None:
        self.id, self._seed = group.id, scenario.seed
        self.members = [_Member(node) for node in group.members]
        self.shape = Shape.of(network_of(plan), group)
        self._order = [
            (place, each, number) for place, each in asked for number in range(scenario.episodes)
        ]
        self._open: dict[int, Operation] = {}

    @property
    def over(self) -> int:
        """Operations that everybody is done with."""
        return min(member.done for member in self.members)

    @property
    def count(self) -> int:
        """Operations asked for."""
        return len(self._order)

    def operation(self, number: int) -> Operation:
        """Return an operation that is not over."""
        if number not in self._open:
            place, asked, repetition = self._order[number]
            words = words_of(self._seed, place, repetition, self.shape, asked.flits)
            self._open[number] = Operation(place, asked, self.shape, words)
        return self._open[number]

    def forget(self, number: int) -> None:
        """Drop an operation that is over."""
        del self._open[number]


class CollectiveCheck(Rule):
    """Every member gets its word, and not before it can be known.

    A flit is read or sent only within an operation that the member has begun. No flit of a root's
    stream is read before the root has begun, and no member has a reduction's result before all
    have. The root of a ring has its last flit back only when no member has more of the stream left
    to read than a core buffer holds.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario

    Attributes
    ----------
    outcomes : list of CollectiveOutcome
        In the order of the scenario.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario) -> None:
        network = network_of(plan)
        nodes, index = len(network.topology.nodes), network.topology.index
        self._places = network.core_buffer
        self.outcomes = [CollectiveOutcome(asked, []) for asked in scenario.collectives]
        self._groups = [
            _Group(plan, group, asked, scenario)
            for group, asked in asked_of(plan, scenario.collectives)
        ]
        self._cores: dict[int, tuple[_Group, int]] = {}
        self._injections: dict[int, tuple[_Group, int]] = {}
        for group in self._groups:
            for number, member in enumerate(group.members):
                at = index(member.node)
                self._cores[PORTS * at + Port.LOCAL] = group, number
                self._injections[PORTS * nodes + at] = group, number
        self._ports = sum(1 << link for link in (*self._cores, *self._injections))
        self._taken = sum(1 << link for link in self._cores)

    def act(self, act: Act) -> Iterator[Mismatch]:
        """Note that a member begins an operation; check what it ends with."""
        if isinstance(act, Turn):
            yield from self._turn(act)

    def _turn(self, turn: Turn) -> Iterator[Mismatch]:
        group = self._groups[turn.course]
        member = group.members[turn.member]
        if not turn.ends:
            group.operation(member.begun).begun[turn.member] = turn.cycle
            member.begun += 1
            return
        number = member.begun - 1
        operation = group.operation(number)
        wanted = operation.words.get(turn.member)
        if turn.word != wanted:
            yield self._told(turn.cycle, group, turn.member, "word in the end", turn.word, wanted)
        if member.done != member.begun:
            yield self._told(
                turn.cycle, group, turn.member, "operations done", member.done, member.begun
            )
        operation.ended += 1
        if operation.ended == len(group.members):
            self.outcomes[operation.place].cycles.append(
                max(operation.done.values()) - max(operation.begun.values())
            )
            group.forget(number)

    def wires(self, line: Line) -> Iterator[Mismatch]:
        """Check what members read and send in a cycle."""
        cycle, record = line.cycle, line.record
        for link in bits(record.credit & self._taken):
            group, number = self._cores[link]
            member = group.members[number]
            if member.buffer:  # a credit without a flit is told by the books of links
                member.read.append(member.buffer.popleft())
            yield from self._check(cycle, group, number)
        for link, flit in flits_on(record, self._ports):
            if link in self._cores:
                group, number = self._cores[link]
                group.members[number].buffer.append(flit)
            else:
                group, number = self._injections[link]
                group.members[number].sent.append(flit)
                yield from self._check(cycle, group, number)

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Check the end: every operation is over."""
        for group in self._groups:
            if group.over != group.count:
                rule = f"group {group.id}: operations over at the end"
                yield Mismatch(cycle, None, rule, group.over, group.count)

    def _check(self, cycle: int, group: _Group, number: int) -> Iterator[Mismatch]:
        """Check a member that has just read or sent a flit."""
        member = group.members[number]
        if member.done == member.begun:
            yield self._told(
                cycle, group, number, "flits outside of operations",
                len(member.read) + len(member.sent), 0,
            )  # fmt: skip
            return
        operation = group.operation(member.done)
        root = group.shape.order[0]
        if root not in operation.begun:
            yield self._told(cycle, group, number, "a flit before the root has begun", 1, 0)
        reads, sends = operation.reads.get(number, []), operation.sends.get(number, [])
        if len(member.read) < len(reads) or len(member.sent) < len(sends):
            return
        for what, seen, wanted in (("read", member.read, reads), ("sent", member.sent, sends)):
            if seen != wanted:
                yield self._told(
                    cycle, group, number, f"flits {what}", _shown(seen), _shown(wanted)
                )
        knows = number == root or operation.asked.kind == "allreduce"
        if knows and not operation.from_root and len(operation.begun) < len(group.members):
            begun = len(operation.begun)
            yield self._told(
                cycle, group, number, "begun before the result", begun, len(group.members)
            )
        if number == root and operation.from_root and group.shape.ring:
            yield from self._behind(cycle, group, member.done, len(reads))
        member.read, member.sent = [], []
        operation.done[number] = cycle + 1
        member.done += 1

    def _behind(self, cycle: int, group: _Group, number: int, count: int) -> Iterator[Mismatch]:
        """Yield members that have more to read than their core buffers hold."""
        for place, member in enumerate(group.members):
            left = count - (len(member.read) if member.done == number else 0)
            if place != group.shape.order[0] and left > self._places and member.done <= number:
                yield self._told(
                    cycle, group, place, "flits behind the root's last", left, self._places
                )

    def _told(
        self,
        cycle: int,
        group: _Group,
        member: int,
        rule: str,
        seen: int | str | None,
        wanted: int | str | None,
    ) -> Mismatch:
        node = group.members[member].node
        return Mismatch(cycle, node, f"group {group.id}: {rule}", seen, wanted)
