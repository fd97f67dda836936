"""The two slots for messages of an input, with what it presents in flip-flops."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.mesh.routing import HERE, legal_outputs
from syncfabric.rtl.parts.gates import either

__all__ = ["ReadySlots"]


class ReadySlots(wiring.Component):
    """Keeps which slots are occupied and their routes, and presents one message a cycle.

    The messages themselves are kept elsewhere. What is presented is chosen a cycle ahead, so it
    may be one whose credit has gone meanwhile: such a one asks for nothing. A message pushed in
    one cycle can be presented in the next.

    Cycles: docs/microarchitecture.md, section 4.7.

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
    has_credit, credit : In(8)
        Bit 2·output + class: that output has a credit for that class; one comes.
    hold : In(1)
        A message for this node is not presented in the next cycle, unless it comes in this one.
    occupied : Out(2)
        Slots with a message.
    presents : Out(1), present : Out(2)
        A message is presented, and its class, one-hot.
    route : Out(5)
        The output that it asks for, with a credit, or the unit.
    free : In(1)
        The presented message leaves.
    """

    def __init__(self, port: int) -> None:
        if not 0 <= port <= 3:
            raise ValueError(f"ReadySlots needs a network port 0..3, not {port!r}")
        self._port = port
        super().__init__(
            {
                "push": In(2),
                "push_route_0": In(5),
                "push_route_1": In(5),
                "has_credit": In(8),
                "credit": In(8),
                "hold": In(1),
                "occupied": Out(2),
                "presents": Out(1),
                "present": Out(2),
                "route": Out(5),
                "free": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        stays = Signal(2)
        m.d.comb += stays.eq(self.occupied & ~Mux(self.free, self.present, 0))
        m.d.sync += self.occupied.eq(stays | self.push)
        soon = self.has_credit | self.credit
        eligible = Signal(2)
        routes = []
        for turn, arriving in enumerate((self.push_route_0, self.push_route_1)):
            outputs = [o for o in legal_outputs(self._port, y_first=bool(turn)) if o != HERE]
            # A message with no way on is for this node.
            kept = Signal(len(outputs), name=f"route_{turn}")
            with m.If(self.push[turn]):
                m.d.sync += kept.eq(Cat(arriving[output] for output in outputs))
            here = ~kept.any()
            may = [kept[i] & soon[2 * o + turn] for i, o in enumerate(outputs)]
            may.append(here & ~self.hold)
            m.d.comb += eligible[turn].eq(self.push[turn] | (stays[turn] & Cat(may).any()))
            asks: list[Value] = [Const(0, 1)] * 4 + [here]
            for i, o in enumerate(outputs):
                asks[o] = kept[i] & self.has_credit[2 * o + turn]
            routes.append(Cat(asks))
        last, taken = Signal(init=1), Signal()
        m.d.comb += taken.eq(Mux(self.free, self.present[1], last))
        m.d.sync += [
            last.eq(taken),
            self.present[0].eq(eligible[0] & (taken | ~eligible[1])),
            self.present[1].eq(eligible[1] & ~(taken & eligible[0])),
        ]
        m.d.comb += [
            self.presents.eq(self.present.any()),
            self.route.eq(either([Mux(self.present[turn], routes[turn], 0) for turn in range(2)])),
        ]
        return m
