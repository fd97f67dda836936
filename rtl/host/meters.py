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
    meter : In(4), word : In(12), data : In(32)
        What is addressed, and the word to write; they stay for two cycles at least.
    read, write : In(1)
        In the second of these cycles: it is read, or written.
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
        word, to_count, to_clear, there = Signal(4), Signal(), Signal(), Signal()
        heres, to_masks = Signal(self._shape.meters), Signal(words)
        m.d.sync += [
            word.eq(self.word),
            to_count.eq(
                (self.word <= MeterWord.GREATEST)
                | ((self.word >= HISTOGRAM_BASE) & (self.word < HISTOGRAM_BASE + BINS))
            ),
            to_clear.eq(self.word == MeterWord.CLEAR),
            to_masks.eq(Cat(self.word == MASK_BASE + k for k in range(words))),
            heres.eq(Cat(self.meter == i for i in range(self._shape.meters))),
            there.eq(below(self.meter, self._shape.meters)),
        ]
        values = [Const(0, 32)]
        for i, here in enumerate(heres):
            mask = self.masks[i * width : (i + 1) * width]
            m.submodules[f"meter_{i}"] = meter = Meter(width)
            m.d.comb += [
                getattr(meter, name).eq(kept) for kept, name in zip(seen, _SEEN, strict=True)
            ]
            m.d.comb += [
                meter.mask.eq(mask),
                meter.clear.eq(self.clear_all | (here & self.write & to_clear)),
                meter.forget.eq(here & self.write & to_masks.any()),
                meter.word.eq(word),
            ]
            for k in range(words):
                part = mask[32 * k : 32 * (k + 1)]
                with m.If(here & to_masks[k] & self.write):
                    m.d.sync += part.eq(self.data)
                values.append(Mux(here & to_masks[k], part, 0))
            values.append(Mux(here & to_count, meter.value, 0))
        m.d.comb += [
            self.value.eq(either(values)),
            self.refused.eq(
                Cat(
                    (self.read | self.write) & ~there,
                    self.read & ~(to_count | to_masks.any()),
                    self.write & ~(to_clear | to_masks.any()),
                ).any()
            ),
        ]
        return m
