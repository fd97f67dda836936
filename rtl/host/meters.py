"""All meters of a host, with their masks: a page of words each."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.host import (
    BINS,
    HISTOGRAM_BASE,
    MASK_BASE,
    HostShape,
    MeterWord,
)
from syncfabric.rtl.host.compare import below
from syncfabric.rtl.host.meter import Meter
from syncfabric.rtl.parts.gates import either

__all__ = ["Meters"]

_SEEN = ("arrive", "ready", "released", "broken")


class Meters(wiring.Component):
    """Meters and their masks; cycles as in docs/microarchitecture-host.md, H3 and H4.

    Parameters
    ----------
    shape : HostShape
        How many meters, and of how many bits.

    Members
    -------
    meter : In(4), word : In(12), data : In(32), read, write : In(1)
        What is addressed, and done with it in this cycle.
    value : Out(32), refused : Out(1)
        What the word holds; there is no such word.
    clear_all : In(1)
        Clear all meters.
    masks : Out(meters * width)
        The masks.
    arrive, ready, released, broken : In(width)
        The network's ports.
    """

    def __init__(self, shape: HostShape) -> None:
        self._shape = shape
        ports = dict.fromkeys(_SEEN, In(shape.width))
        super().__init__(
            {
                "meter": In(4),
                "word": In(12),
                "data": In(32),
                "read": In(1),
                "write": In(1),
                "value": Out(32),
                "refused": Out(1),
                "clear_all": In(1),
                "masks": Out(shape.meters * shape.width),
                **ports,
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        width, words = self._shape.width, self._shape.mask_words
        seen = [Signal(width, name=f"seen_{name}") for name in _SEEN]
        m.d.sync += [kept.eq(getattr(self, name)) for kept, name in zip(seen, _SEEN, strict=True)]
        to_count = (self.word <= MeterWord.GREATEST) | (
            (self.word >= HISTOGRAM_BASE) & (self.word < HISTOGRAM_BASE + BINS)
        )
        to_mask = (self.word >= MASK_BASE) & (self.word < MASK_BASE + words)
        to_clear = self.word == MeterWord.CLEAR
        values = [Const(0, 32)]
        for i in range(self._shape.meters):
            here = self.meter == i
            mask = self.masks[i * width : (i + 1) * width]
            m.submodules[f"meter_{i}"] = meter = Meter(width)
            writes_mask = here & self.write & to_mask
            m.d.comb += [
                getattr(meter, name).eq(kept) for kept, name in zip(seen, _SEEN, strict=True)
            ]
            m.d.comb += [
                meter.mask.eq(mask),
                meter.clear.eq(self.clear_all | (here & self.write & to_clear)),
                meter.forget.eq(writes_mask),
                meter.word.eq(self.word[:4]),
            ]
            for k in range(words):
                part = mask[32 * k : 32 * (k + 1)]
                at = here & (self.word == MASK_BASE + k)
                with m.If(at & self.write):
                    m.d.sync += part.eq(self.data)
                values.append(Mux(at, part, 0))
            values.append(Mux(here & to_count, meter.value, 0))
        there = below(self.meter, self._shape.meters)
        m.d.comb += [
            self.value.eq(either(values)),
            self.refused.eq(
                Cat(
                    (self.read | self.write) & ~there,
                    self.read & ~(to_count | to_mask),
                    self.write & ~(to_clear | to_mask),
                ).any()
            ),
        ]
        return m
