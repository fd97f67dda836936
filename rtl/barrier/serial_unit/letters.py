"""Messages that wait for their outputs: one for each."""

from typing import Any

from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.messages import struct

__all__ = ["Letters"]


class Letters(wiring.Component):
    """Four places, one for the message to each output, all in flip-flops.

    A message put there in one cycle is offered in the next at the earliest.

    Parameters
    ----------
    network : MeshSpec
        Layouts.

    Members
    -------
    occupied : Out(4)
        Places with a message.
    put : In(4), message_0 .. message_3 : In(sync message)
        Messages that are put there, all into empty places.
    has_credit : In(8)
        Bit 2·output + class.
    offer : Out(4), sent : In(4)
        Messages that hold a credit, and those that are sent.
    class_0 .. class_3 : Out(2), letter_0 .. letter_3 : Out(sync message)
        Class and contents for each output.
    """

    def __init__(self, network: MeshSpec) -> None:
        sync = struct(network.layout.sync)
        members: dict[str, Any] = {
            "occupied": Out(4),
            "put": In(4),
            "has_credit": In(8),
            "offer": Out(4),
            "sent": In(4),
        }
        for p in range(4):
            members |= {f"message_{p}": In(sync), f"letter_{p}": Out(sync), f"class_{p}": Out(2)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += self.occupied.eq(self.put | (self.occupied & ~self.sent))
        for p in range(4):
            letter, credits = getattr(self, f"letter_{p}"), self.has_credit.word_select(p, 2)
            with m.If(self.put[p]):
                m.d.sync += letter.eq(getattr(self, f"message_{p}"))
            in_class = Cat(~letter.turn, letter.turn)
            m.d.comb += [
                getattr(self, f"class_{p}").eq(in_class),
                self.offer[p].eq(self.occupied[p] & (credits & in_class).any()),
            ]
        return m
