"""What must hold of operations, judged by the wires: no program and no model is asked.

What the wires must carry follows from section R9 and Python's integers alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_, xor

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.static_images import NumberedGroup
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.operations import (
    FROM_ROOT,
    Collective,
    CollectiveOutcome,
    Shape,
    Turn,
    asked_of,
    network_of,
    words_of,
)
from syncfabric.sim.results import Mismatch

__all__ = ["CollectiveCheck"]

PORTS = len(Port)
COMBINED: dict[str, Callable[[Sequence[int]], int]] = {
    "sum": sum,
    "or": lambda words: reduce(or_, words),
    "and": lambda words: reduce(and_, words),
    "xor": lambda words: reduce(xor, words),
    "max": max,
    "min": min,
}


@dataclass
class Operation:
    """One operation: every member's word, and when each began and was done.

    Parameters
    ----------
    place : int
        Of the collective in the scenario.
    asked : Collective
    shape : Shape
    words : list of int
        By member.
    """

    place: int
    asked: Collective
    shape: Shape
    words: list[int]
    begun: dict[int, int] = field(default_factory=dict)
    done: dict[int, int] = field(default_factory=dict)
    ended: int = 0

    @property
    def from_root(self) -> bool:
        """Whether the root's flits go past all members, and none is changed."""
        return self.asked.kind in FROM_ROOT

    @property
    def stream(self) -> list[int]:
        """What goes past all members then."""
        root = self.shape.root
        words = [self.words[root]]
        if self.asked.kind == "scatter":
            words = [word for member, word in enumerate(self.words) if member != root]
        return [flit for word in words for flit in self._flits(word)]

    @property
    def total(self) -> int:
        """All words combined."""
        return self._combined(self.words)

    def due(self, member: int) -> tuple[int, int]:
        """Return how many flits a member reads and sends."""
        size, shape = self.asked.flits, self.shape
        at_root = member == shape.root
        if self.from_root:
            count = size * (shape.members - 1) if self.asked.kind == "scatter" else size
            return count if shape.ring or not at_root else 0, count if at_root else 0
        if self.asked.kind == "reduce":
            return size, size
        return (size, 2 * size) if at_root else (2 * size, size * (1 + (member != shape.last)))

    def wrong(
        self, member: int, read: Sequence[int], sent: Sequence[int]
    ) -> tuple[str, int | str, int | str] | None:
        """Return what is wrong with what a member has read and sent, as it is and has to be."""
        at_root, size = member == self.shape.root, self.asked.flits
        if self.from_root:
            stream = self.stream
            for what, flits in (("read", read), ("sent", sent)):
                if flits and list(flits) != stream:
                    return f"flits {what}", _shown(flits), _shown(stream)
            return None
        came, went = self._word(read[:size]), self._word(sent[:size])
        words = self.words[member]
        if at_root:
            pairs = [("word sent", went, words), ("result", came, self.total)]
        else:
            pairs = [("word sent on", went, self._combined([came, words]))]
        if self.asked.kind == "allreduce":
            second = [flits[size:] for flits in (read, sent) if len(flits) > size]
            pairs += [("result", self._word(flits), self.total) for flits in second]
        return next((pair for pair in pairs if pair[1] != pair[2]), None)

    def word(self, member: int) -> int | None:
        """Return what a member must end up with that it has not brought along; None: nothing."""
        at_root = member == self.shape.root
        if self.from_root:
            other = self.words[self.shape.root if self.asked.kind == "broadcast" else member]
            return None if at_root else other
        return self.total if at_root or self.asked.kind == "allreduce" else None

    def _combined(self, words: Sequence[int]) -> int:
        mask = (1 << self.asked.flits * self.shape.bits) - 1
        return COMBINED[self.asked.op](words) & mask

    def _flits(self, word: int) -> list[int]:
        bits = self.shape.bits
        flits = [word >> bits * i & (1 << bits) - 1 for i in range(self.asked.flits)]
        return self._ordered(flits)

    def _word(self, flits: Sequence[int]) -> int:
        bits = self.shape.bits
        return sum(flit << bits * i for i, flit in enumerate(self._ordered(list(flits))))

    def _ordered(self, flits: list[int]) -> list[int]:
        """Turn lowest first into the order of the wires, or back."""
        return flits[::-1] if self.asked.op in ("max", "min") else flits


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
        group: NumberedGroup,
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
