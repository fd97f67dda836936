"""One config port for all cores: by turns, one request at a time."""

from amaranth import Array, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.parts.arbiter import RoundRobinArbiter
from syncfabric.rtl.static.ports import ConfigSignature

__all__ = ["ConfigShare"]


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
