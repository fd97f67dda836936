"""An input port of a router: a buffer for each channel, one flit offered a cycle."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.router.adaptive import Adaptation, ChannelChoice
from syncfabric.rtl.router.link import FlitSignature


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
    several : bool
        A route can have several outputs.

    Members
    -------
    push, push_tail : In(1)
        A flit arrives; it is the last of its packet.
    push_route : In(width)
        Route of the packet whose head arrives, one-hot but with ``several``.
    pop : In(1)
        The front flit leaves.
    occupied : Out(1)
        There is a front flit.
    active, tail : Out(1)
        The front packet's head has left already; the front flit is the last of its packet.
        ``tail`` is meaningful while ``occupied``.
    route : Out(width)
        Route of the front packet, meaningful while ``occupied``.
    write_place, read_place : Out
        Place of the next flit to come and of the front flit.
    credit : Out(1)
        High in the cycle after each ``pop``.
    overflow : Out(1)
        A flit arrives while the buffer is full; it is not taken.
    """

    def __init__(
        self, places: int, outputs: tuple[int, ...], width: int, *, several: bool = False
    ) -> None:
        if places < 1:
            raise ValueError(f"ChannelControl needs at least 1 place, not {places!r}")
        self._places = places
        self._outputs = outputs
        self._stored = len(outputs) - (not several)
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
        transient(self.credit)
        m.d.comb += [
            after_write.eq(self._after(self.write_place)),
            after_read.eq(self._after(self.read_place)),
            only.eq(after_read == self.write_place),
            self.overflow.eq(self.push & full),
            write.eq(self.push & ~full),
        ]
        m.d.sync += [
            full.eq(~self.pop & (full | (write & (after_write == self.read_place)))),
            transient(self.occupied).eq(write | (self.occupied & ~(self.pop & only))),
            self.credit.eq(self.pop),
        ]
        with m.If(write):
            m.d.sync += self.write_place.eq(after_write)
        with m.If(self.pop):
            m.d.sync += [self.read_place.eq(after_read), self.active.eq(~self.tail)]

        # Only legal outputs are stored and kept; the others stay constant 0. The last of them is
        # stored as none of the others if there is but one.
        arriving = Cat(self.push_route[output] for output in outputs)
        m.submodules.ahead = ahead = Memory(shape=1 + self._stored, depth=self._places, init=[])
        store, fetch = ahead.write_port(), ahead.read_port(domain="comb")
        others = fetch.data[1:]
        last = () if self._stored == len(outputs) else (~others.any(),)
        m.d.comb += [
            store.en.eq(write),
            store.addr.eq(self.write_place),
            store.data.eq(Cat(self.push_tail, arriving[: self._stored])),
            fetch.addr.eq(after_read),
        ]
        # What becomes the front flit next is the one that arrives, or is stored.
        kept = Signal(len(outputs))
        passes = ~self.occupied | only
        with m.If(self.pop | ~self.occupied):
            m.d.sync += self.tail.eq(Mux(passes, self.push_tail, fetch.data[0]))
        with m.If(Mux(self.occupied, self.pop & self.tail, ~self.active)):
            m.d.sync += kept.eq(Mux(passes, arriving, Cat(others, *last)))
        for i, output in enumerate(outputs):
            m.d.comb += self.route[output].eq(kept[i])
        return m

    def _after(self, place: Value) -> Value:
        """Return the place after ``place``, in a circle."""
        return Mux(place == self._places - 1, 0, place + 1)


class InputPort(wiring.Component):
    """Takes in the flits of a link. A flit that arrives in t is offered in t + 1 at the earliest.

    Rules: docs/microarchitecture-engine.md, R1 and R2.

    Parameters
    ----------
    ports, buffer_flits : int
    link : FlitSignature
    outputs : tuple of int
        Outputs that its packets can take.
    number : int
        The input's.
    common : Adaptation, optional
        Packets choose among several outputs.

    Members
    -------
    link : In(FlitSignature)
    route : In(ports)
        Route of the packet whose head arrives.
    best, prefers, dateline
        As of :class:`ChannelChoice`, where packets choose.
    has_credit, busy : In(ports * channels)
        Bit output·channels + channel: that output channel has a credit, which is looked at only
        where there are several channels; it is in the middle of a packet.
    offer : Out(ports), offer_channel : Out(channels)
        One-hot output that the offered flit asks for, or 0; its channel, that at the output where
        packets choose.
    flit : Out(flit)
    take : In(1)
        The offered flit leaves.
    overflow : Out(1)
        A flit came for a full buffer.
    """

    def __init__(
        self,
        ports: int,
        buffer_flits: int,
        link: FlitSignature,
        outputs: tuple[int, ...],
        number: int = 0,
        common: Adaptation | None = None,
    ) -> None:
        self._number, self._common = number, common
        self._ports = ports
        self._channels = channels = link.channels
        self._places = buffer_flits
        self._cut = "cut" in dict(link.flit)
        self._outputs = outputs
        choice = {}
        if common:
            choice = {
                "best": In(ports * channels),
                "prefers": In(len(common.pairs)),
                "dateline": In(ports),
            }
        super().__init__(
            {
                **choice,
                "link": In(link),
                "route": In(ports),
                "has_credit": In(ports * channels),
                "busy": In(ports * channels),
                "offer": Out(ports),
                "offer_channel": Out(channels),
                "flit": Out(link.flit),
                "take": In(1),
                "overflow": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        link, channels = self.link, self._channels
        m.submodules.choice = choice = LeastRecentArbiter(channels)
        # A single channel is the one chosen, whether it asks or not: nothing waits for that. Its
        # credits are the outputs' business.
        chosen = choice.grant if channels > 1 else Const(1, 1)
        controls: list[ChannelControl] = []
        offers: list[Value] = []
        lanes: list[Value] = []
        for channel in range(channels):
            several = self._common is not None
            control = ChannelControl(self._places, self._outputs, self._ports, several=several)
            m.submodules[f"channel_{channel}"] = control
            controls.append(control)
            if self._common:
                offer, lane = self._choice(m, self._common, channel, control, chosen[channel])
                lanes.append(lane)
            else:
                free = control.active.replicate(self._ports) | ~self.busy[channel::channels]
                ready = control.occupied.replicate(self._ports) & free
                if channels > 1:
                    ready &= self.has_credit[channel::channels]
                offer = control.route & ready
            offers.append(offer)
            m.d.comb += [
                control.push.eq(link.valid[channel]),
                control.push_tail.eq(link.flit.tail),
                control.push_route.eq(self.route),
                control.pop.eq(self.take & chosen[channel]),
                link.credit[channel].eq(control.credit),
                choice.request[channel].eq(offers[-1].any()),
            ]
        m.d.comb += [
            choice.sent.eq(Mux(self.take, choice.grant, 0)),
            self.offer.eq(either([Mux(chosen[i], wanted, 0) for i, wanted in enumerate(offers)])),
            self.offer_channel.eq(
                either([Mux(chosen[i], lane, 0) for i, lane in enumerate(lanes)])
                if lanes
                else chosen
            ),
            self.overflow.eq(Cat(control.overflow for control in controls).any()),
        ]
        self._place_memory(m, controls, chosen)
        return m

    def _choice(
        self, m: Module, common: Adaptation, channel: int, control: ChannelControl, chosen: Value
    ) -> tuple[Value, Value]:
        """Place a channel's choice; return its offer, and the channel at the output."""
        choice = ChannelChoice(common, self._number, channel, self._outputs)
        m.submodules[f"choice_{channel}"] = choice
        for name in ("has_credit", "busy", "best", "prefers", "dateline"):
            m.d.comb += getattr(choice, name).eq(getattr(self, name))
        for name in ("route", "occupied", "active"):
            m.d.comb += getattr(choice, name).eq(getattr(control, name))
        m.d.comb += choice.sent.eq(self.take & chosen)
        return choice.offer, choice.offer_channel

    def _place_memory(self, m: Module, controls: list[ChannelControl], chosen: Value) -> None:
        """Place one memory for the buffers of all channels."""
        place_bits = ceil_log2(self._places)
        here, there = self.link.flit, self.flit
        kept = Cat(here.payload, here.cut) if self._cut else here.payload
        memory = Memory(shape=len(kept), depth=len(controls) << place_bits, init=[])
        m.submodules.memory = memory
        write, read = memory.write_port(), memory.read_port(domain="comb")

        def address(selects: Value, places: list[Signal]) -> Value:
            numbered = [Cat(place, Const(i, 8))[: place_bits + 8] for i, place in enumerate(places)]
            return either([Mux(selects[i], word, 0) for i, word in enumerate(numbered)])

        written = self.link.valid if len(controls) > 1 else Const(1, 1)
        enables = [self.link.valid[i] & ~control.overflow for i, control in enumerate(controls)]
        m.d.comb += [
            write.en.eq(Cat(enables).any()),
            write.addr.eq(address(written, [control.write_place for control in controls])),
            write.data.eq(kept),
            read.addr.eq(address(chosen, [control.read_place for control in controls])),
            (Cat(there.payload, there.cut) if self._cut else there.payload).eq(read.data),
            there.head.eq((chosen & Cat(~control.active for control in controls)).any()),
            there.tail.eq((chosen & Cat(control.tail for control in controls)).any()),
        ]
