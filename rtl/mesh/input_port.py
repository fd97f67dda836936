"""An input port of the mesh router: buffers, slots, one memory, one flit offered a cycle."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.routing import HERE, legal_outputs, route
from syncfabric.rtl.mesh.slots import SyncSlots
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.channel import ChannelControl
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.link import LinkSignature, LocalLinkSignature

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
        EAST 0 to SOUTH 3, or LOCAL 4, which has no synchronization messages. Where no barrier
        is one, no port has.

    Members
    -------
    link : In(LinkSignature or LocalLinkSignature)
        The link that ends here.
    x, y : In
        Position of the router.
    has_credit, busy : In(5 * channels)
        Bit output·channels + channel: that output channel has a credit; it is in the middle of
        some packet.
    has_sync_credit : In(8)
        Bit 2·output + class. Only with messages.
    offer : Out(5)
        One-hot output that the offered ordinary flit wants, or 0.
    offer_channel : Out(channels)
        Its channel, one-hot.
    flit : Out(flit)
        The offered flit; with shared links also the presented message, in the low bits.
    take : In(1)
        The offered flit leaves.
    present : Out(2), present_route : Out(5), sync : Out(sync message), sync_take : In(1)
        The presented message's class, route and contents; it leaves. Only with messages.
    overflow : Out(2)
        A flit, or a message, came for a full buffer.
    """

    def __init__(self, network: MeshSpec, port: int) -> None:
        self._network = network
        self._port = port
        self._own = network.sync_links == "own"
        self._has_sync = port != HERE and network.has_messages
        layout, channels = network.layout, network.link_channels
        link: wiring.Signature = LocalLinkSignature(layout, channels)
        if self._has_sync:
            link = LinkSignature(layout, channels, own=self._own)
        members: dict[str, Any] = {
            "link": In(link),
            "x": In(layout.x_bits),
            "y": In(layout.y_bits),
            "has_credit": In(5 * channels),
            "busy": In(5 * channels),
            "offer": Out(5),
            "offer_channel": Out(channels),
            "flit": Out(struct(layout.flit)),
            "take": In(1),
            "overflow": Out(2),
        }
        if self._has_sync:
            members |= {
                "has_sync_credit": In(8),
                "present": Out(2),
                "present_route": Out(5),
                "sync": Out(struct(layout.sync)),
                "sync_take": In(1),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, link = self._network, self.link
        channels, layout = network.link_channels, network.layout
        place_bits = ceil_log2(network.buffer_flits)
        slots_base = channels << place_bits
        shared = self._has_sync and not self._own

        # Ordinary channels.
        outputs = legal_outputs(self._port, y_first=False)
        header = struct(layout.header)(link.flit.payload[: layout.header.width])
        arriving = Signal(5)
        m.d.comb += arriving.eq(self._route(header, y_first=False))
        m.submodules.choice = choice = LeastRecentArbiter(channels)
        # A single channel is the one chosen, whether it asks or not: nothing waits for that.
        chosen = choice.grant if channels > 1 else Const(1, 1)
        controls: list[ChannelControl] = []
        offers: list[Value] = []
        for channel in range(channels):
            control = ChannelControl(network.buffer_flits, outputs, 5)
            m.submodules[f"channel_{channel}"] = control
            controls.append(control)
            free = control.active.replicate(5) | ~self.busy[channel::channels]
            ready = control.occupied.replicate(5) & self.has_credit[channel::channels] & free
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
            self.overflow[0].eq(Cat(control.overflow for control in controls).any()),
        ]

        # One memory: the channels' places, then with shared links the two slots.
        depth = slots_base + (2 if shared else 0)
        m.submodules.memory = memory = Memory(shape=struct(layout.flit), depth=depth, init=[])
        write, read = memory.write_port(), memory.read_port(domain="comb")
        write_enable = [link.valid[i] & ~control.overflow for i, control in enumerate(controls)]
        written = link.valid if channels > 1 or shared else Const(1, 1)
        write_address = [
            Mux(written[i], Cat(control.write_place, Const(i, 8))[: place_bits + 8], 0)
            for i, control in enumerate(controls)
        ]
        read_address = [
            Mux(chosen[i], Cat(control.read_place, Const(i, 8))[: place_bits + 8], 0)
            for i, control in enumerate(controls)
        ]
        ordinary: Value = chosen
        if not self._has_sync:
            m.d.comb += self.offer.eq(offer)
        else:
            m.submodules.slots = slots = SyncSlots(self._port)
            message = struct(layout.sync)(
                (link.sync if self._own else link.flit).as_value()[: layout.sync.width]
            )
            m.d.comb += [
                slots.push.eq(link.sync_valid),
                slots.push_route_0.eq(self._route(message, y_first=False)),
                slots.push_route_1.eq(self._route(message, y_first=True)),
                slots.has_credit.eq(self.has_sync_credit),
                slots.free.eq(self.sync_take),
                link.sync_credit.eq(slots.credit),
                self.present.eq(slots.present),
                self.present_route.eq(slots.route),
                self.overflow[1].eq(slots.overflow),
            ]
            if shared:
                ordinary = Mux(slots.present.any(), 0, chosen)
                m.d.comb += [
                    self.offer.eq(Mux(slots.present.any(), 0, offer)),
                    self.sync.eq(self.flit.as_value()),
                ]
                write_enable.append(link.sync_valid.any() & ~slots.overflow)
                write_address += [
                    Mux(link.sync_valid[turn], slots_base + turn, 0) for turn in range(2)
                ]
                read_address = [Mux(slots.present.any(), 0, either(read_address))] + [
                    Mux(slots.present[turn], slots_base + turn, 0) for turn in range(2)
                ]
            else:
                m.d.comb += self.offer.eq(offer)
                m.submodules.messages = messages = Memory(
                    shape=struct(layout.sync), depth=2, init=[]
                )
                put, get = messages.write_port(), messages.read_port(domain="comb")
                m.d.comb += [
                    put.en.eq(link.sync_valid.any() & ~slots.overflow),
                    put.addr.eq(link.sync_valid[1]),
                    put.data.eq(message),
                    get.addr.eq(slots.present[1]),
                    self.sync.eq(get.data),
                ]
        m.d.comb += [
            write.en.eq(Cat(write_enable).any()),
            write.addr.eq(either(write_address)),
            write.data.eq(link.flit),
            read.addr.eq(either(read_address)),
            self.flit.payload.eq(read.data.payload),
            self.flit.head.eq((ordinary & Cat(~control.active for control in controls)).any()),
            self.flit.tail.eq((ordinary & Cat(control.tail for control in controls)).any()),
        ]
        return m

    def _route(self, destination: data.View, *, y_first: bool) -> Value:
        """Return the route towards ``destination`` from this port."""
        legal = legal_outputs(self._port, y_first=y_first)
        return route(self.x, self.y, destination, y_first=y_first, legal=legal)
