"""An output port of a router: credits, owners, and which flit is sent in this cycle."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.selector import Selector
from syncfabric.rtl.router.link import FlitSignature

__all__ = ["OutputPort"]


class OutputPort(wiring.Component):
    """Takes one of the offered flits a cycle, unless a message has the link.

    Rules: docs/microarchitecture-engine.md, R1 and R2; docs/microarchitecture-streams.md, V13.

    Parameters
    ----------
    ports, buffer_flits : int
    link : FlitSignature
        Also says whether messages share the link.
    inputs : tuple of int
        Inputs whose packets can take this output.
    register : bool
        There is a register before the link.
    adaptive : range
        Channels of packets that adapt.

    Members
    -------
    link : Out(FlitSignature)
    offer : In(ports)
        Inputs that offer a flit to this output.
    offer_channel_0 .. : In(channels), flit_0 .. : In(flit)
        Of each of ``inputs``, by its number: channel of its offer, one-hot, and the flit.
    take : Out(ports)
        One-hot: the input whose flit is sent.
    has_credit, busy : Out(channels)
        Per channel: there is a credit; a packet is under way.
    best : Out(channels), level : Out(range(buffer_flits + 1))
        Only with adaptive channels: that with the most credits and no packet under way, one-hot,
        the lowest of several; and its credits, or 0 if there is none.
    message_valid : In(1), message : In(message_bits)
        A message that is sent in this cycle; 0 otherwise. With classes: a bit for each.
    late : Out(1)
        Only if words of streams share the link: one is sent in place of a flit.
    """

    def __init__(
        self,
        ports: int,
        buffer_flits: int,
        link: FlitSignature,
        inputs: tuple[int, ...],
        *,
        register: bool = False,
        adaptive: range = range(0),
    ) -> None:
        self._channels = channels = link.channels
        self._places = buffer_flits
        self._flit = link.flit
        self._inputs = inputs
        self._message_bits, self._sharer = link.message_bits, link.sharer
        self._register, self._adaptive = register, adaptive
        members: dict[str, Any] = {
            "link": Out(link),
            "offer": In(ports),
            "take": Out(ports),
            "has_credit": Out(channels),
            "busy": Out(channels),
        }
        for i in inputs:
            members |= {f"offer_channel_{i}": In(channels), f"flit_{i}": In(link.flit)}
        if self._message_bits:
            valid = In(max(1, link.classes))
            members |= {"message_valid": valid, "message": In(self._message_bits)}
        if adaptive:
            members |= {"best": Out(channels), "level": Out(range(buffer_flits + 1))}
        members |= {"late": Out(1)} if self._sharer == "stream" else {}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inputs, channels = self._inputs, self._channels
        blocked, valid = Signal(), Signal(channels)
        # With several channels only offers that hold a credit are made.
        without = ~self.has_credit if channels == 1 else Const(0, 1)
        message = self.message_valid.any() if self._message_bits else Const(0, 1)
        m.d.comb += blocked.eq(message | without)
        m.submodules.arbiter = arbiter = LeastRecentArbiter(len(inputs))
        m.d.comb += [
            arbiter.request.eq(Cat(self.offer[i] for i in inputs)),
            arbiter.sent.eq(Cat(self.take[i] for i in inputs)),
        ]
        width = len(self.link.flit.as_value())
        m.submodules.word = word = Selector(len(inputs), width)
        tail = self._flit(word.word).tail
        for place, i in enumerate(inputs):
            m.d.comb += [
                self.take[i].eq(arbiter.grant[place] & ~blocked),
                word.select[place].eq(self.take[i]),
                getattr(word, f"word_{place}").eq(getattr(self, f"flit_{i}")),
            ]
        best, level = Const(0, channels), Const(0, 1)
        for channel in range(channels):
            adapts = channel in self._adaptive
            credit = CreditCounter(self._places, shown=adapts)
            m.submodules[f"credit_{channel}"] = credit
            sends = [self.take[i] & getattr(self, f"offer_channel_{i}")[channel] for i in inputs]
            m.d.comb += [
                valid[channel].eq(Cat(sends).any()),
                credit.credit.eq(self.link.credit[channel]),
                credit.spend.eq(valid[channel]),
                self.has_credit[channel].eq(credit.available),
            ]
            with m.If(valid[channel]):
                m.d.sync += self.busy[channel].eq(~tail)
            if adapts:
                left = Mux(self.busy[channel], 0, credit.left)
                more = left > level
                best = Mux(more, Const(1 << channel, channels), best)
                level = Mux(more, left, level)
        if self._adaptive:
            m.d.comb += [self.best.eq(best), self.level.eq(level)]
        flit: Value = word.word
        domain = m.d.sync if self._register else m.d.comb
        if self._message_bits:
            flit = flit | self.message[:width]
            domain += transient(getattr(self.link, f"{self._sharer}_valid")).eq(self.message_valid)
        if self._message_bits > width:
            domain += getattr(self.link, f"{self._sharer}_rest").eq(self.message[width:])
        if self._sharer == "stream":
            m.d.comb += self.late.eq(message & ~without & arbiter.request.any())
        domain += [transient(self.link.valid).eq(valid), self.link.flit.eq(flit)]
        return m
