"""Set-up packets beside those of a process, which can neither send one nor see one."""

from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.setup import REQUEST
from syncfabric.models.layout.shape import NodeShape
from syncfabric.rtl.lifecycle.manager import Manager
from syncfabric.rtl.lifecycle.set_up_port import LocalPort, SinkPort
from syncfabric.rtl.messages import struct
from syncfabric.rtl.planes.interface import LinkEnd
from tests.formal.lifecycle_sink import SHAPE
from tests.formal.properties import Properties

FLIT = struct(SHAPE.flit)
PLACES = SHAPE.places


class _Credits:
    """A channel of a link, whose receiver is any.

    Attributes
    ----------
    held : Signal
        Flits that are with the receiver.
    """

    def __init__(
        self, m: Module, claims: Properties, sent: Value, credit: Value, name: str
    ) -> None:
        self.held = Signal(range(PLACES + 2), name=f"held_{name}")
        m.d.sync += self.held.eq(self.held + sent - credit)
        claims.assume(~credit | (self.held != 0))


class _Order:
    """First in, first out, from what comes to what goes, through ``PLACES`` places.

    One flit that is marked is followed, and one of its bits.
    """

    def __init__(
        self, m: Module, claims: Properties, comes: Value, flit: Value, goes: Value, mark: Value
    ) -> None:
        inside, place, been = Signal(range(PLACES + 2)), Signal(range(PLACES + 2)), Signal()
        held, number, at = Signal(len(flit)), Signal(range(PLACES + 2)), Signal(range(PLACES + 2))
        self.kept, self.first = Signal(len(flit)), Signal()
        here = mark & comes & ~been
        m.d.comb += [
            number.eq(inside + comes),
            self.kept.eq(Mux(here, flit, held)),
            at.eq(Mux(here, number, place)),
            self.first.eq(goes & (at == 1)),
        ]
        m.d.sync += [
            inside.eq(number - goes),
            place.eq(at - (goes & (at != 0))),
            been.eq(been | here),
            held.eq(self.kept),
        ]
        claims.holds("a flit of the process leaves once", ~goes | (number != 0))


FREE = ("injects", "credit", "ordinary_credit", "mark", "offers_reply", "offers_request")


class _PacketsProof(wiring.Component):
    """A process that keeps to its credits, and others that offer what they like."""

    def __init__(self, **more: Any) -> None:
        flits = ("injected", "reply", "request", "coming")
        members = {name: In(1) for name in FREE} | {name: In(FLIT) for name in flits}
        super().__init__({**members, "bit": In(range(SHAPE.flit.width)), **more})

    def _process(
        self, m: Module, claims: Properties, inject: Any, link: Any, set_up: Value
    ) -> Signal:
        """Let the process send; claim what becomes of it. ``set_up``: a set-up flit is sent."""
        credits = Signal(range(PLACES + 1), init=PLACES)
        m.d.comb += [
            inject.valid.eq(self.injects),
            inject.flit.eq(self.injected),
            link.credit.eq(self.ordinary_credit | self.credit << 1),
        ]
        m.d.sync += credits.eq(credits + inject.credit - self.injects)
        claims.assume(~self.injects | (credits != 0))
        _Credits(m, claims, link.valid[0], self.ordinary_credit, "ordinary")
        channel = _Credits(m, claims, link.valid[1], self.credit, "set_up")
        bit = claims.constant("place", self.bit)
        injected, flit = self.injected.as_value(), link.flit.as_value()
        order = _Order(m, claims, self.injects, injected, link.valid[0], self.mark)
        claims.holds("one flit at most is on the link", ~link.valid.all())
        claims.holds("the process sends nothing on the set-up channel", link.valid[1] == set_up)
        claims.holds(
            "its flits leave in their order and unchanged",
            ~order.first | (flit.bit_select(bit, 1) == order.kept.bit_select(bit, 1)),
        )
        claims.holds("no place for set-up packets overflows", channel.held <= PLACES)
        claims.reached("one has waited", order.first & ~self.injects)
        return bit

    def _offers(self, m: Module, claims: Properties, port: Any, flit: Value, bit: Value) -> None:
        """Let sink and manager offer flits; claim that packets stay together."""
        m.d.comb += [
            port.reply_valid.eq(self.offers_reply),
            port.reply_flit.eq(self.reply),
            port.request_valid.eq(self.offers_request),
            port.request_flit.eq(self.request),
        ]
        reply, request = port.reply_leaves, port.request_leaves
        offered = Mux(reply, self.reply.as_value(), self.request.as_value())
        claims.holds(
            "a set-up flit leaves as it is offered",
            ~(reply | request) | (flit.bit_select(bit, 1) == offered.bit_select(bit, 1)),
        )
        claims.holds(
            "nothing leaves that is not offered, and not both",
            ~(reply & ~self.offers_reply) & ~(request & ~self.offers_request) & ~(reply & request),
        )
        inside = Signal(2)
        tail = FLIT(flit).tail
        with m.If(reply | request):
            m.d.sync += inside.eq(Mux(tail, 0, Mux(reply, 1, 2)))
        claims.holds(
            "a packet's flits stay together", ~(inside[0] & request) & ~(inside[1] & reply)
        )
        claims.reached("a request goes on after a reply", request & inside[1])


class LocalPortProof(_PacketsProof):
    """The LOCAL port of a mesh node."""

    def __init__(self) -> None:
        super().__init__(comes=In(2), listens=In(1), frees=In(1))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.port = port = LocalPort(SHAPE)
        out = port.router_out
        sends = port.reply_leaves | port.request_leaves
        bit = self._process(m, claims, port.inject, port.router_in, sends)
        self._offers(m, claims, port, port.router_in.flit.as_value(), bit)
        m.d.comb += [
            out.valid.eq(self.comes),
            out.flit.eq(self.coming),
            port.eject.credit.eq(self.frees),
            port.listens.eq(self.listens),
        ]
        claims.assume(~self.comes.all())
        _out_of_router(m, claims, port, self.comes[1], self.coming, self.listens)
        claims.holds("a process sees ordinary flits alone", port.eject.valid == self.comes[0])
        return m


def _out_of_router(
    m: Module, claims: Properties, port: Any, comes: Value, flit: Any, listens: Value
) -> None:
    """Claim of what leaves a router by channel V, whose sender keeps to its credits."""
    credits, begun, replies = Signal(range(PLACES + 1), init=PLACES), Signal(), Signal()
    m.d.sync += credits.eq(credits + port.router_out.credit[-1] - comes)
    claims.assume(~comes | (credits != 0), ~comes | (flit.head == ~begun))
    with m.If(comes):
        m.d.sync += begun.eq(~flit.tail)
    inside = Signal(range(PLACES + 2))
    takes = port.manager_valid | (port.sink_valid & listens)
    m.d.sync += inside.eq(inside + comes - takes)
    claims.holds("nothing overflows", ~port.overflows.any())
    claims.holds("sink and manager get what came, and not both", ~takes | (inside != 0))
    claims.holds("never both", ~(port.sink_valid & port.manager_valid))
    shown = Mux(port.sink_valid, port.sink_flit.as_value(), port.manager_flit.as_value())
    front = FLIT(shown)
    with m.If(takes & front.head):
        m.d.sync += replies.eq(port.manager_valid)
    claims.holds(
        "a packet is the manager's if its head says so",
        ~takes | (port.manager_valid == Mux(front.head, front.payload[SHAPE.reply], replies)),
    )
    claims.reached("a flit waits for the sink", port.sink_valid & ~listens & (inside == PLACES))


class SinkPortProof(_PacketsProof):
    """The sink port of a router without a process of its own."""

    def __init__(self) -> None:
        super().__init__(comes=In(2), listens=In(1))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.port = port = SinkPort(SHAPE)
        link, out = port.router_in, port.router_out
        m.d.comb += [
            out.valid.eq(self.comes),
            out.flit.eq(self.coming),
            port.listens.eq(self.listens),
            link.credit.eq(self.credit << 1),
        ]
        claims.assume(~self.comes.all())
        _Credits(m, claims, link.valid[1], self.credit, "set_up")
        bit = claims.constant("place", self.bit)
        self._offers(m, claims, port, link.flit.as_value(), bit)
        _out_of_router(m, claims, port, self.comes[1], self.coming, self.listens)
        claims.holds("no ordinary flit enters the router", ~link.valid[0])
        claims.holds(
            "an ordinary flit is dropped, counted, and its credit goes back",
            (port.unexpected == self.comes[0])
            & (out.credit[0] == claims.before("came", self.comes[0])),
        )
        return m


class LinkEndProof(_PacketsProof):
    """The end of a link at a node interface, which messages share."""

    def __init__(self) -> None:
        super().__init__(message=In(1))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        shape = NodeShape(
            links=2, own=False, routing="table", routers=4, message_links="shared",
            managers=1, buffer_flits=PLACES, check_bits=1, groups=2,
        )  # fmt: skip
        m.submodules.end = end = LinkEnd(shape)
        part: Any = end
        link = part.out_0
        self._process(m, claims, part.inject, link, part.request_leaves)
        m.d.comb += [
            part.arrive.valid.eq(self.message),
            part.request_valid.eq(self.offers_request),
            part.request_flit.eq(self.request),
        ]
        claims.holds("a message is always sent", link.message_valid == self.message)
        claims.holds("and nothing else beside it", ~(self.message & link.valid.any()))
        claims.holds(
            "only a flit that is offered is the manager's",
            ~part.request_leaves | self.offers_request,
        )
        claims.holds("no flit of the process is dropped", ~part.overflows)
        return m


class ManagerProof(wiring.Component):
    """A manager that is there, or is not, whatever it is asked, and whatever comes."""

    def __init__(self) -> None:
        ones = ("enable", "valid", "write", "leaves", "comes")
        members = {name: In(1) for name in ones} | {"address": In(5), "data": In(32)}
        super().__init__({**members, "index": In(1), "coming": In(FLIT)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.manager = manager = Manager(SHAPE)
        there, index = claims.constant("there", self.enable), claims.constant("number", self.index)
        config, flit = manager.config, manager.request_flit
        request = (self.valid, self.write, self.address, self.data)
        waits = claims.before("waits", self.valid & ~config.ready)
        for number, wire in enumerate(request):
            claims.assume(~waits | (wire == claims.before(f"asked_{number}", wire)))
        m.d.comb += [
            manager.enable.eq(there),
            manager.index.eq(index),
            config.valid.eq(self.valid),
            config.write.eq(self.write),
            config.address.eq(self.address),
            config.data.eq(self.data),
            manager.request_leaves.eq(self.leaves & manager.request_valid),
            manager.reply_valid.eq(self.comes),
            manager.reply_flit.eq(self.coming),
        ]
        leaves, place = manager.request_leaves, Signal(range(3))
        with m.If(leaves):
            m.d.sync += place.eq(Mux(flit.tail, 0, Mux(place == 2, 2, place + 1)))
        asked = struct(REQUEST)(flit.payload[: REQUEST.width])
        claims.holds("one that is not there sends nothing", ~manager.request_valid | there)
        claims.holds("and answers with an error", there | ~config.ready | config.error)
        claims.holds("and counts nothing", there | ~manager.unexpected)
        claims.holds(
            "a request bears its manager's number",
            ~leaves | (place != 1) | (asked.manager == index),
        )
        claims.holds("a packet has a head, and one", ~leaves | (flit.head == (place == 0)))
        claims.holds("a request is answered in the next cycle", config.ready == waits)
        last = claims.before("offered", manager.request_valid & ~leaves)
        kept = claims.before("kept", manager.request_flit.as_value())
        gone = ~manager.request_valid & claims.before("between", place == 0)
        claims.holds(
            "a flit stays on offer until it leaves, but a header that ABORT takes back",
            ~last | gone | (manager.request_flit.as_value() == kept),
        )
        claims.reached("a whole request leaves", leaves & (place == 2) & flit.tail)
        claims.reached("a header is taken back", last & gone)
        return m
