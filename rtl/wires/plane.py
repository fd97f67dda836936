"""All slots of a unit between its links and its process."""

from typing import Any

from amaranth import Cat, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import WIRE_STATUS
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.tick import tick_of
from syncfabric.rtl.wires.link import LinkEnd
from syncfabric.rtl.wires.ports import RoleSignature
from syncfabric.rtl.wires.slot import NODE_PORT, Slot

__all__ = ["SlotPlane", "link_ports"]


def link_ports(plane: WirePlane, links: int, *, process: bool) -> dict[str, Any]:
    """Return the members of a unit that are its links and its process."""
    wires = struct(plane.link)
    members: dict[str, Any] = {f"in_{p}": In(wires) for p in range(links)}
    members |= {f"out_{p}": Out(wires) for p in range(links)}
    if process:
        data = plane.slots * plane.data_bits
        members |= {"arrive": In(plane.slots), "data": In(data), "result": Out(data)}
        members |= {name: Out(plane.slots) for name in NODE_PORT}
    return members


class SlotPlane(wiring.Component):
    """Slots side by side: no wire and no state is shared but the parity and the watchdog's clock.

    Cycles as in docs/microarchitecture-wires.md, W1 to W3.

    Parameters
    ----------
    plane : WirePlane
        How many slots, and what a link carries.
    links : int
        Links of the unit.
    process : bool
        It has a process.

    Members
    -------
    role_0 .. : In(RoleSignature)
        The slots' images.
    in_0 .. : In(plane.link), out_0 .. : Out(plane.link)
        The links; registers of the link are on the receiving side.
    arrive, data, released, result, ready, done, broken, refused
        Only with a process: the node port, and arrives that are ignored.
    turns : Out(slots)
        Slots that turn bad, or trip, in this cycle.
    status : Out(6 * slots), gathered, results : Out(slots * data_bits)
        State of the slots.
    """

    def __init__(self, plane: WirePlane, links: int, *, process: bool) -> None:
        self._plane, self._links, self._process = plane, links, process
        data = plane.slots * plane.data_bits
        members = link_ports(plane, links, process=process)
        role = RoleSignature(plane, links, process=process)
        members |= {f"role_{r}": In(role) for r in range(plane.slots)}
        if process:
            members["refused"] = Out(plane.slots)
        members |= {
            "turns": Out(plane.slots),
            "status": Out(plane.slots * WIRE_STATUS.width),
            "gathered": Out(data),
            "results": Out(data),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        plane, bits = self._plane, self._plane.data_bits
        ends = [LinkEnd(plane) for _ in range(self._links)]
        for p, end in enumerate(ends):
            m.submodules[f"end_{p}"] = end
            m.d.comb += end.link.eq(getattr(self, f"in_{p}"))
        tick = tick_of(m, plane.watchdog) if self._process and plane.watchdog else None
        slots = [Slot(plane, self._links, process=self._process) for _ in range(plane.slots)]
        for r, slot in enumerate(slots):
            m.submodules[f"slot_{r}"] = slot
            wiring.connect(m, wiring.flipped(getattr(self, f"role_{r}")), slot.role)
            here = slice(bits * r, bits * (r + 1))
            m.d.comb += [
                slot.up_in.eq(Cat(end.up[r] for end in ends)),
                slot.down_in.eq(Cat(end.down[r] for end in ends)),
                slot.up_words.eq(Cat(end.up_data[here] for end in ends)),
                slot.down_words.eq(Cat(end.down_data[here] for end in ends)),
            ]
            if plane.parity:
                m.d.comb += slot.wrong.eq(Cat(end.wrong for end in ends))
            if self._process:
                m.d.comb += [slot.arrive.eq(self.arrive[r]), slot.data.eq(self.data[here])]
                m.d.comb += [
                    getattr(self, name)[r].eq(getattr(slot, name))
                    for name in (*NODE_PORT, "refused")
                ]
            if tick is not None:
                m.d.comb += slot.tick.eq(tick)
        for p in range(self._links):
            self._drive(m, p, slots)
        m.d.comb += [
            self.turns.eq(Cat(slot.turns for slot in slots)),
            self.status.eq(Cat(slot.status for slot in slots)),
            self.gathered.eq(Cat(slot.gathered for slot in slots)),
            self.results.eq(Cat(slot.result for slot in slots)),
        ]
        if self._process:
            m.d.comb += self.result.eq(self.results)
        return m

    def _drive(self, m: Module, p: int, slots: list[Slot]) -> None:
        """Drive link ``p``."""
        words: list[Value]
        if self._plane.shared:
            ways = []
            for slot in slots:
                parent, kid = slot.role.parent[p], slot.role.kids[p]
                ways.append(
                    either(
                        [
                            Mux(parent, Cat(slot.up, slot.gathered), 0),
                            Mux(kid, Cat(slot.down, slot.result), 0),
                        ]
                    )
                )
            words = [*(way[0] for way in ways), *(way[1:] for way in ways)]
        else:
            names = ("up", "down", "gathered", "result")
            words = [getattr(slot, name) for name in names for slot in slots]
        wires = Cat(words)
        if self._plane.parity:
            wires = Cat(wires, wires.xor())
        m.d.comb += getattr(self, f"out_{p}").eq(wires)
