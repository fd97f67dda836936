"""The two slots for synchronization messages of a network input port."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.mesh.routing import legal_outputs

__all__ = ["SyncSlots"]


class SyncSlots(wiring.Component):
    """Keeps which slots are occupied and their routes, and presents one message a cycle.

    The messages themselves are in the input port's memory. A message pushed in one cycle can be
    presented in the next.

    Parameters
    ----------
    port : int
        Input port, EAST 0 to SOUTH 3: dimension order leaves some routes impossible.

    Members
    -------
    push : In(2)
        One-hot: a message of this class arrives.
    push_route : In(5) of each class
        ``push_route_0`` and ``push_route_1``: its route, one-hot.
    has_credit : In(8)
        Bit 2·output + class: that output has a credit for that class.
    present : Out(2)
        One-hot class of the message that is presented, or 0.
    route : Out(5)
        Its route; 0 when nothing is presented.
    free : In(1)
        The presented message leaves.
    credit : Out(2)
        High in the cycle after a slot was freed.
    overflow : Out(1)
        A message arrives for an occupied slot; it is not taken.
    """

    def __init__(self, port: int) -> None:
        if not 0 <= port <= 3:
            raise ValueError(f"SyncSlots needs a network port 0..3, not {port!r}")
        self._port = port
        super().__init__(
            {
                "push": In(2),
                "push_route_0": In(5),
                "push_route_1": In(5),
                "has_credit": In(8),
                "present": Out(2),
                "route": Out(5),
                "free": In(1),
                "credit": Out(2),
                "overflow": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        occupied = Signal(2)
        m.d.comb += self.overflow.eq((self.push & occupied).any())
        m.d.sync += [
            occupied.eq((occupied & ~Mux(self.free, self.present, 0)) | (self.push & ~occupied)),
            self.credit.eq(Mux(self.free, self.present, 0)),
        ]
        eligible = Signal(2)
        routes = []
        for turn, arriving in enumerate((self.push_route_0, self.push_route_1)):
            legal = legal_outputs(self._port, y_first=bool(turn))
            kept = Signal(len(legal), name=f"route_{turn}")
            with m.If(self.push[turn] & ~occupied[turn]):
                m.d.sync += kept.eq(Cat(arriving[output] for output in legal))
            ready = [
                kept[i] if output == 4 else kept[i] & self.has_credit[2 * output + turn]
                for i, output in enumerate(legal)
            ]
            m.d.comb += eligible[turn].eq(occupied[turn] & Cat(ready).any())
            routes.append(
                Cat(
                    kept[legal.index(output)] if output in legal else Const(0, 1)
                    for output in range(5)
                )
            )
        last = Signal(init=1)
        m.d.comb += [
            self.present[0].eq(eligible[0] & (last | ~eligible[1])),
            self.present[1].eq(eligible[1] & (~last | ~eligible[0])),
            self.route.eq(Mux(self.present[0], routes[0], 0) | Mux(self.present[1], routes[1], 0)),
        ]
        with m.If(self.present.any()):
            m.d.sync += last.eq(self.present[1])
        return m
