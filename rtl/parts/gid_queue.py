"""GIDs that wait, in a memory with a place for each."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["GidQueue"]

PLACES = 256


class GidQueue(wiring.Component):
    """First in, first out; a GID pushed in one cycle can be popped in the next.

    Members
    -------
    push : In(1), gid : In(8)
        A GID comes; not while ``full``.
    some, full : Out(1)
        There is a GID; there is no place left.
    pop : In(1)
        The oldest is taken away; only while there is some.
    oldest : Out(8)
        In the cycle after ``pop``: which it was; meaningless in others.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "push": In(1),
                "gid": In(8),
                "some": Out(1),
                "full": Out(1),
                "pop": In(1),
                "oldest": Out(8),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.memory = memory = Memory(shape=8, depth=PLACES, init=[])
        store, load = memory.write_port(), memory.read_port()
        # One bit more than places, to tell a full queue from an empty one.
        head, tail = Signal(range(2 * PLACES)), Signal(range(2 * PLACES))
        m.d.comb += [
            self.some.eq(head != tail),
            self.full.eq(head == tail ^ PLACES),
            store.en.eq(self.push),
            store.addr.eq(tail),
            store.data.eq(self.gid),
            load.addr.eq(head),
            load.en.eq(1),
            self.oldest.eq(load.data),
        ]
        m.d.sync += [head.eq(head + self.pop), tail.eq(tail + self.push)]
        return m
