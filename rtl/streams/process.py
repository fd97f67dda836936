"""A process's AXI4-Stream ports, at the far end of a link of streams."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import HEAD, StreamLayout
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import RoundRobinArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.gates import either, total
from syncfabric.rtl.streams.buffer import StreamBuffer
from syncfabric.rtl.streams.link import StreamSignature
from syncfabric.rtl.streams.pauses import Pauses


class AxisSignature(wiring.Signature):
    """AXI4-Stream of words of a stream, in its own names.

    Parameters
    ----------
    layout : StreamLayout
    user : int
        Bits of ``tuser``.
    """

    def __init__(self, layout: StreamLayout, user: int) -> None:
        tid = max(1, (layout.channels - 1).bit_length())
        super().__init__(
            {
                "tvalid": Out(1),
                "tready": In(1),
                "tdata": Out(layout.bits),
                "tkeep": Out(layout.bits // 8),
                "tlast": Out(1),
                "tid": Out(tid),
                "tuser": Out(user),
            }
        )


class StreamPort(wiring.Component):
    """Makes packets of beats, and beats of packets.

    Rules: docs/microarchitecture-streams.md, V9 and V13.

    Parameters
    ----------
    layout : StreamLayout
        Of the router.

    Members
    -------
    opens : In(channels)
        Slots that are ``ready``.
    send : Out(StreamSignature), receive : In(StreamSignature)
        The link to the router, and from it.
    s_axis : In(AxisSignature), m_axis : Out(AxisSignature)
        Operands, and results; ``m_axis.tuser``: the group ends, and the packet with it.
    overflows : Out(1)
        A word is dropped for want of a place.
    late : In(1)
        Only if the link is that of packets, too: a word is on it in place of a flit.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout = layout
        self._word = struct(layout.word)
        link = StreamSignature(layout)
        super().__init__(
            {
                **({"late": In(1)} if layout.process_shares else {}),
                "opens": In(layout.channels),
                "send": Out(link),
                "receive": In(link),
                "s_axis": In(AxisSignature(layout, HEAD.width)),
                "m_axis": Out(AxisSignature(layout, 1)),
                "overflows": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        opens = Signal.like(self.opens)
        m.d.sync += opens.eq(self.opens)
        self._send(m, opens)
        self._receive(m, opens)
        return m

    def _send(self, m: Module, opens: Value) -> None:
        """Send the head before the first beat, and drop what is for a closed channel."""
        beat, link = self.s_axis, self.send
        word: Any = Signal(self._word)  # with reset: V2.6
        count, size = self._layout.channels, len(word.size)
        here, begun, drops, able = (Signal(count, name=name) for name in _STATES)
        m.d.comb += here.eq(Cat(beat.tid == c for c in range(count)) if count > 1 else 1)
        null, goes, starts = Signal(), Signal(), Signal()
        kept = Cat(beat.tkeep[: i + 1].all() for i in range(len(beat.tkeep)))  # up to the first 0
        whole = ~beat.tlast | ~beat.tkeep[0]
        m.d.comb += [
            null.eq(beat.tlast & ~beat.tkeep[0]),
            goes.eq(beat.tvalid & (here & opens & able & ~drops).any()),
            starts.eq(~(here & begun).any()),
            beat.tready.eq((here & (~opens | drops)).any() | (goes & (~starts | null))),
        ]
        m.d.sync += [
            link.fault.eq(self.receive.fault),
            link.valid.eq(Mux(goes, here, 0)),
            word.head.eq(starts),
            word.tail.eq(Mux(starts, null, beat.tlast)),
            word.size.eq(Mux(starts | whole, 0, total(kept)[:size])),
        ]
        for byte in range(len(beat.tkeep)):
            data = beat.tdata.word_select(byte, 8)
            counts = Mux(whole | kept[byte], data, 0)
            low = beat.tuser if byte == 0 else 0
            m.d.sync += word.data.word_select(byte, 8).eq(Mux(starts, low, counts))
        m.d.comb += link.word.eq(word)
        pauses = Pauses() if self._layout.process_shares else None
        if pauses:
            m.submodules.pauses = pauses
            m.d.comb += pauses.late.eq(self.late)
        for c in range(count):
            m.submodules[f"credits_{c}"] = counter = CreditCounter(self._layout.places)
            available: Value = counter.available
            if pauses:
                available &= ~pauses.joins
            accepted = beat.tvalid & beat.tready & here[c]
            m.d.comb += [
                counter.credit.eq(link.credit[c]),
                counter.spend.eq(goes & here[c]),
                able[c].eq(available),
            ]
            with m.If(goes & here[c]):
                m.d.sync += begun[c].eq(Mux(starts, ~null, ~beat.tlast))
            with m.If(accepted & (~opens[c] | drops[c])):
                m.d.sync += drops[c].eq(~beat.tlast)
            with m.Elif(begun[c] & ~opens[c]):
                m.d.sync += drops[c].eq(1)
            with m.If(~opens[c]):
                m.d.sync += begun[c].eq(0)

    def _receive(self, m: Module, opens: Value) -> None:
        """Make beats of what comes, and end packets of groups that have ended."""
        layout, beat, link = self._layout, self.m_axis, self.receive
        count = layout.channels
        m.submodules.buffer = buffer = StreamBuffer(layout, count)
        within, asks, chosen = (Signal(count, name=name) for name in ("within", "asks", "chosen"))
        cut, kept = Signal(count), Signal(count)  # packets that a closed channel ends
        loads, ends, front = Signal(), Signal(), buffer.front
        m.d.comb += [
            cut.eq(kept | (within & ~opens)),
            asks.eq(cut | (opens & buffer.holds)),
            loads.eq(~beat.tvalid | beat.tready),
            ends.eq((chosen & cut).any()),
            buffer.valid.eq(link.valid),
            buffer.word.eq(link.word),
            buffer.show.eq(chosen),
            buffer.pop.eq(Mux(loads, chosen & ~cut, 0) | (buffer.holds & ~opens)),
            link.credit.eq(buffer.credit),
            self.overflows.eq(buffer.overflow.any()),
        ]
        m.submodules.choice = choice = RoundRobinArbiter(count)
        m.d.comb += [choice.request.eq(asks), choice.advance.eq(loads), chosen.eq(choice.grant)]
        m.d.sync += kept.eq(cut & ~Mux(loads, chosen, 0))
        with m.If(loads):
            m.d.sync += [
                beat.tvalid.eq(chosen.any() & (ends | ~front.head | front.tail)),
                beat.tdata.eq(front.data),
                beat.tlast.eq(ends | front.tail),
                beat.tuser.eq(ends),
                beat.tkeep.eq(
                    Cat(
                        ~ends & ~front.head & ((front.size == 0) | (front.size > byte))
                        for byte in range(len(beat.tkeep))
                    )
                ),
                within.eq(Mux(ends | front.tail, within & ~chosen, within | chosen)),
            ]
            m.d.sync += beat.tid.eq(either([Mux(chosen[c], c, 0) for c in range(count)]))


_STATES = ("named", "begun", "drops", "able")
