"""The first episode of every group of a run, as the golden model has it, cycle by cycle.

Where hardware was compared in every cycle, this is what the hardware did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import LinkName, links_of
from syncfabric.sim.draw.scene import scene_of
from syncfabric.sim.drive.log import EngineMessages
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.trace import Arrival, Chunk, Line, bits
from syncfabric.sim.report.film import Cast, Film, Kind, Move

MOST_MOVES = 60_000
"""Moves that a page can hold; packets are left out beyond."""
WORDS = ("member, not yet arrived", "arrived", "released")


def first_episode(plan: BarrierPlan, scenario: Scenario) -> Film | None:
    """Return a film from just before the first arrival to just after the last release.

    None where the first episodes do not come to an end, or there is too much to show.
    """
    seen = _Seen(plan)
    runner = ScenarioRunner(plan, scenario)
    while not runner.finished and not seen.over:
        chunk = runner.advance()
        seen.take(chunk)
    if not seen.over:
        return None
    moves = list(seen.moves())
    if len(moves) > MOST_MOVES:
        moves = [(cycle, carried) for cycle, carried in moves if carried.group >= 0]
    if len(moves) > MOST_MOVES:
        return None
    return _film(plan, seen, moves)


class _Seen:
    """What was seen of the first episodes."""

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.network
        self._carrier, self._registers = carrier_of(plan), network.port_registers
        self._member: dict[tuple[int, int], tuple[int, int]] = {}
        for number, group in enumerate(plan.groups):
            for member, place in enumerate(plan.endpoints(group)):
                self._member[place] = number, member
        self._all = {*self._member.values()}
        self.arrived: dict[tuple[int, int], int] = {}
        self.released: dict[tuple[int, int], int] = {}
        self._carried: list[tuple[int, Carried]] = []

    @property
    def over(self) -> bool:
        """Whether every member of every group has been released."""
        return self.released.keys() == self._all

    @property
    def first(self) -> int:
        """Cycle of the first arrival."""
        return min(self.arrived.values())

    @property
    def last(self) -> int:
        """Cycle of the last release."""
        return max(self.released.values())

    def take(self, chunk: Chunk) -> None:
        """Take a chunk in."""
        for act in chunk.acts:
            if isinstance(act, Arrival):
                self.arrived.setdefault((act.group, act.member), act.cycle)
        for line in chunk.lines:
            record = line.record
            for key in (divmod(bit, self._registers) for bit in bits(record.release)):
                self.released.setdefault(self._member[key], line.cycle)
            for carried in self._carrier.note(line):
                if self.arrived and line.cycle >= self.first:
                    self._carried.append((line.cycle, carried))

    def moves(self) -> Iterator[tuple[int, Carried]]:
        """Yield what moved in these episodes; what a group did after its own is left out."""
        ends: dict[int, int] = {}
        for (group, _), cycle in self.released.items():
            ends[group] = max(ends.get(group, 0), cycle)
        for cycle, carried in self._carried:
            if cycle <= ends.get(carried.group, self.last):
                yield cycle, carried


def _film(plan: BarrierPlan, seen: _Seen, moves: list[tuple[int, Carried]]) -> Film:
    scene = scene_of(plan.spec.network)
    links, spots = scene.link_numbers, scene.spot_numbers
    kinds = [kind for kind in KINDS if any(carried.kind == kind for _, carried in moves)]
    shown = [
        Move(cycle, (links[link],), kinds.index(kind), group)
        for cycle, (link, kind, group) in moves
        if link in links
    ]
    casts = []
    for number, group in enumerate(plan.groups):
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
    return Film(
        scene=scene,
        unit="cycle",
        first=seen.first - 1,
        last=seen.last,
        kinds=tuple(kinds),
        casts=tuple(casts),
        moves=tuple(shown),
        words=WORDS,
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
KINDS = (REDUCE, NOTIFY, FLIT, DISTRIBUTE, RELEASE, LAST, FILLER, OTHER)
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
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        return _Flits(plan, network)
    return _Messages(plan)


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
    """Flits of rings and trees: what one is, its number on its link tells.

    A ring's stream is its first fillers, then notify, release and fillers for each episode (paper
    Reflex, Algorithm 1); a tree's the flits of each episode, the last of which releases.
    """

    def __init__(self, plan: BarrierPlan, network: StaticSpec) -> None:
        self._fillers, self._sent = network.core_buffer, Counter[int]()
        self._links = links_of(network)
        self._groups: dict[int, tuple[int, int | None]] = {}
        for number, group in enumerate(plan.groups):
            for x, y, port in group.routes():
                link = len(Port) * network.topology.index((x, y)) + port
                self._groups[link] = number, group.flits

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
