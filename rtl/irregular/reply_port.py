"""Where the set-up sink's replies enter a switch's crossbar."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["ReplyPort"]


class ReplyPort(wiring.Component):
    """Offers a reply's flits to the output that leads to its manager; combinational but for order.

    Cycles as in docs/microarchitecture.md, S3.

    Parameters
    ----------
    network : IrregularSpec
        Ports, managers.

    Members
    -------
    number, routes : In
        Number of the switch, and its row of the routing table.
    manager : In(2)
        Whom the reply goes to.
    valid, tail : In(1)
        A flit is there; it is the last.
    has_credit, busy : In(ports)
        Per output: the channel of set-up packets has a credit; some packet owns it.
    offer : Out(ports)
        One-hot output that the flit wants, or 0.
    take : In(1)
        It leaves.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        layout, ports = network.layout, network.ports
        super().__init__(
            {
                "number": In(layout.switch_bits),
                "routes": In(network.switches * layout.port_bits),
                "manager": In(2),
                "valid": In(1),
                "tail": In(1),
                "has_credit": In(ports),
                "busy": In(ports),
                "offer": Out(ports),
                "take": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        bits = network.layout.port_bits
        port, active, open_outputs = Signal(bits), Signal(), Signal(network.ports)
        for index, (switch, last) in enumerate(network.manager_nodes):
            entry = self.routes[switch * bits : (switch + 1) * bits]
            with m.If(self.manager == index):
                m.d.comb += port.eq(Mux(self.number == switch, Const(last, bits), entry))
        m.d.comb += [
            open_outputs.eq(self.has_credit & (Mux(active, ~0, ~self.busy))),
            self.offer.eq(
                Cat(self.valid & open_outputs[o] & (port == o) for o in range(network.ports))
            ),
        ]
        with m.If(self.take):
            m.d.sync += active.eq(~self.tail)
        return m
