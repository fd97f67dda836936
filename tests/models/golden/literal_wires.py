"""Barrier wires as docs/microarchitecture-wires.md says, sentence by sentence, every wire a cycle.

Nothing here is shared with the golden model; images and answers are plain numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_, xor
from typing import TypeAlias

from syncfabric.models.networks.wires import WirePlane

Wires: TypeAlias = dict[tuple[str, int], int]
"""A directed link in one cycle: wire and slot to value; `parity` is of slot 0."""

STRAY, REFUSED_ARRIVE, REFUSED_WRITE = 1, 2, 3


@dataclass
class LiteralSlot:
    """W2: image, then state."""

    valid: int = 0
    root: int = 0
    op: int = 0
    rest: int = 0  # epoch, gid, manager as written
    parent: int = 0
    children: int = 0
    la: int = 0
    up: int = 0
    dn: int = 0
    stale: int = 0
    fault: int = 0
    old: int = 0
    mine: int = 0
    gathered: int = 0
    result: int = 0
    done: int = 0
    broken: int = 0
    released: int = 0

    @property
    def live(self) -> bool:
        return bool(self.valid and not self.fault)

    @property
    def status(self) -> int:
        return (
            self.la + 2 * self.up + 4 * self.dn + 8 * self.fault + 16 * self.done + 32 * self.broken
        )


@dataclass
class LiteralUnit:
    links: int
    process: bool
    slots: list[LiteralSlot]
    counters: list[int] = field(default_factory=lambda: [0, 0, 0, 0])

    def count(self, counter: int) -> None:
        self.counters[counter] = min(255, self.counters[counter] + 1)


class LiteralWires:
    """A network of units; ``ends`` says which unit and link a unit's link leads to."""

    def __init__(
        self,
        units: list[tuple[int, bool]],
        ends: Mapping[tuple[int, int], tuple[int, int]],
        plane: WirePlane,
        late: bool,
    ) -> None:
        self.plane, self.ends, self.late = plane, ends, late
        self.units = [
            LiteralUnit(links, process, [LiteralSlot() for _ in range(plane.slots)])
            for links, process in units
        ]
        self.cycle = 0
        self.registers: dict[tuple[int, int], list[Wires]] = {
            link: [{} for _ in range(plane.link_registers)] for link in ends
        }
        self.stuck: dict[tuple[tuple[int, int], str, int], int] = {}
        self.answer = (False, False, 0)
        self.request: tuple[int, int, bool, int] | None = None

    # W1: what a link is driven with.

    def drive(self, unit: LiteralUnit, link: int) -> Wires:
        wires: Wires = {}
        for r, slot in enumerate(unit.slots):
            if not self.plane.shared:
                wires["up", r], wires["down", r] = slot.up, slot.dn
                wires["up_data", r], wires["down_data", r] = slot.gathered, slot.result
                continue
            to_parent = slot.valid and not slot.root and slot.parent == link
            to_child = slot.valid and slot.children >> link & 1
            wires["up", r] = (slot.up if to_parent else 0) | (slot.dn if to_child else 0)
            wires["up_data", r] = (slot.gathered if to_parent else 0) | (
                slot.result if to_child else 0
            )
        if self.plane.parity:
            wires["parity", 0] = parity_of(wires)
        return wires

    def driven(self) -> dict[tuple[int, int], Wires]:
        return {(u, link): self.drive(self.units[u], link) for u, link in self.ends}

    def receive(self, driven: dict[tuple[int, int], Wires]) -> dict[tuple[int, int], Wires]:
        """Pass the registers, and then what is broken; by receiving unit and link."""
        received = {}
        for link, wires in driven.items():
            chain = self.registers[link]
            chain.append(wires)
            come = dict(chain.pop(0))
            for (where, wire, r), value in self.stuck.items():
                if where == link and (wire, r) in self.names():
                    come[wire, r] = value
            received[self.ends[link]] = come
        return received

    def names(self) -> set[tuple[str, int]]:
        kinds = ["up", "up_data"] if self.plane.shared else ["up", "down", "up_data", "down_data"]
        if not self.plane.data_bits:
            kinds = [kind for kind in kinds if not kind.endswith("data")]
        names = {(kind, r) for kind in kinds for r in range(self.plane.slots)}
        return names | ({("parity", 0)} if self.plane.parity else set())

    # A cycle.

    def step(
        self,
        arrive: Mapping[tuple[int, int], int],
        config: tuple[int, int, bool, int] | None,
    ) -> dict[tuple[int, int], Wires]:
        """Return what every link is driven with in this cycle."""
        driven = self.driven()
        received = self.receive(driven)
        request = config
        if self.late:
            request, self.request = self.request, config
        self.answer = (False, False, 0)
        clear: set[tuple[int, int]] = set()
        later: list[tuple[LiteralSlot, dict[str, int]]] = []
        if request is not None and request[0] < len(self.units):
            self.configure(request, clear, later)
        accepted = {}
        for (node, r), data in arrive.items():
            slot = self.units[node].slots[r]
            if slot.live and self.has_process(node, slot) and not slot.la:
                accepted[node, r] = data & (1 << self.plane.data_bits) - 1
            else:
                self.units[node].count(REFUSED_ARRIVE)
        for u, unit in enumerate(self.units):
            come = {link: received.get((u, link), {}) for link in range(unit.links)}
            for r, slot in enumerate(unit.slots):
                self.edge(u, r, slot, come, accepted.get((u, r)), (u, r) in clear)
        for slot, fields in later:
            for name, value in fields.items():
                setattr(slot, name, value)
        self.cycle += 1
        return driven

    def has_process(self, u: int, slot: LiteralSlot) -> bool:
        unit = self.units[u]
        return unit.process and bool(slot.children >> unit.links & 1)

    # W2 and W3.

    def edge(
        self,
        u: int,
        r: int,
        slot: LiteralSlot,
        come: dict[int, Wires],
        arriving: int | None,
        clear: bool,
    ) -> None:
        plane, unit = self.plane, self.units[u]
        process = self.has_process(u, slot)
        kids = [link for link in range(unit.links) if slot.children >> link & 1]
        ups = [come[link].get(("up", r), 0) for link in kids]
        down = 0
        if not slot.root and slot.parent < unit.links:
            wire = "up" if plane.shared else "down"
            down = come[slot.parent].get((wire, r), 0)
        bad = False
        if slot.live:
            if slot.stale == 1 and any(ups):
                bad = True
            if not slot.root and down and not slot.up:
                bad = True
            if plane.parity:
                looked_at = [*kids, *([] if slot.root else [slot.parent])]
                for link in looked_at:
                    wires = dict(come.get(link, {}))
                    told = wires.pop(("parity", 0), 0)
                    if told != parity_of(wires):
                        bad = True
        fire = slot.live and not bad and slot.stale == 0 and slot.children != 0
        fire = fire and all(ups) and bool(slot.la or not process)
        down_in = fire if slot.root else (slot.live and not bad and down)

        looks = plane.watchdog and (self.cycle + 1) % plane.watchdog == 0
        if looks and slot.live and slot.la and not down_in and not bad:
            if slot.old:
                bad, fire = True, False
            else:
                slot.old = 1
        if bad:
            unit.count(STRAY)

        had = slot.la or arriving is not None
        gathered = slot.gathered
        if fire:
            parts = [come[link].get(("up_data", r), 0) for link in kids]
            parts += [slot.mine] if process else []
            gathered = combine(slot.op, parts, plane.data_bits)
        result = slot.result
        if down_in:
            wire = "up_data" if plane.shared else "down_data"
            result = gathered if slot.root else come[slot.parent].get((wire, r), 0)
        slot.released = 0
        if arriving is not None:
            slot.mine, slot.done, slot.broken = arriving, 0, 0
        if down_in and process:
            slot.released = slot.done = 1
        if not down_in and had and (bad or clear):
            slot.released = slot.done = slot.broken = 1
        slot.gathered, slot.result = gathered, result
        slot.up = int(bool(fire and not slot.root and not down_in))
        slot.dn = int(bool(down_in))
        slot.stale = 2 * plane.link_registers + 2 if down_in and kids else max(0, slot.stale - 1)
        slot.la = int(bool(had and not down_in and not bad))
        slot.fault = int(bool(slot.fault or bad))
        if not slot.la:
            slot.old = 0
        if clear:
            slot.valid = slot.la = slot.up = slot.dn = slot.stale = slot.fault = slot.old = 0

    # W4.

    def configure(
        self,
        request: tuple[int, int, bool, int],
        clear: set[tuple[int, int]],
        later: list[tuple[LiteralSlot, dict[str, int]]],
    ) -> None:
        u, address, write, data = request
        unit = self.units[u]
        r, word = address // 8, address % 8
        slot = unit.slots[r] if r < len(unit.slots) else None
        if not write:
            told = self.read(unit, slot, word, address)
            self.answer = (True, told is None, told or 0)
            return
        obeyed = False
        if slot is not None:
            fields = {"root": data >> 1 & 1, "op": data >> 3 & 7, "rest": data >> 6 & 0xFFF}
            if word == 0 and not data & 1:
                obeyed = True
                clear.add((u, r))
                later.append((slot, fields))
            elif word == 0 and not slot.valid:
                obeyed = True
                later.append((slot, fields | {"valid": 1, "done": 0, "broken": 0}))
            elif word == 1 and not slot.valid:
                obeyed = True
                parent = data & 15
                while parent >= 1 << (unit.links - 1).bit_length():
                    parent -= 1 << (parent.bit_length() - 1)
                ports = unit.links + unit.process
                later.append((slot, {"parent": parent, "children": data >> 4 & (1 << ports) - 1}))
            elif word == 4 and slot.valid and data in (1, 2):
                obeyed = True
                if data == 2:
                    clear.add((u, r))
        if not obeyed:
            unit.count(REFUSED_WRITE)
        self.answer = (True, not obeyed, 0)

    def read(
        self, unit: LiteralUnit, slot: LiteralSlot | None, word: int, address: int
    ) -> int | None:
        if 1024 <= address < 1028:
            return unit.counters[address - 1024]
        if slot is None:
            return None
        control = slot.valid | slot.root << 1 | slot.op << 3 | slot.rest << 6
        tree = slot.parent | slot.children << 4
        return {0: control, 1: tree, 5: slot.status, 7: slot.result}.get(word)

    # W5.

    def observe(self, u: int) -> int:
        bits = ""
        width = self.plane.data_bits
        for slot in self.units[u].slots:
            bits = f"{slot.status:06b}" + bits
            for data in (slot.gathered, slot.result):
                bits = (f"{data:0{width}b}" if width else "") + bits
        for value in self.units[u].counters:
            bits = f"{value:08b}" + bits
        return int(bits, 2)


def parity_of(wires: Mapping[tuple[str, int], int]) -> int:
    return sum(bin(value).count("1") for (kind, _), value in wires.items() if kind != "parity") % 2


def combine(op: int, parts: list[int], bits: int) -> int:
    if op == 1:
        return reduce(and_, parts, (1 << bits) - 1)
    return reduce(xor if op == 2 else or_, parts, 0)
