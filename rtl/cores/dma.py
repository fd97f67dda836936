"""A core's streams: operands out of its memory, and results into it, by two AXI4-Stream ports."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import HEAD, StreamLayout
from syncfabric.models.messages.core import STREAM, STREAM_STATUS, CoreWord, FaultReason
from syncfabric.rtl.cores.bus import BusSignature
from syncfabric.rtl.cores.memory import MemorySignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.streams.process import AxisSignature

DRAIN = 8
"""Cycles after which nothing more comes of a stream whose group has ended (V9.7)."""


def stream_members(layout: StreamLayout | None) -> dict[str, Any]:
    """Return a process's ports of streams, as the process sees them; none without streams."""
    if layout is None:
        return {}
    return {
        "s_axis": Out(AxisSignature(layout, HEAD.width)),
        "m_axis": In(AxisSignature(layout, 1)),
    }


class StreamDma(wiring.Component):
    """Sends an operand and takes a result, a word each in a cycle; one stream at a time.

    Source: docs/microarchitecture-cores.md, K7.

    Parameters
    ----------
    layout : StreamLayout
        Of 32 bits.
    memory_words : int
        A power of two.

    Members
    -------
    bus : In(BusSignature)
        Words STREAM_FROM to STREAM_RECEIVED.
    opens : In(channels)
        Slots that are ``ready``.
    memory : Out(MemorySignature)
    s_axis : Out(AxisSignature), m_axis : In(AxisSignature)
        The process's ports at its node.
    sends, receives : Out(1)
        The core waits: to begin a stream while another is under way; for the end of one.
    """

    def __init__(self, layout: StreamLayout, memory_words: int) -> None:
        self._layout, self._bytes = layout, 4 * memory_words
        members = {
            "bus": In(BusSignature()),
            "opens": In(layout.channels),
            "memory": Out(MemorySignature(memory_words)),
            "sends": Out(1),
            "receives": Out(1),
        }
        super().__init__(members | stream_members(layout))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus: Any = self.bus
        status: Any = Signal(struct(STREAM_STATUS), name="status")
        command: Any = Signal(struct(STREAM), name="command")
        bits = self._bytes.bit_length()
        # Addresses, and bytes that are left; one bit more says that there was something above.
        source, target, operand, room = (
            Signal(bits + 1, name=name) for name in ("source", "target", "operand", "room")
        )
        received, starts = Signal(bits), Signal()
        asked = struct(STREAM)(bus.data[: STREAM.width])
        wrong = (
            (asked.gives & self._is_outside(source, operand))
            | (asked.takes & self._is_outside(target, room))
            | (asked.channel >= self._layout.channels)
        )
        sent = self._send(m, status, command, source, operand)
        ended = self._receive(m, status, command, target, room, received)
        self._answer(m, status, received, wrong, starts)
        with m.If(status.sends | status.receives):
            m.d.sync += status.done.eq((~status.sends | sent) & (~status.receives | ended))
        registers = {
            CoreWord.STREAM_FROM: [source],
            CoreWord.STREAM_TO: [target],
            CoreWord.STREAM_BYTES: [operand, room],
        }
        with m.If(bus.valid & bus.write & bus.ready), m.Switch(bus.word):
            for word, loaded in registers.items():
                with m.Case(int(word)):
                    value = Cat(bus.data[:bits], bus.data[bits:].any())
                    m.d.sync += [register.eq(value) for register in loaded]
        with m.If(starts):
            m.d.sync += [command.eq(asked), received.eq(0)]
            m.d.sync += [status.eq(0), status.sends.eq(1), status.receives.eq(1)]
            with m.If(~asked.gives):
                m.d.sync += operand.eq(0)
            with m.If(~asked.takes):
                m.d.sync += room.eq(0)
        return m

    def _is_outside(self, address: Value, count: Value) -> Value:
        """Return whether so many bytes are not in memory, or begin within a word."""
        return address[:2].any() | (address + count > self._bytes)

    def _answer(
        self, m: Module, status: Any, received: Value, wrong: Value, starts: Signal
    ) -> None:
        """Answer the core, which waits while a stream is under way."""
        bus: Any = self.bus
        busy, stores = Signal(), Signal()
        first, last = CoreWord.STREAM_FROM, CoreWord.STREAM
        m.d.comb += [
            busy.eq(status.sends | status.receives),
            stores.eq(bus.valid & bus.write & (bus.word >= first) & (bus.word <= last)),
            self.sends.eq(stores & busy),
        ]
        with m.If(stores):
            m.d.comb += bus.chosen.eq(1)
            with m.If(~busy & (bus.word == last) & wrong):
                m.d.comb += bus.fault.eq(FaultReason.ADDRESS)
            with m.Else():
                m.d.comb += [bus.ready.eq(~busy), starts.eq(~busy & (bus.word == last))]
        with m.Elif(bus.valid & ~bus.write), m.Switch(bus.word):
            with m.Case(int(CoreWord.STREAM_STATUS)):
                m.d.comb += [bus.chosen.eq(1), bus.ready.eq(1), bus.result.eq(status)]
            with m.Case(int(CoreWord.STREAM_WAIT)):
                m.d.comb += [bus.chosen.eq(1), bus.ready.eq(~busy), bus.result.eq(status)]
                m.d.comb += self.receives.eq(busy)
            with m.Case(int(CoreWord.STREAM_RECEIVED)):
                m.d.comb += [bus.chosen.eq(1), bus.ready.eq(1), bus.result.eq(received)]

    def _send(self, m: Module, status: Any, command: Any, source: Signal, left: Signal) -> Value:
        """Offer the word that memory shows, and read the next one; return whether the last goes."""
        beat, memory = self.s_axis, self.memory
        fresh, kept, bare, leaves, free = (Signal(name=name) for name in _OF_OPERAND)
        word = Signal(32)
        m.d.comb += [
            bare.eq(left == 0),
            beat.tvalid.eq(status.sends & (fresh | kept | bare)),
            beat.tdata.eq(Mux(fresh, memory.result, word)),
            beat.tkeep.eq(_first(left)),
            beat.tlast.eq(left <= 4),
            beat.tid.eq(command.channel),
            beat.tuser.eq(command.as_value()[: HEAD.width]),
            leaves.eq(beat.tvalid & beat.tready),
            free.eq(
                ~memory.busy.bit_select(source[2], 1)
                & ~(memory.write.any() & (memory.write_address[0] == source[2]))
            ),
            memory.read_address.eq(source[2:]),
            memory.read.eq(
                status.sends & ~bare & free & Mux(fresh | kept, leaves & ~beat.tlast, 1)
            ),
        ]
        m.d.sync += [fresh.eq(memory.read), kept.eq((fresh | kept) & ~leaves)]
        with m.If(fresh):
            m.d.sync += word.eq(memory.result)
        with m.If(memory.read):
            m.d.sync += source.eq(source + 4)
        with m.If(leaves):
            m.d.sync += left.eq(left - 4)
        sent = leaves & beat.tlast
        with m.If(sent):
            m.d.sync += status.sends.eq(0)
        return sent

    def _receive(
        self,
        m: Module,
        status: Any,
        command: Any,
        target: Signal,
        room: Signal,
        received: Signal,
    ) -> Value:
        """Write what comes; return whether its last beat does, or an ended group's is over."""
        beat, memory = self.m_axis, self.memory
        writes, mine, ends, is_open = (Signal(name=name) for name in _OF_RESULT)
        drain = Signal(range(DRAIN + 1))
        m.d.comb += [
            writes.eq(status.receives & (drain == 0)),
            beat.tready.eq(~(writes & memory.busy.bit_select(target[2], 1))),
            mine.eq(beat.tvalid & beat.tready & writes & (beat.tid == command.channel)),
            is_open.eq(self.opens.bit_select(command.channel, 1)),
            memory.write_address.eq(target[2:]),
            memory.data.eq(beat.tdata),
            memory.write.eq(Mux(mine, beat.tkeep & _first(room), 0)),
            ends.eq((mine & beat.tlast) | (drain == 1)),
        ]
        with m.If(mine):
            count = total(memory.write)
            m.d.sync += [
                target.eq(target + 4),
                room.eq(room - count),
                received.eq(received + count),
                status.long.eq(status.long | (beat.tkeep != memory.write)),
            ]
        with m.If(drain != 0):
            m.d.sync += drain.eq(drain - 1)
        with m.Elif(status.receives & ~is_open & ~ends):
            m.d.sync += drain.eq(DRAIN)
        with m.If(ends):
            m.d.sync += [
                status.receives.eq(0),
                status.broken.eq((drain != 0) | beat.tuser),
            ]
        return ends


_OF_RESULT = ("writes", "mine", "ends", "is_open")
_OF_OPERAND = ("fresh", "kept", "bare", "leaves", "free")


def _first(count: Value) -> Value:
    """Return as many ones from bit 0 on, of four."""
    return Cat(count > byte for byte in range(4))
