"""A small first-in first-out buffer of flits."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out


class Level(wiring.Component):
    """Counts with "at least one" in a flip-flop of its own, for that is all that senders ask.

    Parameters
    ----------
    places : int, >= 1
        Greatest number.
    init : int
        0, or ``places``: what it is after ``clear``.

    Members
    -------
    up, down : In(1)
        One more; one less, only while there is ``some``. Not up alone while ``full``.
    clear : In(1)
        Be ``init`` from the next cycle on, whatever else is asked. It has to be high in reset too,
        which this part does not look at: so one gate a link is enough.
    some, full : Out(1)
        The number is at least 1; it is ``places``.
    number : Out
        The number.
    """

    def __init__(self, places: int, *, init: int = 0) -> None:
        if places < 1 or init not in (0, places):
            raise ValueError(f"Level needs at least 1 place, all or none taken, not {places!r}")
        self._places, self._init = places, init
        super().__init__(
            {
                "up": In(1),
                "down": In(1),
                "clear": In(1),
                "some": Out(1),
                "full": Out(1),
                "number": Out(range(places + 1)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        most = self._places - 1
        some = Signal(init=int(self._init > 0), reset_less=True)
        more = Signal(range(self._places), init=most if self._init else 0, reset_less=True)
        rises, falls = Signal(), Signal()
        m.d.comb += [
            self.some.eq(some),
            self.full.eq(more == most if most else some),
            self.number.eq(some + more),
            rises.eq(some & self.up & ~self.down),
            falls.eq(self.down & ~self.up & more.any()),
        ]
        # Sums of products, no enables: with two places that is a lookup table a bit.
        m.d.sync += [
            some.eq(self.up | more.any() | (some & ~self.down)),
            more.eq(more ^ (rises | falls) if len(more) == 1 else more + Mux(falls, -1, rises)),
        ]
        with m.If(self.clear):
            m.d.sync += [some.eq(some.init), more.eq(more.init)]
        return m


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
