"""Control of one ordinary channel of an input port: places, route of the front packet, credits."""

from amaranth import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["ChannelControl"]


class ChannelControl(wiring.Component):
    """Keeps a first-in first-out buffer's pointers and the route of its front flit.

    The flits themselves are in the input port's memory. Routes are stored as packets arrive and
    the front packet's is kept in flip-flops, so that arbitration starts from flip-flops.
    A flit pushed in one cycle can be popped in the next.

    Parameters
    ----------
    places : int, >= 1
        Flits that the buffer holds.
    outputs : tuple of int
        Outputs that a packet from this input can take; other bits of ``route`` are constant 0.
    width : int
        Bits of a route: one for each output of the router.

    Members
    -------
    push, push_head : In(1)
        A flit arrives; it is the first of its packet.
    push_route : In(width)
        Route of the packet whose head arrives.
    pop, pop_tail : In(1)
        The front flit leaves; it is the last of its packet.
    occupied : Out(1)
        There is a front flit.
    active : Out(1)
        The front packet's head has left already.
    route : Out(width)
        One-hot route of the front packet, meaningful while ``occupied``.
    write_place, read_place : Out
        Place of the next flit to come and of the front flit.
    credit : Out(1)
        High in the cycle after each ``pop``.
    overflow : Out(1)
        A flit arrives while the buffer is full; it is not taken.
    """

    def __init__(self, places: int, outputs: tuple[int, ...], width: int) -> None:
        if places < 1:
            raise ValueError(f"ChannelControl needs at least 1 place, not {places!r}")
        self._places = places
        self._outputs = outputs
        place = range(places)
        super().__init__(
            {
                "push": In(1),
                "push_head": In(1),
                "push_route": In(width),
                "pop": In(1),
                "pop_tail": In(1),
                "occupied": Out(1),
                "active": Out(1),
                "route": Out(width),
                "write_place": Out(place),
                "read_place": Out(place),
                "credit": Out(1),
                "overflow": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        last = self._places - 1
        level = Signal(range(self._places + 1))
        write = Signal()
        m.d.comb += [
            self.overflow.eq(self.push & (level == self._places)),
            write.eq(self.push & (level != self._places)),
        ]
        m.d.sync += [
            level.eq(level + write - self.pop),
            self.occupied.eq(Mux(self.pop, write | (level > 1), write | self.occupied)),
            self.credit.eq(self.pop),
        ]
        after_read = Signal(range(self._places))
        m.d.comb += after_read.eq(Mux(self.read_place == last, 0, self.read_place + 1))
        with m.If(write):
            m.d.sync += self.write_place.eq(Mux(self.write_place == last, 0, self.write_place + 1))
        with m.If(self.pop):
            m.d.sync += [self.read_place.eq(after_read), self.active.eq(~self.pop_tail)]

        # Only legal outputs are stored and kept; the others stay constant 0.
        arriving = Cat(self.push_route[output] for output in self._outputs)
        m.submodules.routes = routes = Memory(shape=len(self._outputs), depth=self._places, init=[])
        store, fetch = routes.write_port(), routes.read_port(domain="comb")
        m.d.comb += [
            store.en.eq(write & self.push_head),
            store.addr.eq(self.write_place),
            store.data.eq(arriving),
            fetch.addr.eq(after_read),
        ]
        kept = Signal(len(self._outputs))
        becomes_front = Signal()
        m.d.comb += becomes_front.eq(write & Mux(self.pop, level == 1, ~self.occupied))
        with m.If(becomes_front & self.push_head):
            m.d.sync += kept.eq(arriving)
        with m.Elif(self.pop & self.pop_tail):
            m.d.sync += kept.eq(fetch.data)
        m.d.comb += self.route.eq(
            Cat(
                kept[self._outputs.index(output)] if output in self._outputs else Const(0, 1)
                for output in range(len(self.route))
            )
        )
        return m
