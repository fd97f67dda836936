"""Set-up packets and ordinary ones at a node: a process can neither send the former nor see one."""

from typing import Any

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import CONFIG_ADDRESS_BITS, REQUEST
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.irregular.node_packets import NodePackets
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.local_port import LocalPort
from tests.formal.properties import Properties
from tests.formal.tree_register import network_of

__all__ = ["LocalPortProof", "NodePacketsProof"]

PLACES = 2
FREE = {"injects": 1, "comes": 2, "credits": 2, "mark": 2, "bit": 6, "frees": 1}


class _Line:
    """First in, first out, from what comes to what goes; one that is marked is followed.

    Attributes
    ----------
    number : Signal
        Flits inside, that which comes in this cycle with them.
    first, kept : Signal
        The marked one is first; the flit as it came.
    """

    def __init__(
        self, m: Module, name: str, comes: Value, flit: Value, goes: Value, mark: Value
    ) -> None:
        inside = Signal(range(PLACES + 2), name=f"{name}_inside")
        place, been = Signal(range(PLACES + 2)), Signal()
        self.number = Signal(range(PLACES + 2), name=f"{name}_number")
        self.kept = Signal(len(flit), name=f"{name}_kept")
        self.first = Signal(name=f"{name}_first")
        held, at = Signal(len(flit)), Signal(range(PLACES + 2))
        here = mark & comes & ~been
        m.d.comb += [
            self.number.eq(inside + comes),
            self.kept.eq(Mux(here, flit, held)),
            at.eq(Mux(here, self.number, place)),
            self.first.eq(at == 1),
        ]
        m.d.sync += [
            inside.eq(self.number - goes),
            place.eq(at - (goes & (at != 0))),
            been.eq(been | here),
            held.eq(self.kept),
        ]


class _NodeProof(wiring.Component):
    """A node's port for packets, between its process, its manager and its router."""

    def __init__(self, flit: Any, more: dict[str, int]) -> None:
        members = {name: In(width) for name, width in (FREE | more).items()}
        super().__init__(members | {"injected": In(flit), "coming": In(flit)})

    def _around(
        self, m: Module, claims: Properties, process: Any, back: Any, out: Any, link: Any
    ) -> Value:
        """Let a process and a router send as their credits allow; claim what both sides see.

        Parameters
        ----------
        process, back : LocalLinkSignature
            From the process and to it.
        out, link : LocalLinkSignature
            From the router and to it: the second channel is that of set-up packets.

        Returns
        -------
        Value
            Number of the bit of flits that is compared; it is any, and stays.
        """
        ways = [Signal(range(PLACES + 2), name=f"way_{i}") for i in range(4)]
        m.d.comb += [
            process.valid.eq(self.injects),
            process.flit.eq(self.injected),
            out.valid.eq(self.comes),
            out.flit.eq(self.coming),
            link.credit.eq(self.credits),
            back.credit.eq(self.frees),
        ]
        m.d.sync += [
            ways[0].eq(ways[0] + self.injects - process.credit),
            ways[1].eq(ways[1] + link.valid[0] - self.credits[0]),
            ways[2].eq(ways[2] + link.valid[1] - self.credits[1]),
            ways[3].eq(ways[3] + out.valid[1] - out.credit[1]),
        ]
        claims.assume(
            ~self.comes.all(),
            ~self.injects | (ways[0] != PLACES),
            ~self.credits[0] | (ways[1] != 0),
            ~self.credits[1] | (ways[2] != 0),
            ~self.comes[1] | (ways[3] != PLACES),
        )
        line = _Line(m, "sent", self.injects, self.injected.as_value(), link.valid[0], self.mark[0])
        bit = claims.constant("place", self.bit)
        same = link.flit.as_value().bit_select(bit, 1) == line.kept.bit_select(bit, 1)
        claims.holds("one flit at most is on the link", ~link.valid.all())
        claims.holds(
            "ordinary flits go on the ordinary channel alone, each once",
            ~link.valid[0] | (line.number != 0),
        )
        claims.holds("in their order and unchanged", ~(link.valid[0] & line.first) | same)
        claims.holds("no place overflows", ways[1] <= PLACES)
        claims.holds("nor one for set-up packets", ways[2] <= PLACES)
        claims.holds("a process sees ordinary flits alone", back.valid == out.valid[0])
        claims.reached("an ordinary flit has waited", line.first & link.valid[0] & ~self.injects)
        return bit


class LocalPortProof(_NodeProof):
    """The LOCAL port of a mesh node; sink and manager offer whole packets."""

    def __init__(self) -> None:
        self._network = network = MeshSpec(
            kind="mesh", width=2, height=2, setup="manager", buffer_flits=PLACES, channels=1
        )
        width = network.layout.flit.width
        super().__init__(
            struct(network.layout.flit),
            {"offers": 2, "reply": width, "request": width, "listening": 1},
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), self._network.layout
        m.submodules.port = port = LocalPort(self._network)
        link, out = port.router_in, port.router_out
        m.d.comb += [
            port.reply_valid.eq(self.offers[0]),
            port.reply_flit.eq(self.reply),
            port.request_valid.eq(self.offers[1]),
            port.request_flit.eq(self.request),
            port.listening.eq(self.listening),
        ]
        bit = self._around(m, claims, port.local_in, port.local_out, out, link)
        taken = port.reply_taken | port.request_taken
        flit, offered = link.flit.as_value(), Mux(port.reply_taken, self.reply, self.request)
        claims.holds("set-up packets are sent by sink and manager alone", link.valid[1] == taken)
        claims.holds(
            "as they are offered",
            ~taken | (flit.bit_select(bit, 1) == offered.bit_select(bit, 1)),
        )
        claims.holds(
            "nothing is taken that is not offered",
            ~(port.reply_taken & ~self.offers[0]) & ~(port.request_taken & ~self.offers[1]),
        )
        inside = Signal(2)
        ends = struct(layout.flit)(flit).tail
        with m.If(port.reply_taken):
            m.d.sync += inside.eq(Mux(ends, 0, 1))
        with m.Elif(port.request_taken):
            m.d.sync += inside.eq(Mux(ends, 0, 2))
        claims.holds(
            "a packet's flits stay together",
            ~(inside[0] & port.request_taken) & ~(inside[1] & port.reply_taken),
        )

        # Out of the router: the bit of a packet's head says who gets it.
        begun, to_manager, way = Signal(), Signal(), Signal()
        coming = self.coming
        m.d.comb += way.eq(Mux(begun, to_manager, coming.payload[layout.header.offsets["reply"]]))
        with m.If(self.comes[1]):
            m.d.sync += [begun.eq(~coming.tail), to_manager.eq(way)]
        goes = port.manager_valid | (port.sink_valid & self.listening)
        # A flit can leave in the cycle after it has come.
        came, mark = claims.before("came", self.comes[1]), claims.before("marked", self.mark[1])
        was = claims.before("was", coming.as_value())
        line = _Line(m, "got", came, was, goes, mark)
        is_reply = Signal()
        with m.If(self.mark[1] & self.comes[1]):
            m.d.sync += is_reply.eq(way)
        shown = port.sink_valid | port.manager_valid
        front = Mux(port.sink_valid, port.sink_flit.as_value(), port.manager_flit.as_value())
        claims.holds(
            "sink and manager get what came as set-up packets", shown == (line.number != 0)
        )
        claims.holds("not both", ~(port.sink_valid & port.manager_valid))
        claims.holds(
            "in order and unchanged",
            ~line.first | (front.bit_select(bit, 1) == line.kept.bit_select(bit, 1)),
        )
        claims.reached("a flit waits for the sink", line.first & port.sink_valid & ~self.listening)
        return m


class NodePacketsProof(_NodeProof):
    """A node interface of an irregular network, with a manager that is built, or is not."""

    def __init__(self) -> None:
        self._network = network = network_of(
            ports=3, setup="manager", flit_bits=32, buffer_flits=PLACES, channels=1
        )
        super().__init__(
            struct(network.layout.flit),
            {
                "blocked": 1, "built": 1, "which": 2, "asks": 1, "asked_node": 4,
                "address": CONFIG_ADDRESS_BITS, "writes": 1, "word": 32,
            },
        )  # fmt: skip

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.packets = packets = NodePackets(self._network)
        built, index = claims.constant("built", self.built), claims.constant("index", self.which)
        asked, link = packets.asked, packets.uplink
        m.d.comb += [
            packets.blocked.eq(self.blocked),
            packets.manager.eq(built),
            packets.manager_index.eq(index),
            asked.valid.eq(self.asks),
            asked.node.eq(self.asked_node),
            asked.address.eq(self.address),
            asked.write.eq(self.writes),
            asked.data.eq(self.word),
        ]
        self._around(m, claims, packets.local_in, packets.local_out, packets.downlink, link)
        place = Signal(range(3))
        with m.If(link.valid[1]):
            m.d.sync += place.eq(Mux(link.flit.tail, 0, Mux(place == 2, 2, place + 1)))
        request = struct(REQUEST)(link.flit.payload[: REQUEST.width])
        claims.holds("only a manager that is built sends set-up packets", ~link.valid[1] | built)
        claims.holds(
            "the request bears the manager's number",
            ~(link.valid[1] & (place == 1)) | (request.manager == index),
        )
        claims.holds(
            "a packet has a head, and one", ~link.valid[1] | (link.flit.head == (place == 0))
        )
        claims.holds("nothing is sent while a message is", ~(self.blocked & link.valid.any()))
        claims.reached("a manager sends a request", link.valid[1] & (place == 1))
        return m
