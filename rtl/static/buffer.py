"""A small first-in first-out buffer of flits."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.static.level import Level

__all__ = ["FlitBuffer"]


class FlitBuffer(wiring.Component):
    """Holds flits; one pushed in one cycle can be popped in the next.

    Parameters
    ----------
    places : int, >= 1
        Flits that it holds; one or two stand in flip-flops, more in a memory.
    flit_bits : int
        Bits of a flit.

    Members
    -------
    push : In(1), flit : In(flit_bits)
        A flit comes.
    pop : In(1)
        The front flit leaves; only while ``some``.
    clear : In(1)
        Be empty from the next cycle on.
    some : Out(1), front : Out(flit_bits)
        There is a front flit, and which.
    overflow : Out(1)
        A flit comes while the buffer is full; it is not taken.
    number : Out
        Flits in it.
    """

    def __init__(self, places: int, flit_bits: int) -> None:
        self._places = places
        super().__init__(
            {
                "push": In(1),
                "flit": In(flit_bits),
                "pop": In(1),
                "clear": In(1),
                "some": Out(1),
                "front": Out(flit_bits),
                "overflow": Out(1),
                "number": Out(range(places + 1)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.level = level = Level(self._places)
        write = Signal()
        m.d.comb += [
            self.overflow.eq(self.push & level.full),
            write.eq(self.push & ~level.full),
            level.up.eq(write),
            level.down.eq(self.pop),
            level.clear.eq(self.clear),
            self.some.eq(level.some),
            self.number.eq(level.number),
        ]
        if self._places == 1:
            with m.If(~level.some):
                m.d.sync += self.front.eq(self.flit)
        elif self._places == 2:
            # An empty place follows the link, so that no write enable stands in the way.
            second = Signal.like(self.front)
            with m.If(self.pop | ~level.some):
                m.d.sync += self.front.eq(Mux(level.full, second, self.flit))
            with m.If(~level.full):
                m.d.sync += second.eq(self.flit)
        else:
            self._in_memory(m, write)
        return m

    def _in_memory(self, m: Module, write: Signal) -> None:
        """Keep the flits in a memory with as many places as its addresses name."""
        depth = 1 << (self._places - 1).bit_length()
        m.submodules.memory = memory = Memory(shape=len(self.flit), depth=depth, init=[])
        store, fetch = memory.write_port(), memory.read_port(domain="comb")
        first, last = Signal(range(depth)), Signal(range(depth))
        m.d.comb += [
            store.en.eq(write),
            store.addr.eq(last),
            store.data.eq(self.flit),
            fetch.addr.eq(first),
            self.front.eq(fetch.data),
        ]
        m.d.sync += [last.eq(last + write), first.eq(first + self.pop)]
        with m.If(self.clear):
            m.d.sync += [first.eq(0), last.eq(0)]
