"""Adaptive routing in a router: which output channel the first flit of a buffer requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.grid import Grid
from syncfabric.rtl.parts.gates import either


@dataclass(frozen=True)
class Adaptation:
    """What all inputs have in common in a router whose packets choose.

    Parameters
    ----------
    grid : Grid
    ports, channels : int
    adaptive : range
        Channels of packets that adapt. Those below are escape channels, those above set-up's.
    dated : bool
        There are datelines.
    """

    grid: Grid
    ports: int
    channels: int
    adaptive: range
    dated: bool

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Ports of two dimensions, that of the lower one first, in the order of ``prefers``."""
        axes = [sorted({*pair}) for pair in self.grid.axes]
        return [(a, b) for low, high in combinations(axes, 2) for a in low for b in high]


class ChannelChoice(wiring.Component):
    """Requests an output channel for the first flit of one buffer, combinationally.

    A packet that may choose is offered another output channel in every cycle, until its head
    leaves; that channel is then kept for the rest of it.

    Rules: docs/microarchitecture-engine.md, R4.

    Parameters
    ----------
    common : Adaptation
    port, channel : int
        The input, and the buffer's channel.
    outputs : tuple of int
        Outputs that its packets can take.

    Members
    -------
    route : In(ports)
        The minimal ports of the front packet, or its node port.
    occupied, active : In(1)
        There is a front flit; its packet's head has left already.
    sent : In(1)
        The front flit leaves.
    has_credit, busy : In(ports * channels)
        Bit output·channels + channel: that output channel has a credit; it has an owner.
    best : In(ports * channels)
        Of each output the adaptive channel to take, one-hot, or 0 if there is none.
    prefers : In(pairs)
        Of each of ``common.pairs``: the second output's best channel is taken before the first's.
    dateline : In(ports)
    offer : Out(ports), offer_channel : Out(channels)
        The output channel that is requested, both one-hot; ``offer`` is 0 if none is.
    """

    def __init__(
        self, common: Adaptation, port: int, channel: int, outputs: tuple[int, ...]
    ) -> None:
        self._common, self._port, self._channel = common, port, channel
        self._outputs = outputs
        ports, channels = common.ports, common.channels
        super().__init__(
            {
                "route": In(ports),
                "occupied": In(1),
                "active": In(1),
                "sent": In(1),
                "has_credit": In(ports * channels),
                "busy": In(ports * channels),
                "best": In(ports * channels),
                "prefers": In(len(common.pairs)),
                "dateline": In(ports),
                "offer": Out(ports),
                "offer_channel": Out(channels),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        common, ports, channel = self._common, self._common.ports, self._channel
        chooses = channel in common.adaptive or (
            channel < common.adaptive.start and self._port >= common.grid.ports
        )
        # By dimension order: the output channel of the lowest dimension, or of the node port.
        order = [Const(0, 1) for _ in range(ports)]
        lower: list[Value] = []
        for pair in common.grid.axes:
            here = [self.route[port] for port in {*pair} if port in self._outputs]
            for port in {*pair} & {*self._outputs}:
                order[port] = self.route[port] & ~Cat(lower).any()
            lower += here
        for port in range(common.grid.ports, ports):
            order[port] = self.route[port]
        lanes = [self._by_order(port, chooses=chooses) for port in range(ports)]
        free = [
            ~self._at(self.busy, port, lane) & self._at(self.has_credit, port, lane)
            for port, lane in enumerate(lanes)
        ]
        offer: Value = Cat(wanted & ready for wanted, ready in zip(order, free, strict=True))
        lane = either([Mux(wanted, each, 0) for wanted, each in zip(order, lanes, strict=True)])
        kept_offer, kept = Cat(order), lane
        if chooses:
            picked = self._picked()
            some = Cat(picked).any()
            best = [self.best.word_select(port, common.channels) for port in range(ports)]
            offer = Mux(some, Cat(picked), offer)
            lane = Mux(
                some,
                either([Mux(one, each, 0) for one, each in zip(picked, best, strict=True)]),
                lane,
            )
            kept_offer, kept = Signal(ports), Signal(common.channels)
            with m.If(self.sent & ~self.active):
                m.d.sync += [kept_offer.eq(offer), kept.eq(lane)]
        goes_on = Cat(
            kept_offer[port] & self._at(self.has_credit, port, kept) for port in range(ports)
        )
        m.d.comb += [
            self.offer.eq(Mux(self.active, goes_on, offer) & self.occupied.replicate(ports)),
            self.offer_channel.eq(Mux(self.active, kept, lane) if chooses else lane),
        ]
        return m

    def _at(self, state: Value, port: int, lane: Value) -> Value:
        return (state.word_select(port, self._common.channels) & lane).any()

    def _by_order(self, output: int, *, chooses: bool) -> Value:
        """Return the channel, one-hot, in which a packet leaves by dimension order."""
        common, channel, grid = self._common, self._channel, self._common.grid
        axis = grid.axis_of(output)
        if axis is None or channel >= common.adaptive.stop:
            return Const(1 << channel, common.channels)
        odd = not chooses and channel % 2 == 1 and axis == grid.axis_of(self._port)
        if not common.dated or odd:
            return Const(1 << odd, common.channels)
        return Cat(~self.dateline[output], self.dateline[output], Const(0, common.channels - 2))

    def _picked(self) -> Sequence[Value]:
        """Return the output, one-hot, whose best adaptive channel comes first, if there is one."""
        common = self._common
        prefers = dict(zip(common.pairs, self.prefers, strict=True))
        picked: list[Value] = [Const(0, 1)] * common.ports
        for port in self._outputs:
            if port >= common.grid.ports:
                continue
            others = [
                self.route[b] & prefers[a, b] if a == port else self.route[a] & ~prefers[a, b]
                for a, b in common.pairs
                if port in (a, b) and {a, b} <= {*self._outputs}
            ]
            open_here = self.best.word_select(port, common.channels).any()
            picked[port] = self.route[port] & open_here & ~Cat(others).any()
        return picked
