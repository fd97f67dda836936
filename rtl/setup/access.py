"""A router's config port, shared by the network's and by the router's own set-up sink."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONFIG_ADDRESS_BITS
from syncfabric.models.networks.spec import (
    RegisterSpec,
)
from syncfabric.rtl.barrier.ports import ConfigSignature

__all__ = ["AccessSignature", "ConfigAccess"]


class AccessSignature(wiring.Signature):
    """An access to a router's own registers, from the side of who asks.

    Members
    -------
    request : Out(1), address : Out(12), write : Out(1), data : Out(32)
        It is asked for until it is granted; what it is stays until the answer.
    granted : In(1)
        It is made in this cycle.
    ready, error : In(1), rdata : In(32)
        The answer to it, in a later cycle.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "request": Out(1),
                "address": Out(CONFIG_ADDRESS_BITS),
                "write": Out(1),
                "data": Out(32),
                "granted": In(1),
                "ready": In(1),
                "error": In(1),
                "rdata": In(32),
            }
        )


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
    sink : In(AccessSignature)
        Where the sink's do. A register answers in the next cycle.
    inside : Out(ConfigSignature)
        To the registers.
    """

    def __init__(self, network: RegisterSpec) -> None:
        super().__init__(
            {
                "index": In(network.layout.target_bits),
                "outside": In(ConfigSignature(network)),
                "sink": In(AccessSignature()),
                "inside": Out(ConfigSignature(network)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        outside, inside, sink = self.outside, self.inside, self.sink
        grants, own = Signal(), Signal()
        m.d.sync += own.eq(grants)
        m.d.comb += [
            grants.eq(sink.request & ~(outside.valid & (outside.node == self.index))),
            sink.granted.eq(grants),
            inside.valid.eq(outside.valid | grants),
            inside.node.eq(Mux(grants, self.index, outside.node)),
            inside.address.eq(Mux(grants, sink.address, outside.address)),
            inside.write.eq(Mux(grants, sink.write, outside.write)),
            inside.data.eq(Mux(grants, sink.data, outside.data)),
        ]
        for name in ("ready", "error", "rdata"):
            answer = getattr(inside, name)
            m.d.comb += [
                getattr(sink, name).eq(Mux(own, answer, 0)),
                getattr(outside, name).eq(Mux(own, 0, answer)),
            ]
        return m
