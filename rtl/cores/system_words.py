"""A core's words about itself and its system, and the config port that cores share."""

from typing import Any

from amaranth import Array, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.core import CONFIG_BASE, CoreWord
from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.cores.bus import BusSignature
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.parts.arbiter import RoundRobinArbiter
from syncfabric.rtl.static.ports import ConfigSignature


class SystemWords(wiring.Component):
    """Words that have nothing to do with barriers or packets.

    Source: docs/microarchitecture-cores.md, K2.

    Parameters
    ----------
    shape : TileShape

    Members
    -------
    number : In
        Number of this core; constant.
    cycle : In(64)
        Cycles since the cores were let go.
    bus : In(BusSignature)
    config : Out(EngineConfigSignature)
    put, put_char : Out(1)
        The program writes to the console in this cycle: anything, a character.
    exits : Out(1)
        It writes EXIT.
    flit : flits that software sends by itself (only in static networks)
        ``send_valid``, ``send_flit``, ``send_ready``, ``recv_valid``, ``recv_flit``, ``recv_take``.
    sends, receives, configures : Out(1)
        What it waits for.
    """

    def __init__(self, shape: TileShape) -> None:
        self._shape = shape
        members: dict[str, Any] = {
            "number": In(shape.core_bits),
            "cycle": In(64),
            "bus": In(BusSignature()),
            "config": Out(EngineConfigSignature(shape.config_address_bits)),
            "put": Out(1),
            "put_char": Out(1),
            "exits": Out(1),
            "sends": Out(1),
            "receives": Out(1),
            "configures": Out(1),
        }
        super().__init__(members | flit_members(shape))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape, bus = self._shape, self.bus
        bits = shape.config_address_bits
        cycle_high, refused = Signal(32), Signal()
        reads: dict[int, Any] = {
            CoreWord.CORE: self.number,
            CoreWord.CORES: Const(shape.cores, 32),
            CoreWord.SHAPE: Const(shape.word, 32),
            CoreWord.CYCLE: self.cycle[:32],
            CoreWord.CYCLE_HIGH: cycle_high,
            CoreWord.CONFIG_STATUS: refused,
        }
        of_config = (
            bus.word[shape.config_address_bits :] == CONFIG_BASE >> shape.config_address_bits
        )
        m.d.comb += [
            self.config.write.eq(bus.write),
            self.config.address.eq(bus.word[:bits]),
            self.config.data.eq(bus.data),
        ]
        with m.If(bus.valid & of_config):
            m.d.comb += [
                bus.chosen.eq(1),
                self.config.valid.eq(1),
                bus.ready.eq(self.config.ready),
                bus.result.eq(self.config.rdata),
                self.configures.eq(1),
            ]
            with m.If(self.config.ready):
                m.d.sync += refused.eq(self.config.error)
        with m.Elif(bus.valid & ~bus.write), m.Switch(bus.word):
            for word, value in reads.items():
                with m.Case(int(word)):
                    m.d.comb += [bus.chosen.eq(1), bus.ready.eq(1), bus.result.eq(value)]
                    if word == CoreWord.CYCLE:
                        m.d.sync += cycle_high.eq(self.cycle[32:])
            if shape.flit_word:
                self._take_flits(m)
        with m.Elif(bus.valid), m.Switch(bus.word):
            for word, done in ((CoreWord.PUT, self.put), (CoreWord.PUTC, self.put_char)):
                with m.Case(int(word)):
                    m.d.comb += [bus.chosen.eq(1), bus.ready.eq(1), self.put.eq(1), done.eq(1)]
            with m.Case(int(CoreWord.EXIT)):
                m.d.comb += [bus.chosen.eq(1), self.exits.eq(1)]
            if shape.flit_word:
                self._send_flits(m)
        return m

    def _take_flits(self, m: Module) -> None:
        bus: Any = self.bus
        here: Any = self
        with m.Case(int(CoreWord.FLIT)):
            m.d.comb += [
                bus.chosen.eq(1),
                bus.ready.eq(here.recv_valid),
                here.recv_take.eq(here.recv_valid),
                bus.result.eq(here.recv_flit),
                here.receives.eq(~here.recv_valid),
            ]
        with m.Case(int(CoreWord.FLIT_STATUS)):
            m.d.comb += [
                bus.chosen.eq(1),
                bus.ready.eq(1),
                bus.result[0].eq(here.recv_valid),
                bus.result[1].eq(here.send_ready),
            ]

    def _send_flits(self, m: Module) -> None:
        bus: Any = self.bus
        here: Any = self
        with m.Case(int(CoreWord.FLIT)):
            m.d.comb += [
                bus.chosen.eq(1),
                bus.ready.eq(here.send_ready),
                here.send_valid.eq(here.send_ready),
                here.send_flit.eq(bus.data),
                here.sends.eq(~here.send_ready),
            ]


def flit_members(shape: TileShape) -> dict[str, Any]:
    """Return the port by which software of a static network sends flits by itself."""
    if not shape.flit_word:
        return {}
    return {
        "send_valid": Out(1),
        "send_flit": Out(shape.flit_word),
        "send_ready": In(1),
        "recv_valid": In(1),
        "recv_flit": In(shape.flit_word),
        "recv_take": Out(1),
    }


class ConfigShare(wiring.Component):
    """Gives the config port to one core after the other; each reaches its own node only.

    Source: docs/microarchitecture-cores.md, K5.

    Parameters
    ----------
    shape : TileShape
        Barriers have a static network.

    Members
    -------
    valid, write, address, data : In
        Requests, packed by core; they stay until they are answered.
    ready : Out(cores)
        Whose request is answered in this cycle.
    port : Out(ConfigSignature)
        The network's config port. Its answer's ``error`` and ``rdata`` reach all cores.
    """

    def __init__(self, shape: TileShape) -> None:
        self._shape = shape
        cores = shape.cores
        assert isinstance(shape.barriers, StaticSpec)
        super().__init__(
            {
                "valid": In(cores),
                "write": In(cores),
                "address": In(cores * CONFIG_ADDRESS_BITS),
                "data": In(cores * 32),
                "ready": Out(cores),
                "port": Out(ConfigSignature(shape.barriers)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        cores, port = self._shape.cores, self.port
        m.submodules.arbiter = arbiter = RoundRobinArbiter(cores)
        busy = Signal()
        whose = Signal(range(max(2, cores)))
        m.d.comb += [arbiter.request.eq(Mux(busy, 0, self.valid)), arbiter.advance.eq(~busy)]
        m.d.sync += port.valid.eq(0)
        for core in range(cores):
            with m.If(arbiter.grant[core]):
                m.d.sync += [
                    whose.eq(core),
                    busy.eq(1),
                    port.valid.eq(1),
                    port.node.eq(core),
                    port.write.eq(self.write[core]),
                    port.address.eq(self.address.word_select(core, CONFIG_ADDRESS_BITS)),
                    port.data.eq(self.data.word_select(core, 32)),
                ]
        answered = Signal()
        m.d.comb += answered.eq(busy & port.ready)
        bits = Array(Const(1 << core, cores) for core in range(cores))
        m.d.comb += self.ready.eq(Mux(answered, bits[whose], 0))
        # A cycle between: the request that was answered is still there in this one.
        with m.If(answered):
            m.d.sync += busy.eq(0)
        return m
