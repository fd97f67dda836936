"""The sending half of a core's network interface: packets, acknowledgements, and their count."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.core import MOST_WORDS, SEND, CoreWord, FaultReason
from syncfabric.rtl.cores.bus import BusSignature
from syncfabric.rtl.cores.shape import PACKETS, TileShape
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.traffic.headers import header_of

__all__ = ["QUEUE_FLITS", "UNACKNOWLEDGED_BITS", "Sender"]

QUEUE_FLITS = 32
"""Flits that wait for the network."""

UNACKNOWLEDGED_BITS = 16


class Sender(wiring.Component):
    """Takes a packet word by word, and sends acknowledgements before all else.

    Source: docs/microarchitecture-cores.md, K3.

    Parameters
    ----------
    shape : TileShape

    Members
    -------
    number : In
        Number of this core; constant.
    bus : In(BusSignature)
        Words SEND and SEND_DATA.
    ack, ack_to : In
        An acknowledgement waits, and for whom.
    ack_sent : Out(1)
        It is sent.
    acked : In(1)
        One has come.
    link : Out(FlitSignature)
        Into the network.
    room : Out(1)
        A whole packet can be written without a stall.
    unacknowledged : Out(16)
        Packets whose acknowledgement has not come.
    stalls : Out(1)
        A word is not taken yet.
    """

    def __init__(self, shape: TileShape) -> None:
        self._shape = shape
        core = shape.core_bits
        super().__init__(
            {
                "number": In(core),
                "bus": In(BusSignature()),
                "ack": In(1),
                "ack_to": In(core),
                "ack_sent": Out(1),
                "acked": In(1),
                "link": Out(FlitSignature.of(shape.packets)),
                "room": Out(1),
                "unacknowledged": Out(UNACKNOWLEDGED_BITS),
                "stalls": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape, bus, network = self._shape, self.bus, self._shape.packets
        payload = network.flit_bits
        m.submodules.queue = queue = SyncFIFO(width=payload + 2, depth=QUEUE_FLITS)
        left = Signal(range(MOST_WORDS + 1))  # words of the packet that is being written
        asked = struct(SEND)(bus.data[: SEND.width])
        head = struct(shape.head)(Signal(shape.head.width, name="head"))
        to = Signal(self.number.shape())
        full = Signal()
        of_head = bus.valid & bus.write & (bus.word == CoreWord.SEND)
        of_data = bus.valid & bus.write & (bus.word == CoreWord.SEND_DATA)
        wrong = Signal()
        m.d.comb += [
            to.eq(asked.core),
            head.header.eq(header_of(m, network, to)),
            head.core.eq(self.number),
            head.words.eq(asked.words),
            head.tag.eq(asked.tag),
            full.eq(self.unacknowledged.all()),
            bus.chosen.eq(of_head | of_data),
            wrong.eq(
                Mux(
                    of_head,
                    (left != 0)
                    | (asked.words > MOST_WORDS)
                    | (asked.core >= shape.cores)
                    | (asked.core == self.number),
                    left == 0,
                )
            ),
            queue.w_data.eq(
                Mux(
                    of_head,
                    Cat(
                        head.as_value(),
                        Const(0, payload - shape.head.width),
                        Const(1, 1),
                        asked.words == 0,
                    ),
                    Cat(bus.data, Const(0, payload - 32), Const(0, 1), left == 1),
                )
            ),
            self.room.eq((left == 0) & (queue.level <= QUEUE_FLITS - MOST_WORDS - 1) & ~full),
        ]
        with m.If(bus.chosen & wrong):
            m.d.comb += bus.fault.eq(FaultReason.PACKET)
        with m.Elif(bus.chosen):
            m.d.comb += [
                bus.ready.eq(queue.w_rdy & ~(of_head & full)),
                queue.w_en.eq(bus.ready),
                self.stalls.eq(~bus.ready),
            ]
        with m.If(queue.w_en):
            m.d.sync += left.eq(Mux(of_head, asked.words, left - 1))
        m.d.sync += self.unacknowledged.eq(
            self.unacknowledged + (queue.w_en & of_head) - self.acked
        )
        self._send(m, queue)
        return m

    def _send(self, m: Module, queue: SyncFIFO) -> None:
        """Put a flit on the link: an acknowledgement if one waits, else a packet's."""
        shape, network = self._shape, self._shape.packets
        credits, acks = {}, shape.acks
        for channel in (PACKETS, acks):
            m.submodules[f"credit_{channel}"] = counter = CreditCounter(network.buffer_flits)
            m.d.comb += [
                counter.credit.eq(self.link.credit[channel]),
                counter.spend.eq(self.link.valid[channel]),
            ]
            credits[channel] = counter.available
        m.submodules.ack_header = lookup = Module()
        ack = struct(shape.head)(Signal(shape.head.width, name="ack_head"))
        m.d.comb += [
            ack.header.eq(header_of(lookup, network, self.ack_to)),
            ack.ack.eq(1),
            ack.core.eq(self.number),
            self.ack_sent.eq(self.ack & credits[acks]),
            queue.r_en.eq(queue.r_rdy & credits[PACKETS] & ~self.ack_sent),
        ]
        flit = self.link.flit
        m.d.comb += self.link.valid.eq(queue.r_en << PACKETS | self.ack_sent << acks)
        with m.If(self.ack_sent):
            m.d.comb += [
                flit.payload.eq(ack.as_value()),
                flit.head.eq(1),
                flit.tail.eq(1),
            ]
        with m.Elif(queue.r_en):
            m.d.comb += Cat(flit.payload, flit.head, flit.tail).eq(queue.r_data)
