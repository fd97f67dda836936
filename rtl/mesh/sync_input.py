"""Synchronization messages at a network input port: those that go on, those for this node."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.arrivals import SyncArrivals
from syncfabric.rtl.mesh.routing import HERE, legal_outputs, route
from syncfabric.rtl.mesh.slots import SyncSlots
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either

__all__ = ["SyncInput"]


class SyncInput(wiring.Component):
    """Two slots, one for each class; messages are presented to an output, or shown to the unit.

    Cycles as in docs/microarchitecture.md, section 3.

    Parameters
    ----------
    network : MeshSpec
        Layouts; whether messages have links of their own.
    port : int
        EAST 0 to SOUTH 3.

    Members
    -------
    x, y : In
        Position of the router.
    valid : In(2), message : In(sync message), credit : Out(2)
        The link's: class of the message on it, its contents, and the classes freed.
    overflow : Out(1)
        A message came for an occupied slot; it is not taken.
    store : Out(1)
        The message on the link goes into its slot.
    has_credit : In(8)
        Bit 2·output + class.
    presents : Out(1), present : Out(2), route : Out(5), free : In(1)
        As of :class:`SyncSlots`.
    show : Out(2), shown : Out(sync message), take : In(1)
        As of :class:`SyncArrivals`.
    sync : Out(sync message)
        Only with links of their own: contents of the message presented. With shared links they
        are in the input port's memory.
    """

    def __init__(self, network: MeshSpec, port: int) -> None:
        self._network, self._port = network, port
        self._own = network.sync_links == "own"
        layout = network.layout
        sync = struct(layout.sync)
        members: dict[str, Any] = {
            "x": In(layout.x_bits),
            "y": In(layout.y_bits),
            "valid": In(2),
            "message": In(sync),
            "credit": Out(2),
            "overflow": Out(1),
            "store": Out(1),
            "has_credit": In(8),
            "presents": Out(1),
            "present": Out(2),
            "route": Out(5),
            "free": In(1),
            "show": Out(2),
            "shown": Out(sync),
            "take": In(1),
        }
        super().__init__(members | ({"sync": Out(sync)} if self._own else {}))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.slots = slots = SyncSlots(self._port)
        m.submodules.arrivals = arrivals = SyncArrivals(self._network)
        routes = [
            route(
                self.x,
                self.y,
                self.message,
                y_first=bool(turn),
                legal=legal_outputs(self._port, y_first=bool(turn)),
            )
            for turn in range(2)
        ]
        here = Cat(way[HERE] for way in routes)
        occupied, pushed, freed = Signal(2), Signal(2), Signal(2)
        m.d.comb += [
            self.overflow.eq((self.valid & occupied).any()),
            pushed.eq(self.valid & ~occupied),
            self.store.eq(pushed.any()),
            slots.push_route_0.eq(routes[0]),
            slots.push_route_1.eq(routes[1]),
            slots.has_credit.eq(self.has_credit),
            slots.free.eq(self.free),
            self.presents.eq(slots.presents),
            self.present.eq(slots.present),
            self.route.eq(slots.route),
            occupied.eq(slots.occupied | arrivals.occupied),
            slots.push.eq(pushed & ~here),
            arrivals.push.eq(pushed & here),
            arrivals.message.eq(self.message),
            arrivals.take.eq(self.take),
            self.show.eq(arrivals.show),
            self.shown.eq(arrivals.shown),
            freed.eq(Mux(self.free, slots.present, 0) | Mux(self.take, arrivals.show, 0)),
        ]
        m.d.sync += self.credit.eq(freed)
        if self._own:
            words = []
            for turn in range(2):
                kept = Signal.like(self.message, name=f"kept_{turn}")
                with m.If(slots.push[turn]):
                    m.d.sync += kept.eq(self.message)
                words.append(Mux(slots.present[turn], kept.as_value(), 0))
            m.d.comb += self.sync.eq(either(words))
        return m
