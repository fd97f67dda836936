"""A core's network interface: both halves, and the status word."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.core import (
    MOST_WORDS,
    NET_STATUS,
    RECV,
    SEND,
    CoreWord,
    FaultReason,
)
from syncfabric.rtl.cores.bus import BusSignature
from syncfabric.rtl.cores.shape import PACKETS, TileShape
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.traffic.headers import header_of

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


KEPT_FLITS = 128
"""Flits that wait for the core."""

KEPT_ACKS = 32
"""Acknowledgements that wait for the network."""


class Merge(wiring.Component):
    """Packets of two channels, one after the other: of a network with datelines.

    Source: docs/microarchitecture-cores.md, K3.

    Parameters
    ----------
    shape : TileShape

    Members
    -------
    link : In(FlitSignature)
        From the network.
    room : In(1)
        A flit can be taken.
    valid : Out(1), flit : Out
        It is taken.
    """

    def __init__(self, shape: TileShape) -> None:
        self._places = shape.packets.buffer_flits
        link = FlitSignature.of(shape.packets)
        flit = link.members["flit"].shape
        super().__init__({"link": In(link), "room": In(1), "valid": Out(1), "flit": Out(flit)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inside, lane = Signal(), Signal()  # amid a packet of this channel, or the last one's
        queues = [SyncFIFO(width=len(self.flit.as_value()), depth=self._places) for _ in range(2)]
        ready = Cat(queue.r_rdy for queue in queues)
        chosen = Signal()
        m.d.comb += [
            chosen.eq(Mux(inside, lane, ready.bit_select(~lane, 1) ^ lane)),
            self.valid.eq(ready.bit_select(chosen, 1) & self.room),
            self.flit.eq(Mux(chosen, queues[1].r_data, queues[0].r_data)),
        ]
        for channel, queue in enumerate(queues):
            m.submodules[f"queue_{channel}"] = queue
            m.d.comb += [
                queue.w_en.eq(self.link.valid[channel]),
                queue.w_data.eq(self.link.flit.as_value()),
                queue.r_en.eq(self.valid & (chosen == channel)),
            ]
        m.d.comb += self.link.credit.eq(Cat(queue.r_en for queue in queues))
        with m.If(self.valid):
            m.d.sync += [lane.eq(chosen), inside.eq(~self.flit.tail)]
        return m


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
        core = shape.core_bits
        super().__init__(
            {
                "bus": In(BusSignature()),
                "link": In(FlitSignature.of(shape.packets)),
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
        bus = self.bus
        m.submodules.kept = kept = SyncFIFO(width=32, depth=KEPT_FLITS)
        m.submodules.acks = acks = SyncFIFO(width=len(self.ack_to), depth=KEPT_ACKS)
        first, lanes = self._shape.acks, self._shape.lanes
        comes, flit = self._take(m, kept, acks)
        head = struct(self._shape.head)(flit.payload[: self._shape.head.width])
        word = struct(RECV)(Signal(RECV.width, name="word"))
        sender = Signal(self.ack_to.shape())
        m.d.comb += [
            word.core.eq(head.core),
            word.words.eq(head.words),
            word.tag.eq(head.tag),
            kept.w_en.eq(comes),
            kept.w_data.eq(Mux(flit.head, word.as_value(), flit.payload[:32])),
            acks.w_en.eq(comes & flit.tail),
            acks.w_data.eq(Mux(flit.head, head.core, sender)),
            self.acked.eq(self.link.valid[first : first + lanes].any()),
            self.ack.eq(acks.r_rdy),
            self.ack_to.eq(acks.r_data),
            acks.r_en.eq(self.ack_sent),
        ]
        with m.If(comes & flit.head):
            m.d.sync += sender.eq(head.core)

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

    def _take(self, m: Module, kept: SyncFIFO, acks: SyncFIFO) -> tuple[Value, Any]:
        """Return whether a packet's flit is taken, and the flit; give credits."""
        first, lanes = self._shape.acks, self._shape.lanes
        credits = Signal(lanes)
        m.d.sync += credits.eq(self.link.valid[first : first + lanes])
        if lanes == 1:
            give = self._given(m, kept, acks)
            m.d.comb += self.link.credit.eq(Cat(give, credits))
            return self.link.valid[PACKETS], self.link.flit
        m.submodules.merge = merge = Merge(self._shape)
        m.d.comb += [
            merge.link.valid.eq(self.link.valid),
            merge.link.flit.eq(self.link.flit),
            merge.room.eq(kept.w_rdy & acks.w_rdy),
            self.link.credit.eq(Cat(merge.link.credit[:first], credits)),
        ]
        return merge.valid, merge.flit

    def _given(self, m: Module, kept: SyncFIFO, acks: SyncFIFO) -> Value:
        """Return a credit: only if all flits that may then come find room, each being a tail."""
        places = self._shape.packets.buffer_flits
        debt = Signal(range(places + 1))
        out = Signal(range(places + 1))
        give = Signal()
        m.d.comb += [
            out.eq(places - debt),
            give.eq((debt != 0) & (kept.level + out < KEPT_FLITS) & (acks.level + out < KEPT_ACKS)),
        ]
        m.d.sync += debt.eq(debt + self.link.valid[PACKETS] - give)
        return give


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
        link = FlitSignature.of(shape.packets)
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
