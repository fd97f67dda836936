"""Where results of streams end in simulations: what a process's ``m_axis`` brings, counted."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.stream_traffic import COUNTS, STALLS
from syncfabric.models.layout.streams import LANE_BITS, StreamLayout
from syncfabric.rtl.streams.process import AxisSignature
from syncfabric.rtl.streams.source import pause


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
