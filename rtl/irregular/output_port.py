"""An output port of the irregular switch: flits with their credits, messages before them."""

from typing import Any

from amaranth import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.ports import crossbar_inputs
from syncfabric.rtl.irregular.sync_open import open_to_messages
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.link import SwitchLinkSignature

__all__ = ["OutputPort"]


class OutputPort(wiring.Component):
    """Takes one of the offered flits a cycle; puts it on the link at once, or in the next cycle.

    With two cycles a hop a flit waits in the out buffer, with its credit in hand: it waits for
    synchronization messages alone, so channels never hold each other up there.

    Source: paper BTIN, section 2.1 (input and output buffers of one flit).

    Parameters
    ----------
    network : IrregularSpec
        Ports, buffer places, channels, cycles a hop.

    Members
    -------
    link : Out(SwitchLinkSignature)
        The link that begins here.
    offer : In(inputs)
        Inputs that offer a flit to this output: the ports, and with set-up by managers the sink's
        replies.
    offer_channel_0 .. : In(channels)
        Channel that each input's offer takes here, one-hot.
    flit_0 .. : In(flit)
        The flit that each input offers.
    take : Out(inputs)
        One-hot: the input whose flit is taken.
    has_credit, busy : Out(channels)
        Per channel: a credit is there; a packet owns the channel.
    sync_send : In(1), sync : In(sync message)
        Only with messages: one that is sent in this cycle, come what may.
    sync_open : Out(1)
        Only with messages: one may be sent in this cycle.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        layout, channels = network.layout, network.link_channels
        inputs = crossbar_inputs(network)
        members: dict[str, Any] = {
            "link": Out(SwitchLinkSignature(network, wires=False)),
            "offer": In(inputs),
            "take": Out(inputs),
            "has_credit": Out(channels),
            "busy": Out(channels),
        }
        if network.has_messages:
            sync = In(struct(layout.sync))
            members |= {"sync_send": In(1), "sync": sync, "sync_open": Out(1)}
        for i in range(inputs):
            members |= {f"offer_channel_{i}": In(channels), f"flit_{i}": In(struct(layout.flit))}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, link = self._network, self.link
        inputs, channels = crossbar_inputs(network), network.link_channels

        m.submodules.arbiter = arbiter = LeastRecentArbiter(inputs)
        room = Signal()
        m.d.comb += [
            arbiter.request.eq(self.offer),
            arbiter.sent.eq(self.take),
            self.take.eq(Mux(room, arbiter.grant, 0)),
        ]
        taken, channel = Signal(struct(network.layout.flit)), Signal(channels)
        words = [Mux(self.take[i], getattr(self, f"flit_{i}").as_value(), 0) for i in range(inputs)]
        owners = [Mux(self.take[i], getattr(self, f"offer_channel_{i}"), 0) for i in range(inputs)]
        m.d.comb += [taken.eq(either(words)), channel.eq(either(owners))]
        for v in range(channels):
            m.submodules[f"credit_{v}"] = credit = CreditCounter(network.buffer_flits)
            m.d.comb += [
                credit.credit.eq(link.credit[v]),
                credit.spend.eq(channel[v]),
                self.has_credit[v].eq(credit.available),
            ]
            with m.If(channel[v]):
                m.d.sync += self.busy[v].eq(~taken.tail)

        blocked: Value = self.sync_send if network.has_messages else Const(0)
        if network.cycles_per_hop == 1:
            valid, flit = channel, taken
            m.d.comb += room.eq(~blocked)
        else:
            valid, flit = Signal(channels), Signal(struct(network.layout.flit))
            m.d.comb += room.eq(~(valid.any() & blocked))
            with m.If(room):
                m.d.sync += [valid.eq(channel), flit.eq(taken)]
        if not network.has_messages:
            m.d.comb += [link.valid.eq(valid), link.flit.eq(flit)]
            return m
        m.d.comb += [
            link.valid.eq(Mux(self.sync_send, 0, valid)),
            link.flit.eq(Mux(self.sync_send, self.sync.as_value(), flit.as_value())),
            link.sync_valid.eq(self.sync_send),
            self.sync_open.eq(open_to_messages(m, network, link, self.sync_send)),
        ]
        return m
