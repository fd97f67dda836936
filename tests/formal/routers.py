"""What routers do with packets, whatever comes by their links and whenever credits come back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.flit import dimension_header
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.mesh import Port
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.router.router import Router as PortRouter
from syncfabric.rtl.router.routing import DimensionRouting, SourceRouting
from tests.formal.links import Receiver, Sender, Watch, watch_ports
from tests.formal.properties import Properties

MARK = 15
"""Bit of the payload, above all headers: it marks watched flits."""


@dataclass(frozen=True)
class Router:
    """A router as proofs look at it.

    Parameters
    ----------
    component : Component
    inputs, outputs : list of str
        Names of its links.
    route : callable
        The output, one-hot, that a header on a link names.
    legal : callable
        Whether a header can come by this input.
    fixed : dict
        Inputs that are constant.
    cycles : int
        From input buffer to link.
    mark : int
        Bit of the payload that no header reaches.
    shift : int
        Bits that a head's payload is shifted by.
    """

    component: wiring.Component
    inputs: list[str]
    outputs: list[str]
    route: Callable[[Any], Value]
    legal: Callable[[int, Any], Value]
    fixed: dict[str, int]
    cycles: int = 0
    mark: int = MARK
    shift: int = 0

    def marked(self, out: Any) -> Value:
        """Return whether a flit on an output bears the mark."""
        payload = out.flit.payload
        return Mux(out.flit.head, payload[self.mark - self.shift], payload[self.mark])


def xy_route(x: Value, y: Value) -> Value:
    """Return the output, one-hot, for a destination, of the router at (1, 1)."""
    y_route = Mux(y > 1, 1 << Port.NORTH, Mux(y < 1, 1 << Port.SOUTH, 1 << Port.LOCAL))
    return Mux(x > 1, 1 << Port.EAST, Mux(x < 1, 1 << Port.WEST, y_route))[:5]


def xy_legal(port: int, route: Value) -> Value:
    """Return whether a packet that leaves by ``route`` can come by a port."""
    # X first, then Y: what comes along Y has turned, and nothing turns back.
    turned = [1 << Port.NORTH, 1 << Port.SOUTH][:: -1 if port == Port.NORTH else 1]
    allowed = 1 << Port.LOCAL | (turned[0] if port in (1, 3) else 0b1111 & ~(1 << port))
    return (route & ~Const(allowed, 5)) == 0


def xy(channels: int, places: int) -> Router:
    """Return the router at the centre of a mesh of 3x3, where a packet can go any way."""
    grid = Grid((3, 3), pairs=True)
    header = struct(dimension_header(grid))

    def route(link: Any) -> Value:
        there = header(link.flit.payload[: header.size])
        return xy_route(there.x, there.y)

    def legal(port: int, link: Any) -> Value:
        return xy_legal(port, route(link))

    routing = DimensionRouting(grid, 5)
    part = PortRouter(routing, channels=channels, buffer_flits=places, flit_bits=16)
    return _ported(part, 5, route, legal, {"x": 1, "y": 1})


def source(channels: int, places: int, *, output_register: bool = False) -> Router:
    """Return a router of three ports by source routes; from each port packets go to all."""
    everywhere = (0, 1, 2)
    part = PortRouter(
        SourceRouting((everywhere,) * 3),
        channels=channels,
        buffer_flits=places,
        flit_bits=16,
        output_register=output_register,
    )

    def route(link: Any) -> Value:
        output = link.flit.payload[:2]
        return Cat(output == 0, output == 1, output >= 2)

    return _ported(
        part, 3, route, lambda port, link: Const(1, 1), {}, cycles=int(output_register), shift=2
    )


def _ported(
    part: PortRouter,
    ports: int,
    route: Callable[[Any], Value],
    legal: Callable[[int, Any], Value],
    fixed: dict[str, int],
    cycles: int = 0,
    shift: int = 0,
) -> Router:
    ins, outs = ([f"{side}_{p}" for p in range(ports)] for side in ("in", "out"))
    return Router(part, ins, outs, route, legal, fixed, cycles=cycles, shift=shift)


class _Proof(wiring.Component):
    """A router among senders and receivers."""

    def __init__(self, router: Router, channels: int, places: int, more: dict[str, Any]) -> None:
        self._router, self._channels, self._places = router, channels, places
        members: dict[str, Any] = dict(more)
        for name in router.inputs:
            flit = getattr(router.component, name).flit
            members |= {f"{name}_valid": In(channels), f"{name}_flit": In(flit.shape())}
        members |= {f"{name}_credit": In(channels) for name in router.outputs}
        super().__init__(members)

    def _place(
        self, m: Module, claims: Properties
    ) -> tuple[list[Any], list[Any], list[Sender], list[Receiver]]:
        """Place router, senders and receivers; return its links and these."""
        router, part = self._router, self._router.component
        m.submodules.router = part
        for name, value in router.fixed.items():
            m.d.comb += getattr(part, name).eq(value)
        ins = [getattr(part, name) for name in router.inputs]
        outs = [getattr(part, name) for name in router.outputs]
        for name, link in zip(router.inputs, ins, strict=True):
            valid = getattr(self, f"{name}_valid")
            flit = getattr(self, f"{name}_flit")
            m.d.comb += [link.valid.eq(valid), link.flit.eq(flit)]
        for name, link in zip(router.outputs, outs, strict=True):
            m.d.comb += link.credit.eq(getattr(self, f"{name}_credit"))
        senders = [
            Sender(m, claims, name, link, self._places)
            for name, link in zip(router.inputs, ins, strict=True)
        ]
        receivers = [
            Receiver(m, claims, name, link, self._places)
            for name, link in zip(router.outputs, outs, strict=True)
        ]
        for port, link in enumerate(ins):
            heads = link.valid.any() & link.flit.head
            claims.assume(~heads | router.legal(port, link))
        return ins, outs, senders, receivers


class FlitProof(_Proof):
    """One flit, any, from link to link.

    Parameters
    ----------
    router : Router
    channels, places : int
        Of its inputs.
    """

    def __init__(self, router: Router, channels: int, places: int) -> None:
        more = watch_ports(len(router.inputs), channels)
        super().__init__(router, channels, places, more)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, channels = Properties(m), range(self._channels)
        ins, outs, senders, receivers = self._place(m, claims)
        watch = Watch(m, claims, self, ins, senders, self._router.mark)
        # Where the packet goes that is coming in on the watched channel.
        kept, goes, now = (Signal(len(outs), name=name) for name in ("kept", "goes", "now"))
        tail = Signal()
        for i, link in enumerate(ins):
            for c in channels:
                with m.If((watch.where == i) & (watch.channel == c) & link.valid[c]):
                    m.d.comb += now.eq(Mux(link.flit.head, self._router.route(link), kept))
                    m.d.sync += kept.eq(now)
                    with m.If(watch.comes):
                        m.d.sync += [goes.eq(now), tail.eq(link.flit.tail)]
        marked = [self._router.marked(out) for out in outs]
        seen = [
            Cat(out.valid[c] & mark for out, mark in zip(outs, marked, strict=True))
            for c in channels
        ]
        every = Cat(seen)
        # With two cycles a hop a flit is on the link when its credit is.
        left = every if self._router.cycles else claims.before("every", every)
        claims.holds(
            "a flit leaves once, and then its place is freed",
            left.any() == (watch.leaves & goes.any()),
        )
        claims.holds("a flit leaves by one port", (every & (every - 1)) == 0)
        claims.holds(
            "a flit leaves only by the port that its route names, and in its channel",
            Cat(
                ((seen[c] & ~goes) == 0) & (~seen[c].any() | (watch.channel == c)) for c in channels
            ).all(),
        )
        tails = Cat(
            out.flit.tail | ~mark | ~out.valid.any() for out, mark in zip(outs, marked, strict=True)
        )
        claims.holds("a packet ends with its tail", ~every.any() | (tails.all() == tail))
        sent = total([out.valid[c] for out in outs for c in channels])
        freed = total([link.credit[c] for link in ins for c in channels])
        sent_before = sent if self._router.cycles else claims.before("sent", sent)
        claims.holds("no flit leaves but one whose place is freed", sent_before <= freed)
        claims.holds(
            "no more credits than flits",
            Cat(
                ~link.credit[c] | (sender.under_way[c] != 0)
                for link, sender in zip(ins, senders, strict=True)
                for c in channels
            ).all(),
        )
        claims.holds(
            "never more flits in flight than places",
            Cat(
                count <= self._places for receiver in receivers for count in receiver.under_way
            ).all(),
        )
        claims.reached("a flit goes through", left.any() & watch.leaves)
        claims.reached("all places are taken", senders[0].under_way[0] == self._places)
        return m


class PacketProof(_Proof):
    """Packets of one input, any, among those of others.

    Parameters
    ----------
    router : Router
    channels, places : int
        Of its inputs.
    """

    def __init__(self, router: Router, channels: int, places: int) -> None:
        super().__init__(router, channels, places, {"which": In(range(len(router.inputs)))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, mark = Properties(m), self._router.mark
        ins, outs, _, receivers = self._place(m, claims)
        where = claims.constant("where", self.which)
        for i, link in enumerate(ins):
            claims.assume(~link.valid.any() | (link.flit.payload[mark] == (where == i)))
        alone: list[Value] = []
        shaped: list[Value] = []
        for out, receiver in zip(outs, receivers, strict=True):
            marked = self._router.marked(out)
            for c, inside in enumerate(receiver.inside):
                owner = Signal(name=f"owner_{len(alone)}")
                with m.If(out.valid[c]):
                    m.d.sync += owner.eq(marked)
                alone.append(~(out.valid[c] & inside) | (marked == owner))
                shaped.append(~out.valid[c] | (out.flit.head == ~inside))
        claims.holds("a packet's flits stay together in a channel", Cat(alone).all())
        claims.holds("a head comes first, and only after a tail", Cat(shaped).all())
        claims.reached("the middle of a packet", receivers[-1].inside[0])
        return m
