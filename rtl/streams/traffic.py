"""Where operands of streams come from in simulations, and where results end.

Packets on a process's ``s_axis``, and what its ``m_axis`` brings, counted.
"""

from amaranth import C, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.stream_traffic import COMMAND, COUNTS, LANE_STEP, STALLS, WORD_STEP
from syncfabric.models.layout.streams import HEAD, LANE_BITS, StreamLayout, Type
from syncfabric.rtl.messages import struct
from syncfabric.rtl.streams.process import AxisSignature
from syncfabric.rtl.traffic.headers import xorshift32
from syncfabric.rtl.traffic.queue import WaitingQueue

SOURCE_QUEUE = 16
"""Commands that can wait."""


class StreamSource(wiring.Component):
    """Sends packets of made-up operands, one after the other, a beat a cycle.

    A command of cycle c is at hand from c + 1 on. In each cycle in which one is, and no beat is
    kept, a random number is drawn: if it stalls, no beat is offered in that cycle, else one is,
    and kept until it is accepted. With the last beat of a packet the command goes.

    Lane l of word i holds one step of xorshift32 from seed + i * ``WORD_STEP`` + l * ``LANE_STEP``.
    Numbers of floating-point types are of magnitudes from 2**-7 to 2: their exponents' upper five
    bits are 01111. ``tdata`` of bytes that ``tkeep`` leaves out is not 0.

    Parameters
    ----------
    layout : StreamLayout

    Members
    -------
    put : In(1), command : In(COMMAND)
        A packet is to be sent. What finds the queue full is lost.
    set : In(1), stalls : In(STALLS)
        Pauses are to be made from the next cycle on.
    axis : Out(AxisSignature)
        To the process's ``s_axis``.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout = layout
        super().__init__(
            {
                "put": In(1),
                "command": In(COMMAND.width),
                "set": In(1),
                "stalls": In(STALLS.width),
                "axis": Out(AxisSignature(layout, HEAD.width)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat, count = self.axis, len(self.axis.tkeep)
        m.submodules.queue = queue = WaitingQueue(COMMAND.width, SOURCE_QUEUE)
        command, first = Signal(struct(COMMAND)), Signal(struct(HEAD))
        m.d.comb += [
            queue.push.eq(self.put),
            queue.entry.eq(self.command),
            command.eq(queue.first),
            first.eq(command.user),
        ]
        kept, state, index = Signal(), Signal(32), Signal(COMMAND.fields[1].width)
        accepted, last, now = Signal(), Signal(), Signal(32)
        asks = queue.waiting & ~kept
        stalls = pause(m, self.set, self.stalls, "source", asks)
        whole = ~last | (command.bytes == 0)
        m.d.comb += [
            beat.tvalid.eq(queue.waiting & (kept | ~stalls)),
            accepted.eq(beat.tvalid & beat.tready),
            last.eq((index + 1 == command.words) | (command.words == 0)),
            now.eq(Mux(index == 0, command.seed, state)),
            beat.tdata.eq(Cat(self._lanes(now, first.type))),
            beat.tkeep.eq(
                Mux(
                    command.words == 0,
                    0,
                    Cat(whole | (command.bytes > byte) for byte in range(count)),
                )
            ),
            beat.tlast.eq(last),
            beat.tid.eq(command.tid),
            beat.tuser.eq(command.user),
            queue.leave.eq(accepted & last),
        ]
        m.d.sync += kept.eq(beat.tvalid & ~beat.tready)
        with m.If(accepted):
            m.d.sync += [index.eq(Mux(last, 0, index + 1)), state.eq(now + WORD_STEP)]
        return m

    def _lanes(self, state: Value, kind: Value) -> list[Value]:
        """Return the lanes of a word, of a type."""
        lanes: list[Value] = []
        for number in range(self._layout.bits // LANE_BITS):
            lane = xorshift32((state + (number * LANE_STEP) % (1 << 32))[:32])
            halves = Cat(_ordinary(lane[:16]), _ordinary(lane[16:]))
            is_single, is_half = kind == Type.FP32, kind == Type.BF16
            lanes.append(Mux(is_single, _ordinary(lane), Mux(is_half, halves, lane))[:32])
        return lanes


class StreamSink(wiring.Component):
    """Takes beats, with pauses, and counts them by channel; a beat of t is counted from t + 1 on.

    In each cycle with a beat a random number is drawn: if it stalls, the beat is not taken.

    A channel's checksum goes on with each of its beats: it is rotated left by one bit, and the
    beat's check is added to it by XOR, which is that of all lanes, lane l rotated left by l bits,
    of ``tkeep``, which begins anew behind each 32 of its bits, and of ``tlast`` as bit 31. Bytes
    of lanes that ``tkeep`` leaves out count as 0.

    Parameters
    ----------
    layout : StreamLayout

    Members
    -------
    cycle : In(32)
        Cycles since reset.
    set : In(1), stalls : In(STALLS)
        Pauses are to be made from the next cycle on.
    axis : In(AxisSignature)
        From the process's ``m_axis``.
    taken : Out(1)
        A beat is taken.
    data : Out(bits)
        ``tdata``, 0 in bytes that do not count.
    packets, words, aborted, checksum, first, last : Out(32 * channels)
        See ``COUNTS``.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout = layout
        super().__init__(
            {
                "cycle": In(32),
                "set": In(1),
                "stalls": In(STALLS.width),
                "axis": In(AxisSignature(layout, 1)),
                "taken": Out(1),
                "data": Out(layout.bits),
                **dict.fromkeys(COUNTS, Out(32 * layout.channels)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beat, check = self.axis, Signal(32)
        stalls = pause(m, self.set, self.stalls, "sink", beat.tvalid)
        m.d.comb += [
            beat.tready.eq(~stalls),
            self.taken.eq(beat.tvalid & beat.tready),
            self.data.eq(beat.tdata & Cat(bit.replicate(8) for bit in beat.tkeep)),
            check.eq(self._check()),
        ]
        for c in range(self._layout.channels):
            counts = {name: getattr(self, name).word_select(c, 32) for name in COUNTS}
            begun, checksum = Signal(name=f"begun_{c}"), counts["checksum"]
            with m.If(self.taken & (beat.tid == c)):
                m.d.sync += [
                    begun.eq(~beat.tlast),
                    checksum.eq(checksum.rotate_left(1) ^ check),
                    counts["words"].eq(counts["words"] + beat.tkeep.any()),
                    counts["packets"].eq(counts["packets"] + (beat.tlast & ~beat.tuser)),
                    counts["aborted"].eq(counts["aborted"] + (beat.tlast & beat.tuser)),
                    counts["last"].eq(self.cycle),
                ]
                with m.If(~begun):
                    m.d.sync += counts["first"].eq(self.cycle)
        return m

    def _check(self) -> Value:
        """Return what a beat adds to a checksum."""
        beat = self.axis
        terms: list[Value] = [Mux(beat.tlast, 1 << 31, 0)]
        for lane in range(self._layout.bits // LANE_BITS):
            terms.append(self.data.word_select(lane, LANE_BITS).rotate_left(lane))
        terms += [beat.tkeep[i : i + 32] for i in range(0, len(beat.tkeep), 32)]
        folded = terms[0]
        for term in terms[1:]:
            folded = folded ^ term
        return folded[:32]


def _ordinary(number: Value) -> Value:
    """Return a floating-point number with the exponent of an ordinary one."""
    sign = len(number) - 1
    return Cat(number[: sign - 5], C(0b01111, 5), number[sign])


def pause(m: Module, loads: Value, word: Value, whose: str, draws: Value) -> Value:
    """Return whether a random number, drawn in this cycle if ``draws``, makes a pause.

    Parameters
    ----------
    m : Module
        Takes in the generator: xorshift32, whose low eight bits are compared with the rate.
    loads, word : Value
        A word ``STALLS`` comes. The generator begins with the seed and a 1 below it, a
        sink's with the seed inverted.
    whose : {"source", "sink"}
    draws : Value
        The generator goes on.
    """
    stalls, rate, state = Signal(struct(STALLS)), Signal(8), Signal(32)
    seed = Cat(C(1, 1), stalls.seed if whose == "source" else ~stalls.seed)
    m.d.comb += stalls.eq(word)
    with m.If(loads):
        m.d.sync += [rate.eq(stalls[whose]), state.eq(seed)]
    with m.Elif(draws):
        m.d.sync += state.eq(xorshift32(state))
    return state[:8] < rate
