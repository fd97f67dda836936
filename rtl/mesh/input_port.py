"""An input port of the mesh router: buffers, slots, one memory, one flit offered a cycle."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.routing import HERE, legal_outputs, route
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.channel import ChannelControl
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.link import LocalLinkSignature, shares_links

__all__ = ["InputPort"]


class InputPort(wiring.Component):
    """Takes in the flits of one link and offers one of them a cycle to an output.

    A flit that arrives in one cycle is offered in the next at the earliest. With shared links
    the memory has one read port: an input that presents a synchronization message offers no
    ordinary flit in that cycle.

    Parameters
    ----------
    network : MeshSpec
        Buffer places, channels, link widths.
    port : int
        EAST 0 to SOUTH 3, or LOCAL 4, which has no synchronization messages. Where there are none,
        or they have links of their own, no port has.

    Members
    -------
    link : In(LocalLinkSignature)
        The link that ends here; what else it carries for messages is :class:`SyncInput`'s.
    x, y : In
        Position of the router.
    has_credit, busy : In(5 * channels)
        Bit output·channels + channel: that output channel has a credit, which is looked at only
        where there are several channels; it is in the middle of some packet.
    offer : Out(5)
        One-hot output that the offered ordinary flit wants, or 0.
    offer_channel : Out(channels)
        Its channel, one-hot.
    flit : Out(flit)
        The offered flit; or the presented message, in the low bits.
    take : In(1)
        The offered flit leaves.
    overflow : Out(1)
        A flit came for a full buffer.
    arrives : In(2), store : In(1), presents : In(1), present : In(2)
        Only with messages: ``valid``, ``store``, ``presents`` and ``present`` of
        :class:`SyncInput`.
    """

    def __init__(self, network: MeshSpec, port: int) -> None:
        self._network = network
        self._port = port
        self._has_sync = port != HERE and shares_links(network)
        layout, channels = network.layout, network.link_channels
        members: dict[str, Any] = {
            "link": In(LocalLinkSignature(layout, channels)),
            "x": In(layout.x_bits),
            "y": In(layout.y_bits),
            "has_credit": In(5 * channels),
            "busy": In(5 * channels),
            "offer": Out(5),
            "offer_channel": Out(channels),
            "flit": Out(struct(layout.flit)),
            "take": In(1),
            "overflow": Out(1),
        }
        if self._has_sync:
            members |= {
                "arrives": In(2),
                "store": In(1),
                "presents": In(1),
                "present": In(2),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, link = self._network, self.link
        channels, layout = network.link_channels, network.layout
        place_bits = ceil_log2(network.buffer_flits)
        slots_base = channels << place_bits

        # Ordinary channels.
        outputs = legal_outputs(self._port, y_first=False)
        header = struct(layout.header)(link.flit.payload[: layout.header.width])
        arriving = Signal(5)
        m.d.comb += arriving.eq(route(self.x, self.y, header, y_first=False, legal=outputs))
        m.submodules.choice = choice = LeastRecentArbiter(channels)
        # A single channel is the one chosen, whether it asks or not: nothing waits for that. Its
        # credits are the outputs' business.
        chosen = choice.grant if channels > 1 else Const(1, 1)
        controls: list[ChannelControl] = []
        offers: list[Value] = []
        for channel in range(channels):
            control = ChannelControl(network.buffer_flits, outputs, 5)
            m.submodules[f"channel_{channel}"] = control
            controls.append(control)
            free = control.active.replicate(5) | ~self.busy[channel::channels]
            ready = control.occupied.replicate(5) & free
            if channels > 1:
                ready &= self.has_credit[channel::channels]
            offers.append(control.route & ready)
            m.d.comb += [
                control.push.eq(link.valid[channel]),
                control.push_tail.eq(link.flit.tail),
                control.push_route.eq(arriving),
                control.pop.eq(self.take & chosen[channel]),
                link.credit[channel].eq(control.credit),
                choice.request[channel].eq(offers[-1].any()),
            ]
        offer = Signal(5)
        m.d.comb += [
            choice.sent.eq(Mux(self.take, choice.grant, 0)),
            offer.eq(either([Mux(chosen[i], wanted, 0) for i, wanted in enumerate(offers)])),
            self.offer_channel.eq(chosen),
            self.overflow.eq(Cat(control.overflow for control in controls).any()),
        ]

        # One memory: the channels' places, then the slots of messages.
        depth = slots_base + (2 if self._has_sync else 0)
        m.submodules.memory = memory = Memory(shape=struct(layout.flit), depth=depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        write_enable = [link.valid[i] & ~control.overflow for i, control in enumerate(controls)]
        written = link.valid if channels > 1 or self._has_sync else Const(1, 1)
        write_address = [
            Mux(written[i], Cat(control.write_place, Const(i, 8))[: place_bits + 8], 0)
            for i, control in enumerate(controls)
        ]
        read_address = [
            Mux(chosen[i], Cat(control.read_place, Const(i, 8))[: place_bits + 8], 0)
            for i, control in enumerate(controls)
        ]
        ordinary: Value = chosen
        if self._has_sync:
            ordinary = Mux(self.presents, 0, chosen)
            m.d.comb += self.offer.eq(Mux(self.presents, 0, offer))
            write_enable.append(self.store)
            write_address += [Mux(self.arrives[turn], slots_base + turn, 0) for turn in range(2)]
            read_address = [Mux(self.presents, 0, either(read_address))] + [
                Mux(self.present[turn], slots_base + turn, 0) for turn in range(2)
            ]
        else:
            m.d.comb += self.offer.eq(offer)
        m.d.comb += [
            write.en.eq(Cat(write_enable).any()),
            write.addr.eq(either(write_address)),
            write.data.eq(link.flit),
            read.addr.eq(either(read_address)),
            self.flit.payload.eq(read.data.payload),
            self.flit.head.eq((ordinary & Cat(~control.active for control in controls)).any()),
            self.flit.tail.eq((ordinary & Cat(control.tail for control in controls)).any()),
        ]
        if network.guarded:
            m.d.comb += self.flit.cut.eq(read.data.cut)
        return m
