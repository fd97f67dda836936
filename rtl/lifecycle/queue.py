"""Queues beside set-up packets: of words, and of a process's flits that are held back."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out


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


class Hold(wiring.Component):
    """Passes a flit on in the same cycle, or later, in order. Nothing else waits for it.

    Its sender has the flit's credit, so that as many places as credits are enough.
    Rules: docs/microarchitecture-networks.md, N2 (5).

    Parameters
    ----------
    channels : int
    flit : StructLayout
    places : int

    Members
    -------
    valid : In(channels), flit : In(flit)
        A flit comes.
    blocked : In(1)
        Something else is on the link.
    out_valid : Out(channels), out_flit : Out(flit)
        What is on the link; 0 if nothing is.
    overflow : Out(1)
        A flit is dropped for want of a place.
    """

    def __init__(self, channels: int, flit: data.StructLayout, places: int) -> None:
        self._queue = WordQueue(channels + flit.size, places)
        super().__init__(
            {
                "valid": In(channels),
                "flit": In(flit),
                "blocked": In(1),
                "out_valid": Out(channels),
                "out_flit": Out(flit),
                "overflow": Out(1),
            }
        )

    @property
    def waits(self) -> Value:
        """Whether there is a flit for the link."""
        return self.valid.any() | self._queue.some

    def elaborate(self, platform: object) -> Module:
        m = Module()
        comes = Signal()
        here, there = Cat(self.valid, self.flit), Cat(self.out_valid, self.out_flit)
        m.submodules.queue = queue = self._queue
        m.d.comb += [
            comes.eq(self.valid.any()),
            queue.push.eq(comes & (self.blocked | queue.some)),
            queue.word.eq(here),
            queue.pop.eq(queue.some & ~self.blocked),
            self.overflow.eq(comes & queue.full),
            there.eq(Mux(self.blocked, 0, Mux(queue.some, queue.first, Mux(comes, here, 0)))),
        ]
        return m
