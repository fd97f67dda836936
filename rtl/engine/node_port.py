"""A process with a bit for each group, before an engine's own port."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS, EngineLayout, Kind
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import either


class NodePort(wiring.Component):
    """Turns arrivals, a bit each, into messages, and answers into bits. Register r is entry r.

    An arrival costs a cycle more than at the engine's own port; releases cost none.
    Rules: docs/microarchitecture-engine.md, P.

    Parameters
    ----------
    layout : EngineLayout
    registers : int, 1 to 16
    counted : bool, optional
        Refused arrives are counted here; else they are shown.

    Members
    -------
    arrive, last : In(registers), data : In(registers * data_bits)
        The process arrives; it does so for the last time.
    released, ready, done, broken : Out(registers), result : Out(registers * data_bits)
        The barrier is over, or the group has ended, with its result, and whether that was BROKEN;
        may arrive; sticky release.
    send : Out(MessageSignature), granted : In(1)
        To the engine's ``arrive`` and from its ``arrive_ready``.
    answer : In(MessageSignature)
        The engine's ``release``.
    refused_arrives : Out(8)
        Only if ``counted``: cycles with a refused arrive.
    refuses : Out(1)
        Else: there was one in the cycle before.
    """

    def __init__(self, layout: EngineLayout, registers: int, *, counted: bool = True) -> None:
        if not 1 <= registers <= min(16, layout.entries):
            raise ValueError(
                f"NodePort needs 1 to {min(16, layout.entries)} registers, not {registers!r}"
            )
        self._layout = layout
        self._registers, self._counted = registers, counted
        message = MessageSignature(layout)
        words = registers * layout.data_bits
        members: dict[str, Any] = {name: In(registers) for name in ("arrive", "last")}
        members |= {name: Out(registers) for name in ("released", "ready", "done", "broken")}
        members |= {
            "data": In(words),
            "result": Out(words),
            "send": Out(message),
            "granted": In(1),
            "answer": In(message),
            **({"refused_arrives": Out(COUNTER_BITS)} if counted else {"refuses": Out(1)}),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        registers, bits = self._registers, self._layout.data_bits
        answer = self.answer.message
        may, waiting, lasts = Signal(registers), Signal(registers), Signal(registers)
        named, accepted, ignored = Signal(registers), Signal(registers), Signal(registers)
        was_broken, results = Signal(registers), Signal(len(self.result))
        kept = Signal(registers * bits)
        starts, plain, ends, breaks = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            named.eq(Cat(self.answer.valid & (answer.entry == r) for r in range(registers))),
            starts.eq(answer.kind == Kind.GO),
            plain.eq(answer.kind == Kind.PLAIN),
            ends.eq(answer.kind[1]),
            breaks.eq(answer.kind == Kind.BROKEN),
        ]
        sent = self._send(m, waiting, lasts, kept)
        for r in range(registers):
            word = slice(r * bits, (r + 1) * bits)
            # Four inputs each, and what a message alone decides is but enabled by it.
            m.d.comb += [
                self.released[r].eq(named[r] & ~starts),
                self.broken[r].eq(Mux(named[r], breaks, was_broken[r])),
                self.result[word].eq(Mux(self.released[r], answer.data, results[word])),
                accepted[r].eq(self.arrive[r] & Mux(named[r], plain, may[r])),
                ignored[r].eq(self.arrive[r] & ~may[r] & ~(named[r] & plain)),
            ]
            m.d.sync += [
                may[r].eq(~accepted[r] & Mux(named[r], ~ends, may[r])),
                self.done[r].eq(~accepted[r] & Mux(named[r], ~starts, self.done[r])),
                transient(waiting)[r].eq(accepted[r] | (waiting[r] & ~sent[r] & ~named[r])),
            ]
            with m.If(named[r]):
                m.d.sync += [self.ready[r].eq(~ends), was_broken[r].eq(breaks)]
            with m.If(self.released[r]):
                m.d.sync += results[word].eq(answer.data)
            with m.If(accepted[r]):
                m.d.sync += [kept[word].eq(self.data[word]), lasts[r].eq(self.last[r])]
        if not self._counted:
            m.d.sync += transient(self.refuses).eq(ignored.any())
            return m
        m.submodules.refused = refused = SaturatingCounter(COUNTER_BITS, 1)
        event = Signal()
        m.d.sync += transient(event).eq(ignored.any())
        m.d.comb += [refused.events.eq(event), self.refused_arrives.eq(refused.count)]
        return m

    def _send(self, m: Module, waiting: Signal, lasts: Signal, kept: Signal) -> Signal:
        """Offer one arrival that waits to the engine; return which is granted."""
        registers, bits, send = self._registers, self._layout.data_bits, self.send
        turn, before = Signal(registers, init=-1), Signal(registers)
        chosen, sent = Signal(registers), Signal(registers, name="sent")
        waits = waiting & turn
        m.d.comb += [
            before.eq(Cat(waits[:r].any() for r in range(registers))),
            chosen.eq(waits & ~before),
            sent.eq(Mux(self.granted, chosen, 0)),
            send.valid.eq(waits.any()),
        ]
        # Those above the one that is granted have their turn; when all have had it, it starts anew.
        with m.If(~send.valid):
            m.d.sync += transient(turn, -1).eq(-1)
        with m.Elif(self.granted):
            m.d.sync += turn.eq(before)
        width = EPOCH_BITS + self._layout.key_bits
        m.submodules.epochs = epochs = Memory(shape=width, depth=self._layout.entries, init=[])
        write, read = epochs.write_port(), epochs.read_port(domain="comb")
        numbers = [Mux(chosen[r], r, 0) for r in range(registers)]
        words = [Mux(chosen[r], kept.word_select(r, bits), 0) for r in range(registers)]
        m.d.comb += [
            write.en.eq(self.answer.valid),
            write.addr.eq(self.answer.message.entry),
            write.data.eq(Cat(self.answer.message.epoch, self.answer.message.tag)),
            send.message.entry.eq(either(numbers)),
            read.addr.eq(send.message.entry),
            Cat(send.message.epoch, send.message.tag).eq(read.data),
            send.message.kind.eq(Mux((chosen & lasts).any(), Kind.LAST, Kind.PLAIN)),
        ]
        if bits:
            m.d.comb += send.message.data.eq(either(words))
        return sent
