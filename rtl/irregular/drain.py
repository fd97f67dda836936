"""Where packets end that are for the switch itself: they are counted, and gone."""

from typing import Any

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter

__all__ = ["PacketDrain"]


class PacketDrain(wiring.Component):
    """Takes a flit a cycle, packet by packet. Those of set-up packets are the set-up sink's.

    Parameters
    ----------
    network : IrregularSpec
        Ports.

    Members
    -------
    offer, tail : In(ports)
        Inputs that offer a flit for the switch itself, and whether it is its packet's last.
    setup : In(ports)
        Only with set-up by managers: the offers that are of set-up packets, by input.
    take : Out(ports)
        One-hot: the input whose flit is taken.
    busy : Out(1)
        In the middle of a packet.
    ended : Out(1)
        A packet's last flit is taken, that is no set-up packet's.
    """

    def __init__(self, network: IrregularSpec) -> None:
        ports = network.ports
        self._network = network
        members: dict[str, Any] = {
            "offer": In(ports),
            "tail": In(ports),
            "take": Out(ports),
            "busy": Out(1),
            "ended": Out(1),
        }
        if network.managed:
            members |= {"setup": In(ports)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ports = self._network.ports
        m.submodules.arbiter = arbiter = LeastRecentArbiter(ports)
        tail, discarded = Signal(), Signal()
        m.d.comb += [
            arbiter.request.eq(self.offer),
            arbiter.sent.eq(self.take),
            self.take.eq(arbiter.grant),
            tail.eq((self.take & self.tail).any()),
            discarded.eq(1),
            self.ended.eq(tail & discarded),
        ]
        if self._network.managed:
            m.d.comb += discarded.eq(~(self.take & self.setup).any())
        with m.If(self.take.any()):
            m.d.sync += self.busy.eq(~tail)
        return m
