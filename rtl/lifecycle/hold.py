"""Flits of a process, held while something else is on the link."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.lifecycle.queue import WordQueue

__all__ = ["Hold"]


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
        self._places = places
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

    def elaborate(self, platform: object) -> Module:
        m = Module()
        comes = Signal()
        here, there = Cat(self.valid, self.flit), Cat(self.out_valid, self.out_flit)
        m.submodules.queue = queue = WordQueue(len(here), self._places)
        m.d.comb += [
            comes.eq(self.valid.any()),
            queue.push.eq(comes & (self.blocked | queue.some)),
            queue.word.eq(here),
            queue.pop.eq(queue.some & ~self.blocked),
            self.overflow.eq(comes & queue.full),
            there.eq(Mux(self.blocked, 0, Mux(queue.some, queue.first, Mux(comes, here, 0)))),
        ]
        return m
