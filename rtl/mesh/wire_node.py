"""A node of a mesh whose barriers travel on wires: a router of packets, or none, and the unit."""

from amaranth import Module
from amaranth.lib import wiring

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.packets import PacketRouter
from syncfabric.rtl.mesh.ports import DIRECTIONS, guarded_links, node_members
from syncfabric.rtl.mesh.set_up import place_set_up
from syncfabric.rtl.parts.link import pass_on
from syncfabric.rtl.wires.slot import NODE_PORT
from syncfabric.rtl.wires.unit import WireUnit

__all__ = ["WireNode"]


class WireNode(wiring.Component):
    """Barriers on wires of their own beside packets, which know nothing of them.

    Cycles as in docs/microarchitecture-wires.md, W7.

    Parameters
    ----------
    network : MeshSpec
        The network's parameters; no barrier is a message.
    counted : bool
        There are counters; else they read 0.

    Members
    -------
    As in :func:`node_members`.
    """

    def __init__(self, network: MeshSpec, *, counted: bool = True) -> None:
        self._network, self._counted = network, counted
        super().__init__(node_members(network))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        plane = network.wire_plane
        assert plane
        m.submodules.unit = unit = WireUnit(
            network,
            plane,
            len(DIRECTIONS),
            process=True,
            sink=network.managed,
            counted=self._counted,
        )
        m.d.comb += [
            unit.index.eq(self.index),
            unit.arrive.eq(self.arrive),
            unit.data.eq(self.data),
            *(getattr(self, name).eq(getattr(unit, name)) for name in (*NODE_PORT, "result")),
            self.observe.eq(unit.observe),
        ]
        for p, name in enumerate(DIRECTIONS):
            m.d.comb += [
                getattr(unit, f"in_{p}").eq(getattr(self, f"{name}_in").wires),
                getattr(self, f"{name}_out").wires.eq(getattr(unit, f"out_{p}")),
            ]
        if network.channels:
            self._pass_packets(m, unit)
        if not network.managed:
            wiring.connect(m, wiring.flipped(self.config), unit.config)
        return m

    def _pass_packets(self, m: Module, unit: WireUnit) -> None:
        """Place the router, and with managers what sets slots up by packets."""
        network = self._network
        m.submodules.router = router = PacketRouter(network)
        m.d.comb += [
            router.x.eq(self.x),
            router.y.eq(self.y),
            unit.overflows.eq(router.overflows),
        ]
        links = guarded_links(m, network, self, unit)
        if not network.managed:
            links |= {"local_in": self.local_in, "local_out": self.local_out}
        for name, link in links.items():
            pass_on(m, getattr(router, name), link)
        if network.managed:
            place_set_up(m, network, self, unit, router.local_in, router.local_out)
