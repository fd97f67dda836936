"""The two slots for synchronization messages of a network input port."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.mesh.routing import HERE, legal_outputs
from syncfabric.rtl.parts.gates import either

__all__ = ["SyncSlots"]


class SyncSlots(wiring.Component):
    """Keeps which slots are occupied and their routes, and presents one message a cycle.

    The messages themselves are kept elsewhere. A message pushed in one cycle can be presented in
    the next.

    Parameters
    ----------
    port : int
        Input port, EAST 0 to SOUTH 3: dimension order leaves some routes impossible.

    Members
    -------
    push : In(2)
        One-hot: a message of this class arrives, and its slot is free.
    push_route : In(5) of each class
        ``push_route_0`` and ``push_route_1``: its route, one-hot.
    has_credit : In(8)
        Bit 2·output + class: that output has a credit for that class.
    occupied : Out(2)
        Slots with a message.
    presents : Out(1), present : Out(2)
        A message is presented, and its class, one-hot.
    route : Out(5)
        Its route; 0 when nothing is presented.
    free : In(1)
        The presented message leaves.
    """

    def __init__(self, port: int) -> None:
        if not 0 <= port <= 3:
            raise ValueError(f"SyncSlots needs a network port 0..3, not {port!r}")
        self._port = port
        members: dict[str, Any] = {
            "push": In(2),
            "push_route_0": In(5),
            "push_route_1": In(5),
            "has_credit": In(8),
            "occupied": Out(2),
            "presents": Out(1),
            "present": Out(2),
            "route": Out(5),
            "free": In(1),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += self.occupied.eq((self.occupied & ~Mux(self.free, self.present, 0)) | self.push)
        eligible = Signal(2)
        routes = []
        for turn, arriving in enumerate((self.push_route_0, self.push_route_1)):
            legal = legal_outputs(self._port, y_first=bool(turn))
            outputs = [o for o in legal if o != HERE]
            # Where there is one way only, nothing is kept of it.
            kept = Signal(len(outputs), name=f"route_{turn}")
            if len(outputs) > 1:
                with m.If(self.push[turn]):
                    m.d.sync += kept.eq(Cat(arriving[output] for output in outputs))
            else:
                m.d.comb += kept.eq(1)
            ready = [kept[i] & self.has_credit[2 * o + turn] for i, o in enumerate(outputs)]
            m.d.comb += eligible[turn].eq(self.occupied[turn] & Cat(ready).any())
            routes.append(
                Cat(kept[outputs.index(o)] if o in outputs else Const(0, 1) for o in range(5))
            )
        last = Signal(init=1)
        m.d.comb += [
            self.presents.eq(eligible.any()),
            self.present[0].eq(eligible[0] & (last | ~eligible[1])),
            self.present[1].eq(eligible[1] & (~last | ~eligible[0])),
            self.route.eq(either([Mux(self.present[turn], routes[turn], 0) for turn in range(2)])),
        ]
        with m.If(self.presents):
            m.d.sync += last.eq(self.present[1])
        return m
