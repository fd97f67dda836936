"""A host: all that software reads and writes of a network, behind one of the fronts."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.host import (
    BINS,
    CONFIG_WINDOW,
    HISTOGRAM_BASE,
    MASK_BASE,
    METER_BASE,
    NODE_BASE,
    SKEW_BITS,
    SKEW_BOUNDS,
    STREAM_BASE,
    TRAFFIC_BASE,
    WINDOW_BITS,
    HostShape,
    MeterWord,
)
from syncfabric.rtl.host.axi_lite import AxiLite, AxiLiteSignature
from syncfabric.rtl.host.console import Console
from syncfabric.rtl.host.ports import (
    HostBusSignature,
    NetworkSignature,
    StreamSignature,
    TrafficSignature,
    page,
)
from syncfabric.rtl.host.words import GlobalWords, NodeWords, StreamWords, TrafficWords
from syncfabric.rtl.parts.gates import below, either, total


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
        store, read = histogram.write_port(), histogram.read_port(domain="comb")
        kept, used = histogram.read_port(domain="comb"), Signal(BINS)
        before = Mux(used.bit_select(place, 1), kept.data, 0)
        m.d.comb += [
            kept.addr.eq(place),
            store.addr.eq(place),
            store.data.eq(before + ~before.all()),
            store.en.eq(counts),
            read.addr.eq(self.word[:3]),
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
        count = Mux(used.bit_select(self.word[:3], 1), read.data, 0)
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


def _beside(shape: HostShape) -> dict[str, Any]:
    """Return the members for what may be at the nodes beside the network."""
    members: dict[str, Any] = {"traffic": Out(TrafficSignature())} if shape.traffic else {}
    return members | ({"stream": Out(StreamSignature(shape))} if shape.streams else {})


class HostRegisters(wiring.Component):
    """Answers the host bus; cycles as in docs/microarchitecture-host.md, H1 to H4.

    Parameters
    ----------
    shape : HostShape
        What the network has, and how many meters.

    Members
    -------
    bus : In(HostBusSignature)
        Requests.
    net : Out(NetworkSignature)
        The network's ports.
    traffic : Out(TrafficSignature), stream : Out(StreamSignature)
        Where the shape says that there is traffic, or are streams.
    irq : Out(1)
        A register that is enabled is done.
    """

    def __init__(self, shape: HostShape) -> None:
        self._shape = shape
        members: dict[str, Any] = {
            "bus": In(HostBusSignature()),
            "net": Out(NetworkSignature(shape)),
            "irq": Out(1),
        }
        members |= _beside(shape)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape, bus, net, address = self._shape, self.bus, self.net, self.bus.address
        m.submodules.globals = words = GlobalWords(shape)
        m.submodules.nodes = nodes = NodeWords(shape)
        m.submodules.meters = meters = Meters(shape)
        acts, configures = Signal(), Signal()
        m.d.sync += acts.eq(bus.valid & ~acts & ~configures & ~bus.ready)

        # A request stays: what it is for is worked out in its first cycle, and kept.
        in_window = address[WINDOW_BITS:] == CONFIG_WINDOW >> WINDOW_BITS
        to_config = Signal()
        m.d.sync += to_config.eq(in_window & ~address[shape.address_bits : WINDOW_BITS].any())
        pages: list[tuple[Value, Any]] = [
            (address[4:] == 0, words),
            (address[16:] == METER_BASE >> 16, meters),
            ((address[17:] == NODE_BASE >> 17) & below(address[7:17], shape.nodes), nodes),
        ]
        if shape.traffic:
            m.submodules.traffic = traffic = TrafficWords()
            wiring.connect(m, traffic.traffic, wiring.flipped(self.traffic))
            pages.append((address[4:] == TRAFFIC_BASE >> 4, traffic))
        if shape.streams:
            m.submodules.streams = streams = StreamWords(shape)
            wiring.connect(m, streams.stream, wiring.flipped(self.stream))
            pages.append((address[3:] == STREAM_BASE >> 3, streams))
        named = Signal(len(pages))
        m.d.sync += named.eq(Cat(at for at, _ in pages))
        for i, (_, part) in enumerate(pages):
            m.d.comb += [
                part.word.eq(address[: len(part.word)]),
                part.data.eq(bus.data),
                part.read.eq(acts & named[i] & ~bus.write),
                part.write.eq(acts & named[i] & bus.write),
            ]
        m.d.comb += [meters.meter.eq(address[12:]), nodes.node.eq(address[7:])]
        self._connect(m, words, meters, nodes)

        too_late = self._too_late(m, nodes.wait, nodes.wait & nodes.done, words.wait_limit)
        known = Cat(to_config, named).any()
        fails = Cat(~known, too_late, *(page.refused for _, page in pages)).any()
        later = nodes.wait & ~nodes.done & ~too_late
        value = either([Mux(page.read, page.value, 0) for _, page in pages])
        answers, configured = acts & ~to_config, configures & net.config_ready
        fails_there, answer = net.config_error, Signal(32)
        with m.If(configured):
            m.d.sync += answer.eq(net.config_rdata)
        m.d.comb += words.answered.eq(answer)
        m.d.sync += [
            net.config_valid.eq(acts & to_config),
            configures.eq((acts & to_config) | (configures & ~net.config_ready)),
            bus.ready.eq(answers | configured),
            bus.later.eq(answers & later),
            bus.error.eq((answers & fails) | (configured & fails_there)),
            bus.rdata.eq(
                Mux(answers & ~fails & ~later, value, 0)
                | Mux(configured & ~fails_there & ~bus.write, net.config_rdata, 0)
            ),
        ]
        return m

    def _connect(self, m: Module, words: GlobalWords, meters: Meters, nodes: NodeWords) -> None:
        """Join the words to the network's ports."""
        shape, net, width = self._shape, self.net, self._shape.width
        broken = net.broken if shape.broken else Const(0, width)
        m.d.comb += [
            self.irq.eq(words.irq),
            words.asks.eq(net.done & nodes.enabled),
            net.data.eq(nodes.held),
            net.config_node.eq(words.config_node),
            net.config_address.eq(self.bus.address),
            net.config_write.eq(self.bus.write),
            net.config_data.eq(self.bus.data),
            nodes.ready.eq(net.ready),
            nodes.finished.eq(net.done),
            nodes.broken.eq(broken),
            nodes.result.eq(net.result),
            meters.clear_all.eq(words.clear_all),
            meters.arrive.eq(net.arrive),
            meters.ready.eq(net.ready),
            meters.released.eq(net.released),
            meters.broken.eq(broken),
        ]
        together = [
            Mux(words.arrive_all[i], meters.masks[i * width : (i + 1) * width], 0)
            for i in range(shape.meters)
        ]
        m.d.sync += net.arrive.eq(either([nodes.arrives, *together]))
        if shape.last:
            m.d.sync += net.last.eq(Mux(nodes.lasts, nodes.arrives, 0))

    def _too_late(self, m: Module, wait: Value, done: Value, limit: Value) -> Value:
        """Count the cycles of a WAIT that is put off; return that it has taken too many."""
        waits, cycles = Signal(), Signal(33)
        late = Signal()
        m.d.comb += late.eq(wait & ~done & waits & (cycles > limit))
        m.d.sync += cycles.eq(cycles + 1)
        with m.If(wait):
            m.d.sync += waits.eq(~done & ~late)
            with m.If(~waits):
                m.d.sync += cycles.eq(1)
        return late


class HostFront(wiring.Component):
    """The registers behind AXI4-Lite, or behind a console.

    Parameters
    ----------
    shape : HostShape
        What the network has, and how many meters.
    cycles : int, >= 4, optional
        Of a bit on the console's lines; without it there is AXI4-Lite.

    Members
    -------
    s_axi : In(AxiLiteSignature)
        Of AXI4-Lite.
    rx : In(1), tx : Out(1)
        Of a console.
    irq : Out(1)
    net : Out(NetworkSignature)
    traffic : Out(TrafficSignature), stream : Out(StreamSignature)
        Where the shape says that there is traffic, or are streams.
    """

    def __init__(self, shape: HostShape, cycles: int | None = None) -> None:
        self._shape, self._cycles = shape, cycles
        members: dict[str, Any] = {"s_axi": In(AxiLiteSignature())}
        if cycles is not None:
            members = {"rx": In(1, init=1), "tx": Out(1, init=1)}
        members |= {"irq": Out(1), "net": Out(NetworkSignature(shape))}
        members |= _beside(shape)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.registers = registers = HostRegisters(self._shape)
        if self._cycles is None:
            m.submodules.front = axi = AxiLite()
            wiring.connect(m, axi.bus, registers.bus)
            wiring.connect(m, wiring.flipped(self.s_axi), axi.axi)
        else:
            m.submodules.front = console = Console(self._cycles)
            wiring.connect(m, console.bus, registers.bus)
            m.d.comb += [console.rx.eq(self.rx), self.tx.eq(console.tx)]
        wiring.connect(m, registers.net, wiring.flipped(self.net))
        for name in _beside(self._shape):
            wiring.connect(m, getattr(registers, name), wiring.flipped(getattr(self, name)))
        m.d.comb += self.irq.eq(registers.irq)
        return m
