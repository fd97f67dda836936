"""What can be met on barrier wires, read off the wires, the releases and the plan."""

from __future__ import annotations

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterator

from syncfabric.models.networks.spec import IrregularSpec, RegisterSpec
from syncfabric.models.planning.plan import BarrierPlan, WireGroupPlan
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.wires.notes import Loose, Whole, WireNote
from syncfabric.sim.drive.wires.trees import Unit, units_of
from syncfabric.sim.drive.wires.words import WordParts

__all__ = ["WireCoverage", "wire_universe"]

_MANY = 4
_TOGETHER = "two slots of a unit: {} in one cycle"


def wire_universe(spec: RegisterSpec) -> Iterator[str]:
    """Yield the bins of barrier wires that a network can reach; none without wires."""
    plane = spec.wire_plane
    if plane is None:
        return
    if isinstance(spec, IrregularSpec):
        yield _role("node", 0)
        for kids in range(1, _MANY + 1):
            yield _role("root switch", kids)
            if kids > 1:
                yield _role("switch below", kids)
    else:
        for kids in range(_MANY + 1):
            yield _role("root", kids)
            if kids < _MANY:
                yield _role("member below", kids)
        yield _role("no member", 1)
    yield "slot: all members arrive in one cycle"
    yield "slot: arrival before all slots are set up"
    yield "slot: broken release"
    yield from (_TOGETHER.format(what) for what in ("levels", "pulses"))
    for bit in range(plane.data_bits):
        yield from (_data(way, bit, value) for way in ("up", "down") for value in (0, 1))
    if plane.parity:
        yield from (f"parity: {value}" for value in (0, 1))


def _role(role: str, kids: int) -> str:
    return f"slot: {role} with {kids if kids < _MANY else f'{_MANY} or more'} kids"


def _data(way: str, bit: int, value: int) -> str:
    return f"{way}_data: bit {bit} is {value}"


class WireCoverage:
    """Watches the slots of one run.

    Parameters
    ----------
    plan : BarrierPlan
        Of a network with barrier wires.
    hits : Counter of str
        Where what is met is counted.
    """

    def __init__(self, plan: BarrierPlan, hits: Tally[str]) -> None:
        network = plan.spec.register_network
        plane = network.wire_plane
        assert plane is not None
        self._hits, self._plane, self._parts = hits, plane, WordParts(plane)
        self._irregular = isinstance(network, IrregularSpec)
        self._nodes, self._per_node = len(network.topology.nodes), network.port_registers
        self._by_up: dict[tuple[int, int], Unit] = {}
        self._by_down: dict[tuple[int, int], Unit] = {}
        self._units: defaultdict[int, list[Unit]] = defaultdict(list)
        for unit in units_of(plan):
            self._units[unit.group].append(unit)
            if unit.up is not None and unit.down is not None:
                self._by_up[unit.up, unit.slot] = self._by_down[unit.down, unit.slot] = unit
        index = network.topology.index
        self._group = {
            (index(node), place): number
            for number, group in enumerate(plan.groups)
            if isinstance(group, WireGroupPlan)
            for node, place in group.places.items()
        }
        self._members = {number: len(plan.groups[number].members) for number in self._units}
        self._shown: dict[int, int] = {}
        self._loose: set[int] = set()
        self._arrivals: Tally[int] = Tally()  # by group, in the cycle of the last one
        self._now = -1

    def noted(self, note: WireNote) -> None:
        """Take a note of the software's."""
        if isinstance(note, Loose):
            self._loose.add(note.group)
        elif isinstance(note, Whole):
            self._loose.discard(note.group)

    def arrived(self, arrival: Arrival) -> None:
        """Take an arrival that the network takes."""
        number = arrival.group
        if number not in self._members:
            return
        if arrival.cycle != self._now:
            self._now = arrival.cycle
            self._arrivals.clear()
        self._arrivals[number] += 1
        if self._arrivals[number] == self._members[number] > 1:
            self._hits["slot: all members arrive in one cycle"] += 1
        if number in self._loose:
            self._hits["slot: arrival before all slots are set up"] += 1

    def look(self, line: Line, broken: set[tuple[int, int]]) -> None:
        """Look at the wires and releases of a cycle; ``broken``: seats whose release is no end."""
        for bit in bits(line.record.release):
            seat = divmod(bit, self._per_node)
            number = self._group.get(seat)
            if number is None:
                continue
            if seat in broken:
                self._hits["slot: broken release"] += 1
            else:
                for unit in self._units[number]:
                    self._hits[self._name(unit)] += 1
        rises: Tally[int] = Tally()
        pulses: Tally[int] = Tally()
        for link, word in line.record.wires:
            before = self._shown.get(link, 0)
            self._shown[link] = word
            self._look_at(link, before, word, rises, pulses)
        for what, seen in (("levels", rises), ("pulses", pulses)):
            if max(seen.values(), default=0) > 1:
                self._hits[_TOGETHER.format(what)] += 1

    def _look_at(
        self, link: int, before: int, word: int, rises: Tally[int], pulses: Tally[int]
    ) -> None:
        """Look at a link's new word; count slots by unit."""
        parts = self._parts
        if self._plane.parity:
            self._hits[f"parity: {word >> self._plane.link.width - 1}"] += 1
        for slot in bits(parts.ups(word) & ~parts.ups(before)):
            unit = self._by_up.get((link, slot))
            if unit is not None:
                rises[unit.target] += 1
                self._carried("up", parts.up(word, slot))
        for slot in bits(parts.downs(word)):
            unit = self._by_down.get((link, slot))
            if unit is not None:
                pulses[unit.target] += 1
                self._carried("down", parts.down(word, slot))

    def _carried(self, way: str, data: int | None) -> None:
        for bit in range(self._plane.data_bits):
            self._hits[_data(way, bit, (data or 0) >> bit & 1)] += 1

    def _name(self, unit: Unit) -> str:
        """Return what a unit is in its tree."""
        if self._irregular:
            switch = "switch below" if unit.up is not None else "root switch"
            role = "node" if unit.target < self._nodes else switch
        elif unit.up is None:
            role = "root"
        else:
            role = "no member" if unit.member is None else "member below"
        return _role(role, len(unit.kids))
