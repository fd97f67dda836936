"""A core's network interface: both halves, and the word that tells how they stand."""

from typing import Any

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.core import NET_STATUS, CoreWord
from syncfabric.rtl.cores.bus import BusSignature
from syncfabric.rtl.cores.receiver import Receiver
from syncfabric.rtl.cores.sender import Sender
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.messages import struct
from syncfabric.rtl.router.link import FlitSignature

__all__ = ["NetworkInterface", "join_bus"]


def join_bus(m: Module, outside: Any, parts: list[Any]) -> None:
    """Show a request to several groups of registers, and give the answer of who is chosen."""
    for part in parts:
        m.d.comb += [
            part.valid.eq(outside.valid),
            part.write.eq(outside.write),
            part.word.eq(outside.word),
            part.data.eq(outside.data),
        ]
        with m.If(part.chosen):
            m.d.comb += [
                outside.chosen.eq(1),
                outside.ready.eq(part.ready),
                outside.result.eq(part.result),
                outside.fault.eq(part.fault),
            ]


class NetworkInterface(wiring.Component):
    """Packets to and from other cores, word by word, each acknowledged by who has it.

    Source: docs/microarchitecture-cores.md, K3.

    Parameters
    ----------
    shape : TileShape

    Members
    -------
    number : In
        Number of this core; constant.
    bus : In(BusSignature)
        Words SEND to NET_STATUS.
    inject : Out(FlitSignature), eject : In(FlitSignature)
        To and from the network.
    owing : Out(1)
        A packet is not acknowledged yet.
    sends, receives : Out(1)
        A word is not taken yet; one that is asked for is not here yet.
    """

    def __init__(self, shape: TileShape) -> None:
        self._shape = shape
        link = FlitSignature(
            shape.packets.channels, shape.packets.flit_bits, cut=shape.packets.guarded
        )
        super().__init__(
            {
                "number": In(shape.core_bits),
                "bus": In(BusSignature()),
                "inject": Out(link),
                "eject": In(link),
                "owing": Out(1),
                "sends": Out(1),
                "receives": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.sender = sender = Sender(self._shape)
        m.submodules.receiver = receiver = Receiver(self._shape)
        wiring.connect(m, sender.link, wiring.flipped(self.inject))
        wiring.connect(m, wiring.flipped(self.eject), receiver.link)
        join_bus(m, self.bus, [sender.bus, receiver.bus])
        status = struct(NET_STATUS)(Signal(NET_STATUS.width, name="status"))
        m.d.comb += [
            sender.number.eq(self.number),
            sender.ack.eq(receiver.ack),
            sender.ack_to.eq(receiver.ack_to),
            receiver.ack_sent.eq(sender.ack_sent),
            sender.acked.eq(receiver.acked),
            self.owing.eq(sender.unacknowledged != 0),
            self.sends.eq(sender.stalls),
            self.receives.eq(receiver.stalls),
            status.waits.eq(receiver.waits),
            status.left.eq(receiver.left),
            status.room.eq(sender.room),
            status.unacknowledged.eq(sender.unacknowledged),
        ]
        with m.If(self.bus.valid & ~self.bus.write & (self.bus.word == CoreWord.NET_STATUS)):
            m.d.comb += [
                self.bus.chosen.eq(1),
                self.bus.ready.eq(1),
                self.bus.result.eq(status.as_value()),
            ]
        return m
