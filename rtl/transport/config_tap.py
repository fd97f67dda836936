"""A process's way to the config words of its own node: a tap in the chain, just before the node."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import ADDRESS_BITS, WORD_BITS
from syncfabric.rtl.transport.config_chain import NODE_BITS, TARGET_BITS, ChainSignature

__all__ = ["ConfigTap"]


class ConfigTap(wiring.Component):
    """Joins the node to the chain, or, while ``run`` is high, to its process alone.

    Source: docs/microarchitecture-cores.md, K5.

    Members
    -------
    index : In(16)
        Number of the node on the chain; constant.
    run : In(1)
        Stays high once it is; no request of the host is under way then.
    valid, write, address, data : In
        A request of the process; it stays until it is answered.
    ready, error, rdata : Out
        The answer, for one cycle; 0 otherwise.
    host : In(ChainSignature), node : Out(ChainSignature)
        The chain towards the host, and the node.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "index": In(NODE_BITS),
                "run": In(1),
                "valid": In(1),
                "write": In(1),
                "address": In(ADDRESS_BITS + TARGET_BITS),
                "data": In(WORD_BITS),
                "ready": Out(1),
                "error": Out(1),
                "rdata": Out(WORD_BITS),
                "host": In(ChainSignature()),
                "node": Out(ChainSignature()),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        host, node = self.host, self.node
        asked = Signal()
        asks, ready = self.run & self.valid, self.run & node.answer_valid
        request = node.request
        m.d.sync += asked.eq((asked | asks) & ~ready)
        m.d.comb += [
            node.request_valid.eq(Mux(self.run, asks & ~asked, host.request_valid)),
            request.eq(host.request),
            self.ready.eq(ready),
            self.error.eq(self.run & node.answer_error),
            self.rdata.eq(Mux(self.run, node.answer_rdata, 0)),
        ]
        with m.If(self.run):
            m.d.comb += [
                request.node.eq(self.index),
                request.write.eq(self.write),
                request.address.eq(self.address[:ADDRESS_BITS]),
                request.target.eq(self.address[ADDRESS_BITS:]),
                request.data.eq(self.data),
            ]
        with m.Else():
            m.d.comb += [
                host.answer_valid.eq(node.answer_valid),
                host.answer_error.eq(node.answer_error),
                host.answer_rdata.eq(node.answer_rdata),
            ]
        return m
