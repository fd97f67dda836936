"""A process with a bit for each group, before an engine's own port."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS, EngineLayout, Kind
from syncfabric.models.messages import COUNTER_BITS
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import either, total

__all__ = ["NodePort"]


class NodePort(wiring.Component):
    """Turns arrivals, a bit each, into messages, and answers into bits. Register r is entry r.

    An arrival costs a cycle more than at the engine's own port; releases cost none.
    Rules: docs/microarchitecture-engine.md, P.

    Parameters
    ----------
    layout : EngineLayout
    registers : int, 1 to 16

    Members
    -------
    arrive, last : In(registers), data : In(registers * data_bits)
        The process arrives; it does so for the last time.
    released, ready, done, broken : Out(registers), result : Out(registers * data_bits)
        The barrier is over, or the group has ended, with its result, and whether that was BROKEN;
        may arrive; sticky release.
    send : Out(MessageSignature), taken : In(1)
        To the engine's ``arrive`` and from its ``arrive_ready``.
    answer : In(MessageSignature)
        The engine's ``release``.
    refused_arrives : Out(8)
        Arrives that were ignored.
    """

    def __init__(self, layout: EngineLayout, registers: int) -> None:
        if not 1 <= registers <= min(16, layout.entries):
            raise ValueError(
                f"NodePort needs 1 to {min(16, layout.entries)} registers, not {registers!r}"
            )
        self._layout = layout
        self._registers = registers
        message = MessageSignature(layout)
        words = registers * layout.data_bits
        members: dict[str, Any] = {name: In(registers) for name in ("arrive", "last")}
        members |= {name: Out(registers) for name in ("released", "ready", "done", "broken")}
        members |= {
            "data": In(words),
            "result": Out(words),
            "send": Out(message),
            "taken": In(1),
            "answer": In(message),
            "refused_arrives": Out(COUNTER_BITS),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        registers, bits = self._registers, self._layout.data_bits
        answer, shape = self.answer, registers
        arrived, waiting, lasts = Signal(shape), Signal(shape), Signal(shape)
        was_broken, results = Signal(shape), Signal(len(self.result))
        named, accepted, kept = Signal(shape), Signal(shape), Signal(registers * bits)
        starts, ends, breaks = Signal(), Signal(), Signal()
        granted, ended = Signal(shape), Signal(shape)
        m.d.comb += [
            named.eq(Cat(answer.valid & (answer.message.entry == r) for r in range(registers))),
            starts.eq(answer.message.kind == Kind.GO),
            ends.eq(answer.message.kind[1]),
            breaks.eq(answer.message.kind == Kind.BROKEN),
            self.released.eq(Mux(starts, 0, named)),
            self.broken.eq(was_broken | Mux(breaks, named, 0)),
            # It may arrive anew in the cycle of its release, unless that ends the group: then
            # what arrives ends with it.
            ended.eq(Mux(ends, named, 0)),
            granted.eq(self.arrive & self.ready & ~(arrived & ~(self.released & ~ended))),
            accepted.eq(granted & ~ended),
        ]
        sent = self._send(m, waiting, lasts, kept)
        m.d.sync += [
            self.ready.eq((self.ready | Mux(starts, named, 0)) & ~ended),
            self.done.eq((self.done | self.released) & ~accepted & ~Mux(starts, named, 0)),
            was_broken.eq(self.broken & ~Mux(starts, named, 0)),
            results.eq(self.result),
            arrived.eq(accepted | (arrived & ~self.released)),
            waiting.eq(accepted | (waiting & ~sent & ~Mux(breaks, named, 0))),
        ]
        for r in range(registers):
            word = slice(r * bits, (r + 1) * bits)
            with m.If(accepted[r]):
                m.d.sync += [kept[word].eq(self.data[word]), lasts[r].eq(self.last[r])]
            m.d.comb += self.result[word].eq(
                Mux(self.released[r], answer.message.data, results[word])
            )
        m.submodules.refused = refused = SaturatingCounter(COUNTER_BITS, registers)
        ignored = Signal(shape)
        m.d.sync += ignored.eq(self.arrive & ~granted)
        m.d.comb += [
            refused.events.eq(total(ignored)),
            self.refused_arrives.eq(refused.count),
        ]
        return m

    def _send(self, m: Module, waiting: Signal, lasts: Signal, kept: Signal) -> Signal:
        """Offer one arrival that waits to the engine; return which is taken."""
        registers, bits, send = self._registers, self._layout.data_bits, self.send
        beyond, among, before = (Signal(registers) for _ in range(3))
        chosen, sent = Signal(registers), Signal(registers, name="sent")
        later = waiting & beyond
        m.d.comb += [
            among.eq(Mux(later.any(), later, waiting)),
            before.eq(Cat(among[:r].any() for r in range(registers))),
            chosen.eq(among & ~before),
            sent.eq(Mux(self.taken, chosen, 0)),
        ]
        with m.If(self.taken & send.valid):
            m.d.sync += beyond.eq(before)
        m.submodules.epochs = epochs = Memory(shape=EPOCH_BITS, depth=self._layout.entries, init=[])
        write, read = epochs.write_port(), epochs.read_port(domain="comb")
        numbers = [Mux(chosen[r], r, 0) for r in range(registers)]
        words = [Mux(chosen[r], kept.word_select(r, bits), 0) for r in range(registers)]
        m.d.comb += [
            write.en.eq(self.answer.valid),
            write.addr.eq(self.answer.message.entry),
            write.data.eq(self.answer.message.epoch),
            send.valid.eq(waiting.any()),
            send.message.entry.eq(either(numbers)),
            read.addr.eq(send.message.entry),
            send.message.epoch.eq(read.data),
            send.message.kind.eq(Mux((chosen & lasts).any(), Kind.LAST, Kind.PLAIN)),
        ]
        if bits:
            m.d.comb += send.message.data.eq(either(words))
        return sent
