"""An engine's config port, shared by the config chain and the router's set-up sink."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.words import EngineWord
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.messages import struct

__all__ = ["ConfigAccess"]


class ConfigAccess(wiring.Component):
    """Hands on one request at a time, in the cycle in which it comes if nothing is under way.

    A sink's request goes before the chain's. After a sink has written staged words, a SETUP of
    the chain is refused here until the chain has written word 0 anew.
    Rules: docs/microarchitecture-networks.md, N4 (7, 8).

    Members
    -------
    chain, sink : In(EngineConfigSignature)
        Requests.
    locks : In(1)
        The sink is in the middle of a packet: no request of the chain begins.
    engine : Out(EngineConfigSignature)
    """

    def __init__(self) -> None:
        port = EngineConfigSignature()
        super().__init__({"chain": In(port), "sink": In(port), "locks": In(1), "engine": Out(port)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        chain, sink, engine = self.chain, self.sink, self.engine
        chain_held, sink_held, chain_asks, sink_asks, free = (Signal() for _ in range(5))
        m.d.comb += [
            free.eq(~(chain_held | sink_held)),
            sink_asks.eq(sink_held | (free & sink.valid)),
            chain_asks.eq(chain_held | (free & chain.valid & ~sink.valid & ~self.locks)),
        ]
        # The staged words are the sink's, and the chain would set an entry up from them.
        foreign, commits_foreign, refused = Signal(), Signal(), Signal()
        code = struct(COMMIT)(chain.data[: COMMIT.width]).code
        setup = chain.write & (chain.address == EngineWord.COMMIT) & (code == Code.SETUP)
        with m.If(sink_asks & (sink.address != 0)):
            m.d.sync += foreign.eq(1)
        with m.Elif(chain_asks & chain.write & (chain.address == EngineWord.IMAGE)):
            m.d.sync += foreign.eq(0)
        m.d.comb += commits_foreign.eq(chain_asks & foreign & setup)
        m.d.sync += [
            refused.eq(commits_foreign & ~refused),
            sink_held.eq(sink_asks & ~sink.ready),
            # What is refused keeps the engine's port from no one.
            chain_held.eq(chain_asks & ~commits_foreign & ~chain.ready),
        ]

        m.d.comb += [
            engine.valid.eq(sink_asks | (chain_asks & ~commits_foreign)),
            chain.ready.eq(refused | (chain_held & engine.ready)),
            chain.error.eq(refused | (chain_held & engine.error)),
            chain.rdata.eq(Mux(chain_held, engine.rdata, 0)),
            sink.ready.eq(sink_held & engine.ready),
            sink.error.eq(sink_held & engine.error),
            sink.rdata.eq(Mux(sink_held, engine.rdata, 0)),
        ]
        for name in ("write", "address", "data"):
            asked = Mux(sink_asks, getattr(sink, name), getattr(chain, name))
            m.d.comb += getattr(engine, name).eq(asked)
        return m
