"""What must hold on a static network: of flits by the wires alone, and of operations.

What the wires must carry follows from section R9 and Python's integers alone, and from when members
begin and end.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.free_links import Output
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.barrier_check import combination
from syncfabric.sim.drive.lanes import CreditLedger
from syncfabric.sim.drive.scenario import Outcome, Scenario
from syncfabric.sim.drive.static.operations import (
    FROM_ROOT,
    HIGHEST_FIRST,
    Collective,
    CollectiveOutcome,
    Shape,
    network_of,
    words_of,
)
from syncfabric.sim.drive.trace import Act, Line, Report, Rule, Turn, bits, flits_on
from syncfabric.sim.results import Mismatch


@dataclass
class _Reader:
    """A member's core link, and what it reads of an episode: in all, and before any leaves."""

    core: int
    reads: int
    notified: int
    path: list[int] = field(default_factory=list)
    """Of a tree, the links from the root's injection to the member's core."""
    released: int = 0


@dataclass
class _Episodes:
    """A group's members, and the episodes that a member has left."""

    members: list[tuple[Node, _Reader]] = field(default_factory=list)
    left: int = 0


class FlowCheck(CreditLedger):
    """No buffer holds more than its places, and no member leaves an episode too early.

    A member leaves after every other has read a flit of the episode, and so has arrived, and after
    a ring's root has read its notify. The B fillers of a member that has not arrived fill its core
    buffer and hold the notify back; one read lets it pass (paper Reflex, section III.A). At the end
    a ring holds B fillers in each member's core buffer and nothing else, and every path to a member
    of a tree has as many flits as fit on the shortest.

    Parameters
    ----------
    network : StaticSpec
    groups : sequence of GroupPlan
    """

    def __init__(self, network: StaticSpec, groups: Sequence[GroupPlan]) -> None:
        self._network, self._groups = network, groups
        links = links_of(network)
        self._links = links
        self._buffers = [network.switch_buffer] * links.count
        for eject, inject in zip(links.eject, links.inject, strict=True):
            self._buffers[eject], self._buffers[inject] = (
                network.core_buffer,
                network.injection_buffer,
            )
        places: dict[int, int] = {}
        for buffer in {*self._buffers}:
            every = sum(1 << link for link, count in enumerate(self._buffers) if count == buffer)
            places[every] = buffer
        super().__init__(network, places)
        self._cores = sum(1 << link for link in links.eject)
        self._read = dict.fromkeys(links.eject, 0)
        self._members: dict[int, tuple[int, _Reader]] = {}
        self._courses = [_Episodes() for _ in groups]
        for number, group in enumerate(groups):
            routes = group.routes()
            for node in group.members:
                member = self._member(group, node, routes)
                self._members[network.topology.index(node)] = number, member
                self._courses[number].members.append((node, member))

    def _member(self, group: GroupPlan, node: Node, routes: Mapping[Output, int]) -> _Reader:
        core = self._links.eject[self._network.topology.index(node)]
        if len(group.members) == 1:
            return _Reader(core, 0, 0)
        if group.flits is None:
            fillers = self._network.core_buffer
            return _Reader(core, fillers + 2, 1 + fillers * (node == group.route.root))
        if node == group.route.root:
            return _Reader(core, 0, 0)
        return _Reader(core, group.flits, 1, self._path(node, routes))

    def _path(self, node: Node, routes: Mapping[Output, int]) -> list[int]:
        """Return the links to a member's core, the last first."""
        graph, path = self._network.graph, list[int]()
        switch, port = graph.port_of(node)
        while True:
            path.append(graph.ports * switch + port)
            source = routes[switch, port]
            before, sender = graph.across(switch, source), graph.node_at(switch, source)
            if before is None:
                assert sender is not None
                return [*path, self._links.inject[sender]]
            switch, port = before

    def wires(self, line: Line) -> Iterator[Mismatch]:
        """Check a cycle's releases, then its flits and credits."""
        for node in bits(line.record.release):
            yield from self._release(line.cycle, node)
        yield from super().wires(line)
        for link in bits(line.record.credit & self._cores):
            self._read[link] += 1

    def _release(self, cycle: int, node: int) -> Iterator[Mismatch]:
        """Check the first release of an episode: yield the members that have not read enough."""
        if node not in self._members:
            return
        number, leaver = self._members[node]
        course, episode = self._courses[number], leaver.released
        leaver.released += 1
        if episode < course.left:
            return
        course.left += 1
        for other, member in course.members:
            wanted, read = episode * member.reads + member.notified, self._read[member.core]
            if read < wanted:
                yield Mismatch(cycle, other, "flits read before a member leaves Wait", read, wanted)

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Yield links, and members' paths, that hold other flits than they must.

        Links from nodes in no group are free.
        """
        holds, wanted = self.outstanding(), dict[int, int]()
        paths: list[list[tuple[int, _Reader]]] = [[] for _ in self._groups]
        for number, member in self._members.values():
            if len(self._groups[number].members) == 1:
                continue
            if self._groups[number].flits is None:
                wanted[member.core] = self._network.core_buffer
            elif member.path:
                slots = sum(self._buffers[link] for link in member.path)
                paths[number].append((slots, member))
        found: list[tuple[int, int, int]] = []
        on_paths: set[int] = set()
        for group in paths:
            for _, member in group:
                on_paths.update(member.path)
                least = min(slots for slots, _ in group)
                found.append((member.core, sum(holds.get(link, 0) for link in member.path), least))
        for link in sorted(holds.keys() | wanted.keys()):
            first = self._links.inject[0]
            own = link < first or link - first in self._members
            if own and link not in on_paths:
                found.append((link, holds.get(link, 0), wanted.get(link, 0)))
        for link, held, places in found:
            if held != places:
                yield self._names.broken(cycle, link, "flits held at the end", held, places)


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


def _text(flits: Sequence[int]) -> str:
    return " ".join(f"{flit:x}" for flit in flits)


@dataclass
class _Member:
    """A member's port, as the wires show it; operations begun, and those read and sent whole."""

    node: Node
    begun: int = 0
    done: int = 0
    buffer: deque[int] = field(default_factory=deque)
    read: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)


class CollectiveCheck(Rule):
    """Every member of a group gets its word, and not before it can be known.

    A flit is read or sent only within an operation that the member has begun. No flit of a root's
    stream is read before the root has begun, and no member has a reduction's result before all
    have. The root of a ring has its last flit back only when no member has more of the stream left
    to read than a core buffer holds.

    Parameters
    ----------
    number : int
        The group's among those with collectives.
    group : GroupPlan
    asked : sequence of (int, Collective)
        What it is to do, in turn, each with its place in the scenario.
    plan : BarrierPlan
    scenario : Scenario
    outcomes : sequence of CollectiveOutcome
        Of all collectives; cycles are added.
    """

    def __init__(
        self,
        number: int,
        group: GroupPlan,
        asked: Sequence[tuple[int, Collective]],
        plan: BarrierPlan,
        scenario: Scenario,
        outcomes: Sequence[CollectiveOutcome],
    ) -> None:
        network = network_of(plan)
        self._number, self._id, self._seed = number, group.id, scenario.seed
        self._room, self.outcomes = network.core_buffer, outcomes
        self._shape = Shape.of(network, group)
        self._members = [_Member(node) for node in group.members]
        self._order = [
            (place, each, number) for place, each in asked for number in range(scenario.episodes)
        ]
        self._open: dict[int, Operation] = {}  # that are not over
        links = links_of(network)
        nodes = [network.topology.index(node) for node in group.members]
        self._cores = {links.eject[node]: i for i, node in enumerate(nodes)}
        self._injections = {links.inject[node]: i for i, node in enumerate(nodes)}
        self._taken = sum(1 << link for link in self._cores)
        self._ports = self._taken | sum(1 << link for link in self._injections)

    def _operation(self, number: int) -> Operation:
        if number not in self._open:
            place, asked, repetition = self._order[number]
            words = words_of(self._seed, place, repetition, self._shape, asked.flits)
            self._open[number] = Operation(place, asked, self._shape, words)
        return self._open[number]

    def act(self, act: Act) -> Iterator[Mismatch]:
        """Note that a member begins an operation; check what it ends with."""
        if not isinstance(act, Turn) or act.course != self._number:
            return
        member, cycle = self._members[act.member], act.cycle
        if not act.ends:
            self._operation(member.begun).begun[act.member] = cycle
            member.begun += 1
            return
        operation = self._operation(member.begun - 1)
        wanted = operation.words.get(act.member)
        if act.word != wanted:
            yield self._wrong(cycle, act.member, "word in the end", act.word, wanted)
        if member.done != member.begun:
            yield self._wrong(cycle, act.member, "operations done", member.done, member.begun)
        operation.ended += 1
        if operation.ended == len(self._members):
            cycles = max(operation.done.values()) - max(operation.begun.values())
            self.outcomes[operation.place].cycles.append(cycles)
            del self._open[member.begun - 1]

    def wires(self, line: Line) -> Iterator[Mismatch]:
        """Check what members read and send in a cycle."""
        for link in bits(line.record.credit & self._taken):
            member = self._members[self._cores[link]]
            if member.buffer:  # `FlowCheck` reports a credit without a flit
                member.read.append(member.buffer.popleft())
            yield from self._check(line.cycle, self._cores[link])
        for link, flit in flits_on(line.record, self._ports):
            if link in self._cores:
                self._members[self._cores[link]].buffer.append(flit)
            else:
                self._members[self._injections[link]].sent.append(flit)
                yield from self._check(line.cycle, self._injections[link])

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Check the end: every operation is over."""
        over = min(member.done for member in self._members)
        if over != len(self._order):
            rule = f"group {self._id}: operations over at the end"
            yield Mismatch(cycle, None, rule, over, len(self._order))

    def report(self, outcome: Outcome) -> None:
        """Add all collectives' cycles."""
        outcome.collectives = list(self.outcomes)

    def _check(self, cycle: int, number: int) -> Iterator[Mismatch]:
        """Check a member that has just read or sent a flit."""
        member, root, count = self._members[number], self._shape.order[0], len(self._members)
        if member.done == member.begun:
            flits = len(member.read) + len(member.sent)
            yield self._wrong(cycle, number, "flits outside of operations", flits, 0)
            return
        operation = self._operation(member.done)
        if root not in operation.begun:
            yield self._wrong(cycle, number, "a flit before the root has begun", 1, 0)
        reads, sends = operation.reads.get(number, []), operation.sends.get(number, [])
        if len(member.read) < len(reads) or len(member.sent) < len(sends):
            return
        for what, seen, wanted in (("read", member.read, reads), ("sent", member.sent, sends)):
            if seen != wanted:
                yield self._wrong(cycle, number, f"flits {what}", _text(seen), _text(wanted))
        knows = number == root or operation.asked.kind == "allreduce"
        begun = len(operation.begun)
        if knows and not operation.from_root and begun < count:
            yield self._wrong(cycle, number, "begun before the result", begun, count)
        if number == root and operation.from_root and self._shape.ring:
            for place in self._shape.order[1:]:
                other = self._members[place]
                left = len(reads) - (len(other.read) if other.done == member.done else 0)
                if left > self._room and other.done <= member.done:
                    rule = "flits behind the root's last"
                    yield self._wrong(cycle, place, rule, left, self._room)
        member.read, member.sent = [], []
        operation.done[number] = cycle + 1
        member.done += 1

    def _wrong(
        self, cycle: int, member: int, rule: str, seen: int | str | None, wanted: int | str | None
    ) -> Mismatch:
        node = self._members[member].node
        return Mismatch(cycle, node, f"group {self._id}: {rule}", seen, wanted)
