"""Words of a host: those of all, of the ordinary traffic, and of each node."""

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from syncfabric.models.layout.stream_traffic import COMMAND
from syncfabric.models.messages.host import (
    DATA_BASE,
    HOST_ID,
    HOST_VERSION,
    INTERRUPT,
    NODE_WORDS,
    RESULT_BASE,
    SHAPE,
    STREAM_PACKET,
    STREAM_PLACE,
    TRAFFIC_CONTROL,
    WAIT_BASE,
    WAIT_LIMIT,
    GlobalWord,
    HostShape,
    NodeWord,
    StreamWord,
    TrafficWord,
)
from syncfabric.rtl.host.ports import StreamSignature, TrafficSignature, page
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import below, either


class GlobalWords(wiring.Component):
    """Words of the whole host; cycles as in docs/microarchitecture-host.md, H4.

    Parameters
    ----------
    shape : HostShape
        What the network has, and how many meters.

    Members
    -------
    word, data, read, write, value, refused
        As of a `page`.
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
                **page(4),
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


class TrafficWords(wiring.Component):
    """Words of the traffic; cycles as in docs/microarchitecture-host.md, H4.

    Members
    -------
    word, data, read, write, value, refused
        As of a `page`.
    traffic : Out(TrafficSignature)
        Sources, and counts.
    """

    def __init__(self) -> None:
        super().__init__({**page(4), "traffic": Out(TrafficSignature())})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        traffic = self.traffic
        control = struct(TRAFFIC_CONTROL)(self.data[: TRAFFIC_CONTROL.width])
        held = {
            TrafficWord.RATE: traffic.rate,
            TrafficWord.SEED: traffic.seed,
            TrafficWord.CONTROL: traffic.enable,
            TrafficWord.CREATED: traffic.created,
            TrafficWord.LOST: traffic.lost,
            TrafficWord.RECEIVED: traffic.received,
            TrafficWord.WRONG: traffic.wrong,
            TrafficWord.LATENCY: traffic.latency,
        }
        word, writable, readable = Signal.like(self.word), Signal(), Signal()
        m.d.sync += [
            word.eq(self.word),
            writable.eq(self.word <= TrafficWord.CONTROL),
            readable.eq(self.word <= TrafficWord.LATENCY),
        ]
        m.d.comb += [
            self.value.eq(Array(held[asked] for asked in TrafficWord)[word[:3]]),
            self.refused.eq((self.write & ~writable) | (self.read & ~readable)),
        ]
        m.d.sync += traffic.load.eq(0)
        with m.If(self.write), m.Switch(word):
            with m.Case(TrafficWord.RATE):
                m.d.sync += traffic.rate.eq(self.data)
            with m.Case(TrafficWord.SEED):
                m.d.sync += traffic.seed.eq(self.data)
            with m.Case(TrafficWord.CONTROL):
                m.d.sync += [traffic.enable.eq(control.enable), traffic.load.eq(control.load)]
        return m


class StreamWords(wiring.Component):
    """Words of streams; cycles as in docs/microarchitecture-host.md, H4.

    Parameters
    ----------
    shape : HostShape
        Nodes, and channels of streams.

    Members
    -------
    word, data, read, write, value, refused
        As of a `page`.
    stream : Out(StreamSignature)
        Sources, and counts.
    """

    def __init__(self, shape: HostShape) -> None:
        self._shape = shape
        super().__init__({**page(3), "stream": Out(StreamSignature(shape))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        stream, channels = self.stream, self._shape.streams
        asked = struct(STREAM_PLACE)(self.data[: STREAM_PLACE.width])
        packet = struct(STREAM_PACKET)(self.data[: STREAM_PACKET.width])
        place, command = Signal(struct(STREAM_PLACE)), Signal(struct(COMMAND))
        at, seed, begun = Signal(range(self._shape.nodes * channels)), Signal(32), Signal(32)
        counts = {name: Signal(32, name=name) for name in ("packets", "checksum", "first", "last")}
        held = [place.as_value(), seed, Const(0), begun, *counts.values()]
        word, fits = Signal.like(self.word), Signal()
        m.d.sync += [
            word.eq(self.word),
            fits.eq(below(asked.node, self._shape.nodes) & below(asked.channel, channels)),
            at.eq(place.node * channels + place.channel),
        ]
        m.d.sync += [kept.eq(getattr(stream, n).word_select(at, 32)) for n, kept in counts.items()]
        puts = self.write & (word == StreamWord.PACKET)
        m.d.comb += [
            self.value.eq(Array(held)[word]),
            self.refused.eq(
                (self.write & ((word > StreamWord.PACKET) | ((word == StreamWord.PLACE) & ~fits)))
                | (self.read & (word == StreamWord.PACKET))
            ),
            stream.command.eq(command),
        ]
        m.d.sync += [
            stream.put.eq(Mux(puts, 1 << place.node[: bits_for(self._shape.nodes - 1)], 0)),
            command.eq(0),
            command.seed.eq(seed),
            command.words.eq(packet.words),
            command.user.eq(packet.user),
            command.tid.eq(place.channel),
        ]
        with m.If(self.write & (word == StreamWord.PLACE) & fits):
            m.d.sync += place.eq(asked)
        with m.If(self.write & (word == StreamWord.SEED)):
            m.d.sync += seed.eq(self.data)
        with m.If(stream.put.any()):
            m.d.sync += begun.eq(stream.cycle)
        return m


class NodeWords(wiring.Component):
    """Words of all nodes; cycles as in docs/microarchitecture-host.md, H4.

    Parameters
    ----------
    shape : HostShape
        Nodes, registers, data bits.

    Members
    -------
    node : In
        What is addressed, with the word.
    word, data, read, write, value, refused
        As of a `page`.
    wait, done : Out(1)
        As ``value``: it is a WAIT; and the register is done.
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
                **page(bits_for(NODE_WORDS - 1)),
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
        to_data, to_result, to_wait, too_many = Signal(), Signal(), Signal(), Signal()
        at = {word: Signal(name=f"at_{word.name.lower()}") for word in NodeWord}
        m.d.sync += [signal.eq(self.word == word) for word, signal in at.items()]
        there = below(self.word[:5], registers)
        m.d.sync += [
            register.eq(self.word[:5]),
            too_many.eq(self.data[registers:].any()),
            to_data.eq((self.word[5:] == DATA_BASE >> 5) & there & int(bits > 0)),
            to_result.eq((self.word[5:] == RESULT_BASE >> 5) & there),
            to_wait.eq((self.word[5:] == WAIT_BASE >> 5) & there),
        ]
        done_here = done.bit_select(register, 1)
        broken_here = done_here & broken.bit_select(register, 1)
        is_arrive = at[NodeWord.ARRIVE]
        if self._shape.last:
            is_arrive = is_arrive | at[NodeWord.ARRIVE_LAST]
        can_arrive = ~(self.data[:registers] & ~ready).any() & ~too_many
        to_enable = at[NodeWord.IRQ_ENABLE]
        states = {
            NodeWord.READY: ready,
            NodeWord.DONE: done,
            NodeWord.BROKEN: broken,
            NodeWord.IRQ_ENABLE: enabled,
        }
        values = [Mux(at[word], value, 0) for word, value in states.items()]
        if bits:
            values += [
                Mux(to_data, held.word_select(register, bits), 0),
                Mux(
                    to_result | (to_wait & done_here & ~broken_here),
                    result.word_select(register, bits),
                    0,
                ),
            ]
        readable = Cat(at[word] for word in states).any() | to_data | to_result | to_wait
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
