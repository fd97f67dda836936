"""The config port of an engine: staged image, COMMIT, and what is answered."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, WORD_BITS, EngineLayout
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import either, total

_COUNTERS = [word for word in EngineWord if word.counts]


class Commands(wiring.Component):
    """Takes requests one at a time; a COMMIT is offered to the engine until it is loaded.

    Rules: docs/microarchitecture-engine.md, E7.

    Parameters
    ----------
    layout : EngineLayout

    Members
    -------
    config : In(EngineConfigSignature)
        Requests.
    image : Out(image)
        The staged image.
    command_valid : Out(1), code, epoch, entry, word : Out
        A COMMIT that is offered, and its fields; these stay until it is answered.
    granted : In(1)
        It is loaded.
    done, accepted : In(1), answer : In(32)
        It is executed in this cycle, whether it is accepted, and what is answered.
    counts : In
        Counters.
    """

    def __init__(self, layout: EngineLayout) -> None:
        self._layout = layout
        super().__init__(
            {
                "config": In(EngineConfigSignature()),
                "image": Out(struct(layout.image)),
                "command_valid": Out(1),
                "code": Out(2),
                "epoch": Out(EPOCH_BITS),
                "entry": Out(layout.entry_bits),
                "word": Out(4),
                "granted": In(1),
                "done": In(1),
                "accepted": In(1),
                "answer": In(WORD_BITS),
                "counts": In(len(_COUNTERS) * COUNTER_BITS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config, layout = self.config, self._layout
        fields = struct(COMMIT)(config.data[: COMMIT.width])
        commits, first, loaded, known = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            commits.eq(config.write & (config.address == EngineWord.COMMIT)),
            first.eq(config.valid & ~commits & ~config.ready),
            self.command_valid.eq(config.valid & commits & ~loaded),
            self.code.eq(fields.code),
            self.epoch.eq(fields.epoch),
            self.entry.eq(fields.entry),
            self.word.eq(fields.word),
        ]
        # It stays loaded with its answer, so that it is not granted twice.
        m.d.sync += transient(loaded).eq(self.granted | (loaded & ~config.ready))

        image = Signal(layout.image.width)
        m.d.comb += self.image.eq(image)
        staged = Signal(layout.image_words)
        for k in range(layout.image_words):
            low = WORD_BITS * k
            bits = image[low : low + WORD_BITS]
            m.d.comb += staged[k].eq(config.write & (config.address == EngineWord.IMAGE + k))
            with m.If(first & staged[k]):
                m.d.sync += bits.eq(config.data)
        counts = [self.counts.word_select(c, COUNTER_BITS) for c in range(len(_COUNTERS))]
        asked = [~config.write & (config.address == word) for word in _COUNTERS]
        m.d.comb += known.eq(staged.any() | Cat(asked).any())
        read = either([Mux(one, count, 0) for one, count in zip(asked, counts, strict=True)])
        m.d.sync += [
            transient(config.ready).eq(first | self.done),
            config.error.eq((first & ~known) | (self.done & ~self.accepted)),
            config.rdata.eq(Mux(self.done, self.answer, Mux(first, read, 0))),
        ]
        return m


def _read_members(layout: EngineLayout) -> dict[str, Any]:
    return {
        "image": In(struct(layout.image)),
        "epoch": In(EPOCH_BITS),
        "state": In(struct(layout.state)),
        "acc": In(layout.data_bits),
        "read": In(1),
        "word": In(4),
        "answer": Out(WORD_BITS),
    }


class ReadBack(wiring.Component):
    """Shows the status of an entry, or with READ any word of it.

    Parameters
    ----------
    layout : EngineLayout

    Members
    -------
    image, epoch, state, acc : In
        The entry.
    read : In(1), word : In(4)
        READ, and what it asks for.
    answer : Out(32)
    """

    def __init__(self, layout: EngineLayout) -> None:
        self._layout = layout
        super().__init__(_read_members(layout))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        state, image = self.state, self.image.as_value()
        flags = (state.turn, state.last, state.fresh, state.old)
        words = [Cat(state.alive, self.epoch, *flags, state.missing), self.acc]
        words += [image[low : low + WORD_BITS] for low in range(0, len(image), WORD_BITS)]
        word = Mux(self.read, self.word, 0)
        answers = [Mux(word == k, value, 0) for k, value in enumerate(words) if len(value)]
        m.d.comb += self.answer.eq(either(answers))
        return m


class StatusOnly(wiring.Component):
    """Shows whether an entry is alive, and its epoch. Members as of :class:`ReadBack`."""

    def __init__(self, layout: EngineLayout) -> None:
        super().__init__(_read_members(layout))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.answer.eq(Cat(self.state.alive, self.epoch, Const(0, 1)))
        return m


def _members(links: int) -> dict[str, Any]:
    return {
        "overflow": In(links),
        "unexpected": In(1),
        "refused": In(1),
        "counts": Out(len(_COUNTERS) * COUNTER_BITS),
    }


class EngineCounters(wiring.Component):
    """Counts what went wrong; what happens in t is counted from t + 2.

    Parameters
    ----------
    links : int

    Members
    -------
    overflow : In(links), unexpected, refused : In(1)
        Events of this cycle, by counter.
    counts : Out
        All counters, in the order of their words.
    """

    def __init__(self, links: int) -> None:
        super().__init__(_members(links))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        counts = []
        for name in ("overflow", "unexpected", "refused"):
            event = getattr(self, name)
            kept = Signal(len(event), name=f"kept_{name}")
            m.d.sync += transient(kept).eq(event)
            m.submodules[name] = counter = SaturatingCounter(COUNTER_BITS, len(event))
            m.d.comb += counter.events.eq(total(kept))
            counts.append(counter.count)
        m.d.comb += self.counts.eq(Cat(counts))
        return m


class NoCounters(wiring.Component):
    """Counters that read 0. Members as of :class:`EngineCounters`."""

    def __init__(self, links: int) -> None:
        super().__init__(_members(links))

    def elaborate(self, platform: object) -> Module:
        return Module()
