"""The receiving half of a core's network interface: packets kept, acknowledgements called for."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.core import MOST_WORDS, RECV, CoreWord, FaultReason
from syncfabric.rtl.cores.bus import BusSignature
from syncfabric.rtl.cores.shape import ACKS, PACKETS, TileShape
from syncfabric.rtl.messages import struct
from syncfabric.rtl.router.link import FlitSignature

__all__ = ["KEPT_ACKS", "KEPT_FLITS", "Receiver"]

KEPT_FLITS = 128
"""Flits that wait for the core."""

KEPT_ACKS = 32
"""Acknowledgements that wait for the network."""


class Receiver(wiring.Component):
    """Takes flits in while there is room for them, and for the acknowledgements they may cause.

    A packet is acknowledged once its tail is here. Acknowledgements of others are always taken.

    Source: docs/microarchitecture-cores.md, K3.

    Parameters
    ----------
    shape : TileShape

    Members
    -------
    bus : In(BusSignature)
        Words RECV and RECV_DATA.
    link : In(FlitSignature)
        From the network.
    ack, ack_to, ack_sent
        As of `Sender`, from the other side.
    acked : Out(1)
        An acknowledgement has come.
    waits : Out(1)
        A packet that was not taken is there.
    left : Out
        Words still to be read of the one that was.
    stalls : Out(1)
        A word is asked for that is not here yet.
    """

    def __init__(self, shape: TileShape) -> None:
        self._shape = shape
        core, packets = shape.core_bits, shape.packets
        super().__init__(
            {
                "bus": In(BusSignature()),
                "link": In(FlitSignature(packets.channels, packets.flit_bits, cut=packets.guarded)),
                "ack": Out(1),
                "ack_to": Out(core),
                "ack_sent": In(1),
                "acked": Out(1),
                "waits": Out(1),
                "left": Out(range(MOST_WORDS + 1)),
                "stalls": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus, flit = self.bus, self.link.flit
        m.submodules.kept = kept = SyncFIFO(width=32, depth=KEPT_FLITS)
        m.submodules.acks = acks = SyncFIFO(width=len(self.ack_to), depth=KEPT_ACKS)
        head = struct(self._shape.head)(flit.payload[: self._shape.head.width])
        told = struct(RECV)(Signal(RECV.width, name="told"))
        sender = Signal(self.ack_to.shape())
        comes = self.link.valid[PACKETS]
        m.d.comb += [
            told.core.eq(head.core),
            told.words.eq(head.words),
            told.tag.eq(head.tag),
            kept.w_en.eq(comes),
            kept.w_data.eq(Mux(flit.head, told.as_value(), flit.payload[:32])),
            acks.w_en.eq(comes & flit.tail),
            acks.w_data.eq(Mux(flit.head, head.core, sender)),
            self.acked.eq(self.link.valid[ACKS]),
            self.ack.eq(acks.r_rdy),
            self.ack_to.eq(acks.r_data),
            acks.r_en.eq(self.ack_sent),
        ]
        with m.If(comes & flit.head):
            m.d.sync += sender.eq(head.core)
        self._return_credits(m, kept, acks)

        of_head = bus.valid & ~bus.write & (bus.word == CoreWord.RECV)
        of_data = bus.valid & ~bus.write & (bus.word == CoreWord.RECV_DATA)
        heads = Signal(range(KEPT_FLITS + 1))
        m.d.comb += [
            bus.chosen.eq(of_head | of_data),
            self.waits.eq(heads != 0),
        ]
        with m.If(bus.chosen & (of_head == (self.left != 0))):
            m.d.comb += bus.fault.eq(FaultReason.PACKET)
        with m.Elif(bus.chosen):
            m.d.comb += [
                bus.ready.eq(kept.r_rdy),
                bus.result.eq(kept.r_data),
                kept.r_en.eq(bus.ready),
                self.stalls.eq(~bus.ready),
            ]
        with m.If(kept.r_en):
            words = struct(RECV)(kept.r_data[: RECV.width]).words
            m.d.sync += self.left.eq(Mux(of_head, words, self.left - 1))
        m.d.sync += heads.eq(heads + (comes & flit.head) - (kept.r_en & of_head))
        return m

    def _return_credits(self, m: Module, kept: SyncFIFO, acks: SyncFIFO) -> None:
        """Give a credit only if all flits that may then come find room, each being a tail."""
        places = self._shape.packets.buffer_flits
        owed = Signal(range(places + 1))
        out = Signal(range(places + 1))
        give, ack_credit = Signal(), Signal()
        m.d.comb += [
            out.eq(places - owed),
            give.eq((owed != 0) & (kept.level + out < KEPT_FLITS) & (acks.level + out < KEPT_ACKS)),
        ]
        m.d.sync += [
            owed.eq(owed + self.link.valid[PACKETS] - give),
            ack_credit.eq(self.link.valid[ACKS]),
        ]
        m.d.comb += self.link.credit.eq(Cat(give, ack_credit))
