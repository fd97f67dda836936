"""A tile: a PicoRV32 core, its memory, its network interface, its barrier port, its streams.

The core itself is not part of this: its Verilog stands beside the tile's (module ``picorv32``).
"""

from typing import Any

from amaranth import ClockSignal, Const, Instance, Module, Mux, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.core import CORE_REGISTERS, Activity, FaultReason
from syncfabric.rtl.cores.barrier_port import BarrierPort, port_members
from syncfabric.rtl.cores.bus import ADDRESS_BITS, BusSignature
from syncfabric.rtl.cores.dma import StreamDma, stream_members
from syncfabric.rtl.cores.interface import NetworkInterface, join_bus
from syncfabric.rtl.cores.memory import LocalMemory, SharedMemory
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.cores.system_words import SystemWords, flit_members
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.router.link import FlitSignature

CORE_PARAMETERS = {
    "ENABLE_COUNTERS": 0,
    "ENABLE_COUNTERS64": 0,
    "BARREL_SHIFTER": 1,
    "COMPRESSED_ISA": 0,
    "CATCH_MISALIGN": 1,
    "CATCH_ILLINSN": 1,
    "ENABLE_FAST_MUL": 1,
    "ENABLE_DIV": 1,
    "ENABLE_IRQ": 0,
}
"""Of PicoRV32: RV32IM without counters and interrupts, all that makes it fast."""


def observed() -> dict[str, int]:
    """Return what a tile shows to who watches it, and the bits."""
    return {
        "put": 1,
        "put_char": 1,
        "activity": 3,
        "in_barrier": 1,
        "exited": 1,
        "reason": 3,
        "word": 32,
        "pc": 32,
        "address": 32,
    }


class CoreTile(wiring.Component):
    """A core and all that belongs to it at its node. Every tile of a system is the same module.

    Source: docs/microarchitecture-cores.md.

    Parameters
    ----------
    shape : TileShape

    Members
    -------
    number : In
        Number of this core, which is that of its node; constant.
    run : In(1)
        The core runs; before that it is in reset, and its memory is loaded.
    cycle : In(64)
        Cycles since then.
    load_valid, load_all, load_core, load_address, load_data : In
        A word for this core's memory, or for all cores'.
    barrier_low, barrier_high : In(32)
        Addresses of what counts as a barrier in software, the last not included.
    config : Out(EngineConfigSignature)
        To the config port of its own node.
    inject : Out(FlitSignature), eject : In(FlitSignature)
        Packets.
    arrive, released, …
        Its node's port, as in `port_members`; on a static network `flit_members` too.
    s_axis, m_axis
        With streams, as in `stream_members`.
    put, put_char : Out(1)
        ``word`` went to the console in the cycle before; it is a character.
    activity : Out(Activity), in_barrier : Out(1)
        What the core does; the instruction fetched last belongs to a barrier in software.
    exited : Out(1), reason : Out(FaultReason)
        It has ended, with exit code ``word``; or it was stopped, see ``pc`` and ``address``.
    word, pc, address : Out(32)
        What was written in the cycle before, or to EXIT; the instruction then; what it accessed.
    """

    def __init__(self, shape: TileShape) -> None:
        self._shape = shape
        packets = shape.packets
        link = FlitSignature.of(packets)
        members: dict[str, Any] = {
            "number": In(shape.core_bits),
            "run": In(1),
            "cycle": In(64),
            "load_valid": In(1),
            "load_all": In(1),
            "load_core": In(shape.core_bits),
            "load_address": In(range(shape.memory_words)),
            "load_data": In(32),
            "barrier_low": In(32),
            "barrier_high": In(32),
            "config": Out(EngineConfigSignature(shape.config_address_bits)),
            "inject": Out(link),
            "eject": In(link),
        }
        members |= port_members(shape) | flit_members(shape) | stream_members(shape.stream)
        super().__init__(members | {name: Out(bits) for name, bits in observed().items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape = self._shape
        memory, streams = self._place_memory(m)
        m.submodules.words = words = SystemWords(shape)
        m.submodules.port = port = BarrierPort(shape)
        m.submodules.net = net = NetworkInterface(shape)
        core = self._place_core(m)
        bus: Any = BusSignature().create(path=("bus",))
        stopped = Signal()

        # The look-ahead request of a store or load reaches memory a cycle before it is made.
        size = (shape.memory_words - 1).bit_length()
        ahead = core["la_addr"]
        inside = ahead[size + 2 :] == 0
        loads = self.load_valid & (self.load_all | (self.load_core == self.number))
        m.d.comb += [
            memory.read.eq(core["la_read"] & inside),
            memory.address.eq(Mux(self.run, ahead[2 : size + 2], self.load_address)),
            memory.data.eq(Mux(self.run, core["la_wdata"], self.load_data)),
            memory.write.eq(
                Mux(
                    self.run,
                    Mux(core["la_write"] & inside & ~stopped, core["la_wstrb"], 0),
                    loads.replicate(4),
                )
            ),
        ]

        address, strobes = core["addr"], core["wstrb"]
        of_memory = address[size + 2 :] == 0
        of_words = self._of_words(address)
        asks = core["valid"] & ~stopped
        join_bus(m, bus, [part.bus for part in (words, port, net, *streams)])
        m.d.comb += [
            bus.valid.eq(asks & of_words & ~core["instr"] & (strobes.all() | (strobes == 0))),
            bus.write.eq(strobes.any()),
            bus.word.eq(address[2:]),
            bus.data.eq(core["wdata"]),
            core["ready"].eq(asks & Mux(of_memory, 1, bus.ready)),
            core["rdata"].eq(Mux(of_memory, memory.result, bus.result)),
        ]
        self._join(m, words, port, net)
        self._watch(m, core, bus, of_memory, asks, stopped)
        activity = self.activity
        m.d.comb += activity.eq(Activity.WORKS)
        for waits, what in (
            (words.configures, Activity.CONFIGURES),
            (either([part.sends for part in (words, net, *streams)]), Activity.SENDS),
            (either([part.receives for part in (words, net, *streams)]), Activity.RECEIVES),
            (port.fenced, Activity.FENCED),
            (port.waiting, Activity.WAITS),
            (port.arrive.any(), Activity.ARRIVES),
            (stopped, Activity.STOPPED),
        ):
            with m.If(waits):
                m.d.comb += activity.eq(what)
        m.d.sync += [self.put.eq(words.put), self.put_char.eq(words.put_char)]
        with m.If(words.exits):
            m.d.sync += [stopped.eq(1), self.exited.eq(1)]
        return m

    def _place_memory(self, m: Module) -> tuple[Any, list[Any]]:
        """Place the memory, and what streams do with it, if there are any; return both."""
        here: Any = self
        layout, words = self._shape.stream, self._shape.memory_words
        if layout is None:
            m.submodules.memory = own = LocalMemory(words)
            return own, []
        m.submodules.memory = memory = SharedMemory(words)
        m.submodules.streams = streams = StreamDma(layout, words)
        wiring.connect(m, streams.memory, memory.streams)
        wiring.connect(m, streams.s_axis, wiring.flipped(here.s_axis))
        wiring.connect(m, wiring.flipped(here.m_axis), streams.m_axis)
        m.d.comb += streams.opens.eq(here.ready[self._shape.first_slot :])
        return memory, [streams]

    def _place_core(self, m: Module) -> dict[str, Any]:
        """Place the core, held in reset until it may run; return its wires."""
        core: dict[str, Any] = {
            name: Signal(bits, name=f"core_{name}")
            for name, bits in {
                **dict.fromkeys(("valid", "instr", "ready", "la_read", "la_write", "trap"), 1),
                **dict.fromkeys(("addr", "wdata", "rdata", "la_addr", "la_wdata"), 32),
                **dict.fromkeys(("wstrb", "la_wstrb"), 4),
            }.items()
        }
        m.submodules.core = Instance(
            "picorv32",
            *(("p", name, value) for name, value in CORE_PARAMETERS.items()),
            ("p", "STACKADDR", Const(self._shape.memory_kib * 1024, 32)),
            ("i", "clk", ClockSignal()),
            ("i", "resetn", self.run & ~ResetSignal()),
            *(("o", f"mem_{name}", core[name]) for name in core if name not in _NOT_BUS),
            ("o", "trap", core["trap"]),
            ("i", "mem_ready", core["ready"]),
            ("i", "mem_rdata", core["rdata"]),
            *(("i", name, Const(0, bits)) for name, bits in _UNUSED.items()),
            *(("o", name, Signal(bits, name=f"no_{name}")) for name, bits in _UNSEEN.items()),
        )
        return core

    def _join(self, m: Module, words: Any, port: Any, net: Any) -> None:
        """Join the parts to the tile's ports."""
        here: Any = self
        for part in (words, net):
            m.d.comb += part.number.eq(self.number)
        m.d.comb += [words.cycle.eq(self.cycle), port.owing.eq(net.owing)]
        wiring.connect(m, words.config, wiring.flipped(here.config))
        wiring.connect(m, net.inject, wiring.flipped(here.inject))
        wiring.connect(m, wiring.flipped(here.eject), net.eject)
        for part, members in ((port, port_members), (words, flit_members)):
            for name, member in members(self._shape).items():
                inner, outer = getattr(part, name), getattr(here, name)
                m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)

    def _watch(
        self, m: Module, core: dict[str, Any], bus: Any, of_memory: Any, asks: Any, stopped: Signal
    ) -> None:
        """Keep track of the instruction, and stop the core where what it does is not allowed."""
        fetched, before = Signal(32), Signal(32)
        reason = Signal(FaultReason)
        fetches = core["valid"] & core["instr"]
        with m.If(fetches & core["ready"]):
            m.d.sync += [fetched.eq(core["addr"]), before.eq(fetched)]
        m.d.comb += self.in_barrier.eq(
            (fetched >= self.barrier_low) & (fetched < self.barrier_high)
        )
        with m.If(asks & ~of_memory):
            with m.If(~bus.valid):
                m.d.comb += reason.eq(FaultReason.ACCESS)
                with m.If(~self._of_words(core["addr"]) | core["instr"]):
                    m.d.comb += reason.eq(FaultReason.ADDRESS)
            with m.Elif(~bus.chosen):
                m.d.comb += reason.eq(FaultReason.ADDRESS)
            with m.Else():
                m.d.comb += reason.eq(bus.fault)
        with m.Elif(core["trap"] & ~stopped):
            m.d.comb += reason.eq(FaultReason.INSTRUCTION)
        with m.If(~stopped):
            # While it accesses data, or traps, the core has fetched the next instruction already.
            m.d.sync += [
                self.word.eq(core["wdata"]),
                self.pc.eq(Mux(fetches, fetched, before)),
                self.address.eq(core["addr"]),
                self.reason.eq(reason),
            ]
        with m.If(reason != FaultReason.NONE):
            m.d.sync += stopped.eq(1)

    @staticmethod
    def _of_words(address: Any) -> Any:
        return address[ADDRESS_BITS + 2 :] == CORE_REGISTERS >> ADDRESS_BITS + 2


_NOT_BUS = ("trap", "ready", "rdata")
_UNUSED = {"pcpi_wr": 1, "pcpi_rd": 32, "pcpi_wait": 1, "pcpi_ready": 1, "irq": 32}
_UNSEEN = {
    **{"pcpi_valid": 1, "pcpi_insn": 32, "pcpi_rs1": 32, "pcpi_rs2": 32, "eoi": 32},
    **{"trace_valid": 1, "trace_data": 36},
}
