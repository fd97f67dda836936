"""GIDs that are free again, until the manager's software asks for them."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["FreedQueue"]

PLACES = 256


class FreedQueue(wiring.Component):
    """First in, first out; a GID pushed in one cycle can be popped in the next.

    Members
    -------
    push : In(1), gid : In(8)
        A GID comes.
    overflow : Out(1)
        There is no place for it.
    pop : In(1)
        The oldest is asked for, and taken away if there is one.
    found : Out(1), oldest : Out(8)
        In the cycle after ``pop``: there was one, and which; meaningless in others.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "push": In(1),
                "gid": In(8),
                "overflow": Out(1),
                "pop": In(1),
                "found": Out(1),
                "oldest": Out(8),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.memory = memory = Memory(shape=8, depth=PLACES, init=[])
        store, load = memory.write_port(), memory.read_port()
        # One bit more than places, to tell a full queue from an empty one.
        first, after = Signal(range(2 * PLACES)), Signal(range(2 * PLACES))
        level, some = Signal(range(2 * PLACES)), Signal()
        m.d.comb += [
            level.eq(after - first),
            some.eq(level != 0),
            self.overflow.eq(self.push & (level == PLACES)),
            store.en.eq(self.push & ~self.overflow),
            store.addr.eq(after),
            store.data.eq(self.gid),
            load.addr.eq(first),
            load.en.eq(self.pop),
            self.oldest.eq(load.data),
        ]
        m.d.sync += [
            self.found.eq(some),
            first.eq(first + (self.pop & some)),
            after.eq(after + store.en),
        ]
        return m
