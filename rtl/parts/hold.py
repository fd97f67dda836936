"""Ordinary flits of a node, held while its barrier messages use the link."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import (
    MessageSpec,
)
from syncfabric.rtl.messages import struct

__all__ = ["FlitHold"]


class FlitHold(wiring.Component):
    """Passes a node's flits on in the same cycle, or later, in order.

    The source has each flit's credit in hand already, so that as many places as credits are enough
    for all channels together, and no flit waits here but for a synchronization message.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Channels, buffer places of the switch, flit width.

    Members
    -------
    push : In(channels), flit : In(flit)
        A flit comes from the source.
    blocked : In(1)
        The link is not free in this cycle.
    valid : Out(channels), out : Out(flit)
        What goes on the link.
    overflow : Out(1)
        A flit came without a credit, and there was no place; it is not taken.
    """

    def __init__(self, network: MessageSpec) -> None:
        self._network = network
        flit = struct(network.layout.flit)
        super().__init__(
            {
                "push": In(network.channels),
                "flit": In(flit),
                "blocked": In(1),
                "valid": Out(network.channels),
                "out": Out(flit),
                "overflow": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        channels = self._network.channels
        depth = channels * self._network.buffer_flits
        width = channels + self._network.layout.flit.width
        m.submodules.memory = memory = Memory(shape=width, depth=depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        first, last, level = Signal(range(depth)), Signal(range(depth)), Signal(range(depth + 1))
        comes, leaves, stores = Signal(), Signal(), Signal()
        m.d.comb += [
            comes.eq(self.push.any()),
            leaves.eq((level != 0) & ~self.blocked),
            self.overflow.eq(comes & (level == depth)),
            stores.eq(comes & ~self.overflow & (self.blocked | (level != 0))),
            write.en.eq(stores),
            write.addr.eq(last),
            write.data[:channels].eq(self.push),
            write.data[channels:].eq(self.flit.as_value()),
            read.addr.eq(first),
        ]
        with m.If(stores):
            m.d.sync += last.eq(Mux(last == depth - 1, 0, last + 1))
        with m.If(leaves):
            m.d.sync += first.eq(Mux(first == depth - 1, 0, first + 1))
        m.d.sync += level.eq(level + stores - leaves)
        with m.If(level != 0):
            m.d.comb += [
                self.valid.eq(Mux(self.blocked, 0, read.data[:channels])),
                self.out.eq(Mux(self.blocked, 0, read.data[channels:])),
            ]
        with m.Elif(~self.blocked):
            m.d.comb += [self.valid.eq(self.push), self.out.eq(self.flit)]
        return m
