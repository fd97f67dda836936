"""A small queue of words, in LUT RAM."""

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["WordQueue"]


class WordQueue(wiring.Component):
    """First in first out. A word that comes in t can be the first in t + 1.

    Parameters
    ----------
    width : int
        Bits of a word.
    places : int, >= 1

    Members
    -------
    push : In(1), word : In(width)
        A word comes; while ``full`` it is dropped.
    some, full : Out(1)
        There is a word; there is no place.
    first : Out(width)
        The oldest word, meaningful while ``some``.
    pop : In(1)
        It leaves; only while ``some``.
    """

    def __init__(self, width: int, places: int) -> None:
        if places < 1:
            raise ValueError(f"WordQueue needs at least 1 place, not {places!r}")
        self._places = places
        super().__init__(
            {
                "push": In(1),
                "word": In(width),
                "some": Out(1),
                "full": Out(1),
                "first": Out(width),
                "pop": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.memory = memory = Memory(
            shape=len(self.word), depth=max(2, self._places), init=[]
        )
        write, read = memory.write_port(), memory.read_port(domain="comb")
        stores = self.push & ~self.full
        after = Signal.like(read.addr)
        newest, oldest = Signal.like(write.addr), Signal.like(read.addr)
        m.d.comb += [
            after.eq(self._after(oldest)),
            self.full.eq(self.some & (oldest == newest)),
            write.en.eq(stores),
            write.addr.eq(newest),
            write.data.eq(self.word),
            read.addr.eq(oldest),
            self.first.eq(read.data),
        ]
        m.d.sync += self.some.eq(stores | (self.some & ~(self.pop & (after == newest))))
        with m.If(stores):
            m.d.sync += newest.eq(self._after(newest))
        with m.If(self.pop):
            m.d.sync += oldest.eq(after)
        return m

    def _after(self, place: Signal) -> Value:
        """Return the place after ``place``, in a circle."""
        return Mux(place == self._places - 1, 0, place + 1)
