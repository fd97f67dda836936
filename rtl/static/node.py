"""One node of the static network: switch and core. Every node of a network is the same module."""

from typing import Any

from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static import core
from syncfabric.rtl.static.core import StaticCore
from syncfabric.rtl.static.ports import (
    ConfigSignature,
    CoreSignature,
    RouteSignature,
    StaticLinkSignature,
)
from syncfabric.rtl.static.switch import CORE, PORTS, StaticSwitch

__all__ = ["DIRECTIONS", "StaticNode", "observe_bits"]

DIRECTIONS = PORTS[:CORE]
"""Names of the ports that lead to other switches, by number."""


def observe_bits(network: StaticSpec) -> int:
    """Return the bits of what a node shows to benches."""
    switch = CORE * network.switch_buffer.bit_length() + network.injection_buffer.bit_length()
    return switch + core.observe_bits(network)


class StaticNode(wiring.Component):
    """A switch with its core: one cycle a hop.

    Source: paper Reflex; cycles as in docs/microarchitecture-static.md.

    Parameters
    ----------
    network : StaticSpec
        The network's parameters; the number is an input, so that all nodes share one module.

    Members
    -------
    index : In
        Number of this node; constant.
    east_in .. south_in : In(StaticLinkSignature), east_out .. south_out : Out(StaticLinkSignature)
        Links to the neighbours. Where there is none, ``flush`` of the input is the reset.
    route, route_in, route_out
        The chain of route bits: see StaticSwitch.
    port : In(CoreSignature)
        The port of the node's process.
    config : In(ConfigSignature)
        Config port of the whole network.
    eject, inject : Out
        What is on the links to and from the core, and ``observe``, its state: for benches; leave
        them open elsewhere.
    """

    def __init__(self, network: StaticSpec) -> None:
        self._network = network
        link = StaticLinkSignature(network.flit_bits)
        members: dict[str, Any] = {
            "index": In(network.layout.target_bits),
            "route": In(RouteSignature()),
            "route_in": In(1),
            "route_out": Out(1),
            "port": In(CoreSignature(network.flit_bits)),
            "config": In(ConfigSignature(network)),
            "observe": Out(observe_bits(network)),
        }
        for name in DIRECTIONS:
            members |= {f"{name}_in": In(link), f"{name}_out": Out(link)}
        for name in ("eject", "inject"):
            members |= {
                f"{name}_valid": Out(1),
                f"{name}_flit": Out(network.flit_bits),
                f"{name}_credit": Out(1),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.switch = switch = StaticSwitch(self._network)
        m.submodules.core = node = StaticCore(self._network)
        for name in DIRECTIONS:
            wiring.connect(
                m, wiring.flipped(getattr(self, f"{name}_in")), getattr(switch, f"{name}_in")
            )
            wiring.connect(
                m, getattr(switch, f"{name}_out"), wiring.flipped(getattr(self, f"{name}_out"))
            )
        wiring.connect(m, switch.core_out, node.eject)
        wiring.connect(m, node.inject, switch.core_in)
        wiring.connect(m, wiring.flipped(self.route), switch.route)
        wiring.connect(m, wiring.flipped(self.port), node.port)
        wiring.connect(m, wiring.flipped(self.config), node.config)
        m.d.comb += [
            switch.route_in.eq(self.route_in),
            self.route_out.eq(switch.route_out),
            node.index.eq(self.index),
            node.overflow.eq(switch.overflow),
            self.observe.eq(
                Cat(*(getattr(switch, f"number_{i}") for i in range(len(PORTS))), node.observe)
            ),
        ]
        for name, link in (("eject", node.eject), ("inject", node.inject)):
            for wire in ("valid", "flit", "credit"):
                m.d.comb += getattr(self, f"{name}_{wire}").eq(getattr(link, wire))
        return m
