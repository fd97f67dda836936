"""The first episode, and the stream, of every group, as the golden model has it, cycle by cycle.

Where hardware was compared in every cycle, this is what the hardware did.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import LinkName, links_of
from syncfabric.sim.draw.scene import scene_of
from syncfabric.sim.drive.log import EngineMessages
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.operations import network_of
from syncfabric.sim.drive.stream_check import StreamWords
from syncfabric.sim.drive.streams import Streams
from syncfabric.sim.drive.trace import Arrival, Chunk, Line, bits
from syncfabric.sim.report.animation import Animation, Cast, Kind, Move

MOST_MOVES = 60_000
"""Moves that a page can hold; packets are left out beyond."""


def first_episode(plan: BarrierPlan, scenario: Scenario) -> Animation | None:
    """Return an animation from just before the first arrival to just after the last release.

    None where the first episodes do not come to an end, or there is too much to show.
    """
    return _animation(plan, _Barriers(plan, ScenarioRunner(plan, scenario)))


def stream_animation(plan: BarrierPlan, scenario: Scenario) -> Animation | None:
    """Return an animation from just before the first beat of a scenario's streams to their last.

    Of each group it has one stream. None as of ``first_episode``.
    """
    return _animation(plan, _Streams(plan, scenario, ScenarioRunner(plan, scenario)))


class _Seen(ABC):
    """What is seen of the groups; a member is a group's place in the plan, and its own there."""

    words: tuple[str, str, str]

    def __init__(self, plan: BarrierPlan, runner: ScenarioRunner) -> None:
        self.runner = runner
        self.members: dict[tuple[int, int], tuple[int, int]] = {}
        for number, group in enumerate(plan.groups):
            for member, place in enumerate(plan.endpoints(group)):
                self.members[place] = number, member
        self.arrived: dict[tuple[int, int], int] = {}
        self.released: dict[tuple[int, int], int] = {}
        self._carried: list[tuple[int, Carried]] = []

    @abstractmethod
    def take(self, chunk: Chunk) -> None:
        """Take a chunk in."""

    def watch(self) -> bool:
        """Run until every member has been released; return whether that comes."""
        while not (self.over or self.runner.finished):
            self.take(self.runner.advance())
        return self.over

    @property
    def over(self) -> bool:
        """Whether every member has been released."""
        return self.released.keys() == {*self.members.values()}

    @property
    def first(self) -> int:
        """Cycle of the first arrival."""
        return min(self.arrived.values())

    @property
    def last(self) -> int:
        """Cycle of the last release."""
        return max(self.released.values())

    def moves(self) -> Iterator[tuple[int, Carried]]:
        """Yield what moved in these episodes; what a group did after its own is left out."""
        ends: dict[int, int] = {}
        for (group, _), cycle in self.released.items():
            ends[group] = max(ends.get(group, 0), cycle)
        for cycle, carried in self._carried:
            if cycle <= ends.get(carried.group, self.last):
                yield cycle, carried


class _Barriers(_Seen):
    """The first episodes."""

    words = ("member, not yet arrived", "arrived", "released")

    def __init__(self, plan: BarrierPlan, runner: ScenarioRunner) -> None:
        super().__init__(plan, runner)
        self._carrier, self._registers = carrier_of(plan), plan.spec.network.port_registers

    def take(self, chunk: Chunk) -> None:
        """Take a chunk in."""
        for act in chunk.acts:
            if isinstance(act, Arrival):
                self.arrived.setdefault((act.group, act.member), act.cycle)
        for line in chunk.lines:
            record = line.record
            for key in (divmod(bit, self._registers) for bit in bits(record.release)):
                self.released.setdefault(self.members[key], line.cycle)
            for carried in self._carrier.note(line):
                if self.arrived and line.cycle >= self.first:
                    self._carried.append((line.cycle, carried))


class _Streams(_Seen):
    """The streams."""

    words = ("member, not yet begun", "begun", "ended")

    def __init__(self, plan: BarrierPlan, scenario: Scenario, runner: ScenarioRunner) -> None:
        super().__init__(plan, runner)
        self._read, self._names = StreamWords(plan), links_of(plan.spec.network).names
        self.members, self._program = self._read.members, runner.driver.find(Streams)
        numbers = {group.id: number for number, group in enumerate(plan.groups)}
        self._groups = [numbers[stream.gid] for stream in scenario.streams]

    def take(self, chunk: Chunk) -> None:
        """Take a chunk in."""
        assert self._program
        for group, begins in zip(self._groups, self._program.begins(), strict=True):
            self.arrived |= {(group, m): cycle for m, cycle in enumerate(begins) if cycle >= 0}
        for line in chunk.lines:
            for word in self._read.words(line):
                kind = HEAD if word.head else UP if word.up else DOWN
                name = self._names[word.link]
                if name is not None:
                    self._carried.append((line.cycle, Carried(name, kind, word.group)))
            for group, member, _, last in self._read.beats(line):
                if last:
                    self.released.setdefault((group, member), line.cycle)


def _animation(plan: BarrierPlan, seen: _Seen) -> Animation | None:
    if not seen.watch():
        return None
    moves = list(seen.moves())
    if len(moves) > MOST_MOVES:
        moves = [(cycle, carried) for cycle, carried in moves if carried.group >= 0]
    if len(moves) > MOST_MOVES:
        return None
    scene = scene_of(plan.spec.network)
    links, spots = scene.link_numbers, scene.spot_numbers
    kinds = [kind for kind in KINDS if any(carried.kind == kind for _, carried in moves)]
    numbers = sorted({number for number, _ in seen.released})
    shown = [
        Move(cycle, (links[link],), kinds.index(kind), numbers.index(group) if group >= 0 else -1)
        for cycle, (link, kind, group) in moves
        if link in links
    ]
    casts = []
    for number in numbers:
        group = plan.groups[number]
        members = range(len(group.members))
        root = group.root if group.root_switch is None else group.root_switch
        casts.append(
            Cast(
                name=f"group {group.id}",
                members=tuple(spots[node] for node in group.members),
                arrivals=tuple(seen.arrived[number, member] for member in members),
                releases=tuple(seen.released[number, member] for member in members),
                root=None if root is None else spots[root],
            )
        )
    return Animation(
        scene=scene,
        unit="cycle",
        first=seen.first - 1,
        last=seen.last,
        kinds=tuple(kinds),
        casts=tuple(casts),
        moves=tuple(shown),
        words=seen.words,
        zero=seen.first,
    )


REDUCE = Kind("reduce: all below have arrived", "var(--up)")
DISTRIBUTE = Kind("distribute: go on", "var(--down)")
OTHER = Kind("flits of packets", "var(--packet)", "none")
NOTIFY = Kind("notify: all before have arrived", "var(--up)")
RELEASE = Kind("release: go on", "var(--down)")
FILLER = Kind("filler", "var(--packet)", "none")
FLIT = Kind("flit", "var(--up)")
LAST = Kind("last flit: go on", "var(--down)")
UP = Kind("words of operands, combined at every router", "var(--up)")
DOWN = Kind("words of the result, copied at every router", "var(--down)")
HEAD = Kind("heads of streams", "var(--packet)", "none")
KINDS = (UP, DOWN, HEAD, REDUCE, NOTIFY, FLIT, DISTRIBUTE, RELEASE, LAST, FILLER, OTHER)
"""In the order of a legend."""


class Carried(NamedTuple):
    """Something on a link; ``group`` is a group's place in the plan, -1 if it is of none."""

    link: LinkName
    kind: Kind
    group: int


class Carrier(Protocol):
    """Reads the lines of a run, all of them in order."""

    def note(self, line: Line) -> Iterator[Carried]:
        """Yield what a line shows."""


def carrier_of(plan: BarrierPlan) -> Carrier:
    """Return what reads the lines of a plan's network."""
    return _CARRIERS[plan.spec.network.kind](plan)


class _Messages:
    """Packets' flits, and barrier messages: those between engines, and those in slots of wires."""

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.message_network
        self._links = links_of(network)
        self._read = EngineMessages(plan).read

    def note(self, line: Line) -> Iterator[Carried]:
        links, seen = self._links, set()
        for lane, payload in zip(bits(line.record.valid), line.record.payloads, strict=True):
            link, channel = divmod(lane, links.width)
            name = links.names[link]
            if name is None:
                continue
            of_class = channel - links.channels - links.setup
            if of_class < 0:
                if link not in seen:  # one flit in sight is enough
                    yield Carried(name, OTHER, -1)
                seen.add(link)
                continue
            group, up = self._read(link, of_class, payload)
            yield Carried(name, REDUCE if up else DISTRIBUTE, group)


class _Flits:
    """Flits of rings and trees: the number of one on its link says which it is.

    A ring's stream is its first fillers, then notify, release and fillers for each episode (paper
    Reflex, Algorithm 1); a tree's the flits of each episode, the last of which releases.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = network_of(plan)
        self._fillers, self._sent = network.core_buffer, Counter[int]()
        self._links = links_of(network)
        self._groups: dict[int, tuple[int, int | None]] = {}
        for number, group in enumerate(plan.groups):
            for switch, port in group.routes():
                self._groups[network.graph.ports * switch + port] = number, group.flits

    def note(self, line: Line) -> Iterator[Carried]:
        for link in bits(line.record.valid):
            name = self._links.names[link]
            if name is None or link not in self._groups:
                continue
            group, flits = self._groups[link]
            number = self._sent[link]
            self._sent[link] += 1
            yield Carried(name, self._kind(number, flits), group)

    def _kind(self, number: int, flits: int | None) -> Kind:
        if flits is not None:
            return LAST if number % flits == flits - 1 else FLIT
        if number < self._fillers:
            return FILLER
        return (NOTIFY, RELEASE, *[FILLER] * self._fillers)[
            (number - self._fillers) % (self._fillers + 2)
        ]


_CARRIERS: dict[str, type[_Messages | _Flits]] = {
    **dict.fromkeys(("mesh", "irregular"), _Messages),
    "static": _Flits,
}
