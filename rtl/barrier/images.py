"""Where the parents and children of all registers are: for the config port, and for messages."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.routing import route
from syncfabric.rtl.messages import node_contents, node_place, node_word, parent_word, struct

__all__ = ["RegisterImages"]


class RegisterImages(wiring.Component):
    """Words 1 to 5 of all registers, in LUT RAM.

    One memory holds them for the config port. Each output has another, of the places that its
    messages can be for, so that those of one register are read all at once. Memory outlives a
    reset.

    Parameters
    ----------
    network : MeshSpec
        Registers, layouts.

    Members
    -------
    x, y : In
        Position of the router.
    number : In(range(registers)), word : In(3), writes : In(1)
        What is asked of the config port, and that it is a write.
    store : In(1), data : In(32)
        A write of one of the words 1 to 5 is carried out.
    contents : Out(32)
        What the word that is addressed holds, if it is one of these; else 0.
    up_port : Out(4)
        While a word 0 is written: the one-hot port towards this register's parent.
    sender : In(range(registers)), up : In(1)
        The register that sends, and that it does so to its parent.
    place_0 .. place_3 : Out(place)
        Where its message by each output goes.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._registers = network.message_registers
        layout = network.layout
        self._place = place = node_place(layout)
        members: dict[str, Any] = {
            "x": In(layout.x_bits),
            "y": In(layout.y_bits),
            "number": In(range(self._registers)),
            "word": In(3),
            "writes": In(1),
            "store": In(1),
            "data": In(32),
            "contents": Out(32),
            "up_port": Out(4),
            "sender": In(range(self._registers)),
            "up": In(1),
        }
        super().__init__(members | {f"place_{p}": Out(place) for p in range(4)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        given, is_parent = Signal(self._place), Signal()
        written = node_word(self.data)
        m.d.comb += [
            is_parent.eq(self.word == RegisterWord.PARENT),
            given.x.eq(written.x),
            given.y.eq(written.y),
            # Of the parent the bit says that the register is a relay's.
            given.present.eq(Mux(is_parent, parent_word(self.data).relay, written.present)),
        ]
        m.submodules.words = words = Memory(shape=self._place, depth=8 * self._registers, init=[])
        put, get = words.write_port(), words.read_port(domain="comb")
        m.d.comb += [
            put.en.eq(self.store),
            put.addr.eq(Cat(self.word, self.number)),
            put.data.eq(given),
            # A control word that is written counts with the parent that is there.
            get.addr.eq(Cat(self.word[0] | self.writes, self.word[1:], self.number)),
        ]
        shown = Signal(self._place)
        m.d.comb += [
            shown.eq(get.data),
            shown.present.eq(get.data.present & ~is_parent),
            self.contents.eq(
                Mux(self._is_place(), Cat(node_contents(shown), get.data.present & is_parent), 0)
            ),
        ]
        turn = struct(CONTROL)(self.data[: CONTROL.width]).turn
        ways = [route(self.x, self.y, get.data, y_first=y_first) for y_first in (False, True)]
        m.d.comb += self.up_port.eq(Mux(turn, ways[1], ways[0])[:4])
        for p in range(4):
            memory = Memory(shape=self._place.size - 1, depth=2 * self._registers, init=[])
            m.submodules[f"places_{p}"] = memory
            keep, find = memory.write_port(), memory.read_port(domain="comb")
            m.d.comb += [
                keep.en.eq(self.store & (is_parent | (self.word == RegisterWord.EAST + p))),
                keep.addr.eq(Cat(is_parent, self.number)),
                keep.data.eq(given.as_value()[:-1]),
                find.addr.eq(Cat(self.up, self.sender)),
                getattr(self, f"place_{p}").eq(Cat(find.data, Const(1, 1))),
            ]
        return m

    def _is_place(self) -> Value:
        """Return whether one of the words 1 to 5 is addressed."""
        return (self.word != RegisterWord.CONTROL) & (self.word < RegisterWord.STATUS)
