"""Buffers of streams: a memory for all channels of an input, of which one is shown."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.places import Places


class StreamBuffer(wiring.Component):
    """Holds B words of each channel; what is not shown may read as 0, from a place without a word.

    Rules: docs/microarchitecture-streams.md, V2 (1, 2, 4, 6).

    Parameters
    ----------
    layout : StreamLayout
    channels : int
        1, 2 or 4.
    blank : bool
        ``front`` is 0 while nothing is shown; else it is anything.

    Members
    -------
    clear : In(1)
        Only with ``blank``: reset's last cycle at least, in which ``word`` is 0 and nothing comes.
    valid : In(channels), word : In(word)
        What comes.
    show : In(channels)
        One-hot, or 0: the channel whose first word is ``front``; only while it ``holds`` one.
    front : Out(word)
    pop : In(channels)
        The first word leaves; only while there is one.
    holds : Out(channels)
        There is a word.
    credit : Out(channels)
        High in the cycle after each ``pop``.
    overflow : Out(channels)
        A word comes while there is no place, and is dropped.
    """

    def __init__(self, layout: StreamLayout, channels: int, *, blank: bool = False) -> None:
        self._bits, self._channels, self._blank = layout.place_bits, channels, blank
        word = struct(layout.word)
        super().__init__(
            {
                **({"clear": In(1)} if blank else {}),
                "valid": In(channels),
                "word": In(word),
                "show": In(channels),
                "front": Out(word),
                "pop": In(channels),
                "holds": Out(channels),
                "credit": Out(channels),
                "overflow": Out(channels),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        writes, reads, pushes = [], [], Signal(self._channels)
        for c in range(self._channels):
            m.submodules[f"places_{c}"] = places = Places(self._bits, zero=False)
            m.d.comb += [
                pushes[c].eq(self.valid[c] & ~places.full),
                self.overflow[c].eq(self.valid[c] & places.full),
                places.push.eq(pushes[c]),
                places.pop.eq(self.pop[c]),
                self.holds[c].eq(places.some),
            ]
            chosen = self.valid[c] if self._channels > 1 else Const(1)
            writes.append(self._at(c, places.write, chosen))
            reads.append(self._at(c, places.read, self.show[c]))
        m.submodules.memory = memory = Memory(
            shape=len(self.word.as_value()), depth=self._channels << self._bits, init=[]
        )
        write, read = memory.write_port(), memory.read_port(domain="comb")
        address, enable = either(writes), pushes.any()
        if self._blank:
            enable |= self.clear
            if self._channels == 1:  # in reset the address is 1, with more channels 0
                address = Cat(address[0] & ~self.clear, address[1:])
        m.d.comb += [
            write.addr.eq(address),
            write.en.eq(enable),
            write.data.eq(self.word),
            read.addr.eq(either(reads)),
            self.front.as_value().eq(read.data),
        ]
        m.d.sync += self.credit.eq(self.pop)
        return m

    def _at(self, channel: int, place: Value, chosen: Value) -> Value:
        """Return the address of a channel's place if it is chosen, else 0."""
        number = Cat(place, *(channel >> i & 1 for i in range((self._channels - 1).bit_length())))
        return Mux(chosen, number, 0)
