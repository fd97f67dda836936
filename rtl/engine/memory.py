"""The entries of an engine: image, state and data in memory, with one address for all."""

from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS, EngineLayout
from syncfabric.rtl.engine.rule import state_layout
from syncfabric.rtl.messages import struct

__all__ = ["EntryMemory"]


class EntryMemory(wiring.Component):
    """Reads an entry and writes parts of it. A write of one cycle is read from the next.

    Parameters
    ----------
    layout : EngineLayout
    block : bool
        It is block RAM, and what is read comes a cycle later; else in the same cycle.

    Members
    -------
    read_entry : In, image, epoch, state, acc : Out
        What is read.
    write_entry : In
        Where is written: of the three that follow, those that are high.
    write_image : In(1), next_image, next_epoch : In
    write_state : In(1), next_state : In
    write_acc : In(1), next_acc : In
    """

    def __init__(self, layout: EngineLayout, *, block: bool) -> None:
        self._layout = layout
        self._block = block
        parts = {
            "image": struct(layout.image),
            "epoch": EPOCH_BITS,
            "state": state_layout(layout),
            "acc": layout.data_bits,
        }
        members: dict[str, Any] = {
            f"{way}_entry": In(layout.entry_bits) for way in ("read", "write")
        }
        members |= {name: Out(shape) for name, shape in parts.items()}
        members |= {f"next_{name}": In(shape) for name, shape in parts.items()}
        members |= {f"write_{name}": In(1) for name in ("image", "state", "acc")}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        image = [(self.image.as_value(), self.next_image.as_value()), (self.epoch, self.next_epoch)]
        state = [(self.state.as_value(), self.next_state.as_value())]
        self._place(m, "images", self.write_image, image)
        self._place(m, "states", self.write_state, state)
        if self._layout.data_bits:
            self._place(m, "data", self.write_acc, [(self.acc, self.next_acc)])
        return m

    def _place(self, m: Module, name: str, enable: Any, words: list[tuple[Any, Any]]) -> None:
        """Place one memory: words that are written together."""
        memory = Memory(
            shape=sum(len(read) for read, _ in words),
            depth=self._layout.entries,
            init=[],
            attrs={"ram_style": "block"} if self._block else None,
        )
        m.submodules[name] = memory
        write = memory.write_port()
        read = memory.read_port(domain="sync" if self._block else "comb")
        m.d.comb += [
            read.addr.eq(self.read_entry),
            write.addr.eq(self.write_entry),
            write.en.eq(enable),
        ]
        low = 0
        for shown, written in words:
            bits = slice(low, low + len(shown))
            m.d.comb += [shown.eq(read.data[bits]), write.data[bits].eq(written)]
            low += len(shown)
        return
