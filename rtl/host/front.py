"""A host whole: the registers behind one of the fronts."""

from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.host import HostShape
from syncfabric.rtl.host.axi_lite import AxiLite, AxiLiteSignature
from syncfabric.rtl.host.console import Console
from syncfabric.rtl.host.ports import NetworkSignature, TrafficSignature
from syncfabric.rtl.host.registers import HostRegisters

__all__ = ["AxiHost", "UartHost"]


class AxiHost(wiring.Component):
    """The registers behind AXI4-Lite.

    Parameters
    ----------
    shape : HostShape
        What the network has, and how many meters.

    Members
    -------
    s_axi : In(AxiLiteSignature)
    irq : Out(1)
    net : Out(NetworkSignature)
    """

    def __init__(self, shape: HostShape) -> None:
        self._shape = shape
        super().__init__(
            {
                "s_axi": In(AxiLiteSignature()),
                "irq": Out(1),
                "net": Out(NetworkSignature(shape)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.registers = registers = HostRegisters(self._shape)
        m.submodules.front = front = AxiLite()
        wiring.connect(m, front.bus, registers.bus)
        wiring.connect(m, wiring.flipped(self.s_axi), front.axi)
        wiring.connect(m, registers.net, wiring.flipped(self.net))
        m.d.comb += self.irq.eq(registers.irq)
        return m


class UartHost(wiring.Component):
    """The registers behind a console.

    Parameters
    ----------
    shape : HostShape
        What the network has, and how many meters.
    cycles : int, >= 4
        Of a bit on the UART's lines.

    Members
    -------
    rx : In(1), tx : Out(1), irq : Out(1)
    net : Out(NetworkSignature)
    traffic : Out(TrafficSignature)
        Where the shape says that there is traffic.
    """

    def __init__(self, shape: HostShape, cycles: int) -> None:
        self._shape, self._cycles = shape, cycles
        members: dict[str, Any] = {
            "rx": In(1, init=1),
            "tx": Out(1, init=1),
            "irq": Out(1),
            "net": Out(NetworkSignature(shape)),
        }
        if shape.traffic:
            members["traffic"] = Out(TrafficSignature())
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.registers = registers = HostRegisters(self._shape)
        m.submodules.front = front = Console(self._cycles)
        wiring.connect(m, front.bus, registers.bus)
        wiring.connect(m, registers.net, wiring.flipped(self.net))
        if self._shape.traffic:
            wiring.connect(m, registers.traffic, wiring.flipped(self.traffic))
        m.d.comb += [
            front.rx.eq(self.rx),
            self.tx.eq(front.tx),
            self.irq.eq(registers.irq),
        ]
        return m
