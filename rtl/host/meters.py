"""Meters: they count the barriers of a group, how long they take and how far apart members come."""

from amaranth import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.host import (
    BINS,
    HISTOGRAM_BASE,
    MASK_BASE,
    SKEW_BITS,
    SKEW_BOUNDS,
    HostShape,
    MeterWord,
)
from syncfabric.rtl.host.ports import page
from syncfabric.rtl.parts.gates import below, either, total

__all__ = ["Meter", "Meters"]


class Meter(wiring.Component):
    """A meter; cycles as in docs/microarchitecture-host.md, H3.

    Parameters
    ----------
    width : int, >= 1
        Bits of the mask: registers of all nodes.

    Members
    -------
    mask, arrive, ready, released, broken : In(width)
        A bit for each register of each node.
    clear, forget : In(1)
        Clear the meter; the mask changes.
    word : In(4), value : Out(32)
        A word before the mask, and what it holds.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        vectors = ("mask", "arrive", "ready", "released", "broken")
        super().__init__(
            {
                **dict.fromkeys(vectors, In(width)),
                "clear": In(1),
                "forget": In(1),
                "word": In(4),
                "value": Out(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # That all have come is known late in its cycle: what follows of it is worked out in the
        # next one, and shown beside what is kept.
        arrived, waiting, accepted = (Signal(self._width) for _ in range(3))
        came, here, waits, left = (Signal.like(arrived) for _ in range(4))
        age, skew, wait, wait_kept = Signal(SKEW_BITS), Signal(SKEW_BITS), Signal(32), Signal(32)
        complete, over, spoils, spoiled = (Signal() for _ in range(4))
        place, place_kept = Signal(range(BINS)), Signal(range(BINS))
        open_before, drop = here.any(), self.clear | self.forget
        m.d.comb += [
            came.eq(Mux(complete, 0, arrived)),
            waits.eq(Mux(complete, self.mask, waiting)),
            wait.eq(Mux(complete, 1, wait_kept)),
            place.eq(Mux(complete, total([skew >= bound for bound in SKEW_BOUNDS]), place_kept)),
            here.eq(came & ~self.released & self.ready),
            left.eq(waits & ~self.released & self.ready),
            accepted.eq(self.arrive & self.ready & self.mask & ~here & ~left),
            over.eq(waits.any() & ~left.any()),
            spoils.eq(
                (spoiled & ~complete) | (waits & (self.released & self.broken | ~self.ready)).any()
            ),
        ]
        m.d.sync += [
            complete.eq(((here | accepted) == self.mask) & accepted.any() & ~drop),
            arrived.eq(Mux(drop, 0, here | accepted)),
            waiting.eq(Mux(drop, 0, left)),
            age.eq(Mux(open_before, age + ~age.all(), 1)),
            skew.eq(Mux(open_before, age, 0)),
            wait_kept.eq(wait + ~wait.all()),
            place_kept.eq(place),
            spoiled.eq(spoils & ~drop),
        ]
        self._count(m, over & ~spoils, wait, place)
        return m

    def _count(self, m: Module, counts: Signal, latency: Signal, place: Signal) -> None:
        """Keep the counters; those of the histogram are a memory, and which of them count."""
        episodes, last, greatest = Signal(32), Signal(32), Signal(32)
        least = Signal(32, init=(1 << 32) - 1)
        m.submodules.histogram = histogram = Memory(shape=32, depth=BINS, init=[])
        store, shown = histogram.write_port(), histogram.read_port(domain="comb")
        kept, used = histogram.read_port(domain="comb"), Signal(BINS)
        before = Mux(used.bit_select(place, 1), kept.data, 0)
        m.d.comb += [
            kept.addr.eq(place),
            store.addr.eq(place),
            store.data.eq(before + ~before.all()),
            store.en.eq(counts),
            shown.addr.eq(self.word[:3]),
        ]
        with m.If(self.clear):
            m.d.sync += [word.eq(word.init) for word in (episodes, last, least, greatest, used)]
        with m.Elif(counts):
            m.d.sync += [
                episodes.eq(episodes + ~episodes.all()),
                last.eq(latency),
                used.bit_select(place, 1).eq(1),
            ]
            with m.If(latency < least):
                m.d.sync += least.eq(latency)
            with m.If(latency > greatest):
                m.d.sync += greatest.eq(latency)
        plain = dict.fromkeys(range(HISTOGRAM_BASE), 0) | {
            MeterWord.EPISODES: episodes,
            MeterWord.LAST: last,
            MeterWord.LEAST: least,
            MeterWord.GREATEST: greatest,
        }
        count = Mux(used.bit_select(self.word[:3], 1), shown.data, 0)
        m.d.comb += self.value.eq(
            Mux(self.word[3], count, Array(plain[i] for i in range(HISTOGRAM_BASE))[self.word[:3]])
        )


_SEEN = ("arrive", "ready", "released", "broken")


class Meters(wiring.Component):
    """Meters and their masks; cycles as in docs/microarchitecture-host.md, H3 and H4.

    Parameters
    ----------
    shape : HostShape
        How many meters, and of how many bits.

    Members
    -------
    meter : In(4)
        What is addressed, with the word.
    word, data, read, write, value, refused
        As of a `page`.
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
                **page(12),
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
