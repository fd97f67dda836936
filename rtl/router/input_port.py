"""An input port of a router: a buffer for each channel, one flit offered a cycle."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.channel import ChannelControl
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.router.link import FlitSignature

__all__ = ["InputPort"]


class InputPort(wiring.Component):
    """Takes in the flits of a link. A flit that arrives in t is offered in t + 1 at the earliest.

    Rules: docs/microarchitecture-engine.md, R1 and R2.

    Parameters
    ----------
    ports, buffer_flits : int
    link : FlitSignature
    outputs : tuple of int
        Outputs that its packets can take.

    Members
    -------
    link : In(FlitSignature)
    route : In(ports)
        Route of the packet whose head arrives.
    has_credit, busy : In(ports * channels)
        Bit output·channels + channel: that output channel has a credit, which is looked at only
        where there are several channels; it is in the middle of a packet.
    offer : Out(ports), offer_channel : Out(channels)
        One-hot output that the offered flit asks for, or 0; its channel.
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
    ) -> None:
        self._ports = ports
        self._channels = channels = link.channels
        self._places = buffer_flits
        self._cut = "cut" in dict(link.flit)
        self._outputs = outputs
        super().__init__(
            {
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
        for channel in range(channels):
            control = ChannelControl(self._places, self._outputs, self._ports)
            m.submodules[f"channel_{channel}"] = control
            controls.append(control)
            free = control.active.replicate(self._ports) | ~self.busy[channel::channels]
            ready = control.occupied.replicate(self._ports) & free
            if channels > 1:
                ready &= self.has_credit[channel::channels]
            offers.append(control.route & ready)
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
            self.offer_channel.eq(chosen),
            self.overflow.eq(Cat(control.overflow for control in controls).any()),
        ]
        self._place_memory(m, controls, chosen)
        return m

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
