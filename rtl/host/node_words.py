"""What the host's registers keep of nodes, and see of them: a node's page of words."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from syncfabric.models.messages.host import (
    DATA_BASE,
    NODE_WORDS,
    RESULT_BASE,
    WAIT_BASE,
    HostShape,
    NodeWord,
)
from syncfabric.rtl.host.compare import below
from syncfabric.rtl.parts.gates import either

__all__ = ["NodeWords"]


class NodeWords(wiring.Component):
    """Words of all nodes; cycles as in docs/microarchitecture-host.md, H4.

    Parameters
    ----------
    shape : HostShape
        Nodes, registers, data bits.

    Members
    -------
    node : In, word : In(7), data : In(32)
        What is addressed, and the word to write; they stay for two cycles at least.
    read, write : In(1)
        In the second of these cycles: it is read, or written.
    value : Out(32), refused, wait, done : Out(1)
        In that cycle: what the word holds; it is refused; it is a WAIT; and the register is done.
    arrives : Out(width), lasts : Out(1)
        In that cycle: who arrives, and that it does so with ``last``.
    ready, finished, broken : In(width), result : In(width * data_bits)
        The network's ports; ``finished`` is ``done``.
    held : Out(width * data_bits), enabled : Out(width)
        Words DATA and IRQ_ENABLE of all nodes.
    """

    def __init__(self, shape: HostShape) -> None:
        self._shape = shape
        width = shape.width
        super().__init__(
            {
                "node": In(bits_for(shape.nodes - 1)),
                "word": In(bits_for(NODE_WORDS - 1)),
                "data": In(32),
                "read": In(1),
                "write": In(1),
                "value": Out(32),
                "refused": Out(1),
                "wait": Out(1),
                "done": Out(1),
                "arrives": Out(width),
                "lasts": Out(1),
                "ready": In(width),
                "finished": In(width),
                "broken": In(width),
                "result": In(width * shape.data_bits),
                "held": Out(width * shape.data_bits),
                "enabled": Out(width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        registers, bits = self._shape.registers, self._shape.data_bits
        # Of all nodes the one that is addressed is chosen in the first cycle, and kept.
        ready, done, broken, enabled = (Signal(registers) for _ in range(4))
        result, held = Signal(registers * bits), Signal(registers * bits)
        pairs = [
            (ready, self.ready),
            (done, self.finished),
            (broken, self.broken),
            (enabled, self.enabled),
        ]
        if bits:
            pairs += [(result, self.result), (held, self.held)]
        for kept, of_all in pairs:
            m.d.sync += kept.eq(of_all.word_select(self.node, len(kept)))
        register = Signal(range(registers))
        to_data, to_result, to_wait = Signal(), Signal(), Signal()
        at = {word: Signal(name=f"at_{word.name.lower()}") for word in NodeWord}
        m.d.sync += [signal.eq(self.word == word) for word, signal in at.items()]
        there = below(self.word[:5], registers)
        m.d.sync += [
            register.eq(self.word[:5]),
            to_data.eq((self.word[5:] == DATA_BASE >> 5) & there & int(bits > 0)),
            to_result.eq((self.word[5:] == RESULT_BASE >> 5) & there),
            to_wait.eq((self.word[5:] == WAIT_BASE >> 5) & there),
        ]
        done_here = done.bit_select(register, 1)
        broken_here = done_here & broken.bit_select(register, 1)
        is_arrive = at[NodeWord.ARRIVE]
        if self._shape.last:
            is_arrive = is_arrive | at[NodeWord.ARRIVE_LAST]
        can_arrive = ~(self.data[:registers] & ~ready).any() & ~self.data[registers:].any()
        to_enable = at[NodeWord.IRQ_ENABLE]
        shown = {
            NodeWord.READY: ready,
            NodeWord.DONE: done,
            NodeWord.BROKEN: broken,
            NodeWord.IRQ_ENABLE: enabled,
        }
        values = [Mux(at[word], value, 0) for word, value in shown.items()]
        if bits:
            values += [
                Mux(to_data, held.word_select(register, bits), 0),
                Mux(
                    to_result | (to_wait & done_here & ~broken_here),
                    result.word_select(register, bits),
                    0,
                ),
            ]
        readable = Cat(at[word] for word in shown).any() | to_data | to_result | to_wait
        writable = (is_arrive & can_arrive) | to_enable | to_data
        m.d.comb += [
            self.value.eq(either(values)),
            self.wait.eq(self.read & to_wait),
            self.done.eq(done_here),
            self.refused.eq(
                (self.read & ~readable) | (self.write & ~writable) | (self.wait & broken_here)
            ),
            self.lasts.eq(at[NodeWord.ARRIVE_LAST]),
        ]
        for n in range(self._shape.nodes):
            here = self.write & (self.node == n)
            mine = slice(n * registers, (n + 1) * registers)
            m.d.comb += self.arrives[mine].eq(
                Mux(here & is_arrive & can_arrive, self.data[:registers], 0)
            )
            with m.If(here & to_enable):
                m.d.sync += self.enabled[mine].eq(self.data[:registers])
            if bits:
                row = self.held[n * registers * bits : (n + 1) * registers * bits]
                with m.If(here & to_data):
                    m.d.sync += row.word_select(register, bits).eq(self.data[:bits])
        return m
