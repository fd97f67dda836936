"""What must hold of operations, judged by the wires: no program and no model is asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.reach import reach
from syncfabric.models.planning.static_images import NumberedGroup
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.collectives.asked import Collective, CollectiveOutcome
from syncfabric.sim.drive.static.collectives.expected import Operation, Shape
from syncfabric.sim.drive.static.collectives.turns import Turn
from syncfabric.sim.drive.static.collectives.words import words_of
from syncfabric.sim.drive.static.parts import asked_of, network_of
from syncfabric.sim.results import Mismatch

__all__ = ["CollectiveCheck"]

PORTS = len(Port)


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
        group: NumberedGroup,
        asked: Sequence[tuple[int, Collective]],
        scenario: Scenario,
    ) -> None:
        network = network_of(plan)
        self.id, self._seed = group.id, scenario.seed
        self.members = [_Member(node) for node in group.members]
        root = group.root
        order = [node for node in reach(network.topology, group) if node != root]
        index = group.members.index
        self.shape = Shape(
            len(group.members), index(root), index(order[-1]), group.flits is None,
            network.flit_bits,
        )  # fmt: skip
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
            width = self.shape.bits * asked.flits
            words = words_of(self._seed, place, repetition, self.shape.members, width)
            self._open[number] = Operation(place, asked, self.shape, words)
        return self._open[number]

    def forget(self, number: int) -> None:
        """Drop an operation that is over."""
        del self._open[number]


class CollectiveCheck:
    """Everybody gets what it must, and nobody before it can be known.

    A flit is read or sent only within an operation that the member has begun; of a root's stream
    nobody reads a flit before the root has begun, and of a reduction nobody has the result before
    all have. The root of a ring has its last flit back only when nobody has more of the stream
    left to read than a core buffer holds.

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
            _Group(plan, group, asked, scenario) for group, asked in asked_of(plan, scenario)
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

    def turn(self, turn: Turn) -> Iterator[Mismatch]:
        """Note that a member begins an operation; judge what it ends with."""
        group = self._groups[turn.course]
        member = group.members[turn.member]
        if not turn.ends:
            group.operation(member.begun).begun[turn.member] = turn.cycle
            member.begun += 1
            return
        number = member.begun - 1
        operation = group.operation(number)
        wanted = operation.word(turn.member)
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

    def note(self, cycle: int, record: Record) -> Iterator[Mismatch]:
        """Take a cycle's wires in, and judge them."""
        for link in bits(record.credit & self._taken):
            group, number = self._cores[link]
            member = group.members[number]
            if member.buffer:  # a credit without a flit is told by the books of links
                member.read.append(member.buffer.popleft())
            yield from self._judge(cycle, group, number)
        if not record.valid & self._ports:
            return
        for link, flit in zip(bits(record.valid), record.payloads, strict=True):
            if link in self._cores:
                group, number = self._cores[link]
                group.members[number].buffer.append(flit)
            elif link in self._injections:
                group, number = self._injections[link]
                group.members[number].sent.append(flit)
                yield from self._judge(cycle, group, number)

    def close(self, cycle: int) -> Iterator[Mismatch]:
        """Judge the end: every operation is over."""
        for group in self._groups:
            if group.over != group.count:
                rule = f"group {group.id}: operations over at the end"
                yield Mismatch(cycle, None, rule, group.over, group.count)

    def _judge(self, cycle: int, group: _Group, number: int) -> Iterator[Mismatch]:
        """Judge a member that has just read or sent a flit."""
        member = group.members[number]
        if member.done == member.begun:
            yield self._told(
                cycle, group, number, "flits outside of operations",
                len(member.read) + len(member.sent), 0,
            )  # fmt: skip
            return
        operation = group.operation(member.done)
        root = group.shape.root
        if root not in operation.begun:
            yield self._told(cycle, group, number, "a flit before the root has begun", 1, 0)
        reads, sends = operation.due(number)
        if len(member.read) < reads or len(member.sent) < sends:
            return
        wrong = operation.wrong(number, member.read, member.sent)
        if wrong is not None:
            yield self._told(cycle, group, number, *wrong)
        knows = number == root or operation.asked.kind == "allreduce"
        if knows and not operation.from_root and len(operation.begun) < len(group.members):
            begun = len(operation.begun)
            yield self._told(
                cycle, group, number, "begun before the result", begun, len(group.members)
            )
        if number == root and operation.from_root and group.shape.ring:
            yield from self._behind(cycle, group, member.done, reads)
        member.read, member.sent = [], []
        operation.done[number] = cycle + 1
        member.done += 1

    def _behind(self, cycle: int, group: _Group, number: int, count: int) -> Iterator[Mismatch]:
        """Yield members that have more to read than their core buffers hold."""
        for place, member in enumerate(group.members):
            left = count - (len(member.read) if member.done == number else 0)
            if place != group.shape.root and left > self._places and member.done <= number:
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
