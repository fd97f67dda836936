"""A unit of barrier wires as docs/microarchitecture-wires.md tells it, word by word."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import and_, or_, xor
from typing import Any

from syncfabric.models.networks.wires import WirePlane

__all__ = ["PROCESS", "Asked", "Link", "SlotModel", "UnitModel"]

COMBINE: tuple[Callable[[int, int], int], ...] = (or_, and_, xor)
PROCESS = -1


@dataclass
class Link:
    """Wires of a directed link in one cycle: a bit, and a word of data, a slot."""

    up: list[int]
    down: list[int]
    up_data: list[int]
    down_data: list[int]
    wrong: bool = False

    @classmethod
    def idle(cls, slots: int) -> "Link":
        """Return wires that are all 0."""
        up, down, up_data, down_data = ([0] * slots for _ in range(4))
        return cls(up, down, up_data, down_data)

    def ones(self, *, shared: bool) -> int:
        """Return how many wires are 1, the parity's not counted."""
        words = self.up + self.up_data + ([] if shared else self.down + self.down_data)
        return sum(word.bit_count() for word in words)

    def word(self, plane: WirePlane) -> int:
        """Return all wires as one word, parity last."""
        wires = self.up + ([] if plane.shared else self.down)
        data = self.up_data + ([] if plane.shared else self.down_data)
        width, bits = len(wires), plane.data_bits
        word = sum(wire << i for i, wire in enumerate(wires))
        word |= sum(value << width + bits * i for i, value in enumerate(data))
        if plane.parity:
            word |= (self.ones(shared=plane.shared) & 1 ^ self.wrong) << width + bits * len(data)
        return word


@dataclass(frozen=True)
class Asked:
    """A request on the config port."""

    address: int
    write: bool
    data: int = 0


@dataclass
class SlotModel:
    """A slot's image (W2), state, and what the node port shows of it."""

    control: dict[str, int] = field(default_factory=dict)
    valid: int = 0
    parent: int = 0
    children: frozenset[int] = frozenset()
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
    def root(self) -> int:
        return self.control.get("root", 0)

    @property
    def live(self) -> bool:
        return bool(self.valid and not self.fault)

    @property
    def status(self) -> int:
        flags = (self.la, self.up, self.dn, self.fault, self.done, self.broken)
        return sum(bit << i for i, bit in enumerate(flags))


CONTROL = (
    ("valid", 1),
    ("root", 1),
    ("turn", 1),
    ("op", 3),
    ("epoch", 2),
    ("gid", 8),
    ("manager", 2),
)


class UnitModel:
    """All slots of a unit, its config port and counters.

    Parameters
    ----------
    plane : WirePlane
    links : int
    process : bool
    """

    def __init__(self, plane: WirePlane, links: int, *, process: bool) -> None:
        self.plane, self.links, self.process = plane, links, process
        self.slots = [SlotModel() for _ in range(plane.slots)]
        self.on_the_way = [
            [Link.idle(plane.slots) for _ in range(plane.link_registers)] for _ in range(links)
        ]
        self.cycle = 0
        self.counters = [0, 0, 0, 0]
        self.answer = (0, 0, 0)

    def reset(self) -> "UnitModel":
        """Return the unit after a reset, which leaves words 0 and 1 but for ``valid`` (W4)."""
        after = UnitModel(self.plane, self.links, process=self.process)
        after.slots = [SlotModel(s.control, 0, s.parent, s.children) for s in self.slots]
        return after

    def ready(self, r: int) -> bool:
        """Say whether slot ``r``'s process may arrive."""
        return self.slots[r].live and PROCESS in self.slots[r].children

    def drives(self, p: int) -> Link:
        """Return what the unit drives on link ``p`` (W1, W2)."""
        link = Link.idle(self.plane.slots)
        for r, slot in enumerate(self.slots):
            if not self.plane.shared:
                link.up[r], link.down[r] = slot.up, slot.dn
                link.up_data[r], link.down_data[r] = slot.gathered, slot.result
                continue
            if slot.valid and not slot.root and p == slot.parent:
                link.up[r] |= slot.up
                link.up_data[r] |= slot.gathered
            if slot.valid and p in slot.children:
                link.up[r] |= slot.dn
                link.up_data[r] |= slot.result
        return link

    def step(
        self,
        links: list[Link],
        arrive: int,
        data: list[int],
        asked: Asked | None = None,
        beside: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        """Go through a cycle: ``links`` as their far ends drive them, or as received with P = 0.

        ``beside`` are overflows, strays (bits) and a refused write of what is beside the unit.
        """
        for way, link in zip(self.on_the_way, links, strict=True):
            way.append(link)
        received = [way.pop(0) for way in self.on_the_way]
        events = [beside[0], beside[1].bit_count(), 0, beside[2]]
        cleared, written = self._config(asked, events)
        for r in range(self.plane.slots):
            wires = [
                (w.up[r], (w.up if self.plane.shared else w.down)[r], w.up_data[r],
                 (w.up_data if self.plane.shared else w.down_data)[r], w.wrong)
                for w in received
            ]  # fmt: skip
            was = self.slots[r]
            after = self._slot(was, wires, arrive >> r & 1, data[r], r == cleared, events)
            if written and written[0] == r:
                after = replace(after, **written[1])
            self.slots[r] = after
        for i, number in enumerate(events):
            self.counters[i] = min(255, self.counters[i] + number)
        self.cycle += 1

    def _slot(
        self,
        was: SlotModel,
        wires: list[tuple[int, int, int, int, bool]],
        arrive: int,
        data: int,
        clear: bool,
        events: list[int],
    ) -> SlotModel:
        """Return the slot after a cycle."""
        kids = [p for p in range(self.links) if p in was.children]
        watched = kids if was.root or was.parent >= self.links else [*kids, was.parent]
        has_parent = not was.root and was.parent < self.links
        down = wires[was.parent][1] if has_parent else 0
        bad = was.live and bool(
            (was.stale == 1 and any(wires[p][0] for p in kids))
            or (not was.root and down and not was.up)
            or (self.plane.parity and any(wires[p][4] for p in watched))
        )
        fire = (
            was.live and not bad and was.stale == 0 and all(wires[p][0] for p in kids)
            and (was.la or PROCESS not in was.children) and bool(was.children)
        )  # fmt: skip
        down_in = fire if was.root else was.live and not bad and bool(down)
        ready = was.live and PROCESS in was.children
        accepted = bool(arrive and ready and not was.la)
        if self.process:
            events[2] += bool(arrive) and not accepted

        # The watchdog: a slot that trips does what a bad one does.
        h = self.plane.watchdog
        beat = h > 0 and self.cycle % h == h - 1
        waits = beat and was.live and was.la and not down_in
        trips = bool(waits and was.old)
        if trips:
            bad, fire = True, False
        events[1] += bad

        after = replace(was)
        after.up = int(fire and not was.root and not down_in)
        after.dn = int(down_in)
        after.stale = max(0, was.stale - 1)
        if down_in and kids:
            after.stale = 2 * self.plane.link_registers + 2
        after.la = int(not down_in and not bad and (was.la or accepted))
        after.fault = int(was.fault or bad)
        if accepted:
            after.mine, after.done, after.broken = data, 0, 0
        if fire:
            words = [wires[p][2] for p in kids]
            words += [was.mine] if PROCESS in was.children else []
            after.gathered = reduce(COMBINE[was.control["op"]], words)
        if down_in:
            after.result = after.gathered if was.root else wires[was.parent][3]
        after.old = int(bool(after.la and (was.old or waits)))

        arrived = was.la or accepted
        after.released = 0
        if down_in and PROCESS in was.children:
            after.released, after.done = 1, 1
        elif (bad or clear) and arrived:
            after.released, after.done, after.broken = 1, 1, 1
        if clear:
            after.valid = after.la = after.up = after.dn = 0
            after.stale = after.fault = after.old = 0
        return after

    def _config(
        self, asked: Asked | None, events: list[int]
    ) -> tuple[int | None, tuple[int, dict[str, Any]] | None]:
        """Answer a request; return a slot that is cleared, and changes of a slot's image."""
        self.answer = (0, 0, 0)
        if asked is None:
            return None, None
        r, word = divmod(asked.address, 8)
        if not asked.write:
            value = self._read(r, word, asked.address)
            self.answer = (1, int(value is None), value or 0)
            return None, None
        clear: int | None = None
        change: tuple[int, dict[str, Any]] | None = None
        ok = r < self.plane.slots
        if ok:
            slot, bits = self.slots[r], asked.data
            if word == 0:
                control = {}
                for name, width in CONTROL:
                    control[name] = bits & (1 << width) - 1
                    bits >>= width
                valid = control.pop("valid")
                control["turn"] = 0
                ok = not (valid and slot.valid)
                if ok and valid:
                    change = r, {"control": control, "valid": 1, "done": 0, "broken": 0}
                elif ok:
                    clear, change = r, (r, {"control": control})
            elif word == 1:
                ok = not slot.valid
                ports = [p for p in range(self.links) if bits >> 4 + p & 1]
                if self.process and bits >> 4 + self.links & 1:
                    ports.append(PROCESS)
                parent = bits & 15 & (1 << (self.links - 1).bit_length()) - 1
                change = (r, {"parent": parent, "children": frozenset(ports)}) if ok else None
            elif word == 4:
                ok = bool(slot.valid and bits in (1, 2))
                clear = r if ok and bits == 2 else None
            else:
                ok = False
        events[3] += not ok
        self.answer = (1, int(not ok), 0)
        return clear, change

    def _read(self, r: int, word: int, address: int) -> int | None:
        """Return what stands at an address; None if nothing does."""
        if 1024 <= address < 1028:
            return self.counters[address - 1024]
        if r >= self.plane.slots or word not in (0, 1, 5, 7):
            return None
        slot, value = self.slots[r], 0
        if word == 0:
            shift = 0
            for name, width in CONTROL:
                value |= (slot.valid if name == "valid" else slot.control.get(name, 0)) << shift
                shift += width
            return value
        if word == 1:
            bits = sum(1 << (self.links if p == PROCESS else p) for p in slot.children)
            return slot.parent | bits << 4
        return slot.status if word == 5 else slot.result

    def observe(self) -> int:
        """Return the unit's ``observe``."""
        bits, value, shift = self.plane.data_bits, 0, 0
        words = []
        for slot in self.slots:
            words += [(slot.status, 6), (slot.gathered, bits), (slot.result, bits)]
        for word, width in [*words, *((count, 8) for count in self.counters)]:
            value |= word << shift
            shift += width
        return value
