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

__all__ = ["HostFront"]


class HostFront(wiring.Component):
    """The registers behind AXI4-Lite, or behind a console.

    Parameters
    ----------
    shape : HostShape
        What the network has, and how many meters.
    cycles : int, >= 4, optional
        Of a bit on the console's lines; without it there is AXI4-Lite.

    Members
    -------
    s_axi : In(AxiLiteSignature)
        Of AXI4-Lite.
    rx : In(1), tx : Out(1)
        Of a console.
    irq : Out(1)
    net : Out(NetworkSignature)
    traffic : Out(TrafficSignature)
        Where the shape says that there is traffic.
    """

    def __init__(self, shape: HostShape, cycles: int | None = None) -> None:
        self._shape, self._cycles = shape, cycles
        members: dict[str, Any] = {"s_axi": In(AxiLiteSignature())}
        if cycles is not None:
            members = {"rx": In(1, init=1), "tx": Out(1, init=1)}
        members |= {"irq": Out(1), "net": Out(NetworkSignature(shape))}
        if shape.traffic:
            members["traffic"] = Out(TrafficSignature())
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.registers = registers = HostRegisters(self._shape)
        if self._cycles is None:
            m.submodules.front = axi = AxiLite()
            wiring.connect(m, axi.bus, registers.bus)
            wiring.connect(m, wiring.flipped(self.s_axi), axi.axi)
        else:
            m.submodules.front = console = Console(self._cycles)
            wiring.connect(m, console.bus, registers.bus)
            m.d.comb += [console.rx.eq(self.rx), self.tx.eq(console.tx)]
        wiring.connect(m, registers.net, wiring.flipped(self.net))
        if self._shape.traffic:
            wiring.connect(m, registers.traffic, wiring.flipped(self.traffic))
        m.d.comb += self.irq.eq(registers.irq)
        return m
