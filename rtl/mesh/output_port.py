"""An output port of the mesh router: credits, owners, and who sends in this cycle."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.routing import HERE, legal_outputs
from syncfabric.rtl.mesh.sync_output import UNIT
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.link import LocalLinkSignature, shares_links
from syncfabric.rtl.parts.selector import Selector

__all__ = ["OutputPort"]


class OutputPort(wiring.Component):
    """Takes one of the offered flits a cycle and puts it on its link in the same cycle.

    Synchronization messages go before ordinary flits. Where there are several channels, only offers
    that hold a credit are made to it, so a channel that waits never holds up another.

    Parameters
    ----------
    network : MeshSpec
        Buffer places, channels, link widths.
    port : int
        EAST 0 to SOUTH 3, or LOCAL 4, which carries no synchronization messages. Where there are
        none, or they have links of their own, no port does.

    Members
    -------
    link : Out(LocalLinkSignature)
        The link that begins here; what else it carries for messages is :class:`SyncOutput`'s.
    offer : In(5)
        Inputs that offer an ordinary flit to this output.
    offer_channel_0 .. offer_channel_4 : In(channels)
        Channel of each input's offer, one-hot.
    flit_0 .. flit_4 : In(flit)
        The flit that each input has read, or its presented message.
    take : Out(5)
        One-hot: the input whose ordinary flit is sent.
    has_credit, busy : Out(channels)
        Per channel: a credit is there; a packet is under way.
    sync_sends : In(1), sync_take : In(5)
        Only with messages: ``sends`` and ``take`` of :class:`SyncOutput`.
    sync : In(sync message)
        Only with messages: the barrier unit's.
    """

    def __init__(self, network: MeshSpec, port: int) -> None:
        self._network = network
        self._port = port
        self._has_sync = port != HERE and shares_links(network)
        layout, channels = network.layout, network.link_channels
        members: dict[str, Any] = {
            "link": Out(LocalLinkSignature(layout, channels)),
            "offer": In(5),
            "take": Out(5),
            "has_credit": Out(channels),
            "busy": Out(channels),
        }
        for i in range(5):
            members |= {f"offer_channel_{i}": In(channels), f"flit_{i}": In(struct(layout.flit))}
        if self._has_sync:
            members |= {"sync_sends": In(1), "sync_take": In(5), "sync": In(struct(layout.sync))}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        link, channels = self.link, self._network.link_channels
        blocked = Signal()
        # Only the inputs that dimension order allows are arbitrated among.
        inputs = [i for i in range(5) if self._port in legal_outputs(i, y_first=False)]
        selects: dict[int, Value] = {i: self.take[i] for i in inputs}
        # With several channels only offers that hold a credit are made.
        without = ~self.has_credit if channels == 1 else Const(0, 1)
        m.d.comb += blocked.eq(without)
        if self._has_sync:
            m.d.comb += blocked.eq(self.sync_sends | without)
            # A presented message is on its input's flit wires: any but this port's own.
            for i in range(4):
                if i != self._port:
                    selects[i] = selects.get(i, Const(0, 1)) | self.sync_take[i]

        m.submodules.arbiter = arbiter = LeastRecentArbiter(len(inputs))
        m.d.comb += [
            arbiter.request.eq(Cat(self.offer[i] for i in inputs)),
            arbiter.sent.eq(Cat(self.take[i] for i in inputs)),
        ]
        for place, i in enumerate(inputs):
            m.d.comb += self.take[i].eq(arbiter.grant[place] & ~blocked)
        self._select(m, selects, inputs)
        for channel in range(channels):
            m.submodules[f"credit_{channel}"] = credit = CreditCounter(self._network.buffer_flits)
            sends = [self.take[i] & getattr(self, f"offer_channel_{i}")[channel] for i in inputs]
            m.d.comb += [
                link.valid[channel].eq(Cat(sends).any()),
                credit.credit.eq(link.credit[channel]),
                credit.spend.eq(link.valid[channel]),
                self.has_credit[channel].eq(credit.available),
            ]
            with m.If(link.valid[channel]):
                m.d.sync += self.busy[channel].eq(~link.flit.tail)
        return m

    def _select(self, m: Module, selects: dict[int, Value], inputs: list[int]) -> None:
        """Put the flit or message of the input that is selected on the link."""
        layout = self._network.layout
        # Above a message all is 0, so that there only ordinary flits are looked at.
        fewer = len(inputs) < len(selects)
        split = layout.sync.width if fewer else layout.flit.width
        flits = {i: getattr(self, f"flit_{i}").as_value() for i in selects}
        m.submodules.low_word = low = Selector(len(selects), split)
        m.d.comb += low.select.eq(Cat(selects.values()))
        for place, flit in enumerate(flits.values()):
            m.d.comb += getattr(low, f"word_{place}").eq(flit[:split])
        word: Value = low.word
        if fewer:
            m.submodules.high_word = high = Selector(len(inputs), layout.flit.width - split)
            m.d.comb += high.select.eq(Cat(self.take[i] for i in inputs))
            for place, i in enumerate(inputs):
                m.d.comb += getattr(high, f"word_{place}").eq(flits[i][split:])
            word = Cat(low.word, high.word)
        own = Mux(self.sync_take[UNIT], self.sync.as_value(), 0) if self._has_sync else 0
        m.d.comb += self.link.flit.eq(word | own)
