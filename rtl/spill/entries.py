"""The memory of spilled groups: an entry for each of the 256."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["EntryMemory"]

GROUPS = 256


class EntryMemory(wiring.Component):
    """Reads an entry in one cycle, and writes it back in the next.

    Parameters
    ----------
    layout : StructLayout
        What an entry holds; all zeros after a reset.

    Members
    -------
    read : In(1), asked : In(8)
        The entry of this GID is read.
    gid : In(8), entry : Out(layout)
        In the cycle after: the same GID, and what the entry holds.
    write : In(1), after : In(layout)
        In that cycle: what it is to hold from now on.
    """

    def __init__(self, layout: data.StructLayout) -> None:
        self._layout = layout
        members: dict[str, Any] = {
            "read": In(1),
            "asked": In(8),
            "gid": In(8),
            "entry": Out(layout),
            "write": In(1),
            "after": In(layout),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.memory = memory = Memory(shape=self._layout, depth=GROUPS, init=[])
        store, load = memory.write_port(), memory.read_port()
        # Memory outlives a reset: until an entry is written again, it counts as all zeros.
        written = Signal(GROUPS)
        m.d.comb += [
            load.addr.eq(self.asked),
            load.en.eq(self.read),
            self.entry.eq(Mux(written.bit_select(self.gid, 1), load.data, 0)),
            store.addr.eq(self.gid),
            store.en.eq(self.write),
            store.data.eq(self.after),
        ]
        with m.If(self.write):
            m.d.sync += written.bit_select(self.gid, 1).eq(1)
        return m
