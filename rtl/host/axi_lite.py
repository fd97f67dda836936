"""AXI4-Lite slave in front of the host bus."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.host import HOST_ADDRESS_BITS
from syncfabric.rtl.host.ports import HostBusSignature

_BYTES = 2
_OKAY, _REFUSED = 0, 2


class AxiLiteSignature(wiring.Signature):
    """AXI4-Lite with 32 data bits, from the side of the master; names are the standard's."""

    def __init__(self) -> None:
        address = HOST_ADDRESS_BITS + _BYTES
        members: dict[str, Any] = {
            "awaddr": Out(address),
            "awprot": Out(3),
            "awvalid": Out(1),
            "awready": In(1),
            "wdata": Out(32),
            "wstrb": Out(4),
            "wvalid": Out(1),
            "wready": In(1),
            "bresp": In(2),
            "bvalid": In(1),
            "bready": Out(1),
            "araddr": Out(address),
            "arprot": Out(3),
            "arvalid": Out(1),
            "arready": In(1),
            "rdata": In(32),
            "rresp": In(2),
            "rvalid": In(1),
            "rready": Out(1),
        }
        super().__init__(members)


class AxiLite(wiring.Component):
    """Takes writes and reads, and gives them to the bus one at a time.

    As in docs/microarchitecture-host.md, H5.

    Members
    -------
    axi : In(AxiLiteSignature)
    bus : Out(HostBusSignature)
    """

    axi: In(AxiLiteSignature())  # type: ignore[valid-type]
    bus: Out(HostBusSignature())  # type: ignore[valid-type]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        axi, bus = self.axi, self.bus
        address = Signal(HOST_ADDRESS_BITS)
        from_where = Signal(HOST_ADDRESS_BITS)
        data, whole = Signal(32), Signal()
        has_address, has_data, has_read = Signal(), Signal(), Signal()
        m.d.comb += [
            axi.awready.eq(~has_address),
            axi.wready.eq(~has_data),
            axi.arready.eq(~has_read),
        ]
        with m.If(axi.awvalid & axi.awready):
            m.d.sync += [has_address.eq(1), address.eq(axi.awaddr[_BYTES:])]
        with m.If(axi.wvalid & axi.wready):
            m.d.sync += [has_data.eq(1), data.eq(axi.wdata), whole.eq(axi.wstrb.all())]
        with m.If(axi.arvalid & axi.arready):
            m.d.sync += [has_read.eq(1), from_where.eq(axi.araddr[_BYTES:])]
        with m.If(axi.bvalid & axi.bready):
            m.d.sync += axi.bvalid.eq(0)
        with m.If(axi.rvalid & axi.rready):
            m.d.sync += axi.rvalid.eq(0)

        can_write = has_address & has_data & ~axi.bvalid
        can_read = has_read & ~axi.rvalid
        wrote = Signal()
        takes_write = can_write & ~(can_read & wrote)
        response = Mux(bus.error, _REFUSED, _OKAY)
        with m.If(bus.valid), m.If(bus.ready):
            m.d.sync += [bus.valid.eq(0), wrote.eq(bus.write)]
            with m.If(bus.write):
                m.d.sync += [axi.bvalid.eq(1), axi.bresp.eq(response)]
                m.d.sync += Cat(has_address, has_data).eq(0)
            with m.Elif(~bus.later):
                m.d.sync += [axi.rvalid.eq(1), axi.rresp.eq(response), has_read.eq(0)]
                m.d.sync += axi.rdata.eq(bus.rdata)
        with m.Elif(takes_write & ~whole):
            m.d.sync += [axi.bvalid.eq(1), axi.bresp.eq(_REFUSED), wrote.eq(1)]
            m.d.sync += Cat(has_address, has_data).eq(0)
        with m.Elif(can_write | can_read):
            m.d.sync += [
                bus.valid.eq(1),
                bus.write.eq(takes_write),
                bus.address.eq(Mux(takes_write, address, from_where)),
                bus.data.eq(data),
            ]
        return m
