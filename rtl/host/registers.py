"""A host: all that software reads and writes of a network, behind one of the fronts."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.host import (
    CONFIG_WINDOW,
    METER_BASE,
    NODE_BASE,
    STREAM_BASE,
    TRAFFIC_BASE,
    WINDOW_BITS,
    HostShape,
)
from syncfabric.rtl.host.axi_lite import AxiLite, AxiLiteSignature
from syncfabric.rtl.host.console import Console
from syncfabric.rtl.host.meters import Meters
from syncfabric.rtl.host.ports import (
    HostBusSignature,
    NetworkSignature,
    StreamSignature,
    TrafficSignature,
)
from syncfabric.rtl.host.words import GlobalWords, NodeWords, StreamWords, TrafficWords
from syncfabric.rtl.parts.gates import below, either

__all__ = ["HostFront", "HostRegisters"]


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
        for i, (_, page) in enumerate(pages):
            m.d.comb += [
                page.word.eq(address[: len(page.word)]),
                page.data.eq(bus.data),
                page.read.eq(acts & named[i] & ~bus.write),
                page.write.eq(acts & named[i] & bus.write),
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
