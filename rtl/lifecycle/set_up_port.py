"""Where set-up packets leave a router, and enter it: its process's port, or one of its own."""

from abc import ABC, abstractmethod
from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.words import EngineWord
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.lifecycle.queue import Hold, WordQueue
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.transport.link import show


class ConfigAccess(wiring.Component):
    """Hands on one request at a time, in the cycle in which it comes if nothing is under way.

    A sink's request goes before the chain's. After a sink has written staged words, a SETUP of
    the chain is refused here until the chain has written word 0 anew.
    Rules: docs/microarchitecture-networks.md, N4 (7, 8).

    Members
    -------
    chain, sink : In(EngineConfigSignature)
        Requests.
    locks : In(1)
        The sink is in the middle of a packet: no request of the chain begins.
    engine : Out(EngineConfigSignature)
    """

    def __init__(self) -> None:
        port = EngineConfigSignature()
        super().__init__({"chain": In(port), "sink": In(port), "locks": In(1), "engine": Out(port)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        chain, sink, engine = self.chain, self.sink, self.engine
        chain_held, sink_held, chain_asks, sink_asks, free = (Signal() for _ in range(5))
        m.d.comb += [
            free.eq(~(chain_held | sink_held)),
            sink_asks.eq(sink_held | (free & sink.valid)),
            chain_asks.eq(chain_held | (free & chain.valid & ~sink.valid & ~self.locks)),
        ]
        # The staged words are the sink's, and the chain would set an entry up from them.
        foreign, commits_foreign, refused = Signal(), Signal(), Signal()
        code = struct(COMMIT)(chain.data[: COMMIT.width]).code
        setup = chain.write & (chain.address == EngineWord.COMMIT) & (code == Code.SETUP)
        with m.If(sink_asks & (sink.address != 0)):
            m.d.sync += foreign.eq(1)
        with m.Elif(chain_asks & chain.write & (chain.address == EngineWord.IMAGE)):
            m.d.sync += foreign.eq(0)
        m.d.comb += commits_foreign.eq(chain_asks & foreign & setup)
        m.d.sync += [
            refused.eq(commits_foreign & ~refused),
            sink_held.eq(sink_asks & ~sink.ready),
            # What is refused keeps the engine's port from no one.
            chain_held.eq(chain_asks & ~commits_foreign & ~chain.ready),
        ]

        m.d.comb += [
            engine.valid.eq(sink_asks | (chain_asks & ~commits_foreign)),
            chain.ready.eq(refused | (chain_held & engine.ready)),
            chain.error.eq(refused | (chain_held & engine.error)),
            chain.rdata.eq(Mux(chain_held, engine.rdata, 0)),
            sink.ready.eq(sink_held & engine.ready),
            sink.error.eq(sink_held & engine.error),
            sink.rdata.eq(Mux(sink_held, engine.rdata, 0)),
        ]
        for name in ("write", "address", "data"):
            asked = Mux(sink_asks, getattr(sink, name), getattr(chain, name))
            m.d.comb += getattr(engine, name).eq(asked)
        return m


class _SetUpChannel(wiring.Component):
    """A buffer out of the router, and a choice between two senders into it.

    Rules: docs/microarchitecture-networks.md, N3 (4 to 6).

    Parameters
    ----------
    shape : SetUpShape

    Members
    -------
    valid : In(1), flit : In(flit), credit : Out(1)
        Channel V out of the router.
    sink_valid : Out(1), sink_flit : Out(flit), listens : In(1)
        A flit for the sink, which takes it if it listens.
    manager_valid : Out(1), manager_flit : Out(flit)
        A flit for the manager, which takes it at once.
    reply_valid : In(1), reply_flit : In(flit), reply_leaves : Out(1)
        A flit that the sink offers.
    request_valid : In(1), request_flit : In(flit), request_leaves : Out(1)
        A flit that the manager offers.
    sends : Out(1), out_flit : Out(flit), out_credit : In(1)
        Channel V into the router.
    overflow : Out(1)
        A flit is dropped for want of a place.
    """

    def __init__(self, shape: SetUpShape) -> None:
        self._shape = shape
        flit = struct(shape.flit)
        ones_in = ("valid", "listens", "reply_valid", "request_valid", "out_credit")
        ones_out = ("credit", "sink_valid", "manager_valid", "reply_leaves", "request_leaves")
        members: dict[str, Any] = {name: In(1) for name in ones_in}
        members |= {name: Out(1) for name in (*ones_out, "sends", "overflow")}
        members |= {name: In(flit) for name in ("flit", "reply_flit", "request_flit")}
        members |= {name: Out(flit) for name in ("sink_flit", "manager_flit", "out_flit")}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape = self._shape
        m.submodules.buffer = buffer = WordQueue(shape.flit.width, shape.places)
        first = struct(shape.flit)(buffer.first)
        replies, kept = Signal(), Signal()
        m.d.comb += [
            buffer.push.eq(self.valid),
            buffer.word.eq(self.flit),
            self.overflow.eq(buffer.push & buffer.full),
            replies.eq(Mux(first.head, first.payload[shape.reply], kept)),
            self.sink_valid.eq(buffer.some & ~replies),
            self.sink_flit.eq(first),
            self.manager_valid.eq(buffer.some & replies),
            self.manager_flit.eq(first),
            buffer.pop.eq(self.manager_valid | (self.sink_valid & self.listens)),
        ]
        m.d.sync += self.credit.eq(buffer.pop)
        with m.If(buffer.some):
            m.d.sync += kept.eq(replies)

        m.submodules.credits = credits = CreditCounter(shape.places)
        begun, requests, chosen = Signal(), Signal(), Signal()
        m.d.comb += [
            chosen.eq(Mux(begun, requests, ~self.reply_valid)),
            self.sends.eq(Mux(chosen, self.request_valid, self.reply_valid) & credits.available),
            self.out_flit.eq(Mux(chosen, self.request_flit, self.reply_flit)),
            self.request_leaves.eq(self.sends & chosen),
            self.reply_leaves.eq(self.sends & ~chosen),
            credits.credit.eq(self.out_credit),
            credits.spend.eq(self.sends),
        ]
        with m.If(self.sends):
            m.d.sync += [begun.eq(~self.out_flit.tail), requests.eq(chosen)]
        return m


class _SetUpPort(wiring.Component, ABC):
    """Port N of a router: the set-up channel, and what becomes of the ordinary ones.

    Parameters
    ----------
    shape : SetUpShape

    Attributes
    ----------
    process : bool
        There is a process, with ordinary packets.

    Members
    -------
    router_in : Out(FlitSignature), router_out : In(FlitSignature)
        Into the router, and out of it; the set-up channel is the last.
    inject : In(FlitSignature), eject : Out(FlitSignature)
        The process's packets; only with ``process``.
    sink_valid, sink_flit, listens, manager_valid, manager_flit, reply_valid, reply_flit,
    reply_leaves, request_valid, request_flit, request_leaves
        As of the set-up channel.
    overflows : Out(2)
        Flits that are dropped for want of a place.
    unexpected : Out(1)
        An ordinary flit has come where there is no process.
    """

    process: bool

    def __init__(self, shape: SetUpShape) -> None:
        self._shape = shape
        self._channel = channel = _SetUpChannel(shape)
        link = FlitSignature(shape.channels + 1, shape.flit_bits, cut=shape.cut)
        members: dict[str, Any] = {
            "router_in": Out(link),
            "router_out": In(link),
            "overflows": Out(2),
            "unexpected": Out(1),
        }
        if self.process:
            packets = FlitSignature(shape.channels, shape.flit_bits, cut=shape.cut)
            members |= {"inject": In(packets), "eject": Out(packets)}
        inside = channel.signature.members
        self._exposed = [
            name for name in inside if name.startswith(("sink", "listens", "manager", "re"))
        ]
        super().__init__(members | {name: inside[name] for name in self._exposed})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.channel = channel = self._channel
        last = self._shape.channels
        for name in self._exposed:
            show(m, self, name, channel, name)
        m.d.comb += [
            channel.valid.eq(self.router_out.valid[last]),
            channel.flit.eq(self.router_out.flit),
            self.router_out.credit[last].eq(channel.credit),
            channel.out_credit.eq(self.router_in.credit[last]),
            self.router_in.valid[last].eq(channel.sends),
            self.overflows[0].eq(channel.overflow),
        ]
        self._join_ordinary(m)
        return m

    @abstractmethod
    def _join_ordinary(self, m: Module) -> None:
        """Join the ordinary channels."""


class LocalPort(_SetUpPort):
    """A port with a process, whose flits are held while set-up packets enter the router.

    Rules: docs/microarchitecture-networks.md, N3 (7). Members: those of the port.
    """

    process = True

    def _join_ordinary(self, m: Module) -> None:
        shape, channel = self._shape, self._channel
        count, into, out = shape.channels, self.router_in, self.router_out
        m.submodules.hold = hold = Hold(count, struct(shape.flit), count * shape.places)
        comes = out.valid[:count].any()
        m.d.comb += [
            self.eject.valid.eq(out.valid[:count]),
            self.eject.flit.eq(Mux(comes, out.flit, 0)),
            out.credit[:count].eq(self.eject.credit),
            hold.valid.eq(self.inject.valid),
            hold.flit.eq(self.inject.flit),
            hold.blocked.eq(channel.sends),
            into.valid[:count].eq(hold.out_valid),
            into.flit.eq(Mux(channel.sends, channel.out_flit, hold.out_flit)),
            self.inject.credit.eq(into.credit[:count]),
            self.overflows[1].eq(hold.overflow),
        ]


class SinkPort(_SetUpPort):
    """A port without a process: its ordinary flits are dropped as they come.

    Rules: docs/microarchitecture-networks.md, N3 (8). Members: those of the port.
    """

    process = False

    def _join_ordinary(self, m: Module) -> None:
        count, channel = self._shape.channels, self._channel
        came = self.router_out.valid[:count]
        m.d.comb += [
            self.unexpected.eq(came.any()),
            self.router_in.flit.eq(Mux(channel.sends, channel.out_flit, 0)),
        ]
        m.d.sync += self.router_out.credit[:count].eq(came)
