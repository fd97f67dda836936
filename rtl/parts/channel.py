"""Control of one ordinary channel of an input port: places, route of the front packet, credits."""

from amaranth import Cat, Module, Mux, Signal, Value
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
    push, push_tail : In(1)
        A flit arrives; it is the last of its packet.
    push_route : In(width)
        Route of the packet whose head arrives.
    pop : In(1)
        The front flit leaves.
    occupied : Out(1)
        There is a front flit.
    active, tail : Out(1)
        The front packet's head has left already; the front flit is the last of its packet.
        ``tail`` is meaningful while ``occupied``.
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
                "push_tail": In(1),
                "push_route": In(width),
                "pop": In(1),
                "occupied": Out(1),
                "active": Out(1),
                "tail": Out(1),
                "route": Out(width),
                "write_place": Out(place),
                "read_place": Out(place),
                "credit": Out(1),
                "overflow": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        outputs = self._outputs
        after_write, after_read = Signal.like(self.write_place), Signal.like(self.read_place)
        full, only, write = Signal(), Signal(), Signal()
        m.d.comb += [
            after_write.eq(self._after(self.write_place)),
            after_read.eq(self._after(self.read_place)),
            only.eq(after_read == self.write_place),
            self.overflow.eq(self.push & full),
            write.eq(self.push & ~full),
        ]
        m.d.sync += [
            full.eq(~self.pop & (full | (write & (after_write == self.read_place)))),
            self.occupied.eq(write | (self.occupied & ~(self.pop & only))),
            self.credit.eq(self.pop),
        ]
        with m.If(write):
            m.d.sync += self.write_place.eq(after_write)
        with m.If(self.pop):
            m.d.sync += [self.read_place.eq(after_read), self.active.eq(~self.tail)]

        # Only legal outputs are stored and kept; the others stay constant 0. The last of them is
        # stored as none of the others.
        arriving = Cat(self.push_route[output] for output in outputs)
        m.submodules.ahead = ahead = Memory(shape=len(outputs), depth=self._places, init=[])
        store, fetch = ahead.write_port(), ahead.read_port(domain="comb")
        others = fetch.data[1:]
        m.d.comb += [
            store.en.eq(write),
            store.addr.eq(self.write_place),
            store.data.eq(Cat(self.push_tail, arriving[:-1])),
            fetch.addr.eq(after_read),
        ]
        # What becomes the front flit next is the one that arrives, or is stored.
        kept = Signal(len(outputs))
        passes = ~self.occupied | only
        with m.If(self.pop | ~self.occupied):
            m.d.sync += self.tail.eq(Mux(passes, self.push_tail, fetch.data[0]))
        with m.If(Mux(self.occupied, self.pop & self.tail, ~self.active)):
            m.d.sync += kept.eq(Mux(passes, arriving, Cat(others, ~others.any())))
        for i, output in enumerate(outputs):
            m.d.comb += self.route[output].eq(kept[i])
        return m

    def _after(self, place: Value) -> Value:
        """Return the place after ``place``, in a circle."""
        return Mux(place == self._places - 1, 0, place + 1)
