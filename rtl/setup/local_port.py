"""The LOCAL port of a mesh router: set-up packets beside those of the node's process."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.channel import ChannelControl
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.hold import FlitHold
from syncfabric.rtl.parts.link import LocalLinkSignature

__all__ = ["LocalPort"]

SINK, MANAGER = 0, 1
"""Where a set-up packet goes that leaves the router, by its header's bit `reply`."""


class LocalPort(wiring.Component):
    """Splits and merges the ordinary channels and that of set-up packets, which is the last.

    A process has the ordinary channels alone, so it can neither send a set-up packet nor see one.

    Cycles as in docs/microarchitecture.md, S3.

    Parameters
    ----------
    network : MeshSpec
        Channels, buffer places, header, flit.

    Members
    -------
    local_in : In(LocalLinkSignature), local_out : Out(LocalLinkSignature)
        Ordinary packets from and to the node.
    router_in : Out(LocalLinkSignature), router_out : In(LocalLinkSignature)
        To the router's LOCAL input and from its LOCAL output, with one channel more.
    reply_valid : In(1), reply_flit : In(flit), reply_taken : Out(1)
        A flit that the set-up sink offers.
    request_valid : In(1), request_flit : In(flit), request_taken : Out(1)
        A flit that the manager offers.
    sink_valid : Out(1), sink_flit : Out(flit), listening : In(1)
        A flit for the set-up sink, which takes it if it listens.
    manager_valid : Out(1), manager_flit : Out(flit)
        A flit for the manager, which takes it.
    overflow : Out(2)
        A set-up flit, or one of the process, comes without a place for it.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._network = network
        flit = struct(network.layout.flit)
        ordinary = LocalLinkSignature(network.layout, network.channels)
        both = LocalLinkSignature(network.layout, network.channels + 1)
        super().__init__(
            {
                "local_in": In(ordinary),
                "local_out": Out(ordinary),
                "router_in": Out(both),
                "router_out": In(both),
                "reply_valid": In(1),
                "reply_flit": In(flit),
                "reply_taken": Out(1),
                "request_valid": In(1),
                "request_flit": In(flit),
                "request_taken": Out(1),
                "sink_valid": Out(1),
                "sink_flit": Out(flit),
                "listening": In(1),
                "manager_valid": Out(1),
                "manager_flit": Out(flit),
                "overflow": Out(2),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self._out_of_the_router(m)
        self._into_the_router(m)
        return m

    def _out_of_the_router(self, m: Module) -> None:
        """Ordinary flits go straight on; set-up flits wait until they are listened to."""
        network, link = self._network, self.router_out
        ordinary = network.channels
        m.d.comb += [
            self.local_out.valid.eq(link.valid[:ordinary]),
            link.credit[:ordinary].eq(self.local_out.credit),
        ]
        with m.If(link.valid[:ordinary].any()):
            m.d.comb += self.local_out.flit.eq(link.flit)

        m.submodules.control = control = ChannelControl(network.buffer_flits, (SINK, MANAGER), 2)
        m.submodules.buffer = buffer = Memory(
            shape=struct(network.layout.flit), depth=network.buffer_flits, init=[]
        )
        store, load = buffer.write_port(), buffer.read_port(domain="comb")
        is_reply = link.flit.payload[network.layout.header.offsets["reply"]]
        m.d.comb += [
            control.push.eq(link.valid[ordinary]),
            control.push_tail.eq(link.flit.tail),
            control.push_route.eq(Mux(is_reply, 1 << MANAGER, 1 << SINK)),
            control.pop.eq(self.manager_valid | (self.sink_valid & self.listening)),
            link.credit[ordinary].eq(control.credit),
            self.overflow[0].eq(control.overflow),
            store.en.eq(control.push & ~control.overflow),
            store.addr.eq(control.write_place),
            store.data.eq(link.flit),
            load.addr.eq(control.read_place),
            self.sink_valid.eq(control.occupied & control.route[SINK]),
            self.sink_flit.eq(load.data),
            self.manager_valid.eq(control.occupied & control.route[MANAGER]),
            self.manager_flit.eq(load.data),
        ]

    def _into_the_router(self, m: Module) -> None:
        """Set-up flits go before ordinary ones, replies before requests, packet by packet."""
        network, link = self._network, self.router_in
        m.submodules.credit = credit = CreditCounter(network.buffer_flits)
        m.submodules.hold = hold = FlitHold(network)
        begun, from_manager, chosen = Signal(), Signal(), Signal()
        offered, sends = Signal(), Signal()
        flit = Signal(struct(network.layout.flit))
        m.d.comb += [
            chosen.eq(Mux(begun, from_manager, ~self.reply_valid)),
            offered.eq(Mux(chosen, self.request_valid, self.reply_valid)),
            sends.eq(offered & credit.available),
            self.request_taken.eq(sends & chosen),
            self.reply_taken.eq(sends & ~chosen),
            flit.eq(Mux(chosen, self.request_flit, self.reply_flit)),
            credit.credit.eq(link.credit[network.channels]),
            credit.spend.eq(sends),
            hold.push.eq(self.local_in.valid),
            hold.flit.eq(self.local_in.flit),
            hold.blocked.eq(sends),
            self.overflow[1].eq(hold.overflow),
            self.local_in.credit.eq(link.credit[: network.channels]),
            link.valid[: network.channels].eq(hold.valid),
            link.valid[network.channels].eq(sends),
            link.flit.eq(Mux(sends, flit.as_value(), hold.out.as_value())),
        ]
        with m.If(sends):
            m.d.sync += [begun.eq(~flit.tail), from_manager.eq(chosen)]
