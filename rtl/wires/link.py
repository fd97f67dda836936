"""The receiving end of a link's barrier wires: the registers of the link, and its parity."""

from typing import Any

from amaranth import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.messages import struct

__all__ = ["LinkEnd"]


class LinkEnd(wiring.Component):
    """Passes a link's wires through its registers, and says whether their parity is wrong.

    Cycles as in docs/microarchitecture-wires.md, W1. With registers the parity is looked at before
    the last of them, so that it costs no time.

    Parameters
    ----------
    plane : WirePlane
        What the link carries, and how many registers it has.

    Members
    -------
    link : In(plane.link)
        The wires as driven.
    up, down : Out(slots), up_data, down_data : Out(slots * data_bits)
        As received. With ``shared`` both are the same wires: who is told apart by the slot's role.
    wrong : Out(1)
        Only with parity: it is wrong.
    """

    def __init__(self, plane: WirePlane) -> None:
        self._plane = plane
        data = plane.slots * plane.data_bits
        members: dict[str, Any] = {
            "link": In(struct(plane.link)),
            "up": Out(plane.slots),
            "down": Out(plane.slots),
            "up_data": Out(data),
            "down_data": Out(data),
        }
        if plane.parity:
            members["wrong"] = Out(1)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        plane = self._plane
        received: Value = self.link.as_value()
        wrong: Value | None = None
        for stage in range(plane.link_registers):
            if plane.parity and stage == plane.link_registers - 1:
                wrong = Signal(name="wrong_kept")
                m.d.sync += wrong.eq(received.xor())
            kept = Signal(len(received), name=f"received_{stage}")
            m.d.sync += kept.eq(received)
            received = kept
        if plane.parity:
            m.d.comb += self.wrong.eq(received.xor() if wrong is None else wrong)
        wires = struct(plane.link)(received)
        both = "up" if plane.shared else "down"
        m.d.comb += [self.up.eq(wires.up), self.down.eq(wires[both])]
        if plane.data_bits:
            m.d.comb += [self.up_data.eq(wires.up_data), self.down_data.eq(wires[f"{both}_data"])]
        return m
