"""An input port of the irregular switch: buffers in one memory, one flit offered a cycle."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.routing import HeaderDecoder
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.channel import ChannelControl
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.link import LocalLinkSignature

__all__ = ["InputPort"]


class InputPort(wiring.Component):
    """Takes in the ordinary flits of one link and offers one of them a cycle to an output.

    Routes are worked out as packets arrive. A route flit that is used up is offered to nobody: it
    leaves its place, and the flit behind it is the packet's head from then on.

    Parameters
    ----------
    network : IrregularSpec
        Ports, buffer places, channels, widths.

    Members
    -------
    link : In(LocalLinkSignature)
        The ordinary wires of the link that ends here.
    number, routes : In
        As of :class:`HeaderDecoder`.
    dateline : In(ports)
        Outputs at which a packet goes over to the channel with the lowest bit set.
    has_credit, busy : In(ports * channels)
        Bit output·channels + channel: that output channel has a credit; some packet owns it.
    sink_busy : In(1)
        Some packet owns the sink.
    listening : In(1)
        Only with set-up by managers: the set-up sink takes a flit.
    offer : Out(ports + 1)
        One-hot output that the offered flit wants (the last is the sink), or 0.
    offer_channel : Out(channels)
        The output's channel, one-hot.
    flit : Out(flit)
        The offered flit.
    take : In(1)
        The offered flit leaves.
    overflow : Out(1)
        A flit came for a full buffer.
    """

    def __init__(self, network: IrregularSpec) -> None:
        self._network = network
        layout, ports, channels = network.layout, network.ports, network.link_channels
        members: dict[str, Any] = {
            "link": In(LocalLinkSignature(layout, channels)),
            "number": In(layout.switch_bits),
            "routes": In(network.switches * layout.port_bits),
            "dateline": In(ports),
            "has_credit": In(ports * channels),
            "busy": In(ports * channels),
            "sink_busy": In(1),
            "offer": Out(ports + 1),
            "offer_channel": Out(channels),
            "flit": Out(struct(layout.flit)),
            "take": In(1),
            "overflow": Out(1),
        }
        if network.managed:
            members["listening"] = In(1)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, link = self._network, self.link
        ports, channels = network.ports, network.link_channels
        sink, nowhere = ports, ports + 1

        m.submodules.decoder = decoder = HeaderDecoder(network)
        m.d.comb += [
            decoder.number.eq(self.number),
            decoder.routes.eq(self.routes),
            decoder.flit.eq(link.flit),
        ]
        m.submodules.choice = choice = LeastRecentArbiter(channels)
        leaves = Signal()
        controls, stored = [], []
        for v in range(channels):
            control = ChannelControl(network.buffer_flits, tuple(range(ports + 2)), ports + 2)
            m.submodules[f"channel_{v}"] = control
            controls.append(control)
            arrives, inherits = Signal(name=f"arrives_{v}"), Signal(name=f"inherits_{v}")
            inherited = Signal(ports, name=f"inherited_{v}")
            uses_up = Signal(name=f"uses_up_{v}")
            m.d.comb += [
                arrives.eq(link.valid[v] & ~control.overflow),
                uses_up.eq(link.flit.head & ~inherits & decoder.used_up),
                control.push.eq(link.valid[v]),
                # A flit that is used up ends what its route is for.
                control.push_tail.eq(link.flit.tail | uses_up),
                control.push_route.eq(
                    Mux(
                        inherits,
                        inherited,
                        Mux(decoder.used_up, Const(1 << nowhere, ports + 2), decoder.outputs),
                    )
                ),
                control.pop.eq(leaves & choice.grant[v]),
                link.credit[v].eq(control.credit),
                choice.request[v].eq(control.occupied & self._may_leave(control, v, sink, nowhere)),
            ]
            with m.If(arrives):
                m.d.sync += inherits.eq(uses_up)
                with m.If(uses_up):
                    m.d.sync += inherited.eq(decoder.outputs[:ports])
            # What goes into the memory: a head may be another than the link's.
            flit = Signal(struct(network.layout.flit), name=f"stored_{v}")
            m.d.comb += flit.eq(Mux(link.flit.head & ~inherits, decoder.passed_on, link.flit))
            with m.If(inherits):
                m.d.comb += flit.head.eq(1)
            stored.append(Mux(link.valid[v], flit, 0))

        chosen = Signal(ports + 2)
        m.d.comb += [
            chosen.eq(
                either(
                    [Mux(choice.grant[v], control.route, 0) for v, control in enumerate(controls)]
                )
            ),
            self.offer.eq(chosen[: ports + 1]),
            leaves.eq(self.take | chosen[nowhere]),
            choice.sent.eq(Mux(leaves, choice.grant, 0)),
            self.overflow.eq(Cat(control.overflow for control in controls).any()),
        ]
        crosses = Signal()
        m.d.comb += [
            crosses.eq((chosen[:ports] & self.dateline).any()),
            self.offer_channel.eq(
                Mux(crosses, _crossed(choice.grant, network.channels), choice.grant)
            ),
        ]
        self._memory(m, controls, choice.grant, either(stored))
        return m

    def _may_leave(self, control: ChannelControl, v: int, sink: int, nowhere: int) -> Value:
        """Return whether the front flit's output has room for it."""
        channels = self._network.link_channels
        over = _across(v, self._network.channels)
        ways = [
            control.route[o]
            & Mux(
                self.dateline[o],
                self.has_credit[o * channels + over]
                & (control.active | ~self.busy[o * channels + over]),
                self.has_credit[o * channels + v] & (control.active | ~self.busy[o * channels + v]),
            )
            for o in range(self._network.ports)
        ]
        into_sink = control.route[sink] & (control.active | ~self.sink_busy)
        if v == self._network.channels:  # set-up packets
            into_sink = into_sink & self.listening
        ways.append(into_sink)
        ways.append(control.route[nowhere])
        return Cat(ways).any()

    def _memory(
        self, m: Module, controls: list[ChannelControl], granted: Value, stored: Value
    ) -> None:
        """Keep the channels' flits in one memory, with one read a cycle."""
        network = self._network
        place_bits = ceil_log2(network.buffer_flits)
        shape = struct(network.layout.flit)
        m.submodules.memory = memory = Memory(
            shape=shape, depth=network.link_channels << place_bits, init=[]
        )
        write, read = memory.write_port(), memory.read_port(domain="comb")

        def address(place: Value, channel: int) -> Value:
            return Cat(place[:place_bits], Const(channel, 3))[: len(write.addr)]

        m.d.comb += [
            write.en.eq(
                Cat(
                    self.link.valid[v] & ~control.overflow for v, control in enumerate(controls)
                ).any()
            ),
            write.addr.eq(
                either(
                    [
                        Mux(self.link.valid[v], address(control.write_place, v), 0)
                        for v, control in enumerate(controls)
                    ]
                )
            ),
            write.data.eq(stored),
            read.addr.eq(
                either(
                    [
                        Mux(granted[v], address(control.read_place, v), 0)
                        for v, control in enumerate(controls)
                    ]
                )
            ),
            self.flit.eq(read.data),
        ]


def _across(channel: int, ordinary: int) -> int:
    """Return the channel beyond a dateline; set-up packets have none, and stay in theirs."""
    return channel | 1 if channel | 1 < ordinary else channel


def _crossed(channel: Value, ordinary: int) -> Value:
    """Return the channel beyond a dateline of one-hot ``channel``, one-hot."""
    crossed: list[list[Value]] = [[] for _ in range(len(channel))]
    for v in range(len(channel)):
        crossed[_across(v, ordinary)].append(channel[v])
    return Cat(Cat(*bits).any() if bits else Const(0, 1) for bits in crossed)
