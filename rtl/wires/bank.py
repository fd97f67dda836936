"""All slots of a unit with their images: registers of the config port, like any others."""

from typing import Any

from amaranth import Cat, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONFIG_ADDRESS_BITS, WIRE_STATUS, WireLayout, WireWord
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.config import ConfigBank
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.wires.images import WRITABLE, SlotImages
from syncfabric.rtl.wires.plane import SlotPlane, link_ports
from syncfabric.rtl.wires.slot import NODE_PORT

__all__ = ["SlotBank", "wire_bank"]

READABLE = (WireWord.CONTROL, WireWord.TREE, WireWord.STATUS, WireWord.RESULT)


def wire_bank(plane: WirePlane) -> ConfigBank:
    """Return the slots as a config port knows them."""
    return ConfigBank(plane.slots, WRITABLE, READABLE, shared=True)


class SlotBank(wiring.Component):
    """Slots, images, links, process; a config port and counters are placed beside it.

    Cycles as in docs/microarchitecture-wires.md, W1 to W4.

    Parameters
    ----------
    plane : WirePlane
        How many slots, and what a link carries.
    links : int
        Links of the unit.
    process : bool
        It has a process.
    first : int
        Number of the first slot on the config port.
    sink : bool
        A set-up sink looks at the slots.

    Members
    -------
    in_0 .. : In(plane.link), out_0 .. : Out(plane.link)
        The links.
    arrive, data, released, result, ready, done, broken, refused
        Only with a process: the node port, and arrives that are ignored.
    address : In(12), writes : In(1)
        What is asked of the config port, and that it is a write.
    write : In(3), write_data : In(32), write_refused : Out(1)
        One of the slots' words CONTROL, TREE and COMMAND is written, and this is refused.
    contents : Out(32)
        What the word that is addressed holds; meaningful if it is a slot's.
    turns : Out(slots)
        Slots that turn bad, or trip, in this cycle.
    gids : Out(8 * slots), open : Out(slots), managers : Out(2 * slots)
        Only with a sink: what it looks at.
    observe : Out
        State of the slots, for benches.
    """

    def __init__(
        self,
        plane: WirePlane,
        links: int,
        *,
        process: bool,
        first: int = 0,
        sink: bool = False,
    ) -> None:
        self._plane, self._links, self._process = plane, links, process
        self._first, self._sink = first, sink
        slots, shown = plane.slots, WireLayout(links, process, plane.data_bits).slot
        members: dict[str, Any] = link_ports(plane, links, process=process)
        if process:
            members["refused"] = Out(slots)
        members |= {
            "address": In(CONFIG_ADDRESS_BITS),
            "writes": In(1),
            "write": In(len(WRITABLE)),
            "write_data": In(32),
            "write_refused": Out(1),
            "contents": Out(32),
            "turns": Out(slots),
            "observe": Out(slots * shown.width),
        }
        if sink:
            members |= {"gids": Out(8 * slots), "open": Out(slots), "managers": Out(2 * slots)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        plane, shape = self._plane, (self._plane, self._links)
        m.submodules.slots = slots = SlotPlane(*shape, process=self._process)
        m.submodules.images = images = SlotImages(*shape, process=self._process, sink=self._sink)
        for p in range(self._links):
            m.d.comb += [
                getattr(slots, f"in_{p}").eq(getattr(self, f"in_{p}")),
                getattr(self, f"out_{p}").eq(getattr(slots, f"out_{p}")),
            ]
        if self._process:
            m.d.comb += [slots.arrive.eq(self.arrive), slots.data.eq(self.data)]
            for name in (*NODE_PORT, "result", "refused"):
                m.d.comb += getattr(self, name).eq(getattr(slots, name))
        for r in range(plane.slots):
            wiring.connect(m, getattr(images, f"role_{r}"), getattr(slots, f"role_{r}"))
        if self._sink:
            for name in ("gids", "open", "managers"):
                m.d.comb += getattr(self, name).eq(getattr(images, name))
        m.d.comb += [
            self.turns.eq(slots.turns),
            images.place.eq(self.address[3:] - self._first),
            images.word.eq(self.address[:3]),
            images.writes.eq(self.writes),
            images.write.eq(self.write),
            images.data.eq(self.write_data),
            self.write_refused.eq(images.refused),
        ]
        self._read(m, slots, images)
        return m

    def _read(self, m: Module, slots: SlotPlane, images: SlotImages) -> None:
        """Show the word that is addressed, and the state of all slots."""
        bits, width = self._plane.data_bits, WIRE_STATUS.width
        word = images.word
        contents, observe = [images.contents], list[Value]()
        for r in range(self._plane.slots):
            here = images.place == r
            status = slots.status[width * r : width * (r + 1)]
            gathered, result = (
                words[bits * r : bits * (r + 1)] for words in (slots.gathered, slots.results)
            )
            contents += [
                Mux(here & (word == WireWord.STATUS), status, 0),
                Mux(here & (word == WireWord.RESULT), result, 0),
            ]
            observe.append(Cat(status, gathered, result))
        m.d.comb += [self.contents.eq(either(contents)), self.observe.eq(Cat(observe))]
