"""A router's config port, shared by the network's and by the router's own set-up sink."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.rtl.barrier.ports import ConfigSignature

__all__ = ["ConfigAccess"]


class ConfigAccess(wiring.Component):
    """Hands on the network's requests, and the sink's in cycles without one for this router.

    Cycles as in docs/microarchitecture.md, S4.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Width of the port.

    Members
    -------
    index : In
        Number of this router on the config port.
    outside : In(ConfigSignature)
        Where the network's requests come from.
    request : In(1), address : In(12), write : In(1), data : In(32)
        An access of the sink.
    granted : Out(1)
        It is made in this cycle.
    ready, error : Out(1), rdata : Out(32)
        Its answer, in the next cycle.
    inside : Out(ConfigSignature)
        To the registers.
    """

    def __init__(self, network: MeshSpec | IrregularSpec) -> None:
        super().__init__(
            {
                "index": In(network.layout.target_bits),
                "outside": In(ConfigSignature(network)),
                "request": In(1),
                "address": In(CONFIG_ADDRESS_BITS),
                "write": In(1),
                "data": In(32),
                "granted": Out(1),
                "ready": Out(1),
                "error": Out(1),
                "rdata": Out(32),
                "inside": Out(ConfigSignature(network)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        outside, inside, own = self.outside, self.inside, Signal()
        m.d.comb += [
            self.granted.eq(self.request & ~(outside.valid & (outside.node == self.index))),
            inside.valid.eq(outside.valid | self.granted),
            inside.node.eq(Mux(self.granted, self.index, outside.node)),
            inside.address.eq(Mux(self.granted, self.address, outside.address)),
            inside.write.eq(Mux(self.granted, self.write, outside.write)),
            inside.data.eq(Mux(self.granted, self.data, outside.data)),
            self.ready.eq(inside.ready & own),
            self.error.eq(inside.error & own),
            self.rdata.eq(Mux(own, inside.rdata, 0)),
            outside.ready.eq(inside.ready & ~own),
            outside.error.eq(inside.error & ~own),
            outside.rdata.eq(Mux(own, 0, inside.rdata)),
        ]
        m.d.sync += own.eq(self.granted)
        return m
