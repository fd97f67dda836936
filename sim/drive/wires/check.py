"""What must hold of barrier wires, judged by the wires themselves and by arrivals: no model."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from functools import reduce
from operator import and_, or_, xor
from typing import NamedTuple

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.names import Names
from syncfabric.sim.drive.wires.notes import Doomed, Whole, WireNote
from syncfabric.sim.drive.wires.trees import Unit, outputs_of, units_of
from syncfabric.sim.drive.wires.words import WordParts, Words
from syncfabric.sim.results import Mismatch

__all__ = ["WireCheck"]

OPERATIONS: dict[str, Callable[[int, int], int]] = {"or": or_, "and": and_, "xor": xor}


class _Due(NamedTuple):
    """Something that must hold in a cycle."""

    cycle: int
    order: int
    unit: Unit
    link: int
    pulse: bool
    """A pulse to a child with these data; else: the link's wire is 0 again."""
    data: int = 0


class WireCheck:
    """Level up, pulse down, in the trees of the plan and nowhere else.

    - A child's `up` rises only when the `up` of all its own children has come and its process has
      arrived; with it are their data combined. It falls only by the pulse, P + 1 cycles after it.
    - A pulse lasts a cycle, and goes to all children at once, with the same data: those of all
      below, at the root, and else P + 1 cycles after it came from the parent, then always. It goes
      only to a child whose `up` is 1.
    - Wires of slots that no group has there stay 0; separate wires are the same on all links of a
      router, switch or node; without data the parity is right.

    Groups that are doomed are left out until they are whole again.

    Parameters
    ----------
    plan : BarrierPlan
        Of a network with barrier wires.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.register_network
        plane = network.wire_plane
        assert plane is not None
        self._plane, self._names, self._delay = plane, Names(network), 1 + plane.link_registers
        self._parts, self._words = WordParts(plane), Words()
        self._shown: dict[int, int] = {}
        self._ops = [OPERATIONS.get(group.op, or_) for group in plan.groups]
        units = list(units_of(plan))
        self._units = {(unit.group, unit.target): unit for unit in units}
        self._members = {(unit.group, unit.member): unit for unit in units}
        self._by_up = {(unit.up, unit.slot): unit for unit in units if unit.up is not None}
        self._by_down = {(unit.down, unit.slot): unit for unit in units if unit.down is not None}
        self._outputs = outputs_of(network)
        self._owner = {link: i for i, links in enumerate(self._outputs) for link in links}
        self._allowed = self._allow(units)
        self._inside: dict[tuple[int, int], tuple[int, int]] = {}  # cycle and data of an arrival
        self._doomed: set[int] = set()
        self._due: list[_Due] = []
        self._order = 0
        self._over: set[tuple[int, int]] = set()  # members whose barrier ends in this cycle

    def _allow(self, units: list[Unit]) -> dict[int, int]:
        """Return which wires of each link may ever be 1, parity apart."""
        slots: dict[int, int] = {}
        for unit in units:
            tree = [link for _, link in unit.kids]
            tree += [] if unit.up is None else [unit.up]
            for link in tree if self._plane.shared else self._outputs[unit.target]:
                slots[link] = slots.get(link, 0) | 1 << unit.slot
        return {link: self._parts.mask(mask) for link, mask in slots.items()}

    def note(self, note: WireNote) -> None:
        """Take a note of the software's."""
        match note:
            case Doomed():
                self._doomed.add(note.group)
            case Whole() if note.group in self._doomed:
                self._doomed.discard(note.group)
                self._inside = {k: v for k, v in self._inside.items() if k[0] != note.group}
                self._due = [due for due in self._due if due.unit.group != note.group]
                heapq.heapify(self._due)

    def arrive(self, arrival: Arrival) -> None:
        """Take an arrival; those of a cycle come after its wires."""
        self._inside[arrival.group, arrival.member] = arrival.cycle, arrival.data

    def look(self, line: Line) -> Iterator[Mismatch]:
        """Judge what the wires show in a cycle."""
        changes = line.record.wires
        if not changes and not self._due:
            return
        now = line.cycle
        yield from self._fall_due(now - 1)
        before = {link: self._shown.get(link, 0) for link, _ in changes}
        for link, word in changes:
            self._words.note(now, link, word)
            self._shown[link] = word
        for link, word in changes:
            yield from self._judge_link(now, link, word)
            for slot in bits(self._parts.ups(word ^ before[link])):
                unit = self._by_up.get((link, slot))
                if unit is not None and unit.group not in self._doomed:
                    yield from self._judge_up(now, unit, link, word)
            for slot in bits(self._parts.downs(word)):
                unit = self._by_down.get((link, slot))
                if unit is not None and unit.group not in self._doomed:
                    yield from self._judge_pulse(now, unit, link, word)
        for member in self._over:
            self._inside.pop(member, None)
        self._over.clear()
        yield from self._fall_due(now)

    def close(self, cycle: int) -> Iterator[Mismatch]:
        """Judge the end: nothing is due, and every wire of a pulse or level is 0."""
        yield from self._fall_due(cycle)
        for link, word in self._shown.items() if not self._doomed else ():
            if word & self._allowed.get(link, 0):
                yield self._at(cycle, link, "wires at the end", word, 0)

    def _judge_link(self, now: int, link: int, word: int) -> Iterator[Mismatch]:
        """Judge a link's word as a whole."""
        parity = word >> self._plane.link.width - 1 if self._plane.parity else 0
        wires = word & (1 << self._plane.link.width - self._plane.parity) - 1
        if wires & ~self._allowed.get(link, 0):
            yield self._at(now, link, "wires of slots without a group here", word)
        if self._plane.parity and not self._plane.data_bits and parity != wires.bit_count() & 1:
            yield self._at(now, link, "parity", parity, 1 - parity)
        if not self._plane.shared and link in self._owner:
            for other in self._outputs[self._owner[link]]:
                if self._names.has_wires(other) and self._shown.get(other, 0) != word:
                    yield self._at(now, link, "the same on all links of its end", word)
                    return

    def _judge_up(self, now: int, unit: Unit, link: int, word: int) -> Iterator[Mismatch]:
        """Judge a level that has changed."""
        slot, parts, cause = unit.slot, self._parts, now - self._delay
        data = parts.up(word, slot)
        if data is None:
            assert unit.down is not None
            if parts.down(self._words.at(unit.down, cause), slot) is None:
                yield self._at(now, link, f"up[{slot}] falls after a pulse", 0, 1)
            return
        wanted = self._below(now, unit)
        if wanted is None:
            yield self._at(now, link, f"up[{slot}] rises when all below have arrived", 1, 0)
        elif data != wanted:
            yield self._at(now, link, f"up_data[{slot}] of all below", data, wanted)

    def _below(self, now: int, unit: Unit) -> int | None:
        """Return the data of all below, combined; None if somebody has not arrived in time."""
        cause, values = now - self._delay, []
        for kid, _ in unit.kids:
            up = self._units[unit.group, kid].up
            assert up is not None
            values.append(self._parts.up(self._words.at(up, cause), unit.slot))
        if unit.member is not None:
            arrived, data = self._inside.get((unit.group, unit.member), (now, 0))
            values.append(data if arrived <= now - 2 else None)
        known = [value for value in values if value is not None]
        return reduce(self._ops[unit.group], known) if known and len(known) == len(values) else None

    def _judge_pulse(self, now: int, unit: Unit, link: int, word: int) -> Iterator[Mismatch]:
        """Judge a pulse to a child."""
        slot, parts = unit.slot, self._parts
        data = parts.down(word, slot)
        assert data is not None
        assert unit.up is not None
        if parts.up(self._shown.get(unit.up, 0), slot) is None:
            yield self._at(now, link, f"pulse of slot {slot} to a child whose up is 1", 1, 0)
        parent = self._units[unit.group, self._owner[link]]
        for _, other in parent.kids:
            if parts.down(self._shown.get(other, 0), slot) != data:
                yield self._at(now, other, f"pulse of slot {slot} to all children", None, data)
        if parent.down is None:
            wanted = self._below(now, parent)
            self._leave(parent)
        else:
            wanted = parts.down(self._words.at(parent.down, now - self._delay), slot)
        if data != wanted:
            yield self._at(
                now, link, f"pulse of slot {slot} from above, and its data", data, wanted
            )
        self._leave(unit)
        self._expect(now + 1, unit, link, pulse=False)
        self._expect(now + self._delay, unit, unit.up, pulse=False)
        for _, below in unit.kids:
            self._expect(now + self._delay, unit, below, pulse=True, data=data)

    def _leave(self, unit: Unit) -> None:
        """Note that a barrier ends for a unit's process, if it has one."""
        if unit.member is not None:
            self._over.add((unit.group, unit.member))

    def _expect(self, cycle: int, unit: Unit, link: int, *, pulse: bool, data: int = 0) -> None:
        self._order += 1
        heapq.heappush(self._due, _Due(cycle, self._order, unit, link, pulse, data))

    def _fall_due(self, until: int) -> Iterator[Mismatch]:
        """Judge what is due up to a cycle; after what has changed before, and before the rest."""
        while self._due and self._due[0].cycle <= until:
            due = heapq.heappop(self._due)
            slot = due.unit.slot
            if due.unit.group in self._doomed:
                continue
            word = self._words.at(due.link, due.cycle)
            if due.pulse:
                seen = self._parts.down(word, slot)
                if seen != due.data:
                    yield self._at(due.cycle, due.link, f"pulse of slot {slot}", seen, due.data)
                continue
            read = self._parts.up if due.link == due.unit.up else self._parts.down
            if read(word, slot) is not None:
                what = "up" if due.link == due.unit.up else "pulse"
                yield self._at(due.cycle, due.link, f"{what} of slot {slot} is over", 1, 0)

    def _at(
        self, cycle: int, link: int, rule: str, seen: int | None, wanted: int | None = None
    ) -> Mismatch:
        node, signal = self._names.wire(link, rule)
        return Mismatch(cycle, node, signal, seen, wanted)
