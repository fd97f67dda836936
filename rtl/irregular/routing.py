"""Where a packet's first flit sends it: by the table, or by the route that it brings along."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.messages import struct

__all__ = ["HeaderDecoder"]


class HeaderDecoder(wiring.Component):
    """Reads a head flit; combinational.

    Source: paper BTIN, section 2.1 (routing tables); cycles as in docs/microarchitecture.md, I2.

    Parameters
    ----------
    network : IrregularSpec
        Ports, switches, flit width.

    Members
    -------
    number : In(switch bits)
        Number of this switch.
    routes : In(switches * port bits)
        Port code for each destination switch; that of this switch is not looked at.
    flit : In(flit)
        The head as it arrives.
    outputs : Out(ports + 1)
        One-hot output; the last bit is the sink.
    used_up : Out(1)
        The flit's only port is the output: it goes no further, and the next flit takes its place.
    passed_on : Out(flit)
        The flit as it goes on: with one port less, if it is a route flit.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        layout = network.layout
        flit = struct(layout.flit)
        super().__init__(
            {
                "number": In(layout.switch_bits),
                "routes": In(network.switches * layout.port_bits),
                "flit": In(flit),
                "outputs": Out(network.ports + 1),
                "used_up": Out(1),
                "passed_on": Out(flit),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        layout, ports = self._network.layout, self._network.ports
        bits = layout.port_bits
        payload = self.flit.payload
        header = struct(layout.header)(payload[: layout.header.width])
        route = struct(layout.route)(payload[: layout.route.width])

        # A table of a power of two entries: switches that do not exist lead to the sink.
        missing = (1 << layout.switch_bits) - self._network.switches
        table = Cat(self.routes, *(Const(ports, bits) for _ in range(missing)))
        by_table = Signal(bits)
        m.d.comb += by_table.eq(
            Mux(header.switch == self.number, header.port, table.word_select(header.switch, bits))
        )

        last, bad = Signal(), Signal()
        m.d.comb += [
            last.eq(route.count == 1),
            bad.eq(
                (route.count == 0) | (route.port_0 >= ports) | (self.flit.tail & last),
            ),
            self.used_up.eq(header.by_route & ~bad & last),
        ]
        code = Signal(bits)
        m.d.comb += code.eq(Mux(header.by_route, Mux(bad, ports, route.port_0), by_table))
        m.d.comb += [self.outputs[port].eq(code == port) for port in range(ports)]
        m.d.comb += self.outputs[ports].eq(code >= ports)

        moved = struct(layout.route)(Signal(layout.route.width, name="moved"))
        m.d.comb += [
            moved.by_route.eq(1),
            moved.count.eq(route.count - 1),
        ]
        for i in range(layout.route_ports - 1):
            m.d.comb += getattr(moved, f"port_{i}").eq(getattr(route, f"port_{i + 1}"))
        m.d.comb += self.passed_on.eq(self.flit)
        with m.If(header.by_route & ~bad):
            m.d.comb += self.passed_on.payload[: layout.route.width].eq(moved.as_value())
        return m
