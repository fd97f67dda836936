"""Where packets end that are for the switch itself: they are counted, and gone."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter

__all__ = ["PacketDrain"]


class PacketDrain(wiring.Component):
    """Takes a flit a cycle, packet by packet.

    Parameters
    ----------
    network : IrregularSpec
        Ports.

    Members
    -------
    offer, tail : In(ports)
        Inputs that offer a flit for the switch itself, and whether it is its packet's last.
    take : Out(ports)
        One-hot: the input whose flit is taken.
    busy : Out(1)
        In the middle of a packet.
    ended : Out(1)
        A packet's last flit is taken.
    """

    def __init__(self, network: IrregularSpec) -> None:
        ports = network.ports
        self._ports = ports
        super().__init__(
            {
                "offer": In(ports),
                "tail": In(ports),
                "take": Out(ports),
                "busy": Out(1),
                "ended": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.arbiter = arbiter = LeastRecentArbiter(self._ports)
        taken = Signal()
        m.d.comb += [
            arbiter.request.eq(self.offer),
            arbiter.sent.eq(arbiter.grant),
            self.take.eq(arbiter.grant),
            taken.eq(self.offer.any()),
            self.ended.eq((arbiter.grant & self.tail).any()),
        ]
        with m.If(taken):
            m.d.sync += self.busy.eq(~self.ended)
        return m
