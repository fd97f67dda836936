"""All slots of a unit with their images: registers of the config port, like any others."""

from typing import Any

from amaranth import Array, Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import WIRE_STATUS, WireLayout, WireWord
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.config import ConfigBank
from syncfabric.rtl.wires.image import SlotImage
from syncfabric.rtl.wires.plane import SlotPlane, link_ports
from syncfabric.rtl.wires.slot import NODE_PORT

__all__ = ["SlotBank", "wire_bank"]

WRITABLE = (WireWord.CONTROL, WireWord.TREE, WireWord.COMMAND)
READABLE = (WireWord.CONTROL, WireWord.TREE, WireWord.STATUS, WireWord.RESULT)


def wire_bank(plane: WirePlane) -> ConfigBank:
    """Return the slots as a config port knows them."""
    return ConfigBank(plane.slots, WRITABLE, READABLE)


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

    Members
    -------
    in_0 .. : In(plane.link), out_0 .. : Out(plane.link)
        The links.
    arrive, data, released, result, ready, done, broken, refused
        Only with a process: the node port, and arrives that are ignored.
    write : In(3 * slots), write_data : In(32), write_refused : Out(slots)
        Writes of the words CONTROL, TREE and COMMAND of each slot.
    word : In(3), contents : Out(32 * slots)
        Word that is read, and what each slot holds there.
    turns : Out(slots)
        Slots that turn bad, or trip, in this cycle.
    gids : Out(8 * slots), open : Out(slots), managers : Out(2 * slots)
        What a set-up sink looks at.
    observe : Out
        State of the slots, for benches.
    """

    def __init__(self, plane: WirePlane, links: int, *, process: bool) -> None:
        self._plane, self._links, self._process = plane, links, process
        slots, shown = plane.slots, WireLayout(links, process, plane.data_bits).slot
        members: dict[str, Any] = link_ports(plane, links, process=process)
        if process:
            members["refused"] = Out(slots)
        members |= {
            "write": In(len(WRITABLE) * slots),
            "write_data": In(32),
            "write_refused": Out(slots),
            "word": In(3),
            "contents": Out(32 * slots),
            "turns": Out(slots),
            "gids": Out(8 * slots),
            "open": Out(slots),
            "managers": Out(2 * slots),
            "observe": Out(slots * shown.width),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        plane, bits, width = self._plane, self._plane.data_bits, WIRE_STATUS.width
        shape = (plane, self._links)
        m.submodules.slots = slots = SlotPlane(*shape, process=self._process)
        for p in range(self._links):
            m.d.comb += [
                getattr(slots, f"in_{p}").eq(getattr(self, f"in_{p}")),
                getattr(self, f"out_{p}").eq(getattr(slots, f"out_{p}")),
            ]
        m.d.comb += self.turns.eq(slots.turns)
        if self._process:
            m.d.comb += [slots.arrive.eq(self.arrive), slots.data.eq(self.data)]
            for name in (*NODE_PORT, "result", "refused"):
                m.d.comb += getattr(self, name).eq(getattr(slots, name))
        images = [SlotImage(*shape, process=self._process) for _ in range(plane.slots)]
        observe: list[Value] = []
        for r, image in enumerate(images):
            m.submodules[f"image_{r}"] = image
            wiring.connect(m, image.role, getattr(slots, f"role_{r}"))
            status = slots.status[width * r : width * (r + 1)]
            gathered, result = (
                words[bits * r : bits * (r + 1)] for words in (slots.gathered, slots.results)
            )
            words: dict[int, Value] = {
                WireWord.CONTROL: image.control.as_value(),
                WireWord.TREE: image.tree.as_value(),
                WireWord.STATUS: status,
                WireWord.RESULT: result,
            }
            here = slice(len(WRITABLE) * r, len(WRITABLE) * (r + 1))
            m.d.comb += [
                image.write.eq(self.write[here]),
                image.data.eq(self.write_data),
                self.contents[32 * r : 32 * (r + 1)].eq(
                    Array(words.get(word, 0) for word in range(8))[self.word]
                ),
            ]
            observe.append(Cat(status, gathered, result))
        m.d.comb += [
            self.write_refused.eq(Cat(image.refused for image in images)),
            self.gids.eq(Cat(image.control.gid for image in images)),
            self.open.eq(Cat(image.control.valid for image in images)),
            self.managers.eq(Cat(image.control.manager for image in images)),
            self.observe.eq(Cat(observe)),
        ]
        return m
