"""The first episode of every group of a run, as the golden model has it, cycle by cycle.

Where hardware was compared in every cycle, this is what the hardware did.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.draw.scene import scene_of
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.trace import Arrival, Chunk, bits
from syncfabric.sim.report.carried import KINDS, Carried, carrier_of
from syncfabric.sim.report.film import Cast, Film, Move

__all__ = ["MOST_MOVES", "first_episode"]

MOST_MOVES = 60_000
"""Moves that a page can hold; packets are left out beyond."""
WORDS = ("member, not yet arrived", "arrived", "released")


def first_episode(plan: BarrierPlan, scenario: Scenario) -> Film | None:
    """Return a film from just before the first arrival to just after the last release.

    None where the first episodes do not come to an end, or there is too much to show.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
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
            for member, (node, place) in enumerate(group.places.items()):
                index = network.topology.index(node)
                self._member[index, place] = number, member
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
