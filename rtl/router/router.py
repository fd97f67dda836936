"""A router of packets with any number of ports; how it routes is a part of it."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.parts.selector import Selector
from syncfabric.rtl.router.input_port import InputPort
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.router.routing import Routing


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
            credit = CreditCounter(self._places, exposed=adapts)
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


class Router(wiring.Component):
    """Wormhole router: one cycle a hop, two with an output register.

    Cycles and rules: docs/microarchitecture-engine.md, R1 to R3.

    Parameters
    ----------
    routing : Routing
        Also says how many ports there are, and which pairs.
    channels : int, 1 to 5
    buffer_flits : int, 1 to 40
    flit_bits : int
    output_register : bool
    messages : tuple of int
        Ports whose links are shared with messages.
    message_bits, classes, sharer
        What these are: as of :class:`FlitSignature`.
    cut : bool
        Flits have the flag ``cut``: links have check bits.
    dated : int
        Channels, from channel 0 on, whose packets go over to the next odd channel at a dateline;
        those of the others do not go over a link that closes a ring.

    Members
    -------
    in_0 .. : In(FlitSignature), out_0 .. : Out(FlitSignature)
        Links, by port.
    message_0_valid .. : In(1), message_0 .. : In(message_bits)
        Of shared links: a message that leaves in this cycle. Those that arrive are on the links.
    message_0_credit .. : In(classes)
        Of messages with credits: what goes back on the link of this input.
    late : Out(1)
        Only with words of streams: one leaves by an output in place of a flit.
    overflows : Out(range(ports + 1))
        Flits dropped in this cycle.
    dateline : In(ports)
        Only with ``dated``: outputs at which packets go over; constant.
    x, y, number, routes
        What the routing needs.
    """

    def __init__(
        self,
        routing: Routing,
        *,
        channels: int,
        buffer_flits: int,
        flit_bits: int,
        output_register: bool = False,
        messages: tuple[int, ...] = (),
        message_bits: int = 0,
        classes: int = 0,
        sharer: str = "message",
        cut: bool = False,
        dated: int = 0,
    ) -> None:
        if not 1 <= channels <= 5:
            raise ValueError(f"Router needs 1 to 5 channels, not {channels!r}")
        if not 1 <= buffer_flits <= 40:
            raise ValueError(f"Router needs buffers of 1 to 40 flits, not {buffer_flits!r}")
        self._routing = routing
        self._places = buffer_flits
        self._register = output_register
        self._messages = messages
        self._channels = channels
        self._dated = dated
        self._common = routing.common(channels, dated=dated > 0)
        ports = range(len(routing.outputs))
        plain = FlitSignature(channels, flit_bits, cut=cut)
        shared = FlitSignature(
            channels, flit_bits, message_bits=message_bits, classes=classes, sharer=sharer, cut=cut
        )
        self._inside = plain
        self._links = [shared if port in messages else plain for port in ports]
        members: dict[str, Any] = routing.members()
        for port, link in enumerate(self._links):
            members |= {f"in_{port}": In(link), f"out_{port}": Out(link)}
        for port in messages:
            members |= {
                f"message_{port}_valid": In(max(1, classes)),
                f"message_{port}": In(message_bits),
            }
            if shared.credits:
                members[f"message_{port}_credit"] = In(classes)
        if dated:
            members["dateline"] = In(len(ports))
        if sharer == "stream":
            members["late"] = Out(1)
        super().__init__({**members, "overflows": Out(range(len(ports) + 1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        legal = self._routing.outputs
        ports = range(len(legal))
        count, places = len(legal), self._places
        common = self._common
        inputs = [InputPort(count, places, self._inside, legal[i], i, common) for i in ports]
        outputs = [
            OutputPort(
                count,
                places,
                link,
                tuple(i for i in ports if port in legal[i]),
                register=self._register,
                adaptive=common.adaptive if common else range(0),
            )
            for port, link in enumerate(self._links)
        ]
        for port in ports:
            m.submodules[f"input_{port}"] = inputs[port]
            m.submodules[f"output_{port}"] = outputs[port]
        for i, source in enumerate(inputs):
            self._join_input(m, i, source)
            m.d.comb += [
                source.has_credit.eq(Cat(self._asked(i, o, outputs[o].has_credit) for o in ports)),
                source.busy.eq(Cat(self._asked(i, o, outputs[o].busy) for o in ports)),
                source.take.eq(Cat(outputs[o].take[i] for o in legal[i]).any()),
            ]
            for o in legal[i]:
                m.d.comb += [
                    outputs[o].offer[i].eq(source.offer[o]),
                    getattr(outputs[o], f"offer_channel_{i}").eq(
                        self._entered(i, o, source.offer_channel)
                    ),
                    getattr(outputs[o], f"flit_{i}").eq(source.flit),
                ]
            if common:
                m.d.comb += [
                    source.best.eq(Cat(output.best for output in outputs)),
                    source.prefers.eq(
                        Cat(outputs[b].level > outputs[a].level for a, b in common.pairs)
                    ),
                    source.dateline.eq(self.dateline if self._dated else 0),
                ]
        for o, output in enumerate(outputs):
            wiring.connect(m, output.link, wiring.flipped(getattr(self, f"out_{o}")))
            if o in self._messages:
                m.d.comb += [
                    output.message_valid.eq(getattr(self, f"message_{o}_valid")),
                    output.message.eq(getattr(self, f"message_{o}")),
                ]
        m.d.comb += self.overflows.eq(total([source.overflow for source in inputs]))
        if hasattr(self, "late"):
            m.d.comb += self.late.eq(Cat(outputs[o].late for o in self._messages).any())
        return m

    def _asked(self, port: int, output: int, state: Value) -> Value:
        """Return the state of an output's channels by the channel that packets come by."""
        if not self._dated or self._common:
            return state
        line, turns = self.dateline[output], self._routing.turns(port, output)
        over = [state[c | (c < self._dated)] for c in range(self._channels)]
        stay = [state[c & ~(turns and c < self._dated)] for c in range(self._channels)]
        return Cat(Mux(line, *both) for both in zip(over, stay, strict=True))

    def _entered(self, port: int, output: int, channel: Value) -> Value:
        """Return the channel, one-hot, that a packet takes at an output."""
        if not self._dated or self._common:
            return channel
        line, bits = self.dateline[output], list(channel)
        for c in range(0, self._dated, 2):
            even, odd = channel[c], channel[c + 1]
            if self._routing.turns(port, output):
                even, odd = even | odd, Const(0, 1)
            bits[c] = even & ~line
            bits[c + 1] = odd | (even & line)
        return Cat(bits)

    def _join_input(self, m: Module, port: int, source: InputPort) -> None:
        """Join an input to its link, by way of the routing."""
        link = getattr(self, f"in_{port}")
        plain = link.valid[self._dated :].any() if 0 < self._dated < self._channels else None
        route, payload = self._routing.place(m, self, port, link.flit, plain)
        m.d.comb += [
            source.link.valid.eq(link.valid),
            source.link.flit.eq(link.flit),
            source.link.flit.payload.eq(payload),
            link.credit.eq(source.link.credit),
            source.route.eq(route),
        ]
        if self._links[port].credits:
            credit = getattr(link, f"{self._links[port].sharer}_credit")
            m.d.comb += credit.eq(getattr(self, f"message_{port}_credit"))
