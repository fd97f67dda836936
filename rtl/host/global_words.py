"""The global words of a host, and its interrupt."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from syncfabric.models.messages.host import (
    HOST_ID,
    HOST_VERSION,
    INTERRUPT,
    SHAPE,
    WAIT_LIMIT,
    GlobalWord,
    HostShape,
)
from syncfabric.rtl.host.compare import below
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either

__all__ = ["GlobalWords"]


class GlobalWords(wiring.Component):
    """Words of the whole host; cycles as in docs/microarchitecture-host.md, H4.

    Parameters
    ----------
    shape : HostShape
        What the network has, and how many meters.

    Members
    -------
    word : In(4), data : In(32)
        What is addressed, and the word to write; they stay for two cycles at least.
    read, write : In(1)
        In the second of these cycles: it is read, or written.
    value : Out(32), refused : Out(1)
        What the word holds; it is refused.
    asks : In(width)
        Registers that are done, and enabled to interrupt.
    irq : Out(1), config_node, wait_limit : Out
        The interrupt; words that others look at.
    answered : In(32)
        What the config port answered last.
    clear_all : Out(1), arrive_all : Out(meters)
        In the cycle of the write: clear all meters; a meter's mask arrives.
    """

    def __init__(self, shape: HostShape) -> None:
        self._shape = shape
        super().__init__(
            {
                "word": In(4),
                "data": In(32),
                "read": In(1),
                "write": In(1),
                "value": Out(32),
                "refused": Out(1),
                "asks": In(shape.width),
                "answered": In(32),
                "irq": Out(1),
                "config_node": Out(bits_for(shape.targets - 1)),
                "wait_limit": Out(32, init=WAIT_LIMIT),
                "clear_all": Out(1),
                "arrive_all": Out(shape.meters),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        at = {word: Signal(name=f"at_{word.name.lower()}") for word in GlobalWord}
        node_fits, named = Signal(), Signal(self._shape.meters)
        m.d.sync += [signal.eq(self.word == word) for word, signal in at.items()]
        m.d.sync += [
            node_fits.eq(below(self.data, self._shape.targets)),
            named.eq(Cat(self.data == i for i in range(self._shape.meters))),
        ]
        cycle, high = Signal(64), Signal(32)
        interrupt = Signal(struct(INTERRUPT))
        can_write = {
            GlobalWord.WAIT_LIMIT: Const(1),
            GlobalWord.CLEAR_ALL: Const(1),
            GlobalWord.CONFIG_NODE: node_fits,
            GlobalWord.ARRIVE_ALL: named.any(),
        }
        can_read = {
            GlobalWord.ID: Const(HOST_ID, 32),
            GlobalWord.VERSION: Const(HOST_VERSION, 32),
            GlobalWord.NODES: Const(self._shape.nodes, 32),
            GlobalWord.SHAPE: Const(SHAPE.pack(self._shape.said), 32),
            GlobalWord.CYCLE_LOW: cycle[:32],
            GlobalWord.CYCLE_HIGH: high,
            GlobalWord.CONFIG_NODE: self.config_node,
            GlobalWord.WAIT_LIMIT: self.wait_limit,
            GlobalWord.IRQ_STATUS: interrupt.as_value(),
            GlobalWord.CONFIG_ANSWER: self.answered,
        }
        writable = Cat(at[word] & fits for word, fits in can_write.items()).any()
        readable = Cat(at[word] for word in can_read).any()
        m.d.comb += [
            self.value.eq(either([Mux(at[word], held, 0) for word, held in can_read.items()])),
            self.refused.eq((self.write & ~writable) | (self.read & ~readable)),
            self.irq.eq(interrupt.pending),
            self.clear_all.eq(self.write & at[GlobalWord.CLEAR_ALL]),
            self.arrive_all.eq(Mux(self.write & at[GlobalWord.ARRIVE_ALL], named, 0)),
        ]
        m.d.sync += cycle.eq(cycle + 1)
        with m.If(self.read & at[GlobalWord.CYCLE_LOW]):
            m.d.sync += high.eq(cycle[32:])
        kept = {GlobalWord.CONFIG_NODE: self.config_node, GlobalWord.WAIT_LIMIT: self.wait_limit}
        for word, value in kept.items():
            with m.If(self.write & at[word] & can_write[word]):
                m.d.sync += value.eq(self.data)
        m.d.sync += [interrupt.pending.eq(self.asks.any()), interrupt.node.eq(self._lowest(m))]
        return m

    def _lowest(self, m: Module) -> Value:
        """Return the lowest node that asks."""
        registers, lowest = self._shape.registers, Signal(bits_for(self._shape.nodes - 1))
        for n in reversed(range(self._shape.nodes)):
            with m.If(self.asks[n * registers : (n + 1) * registers].any()):
                m.d.comb += lowest.eq(n)
        return lowest
