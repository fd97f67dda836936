"""The barrier unit of a switch whose barriers are on wires alone."""

from typing import Any

from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.guard.members import guard_members
from syncfabric.rtl.irregular.config_stage import config_stage
from syncfabric.rtl.irregular.ports import observe_bits
from syncfabric.rtl.irregular.sink import place_sink, sink_ports
from syncfabric.rtl.wires.plane import link_ports
from syncfabric.rtl.wires.unit import SINK_PORTS, WireUnit

__all__ = ["SwitchWires"]


class SwitchWires(wiring.Component):
    """Slots behind a config stage, and with managers the set-up sink that reaches them.

    Cycles as in docs/microarchitecture-wires.md.

    Parameters
    ----------
    network : IrregularSpec
        With ``sync = "wires"``.

    Members
    -------
    index : In
        Number of this switch on the config port.
    in_0 .. : In(plane.link), out_0 .. : Out(plane.link)
        The links' wires.
    overflows, strays : In
        Events of the ordinary part, to be counted here.
    number, setup_valid, setup_flit, listening, reply_valid, reply_flit, reply_manager, reply_taken
        Only with set-up by managers: this switch's number, and the flits of its set-up sink.
    config : In(ConfigSignature)
        The network's config port.
    observe : Out
        State of slots and counters, for benches.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        plane, ports = network.wire_plane, network.ports
        assert plane
        self._plane = plane
        members: dict[str, Any] = link_ports(plane, ports, process=False)
        members |= {
            "index": In(network.layout.target_bits),
            "overflows": In(range(ports + 1)),
            "strays": In(1),
            "config": In(ConfigSignature(network)),
            "observe": Out(observe_bits(network, ports)),
        }
        if network.guarded:
            members |= guard_members(ports)
        super().__init__(members | (sink_ports(network) if network.managed else {}))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, ports = self._network, self._network.ports
        m.submodules.slots = slots = WireUnit(
            network, self._plane, ports, process=False, sink=network.managed
        )
        config_stage(m, self.config, slots.config)
        for p in range(ports):
            m.d.comb += [
                getattr(slots, f"in_{p}").eq(getattr(self, f"in_{p}")),
                getattr(self, f"out_{p}").eq(getattr(slots, f"out_{p}")),
            ]
        strays = [self.strays]
        if network.managed:
            sink = place_sink(m, network, self)
            wiring.connect(m, sink.access, slots.access)
            m.d.comb += [getattr(sink, name).eq(getattr(slots, name)) for name in SINK_PORTS]
            strays.append(sink.stray)
        m.d.comb += [
            slots.index.eq(self.index),
            slots.overflows.eq(self.overflows),
            slots.strays.eq(Cat(strays)),
            self.observe.eq(slots.observe),
        ]
        if network.guarded:
            m.d.comb += [
                slots.corrupt.eq(self.corrupt),
                slots.lost.eq(self.lost),
                self.fence.eq(slots.fence),
            ]
        return m
