"""What must hold of streams: every beat of every result, and what the sinks have counted."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.stream_results import Order, checksum, operand, reduced
from syncfabric.models.golden.stream_traffic import Counts
from syncfabric.models.layout.setup import Operation
from syncfabric.models.layout.stream_traffic import COUNTS
from syncfabric.models.layout.streams import StreamLayout
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks
from syncfabric.sim.drive.log import EngineMessages
from syncfabric.sim.drive.scenario import Outcome, Scenario, Streaming, StreamOutcome
from syncfabric.sim.drive.streams import operand_seed
from syncfabric.sim.drive.targets import target_names
from syncfabric.sim.drive.trace import Act, Commanded, Line, Report, Rule, flits_on
from syncfabric.sim.results import Mismatch
from syncfabric.sim.stream_result import StreamFlow, StreamLink, StreamMember


def order_of(group: GroupPlan, layout: StreamLayout, gives: frozenset[int]) -> Order | None:
    """Return in which order a group's tree combines what members give; None: nothing is.

    Parameters
    ----------
    group : GroupPlan
    layout : StreamLayout
        Of its routers.
    gives : frozenset of int
        Members by their places in the group.
    """
    tree = group.tree
    inputs: list[dict[int, Order]] = [{} for _ in tree.routers]
    for member, (router, port) in enumerate(tree.nodes.tolist()):
        if member in gives:
            inputs[tree.position[router]][port] = member
    depths = tree.depth.tolist()
    for at in sorted(range(len(depths)), key=depths.__getitem__, reverse=True):
        combined = _join(inputs[at], layout)
        above = int(tree.parent[at])
        if above < 0:
            return combined
        if combined is not None:
            inputs[above][int(tree.far_port[at])] = combined
    raise AssertionError("no root")


def _join(inputs: dict[int, Order], layout: StreamLayout) -> Order | None:
    """Return in which order a router combines what comes by its ports."""
    if not inputs:
        return None
    if layout.join == "serial":
        first, *others = (inputs[port] for port in sorted(inputs))
        for other in others:
            first = first, other
        return first
    while len(inputs) > 1:
        pairs: dict[int, Order] = {}
        for port in sorted(inputs):
            half = port // 2
            pairs[half] = (pairs[half], inputs[port]) if half in pairs else inputs[port]
        inputs = pairs
    return next(iter(inputs.values()))


class Expected:
    """What must come of a stream: ``words``, a row of lanes each."""

    def __init__(self, plan: BarrierPlan, layout: StreamLayout, stream: Streaming) -> None:
        group = next(group for group in plan.groups if group.id == stream.gid)
        kind, self.size = stream.type, stream.size
        operands = {
            member: operand(operand_seed(stream, member), stream.words, layout, kind)
            for member in stream.gives
        }
        order = order_of(group, layout, frozenset(stream.gives))
        self.words = operand(0, 0, layout, kind)
        if order is not None:
            self.words = reduced(layout, stream.function, kind, operands, order, stream.size)
        self.data = [int.from_bytes(row.tobytes(), "little") for row in self.words]
        width = layout.bits // 8
        self._keeps = (1 << width) - 1, (1 << (stream.size or width)) - 1

    def beat(self, place: int, *, takes: bool) -> Beat:
        """Return a beat of the packet to a member."""
        if not takes or place >= len(self.data):
            return Beat(0, 0, last=True)
        last = place == len(self.data) - 1
        return Beat(self.data[place], self._keeps[last], last)

    def beats(self, *, takes: bool) -> list[Beat]:
        """Return all beats of the packet to a member."""
        count = len(self.data) if takes else 0
        return [self.beat(place, takes=takes) for place in range(max(1, count))]


@dataclass
class _Member:
    """A member: the streams to come, how many beats of the first it has got, and its counts."""

    dying: bool = False
    killed: bool = False
    coming: deque[tuple[int, bool]] = field(default_factory=deque)
    later: deque[tuple[int, bool]] = field(default_factory=deque)
    place: int = 0
    counts: Counts = field(default_factory=Counts)
    done: list[tuple[int, bool]] = field(default_factory=list)


class StreamCheck(Rule):
    """Every member gets every result, whole and in order, but of groups that are killed.

    What must come is worked out from the operands of whole vectors, and in the order of the group's
    tree. A member of a group that is killed gets the end of the packet that it has begun with. In
    the end the sinks have counted what has come.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
        With streams.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario) -> None:
        network = plan.spec.message_network
        layout = network.shape.router.stream
        assert layout
        self._names, self._nodes = target_names(network), len(network.shape.nodes)
        self._channels, self._streams = layout.channels, scenario.streams
        self._results = [Expected(plan, layout, stream) for stream in scenario.streams]
        self._members: dict[tuple[int, int], _Member] = {}
        self._of_group: dict[int, list[_Member]] = {}
        # By stream, the cycles of each taker's first beat, and of its last.
        self._firsts: list[list[int]] = [[] for _ in scenario.streams]
        self._lasts: list[list[int]] = [[] for _ in scenario.streams]
        first = network.shape.entry_registers
        for number, group in enumerate(plan.groups):
            mine = [(i, s) for i, s in enumerate(scenario.streams) if s.gid == group.id]
            for m, (node, register) in enumerate(plan.endpoints(group) if mine else ()):
                member = _Member()
                for i, stream in mine:
                    takes = m in stream.takes and bool(stream.gives)
                    (member.later if stream.instance else member.coming).append((i, takes))
                self._members[node, register - first] = member
                self._of_group.setdefault(number, []).append(member)

    def act(self, act: Act) -> Iterator[Mismatch]:
        """Take in that a group is killed, or set up again."""
        if isinstance(act, Commanded) and act.number in self._of_group:
            if act.operation is Operation.KILL:
                for member in self._of_group[act.number]:
                    member.killed = member.dying = True
            else:
                for member in self._of_group[act.number]:
                    member.dying, member.coming, member.later = False, member.later, deque()
        yield from ()

    def wires(self, line: Line) -> Iterator[Mismatch]:
        """Check the beats that processes take in a cycle."""
        for node, beat in line.record.beats:
            member = self._members.get((node, beat.tid))
            if member is None:
                yield self._wrong(line.cycle, node, f"beat of channel {beat.tid}", 1, 0)
                continue
            member.counts.take(beat, line.cycle)
            if beat.user:
                yield from self._cut(line.cycle, node, member, beat)
            elif not member.coming:
                yield self._wrong(line.cycle, node, "beats behind the last stream", 1, 0)
            else:
                yield from self._take(line.cycle, node, member, beat)

    def _take(self, cycle: int, node: int, member: _Member, beat: Beat) -> Iterator[Mismatch]:
        i, takes = member.coming[0]
        wanted = self._results[i].beat(member.place, takes=takes)
        for name in ("last", "keep", "data"):
            seen, must = getattr(beat, name), getattr(wanted, name)
            if seen != must:
                rule = f"stream {i}, beat {member.place}: {name}"
                yield self._wrong(cycle, node, rule, int(seen), int(must))
        if takes and not member.place:
            self._firsts[i].append(cycle)
        member.place += 1
        if beat.last:
            member.place = 0
            member.done.append(member.coming.popleft())
            if takes:
                self._lasts[i].append(cycle)

    def _cut(self, cycle: int, node: int, member: _Member, beat: Beat) -> Iterator[Mismatch]:
        """End the packet of a member whose group has been killed."""
        if not member.dying or not member.coming:
            yield self._wrong(cycle, node, "packets that end with their group", 1, 0)
        if not beat.last or beat.keep:
            yield self._wrong(cycle, node, "tkeep of the end of a packet", beat.keep, 0)
        member.place = 0
        member.coming.clear()

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Yield what has not come, and what sinks have counted otherwise."""
        for (node, tid), member in self._members.items():
            left = [*member.coming, *member.later]
            if left:
                yield self._wrong(
                    cycle, node, f"streams of channel {tid} that have not come", len(left), 0
                )
            if not member.killed:
                yield from self._count(cycle, node, member)
        if report is None:
            return
        empty = Counts()
        for node in range(self._nodes):
            for tid in range(self._channels):
                here = self._members.get((node, tid))
                for name, number, wanted in zip(
                    COUNTS,
                    report[node][-len(COUNTS) :],
                    (here.counts if here else empty).row,
                    strict=True,
                ):
                    seen = number >> 32 * tid & 0xFFFFFFFF if number >= 0 else "unknown bits"
                    if seen != wanted:
                        rule = f"stream sink, channel {tid}: {name}"
                        yield self._wrong(cycle, node, rule, seen, wanted)

    def _count(self, cycle: int, node: int, member: _Member) -> Iterator[Mismatch]:
        """Yield how a sink's counts are not those of whole arrays."""
        check = words = 0
        for i, takes in member.done:
            result = self._results[i]
            size = self._streams[i].size
            check = checksum(result.words if takes else result.words[:0], size, check)
            words += len(result.data) if takes else 0
        wanted = {"packets": len(member.done), "words": words, "aborted": 0, "checksum": check}
        for name, must in wanted.items():
            seen = getattr(member.counts, name)
            if seen != must:
                yield self._wrong(cycle, node, f"{name} of all streams", seen, must)

    def report(self, outcome: Outcome) -> None:
        """Add when results came."""
        for i, stream in enumerate(self._streams):
            if len(self._lasts[i]) == len(stream.takes) > 0:
                first, last = max(self._firsts[i], default=-1), max(self._lasts[i])
                outcome.streams[i] = replace(outcome.streams[i], first=first, last=last)

    def _wrong(self, cycle: int, node: int, rule: str, seen: int | str, wanted: int) -> Mismatch:
        return Mismatch(cycle, self._names[node], rule, seen, wanted)


MOST_WINDOWS = 150


class _Word(NamedTuple):
    """A word on a link; ``group`` is a place in the plan."""

    link: int
    group: int
    up: bool
    head: bool


class StreamWords:
    """Reads the words of groups' streams in the lines of a run.

    Parameters
    ----------
    plan : BarrierPlan

    Attributes
    ----------
    members : dict of (int, int) to (int, int)
        By node and channel, the place of a group in the plan, and of a member in it.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.message_network
        stream = network.shape.router.stream
        self._head = stream.word.width - 1 if stream else 0
        self._links, self._lanes = links_of(network), LaneMasks(network).streams
        self._read = EngineMessages(plan).in_slot
        first = network.shape.entry_registers
        self.members = {
            (node, register - first): (number, member)
            for number, group in enumerate(plan.groups)
            if group.stream_bound is not None
            for member, (node, register) in enumerate(plan.endpoints(group))
        }

    def words(self, line: Line) -> Iterator[_Word]:
        """Yield the words on links; of those of no group none."""
        for lane, payload in flits_on(line.record, self._lanes):
            link, channel = divmod(lane, self._links.width)
            group, up = self._read(link, channel - self._links.first_stream)
            if group >= 0:
                yield _Word(link, group, up, bool(payload >> self._head & 1))

    def beats(self, line: Line) -> Iterator[tuple[int, int, bool, bool]]:
        """Yield group and member of each beat of a result, whether it has a word, and is last."""
        for node, beat in line.record.beats:
            if (node, beat.tid) in self.members:
                yield *self.members[node, beat.tid], bool(beat.keep), beat.last


class StreamCount(Rule):
    """Counts the words of streams, by group: on each link, and in each cycle.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
        With streams.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario) -> None:
        self._plan, self._streams, self._read = plan, scenario.streams, StreamWords(plan)
        self._names = links_of(plan.spec.network).names
        self._links = [Counter[tuple[int, bool]]() for _ in plan.groups]
        self._cycles = [Counter[tuple[bool, int]]() for _ in plan.groups]
        self._taken: list[dict[int, tuple[int, int]]] = [{} for _ in plan.groups]

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Count the words on links, and note the beats that members take."""
        for word in self._read.words(line):
            if not word.head:
                self._links[word.group][word.link, word.up] += 1
                self._cycles[word.group][word.up, line.cycle] += 1
        for group, member, whole, _ in self._read.beats(line):
            if whole:
                first, _ = self._taken[group].get(member, (line.cycle, 0))
                self._taken[group][member] = first, line.cycle
        return ()

    def report(self, outcome: Outcome) -> None:
        """Add what was counted."""
        numbers = {group.id: number for number, group in enumerate(self._plan.groups)}
        for i, (stream, seen) in enumerate(zip(self._streams, outcome.streams, strict=True)):
            flow = self._flow(numbers[stream.gid], seen)
            outcome.streams[i] = replace(seen, flow=flow)

    def _flow(self, group: int, seen: StreamOutcome) -> StreamFlow:
        """Return what was counted of a group; cycles from the first beat of the last member."""
        cycles, zero = self._cycles[group], seen.begun
        times = [cycle for _, cycle in cycles] or [zero]
        begin = min(times)
        window = -(-(max(times) + 1 - begin) // MOST_WINDOWS)
        counts = [[0] * (1 + (max(times) - begin) // window) for _ in range(2)]
        for (upward, cycle), words in cycles.items():
            counts[upward][(cycle - begin) // window] += words
        links = (
            StreamLink(*name, upward, words)
            for (link, upward), words in sorted(self._links[group].items())
            if (name := self._names[link])
        )
        taken = self._taken[group]
        members = [
            StreamMember(node, *(None if at < 0 else at - zero for at in (begun, *came)))
            for node, begun, came in zip(
                self._plan.groups[group].members,
                seen.begins,
                (taken.get(member, (-1, -1)) for member in range(len(seen.begins))),
                strict=True,
            )
        ]
        down, up = counts
        return StreamFlow(
            tuple(links), begin - zero, window, tuple(up), tuple(down), tuple(members)
        )
