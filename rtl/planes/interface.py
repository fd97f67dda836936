"""A node interface: a node at the far end of a link to its router."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.models.layout.words import RouterWord, Target
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.engine.tag import turned
from syncfabric.rtl.guard.ends import GuardedLinks
from syncfabric.rtl.lifecycle.manager import Manager
from syncfabric.rtl.lifecycle.queue import Hold
from syncfabric.rtl.lifecycle.shape import set_up_shape
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.planes.placed import AXIS, PROCESS, Placed, link_of, process_port, sharing
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.slots.slot import received, sent
from syncfabric.rtl.streams.guard import join_streams
from syncfabric.rtl.streams.process import StreamPort
from syncfabric.rtl.transport.link import show, word_on
from syncfabric.rtl.transport.streamed import join_events, join_words, members_of, streams_of


class LinkEnd(wiring.Component):
    """A node's end of its link: messages first, then flits of the manager, then the process's.

    Rules: docs/microarchitecture-networks.md, N2 (1 to 6); docs/microarchitecture-streams.md, V13.

    Parameters
    ----------
    shape : NodeShape
        Of the router.

    Members
    -------
    in_0 : In(FlitSignature), out_0 : Out(FlitSignature)
        The link; only with channels.
    sync_in_0 : In(MessageSignature), sync_out_0 : Out(MessageSignature)
        That of messages, if they have one of their own.
    arrive : In(MessageSignature), release : Out(MessageSignature)
        Messages of the process, always taken, and for it, a cycle after they are on the link.
    inject : In(FlitSignature), eject : Out(FlitSignature)
        Packets of the process; only with channels.
    request_valid : In(1), request_flit : In(flit), request_leaves : Out(1)
        A flit that the manager offers, and whether it leaves; only with managers.
    manager_valid : Out(1), manager_flit : Out(flit)
        A flit for it, which it takes at once; only with managers.
    overflows : Out(1)
        A flit is dropped for want of a place; only with channels.
    words_in_0, words_out_0, faults_in_0, faults_out_0, late
        As of :class:`StreamedLinks`, for the process's port; only if streams share the link.
    """

    def __init__(self, shape: NodeShape) -> None:
        self._shape = shape
        self._streams = shape.stream if shape.stream and shape.stream.shared else None
        message, cut = MessageSignature(shape.layout), shape.check_bits > 0
        members: dict[str, Any] = {"arrive": In(message), "release": Out(message)}
        if not shape.shared:
            members |= {"sync_in_0": In(message), "sync_out_0": Out(message)}
        if shape.channels:
            link = FlitSignature(shape.link_channels, shape.flit_bits, cut=cut, **sharing(shape))
            packets = FlitSignature(shape.channels, shape.flit_bits, cut=cut)
            members |= {"in_0": In(link), "out_0": Out(link), "overflows": Out(1)}
            members |= {"inject": In(packets), "eject": Out(packets)}
        if shape.managers:
            members |= {"request_valid": In(1), "request_flit": In(link.flit)}
            members |= {"request_leaves": Out(1)}
            members |= {"manager_valid": Out(1), "manager_flit": Out(link.flit)}
        members |= members_of(self._streams, 1) if self._streams else {}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        here: Any = self
        if not self._shape.shared:
            self._release(m, here.sync_in_0.valid, here.sync_in_0.message)
            wiring.connect(m, wiring.flipped(here.arrive), wiring.flipped(here.sync_out_0))
        if self._shape.channels:
            self._join_incoming(m)
            self._join_outgoing(m)
        return m

    def _join_incoming(self, m: Module) -> None:
        """Hand on what comes by the link."""
        here: Any = self
        link, count = here.in_0, self._shape.channels
        m.d.comb += [
            here.eject.valid.eq(link.valid[:count]),
            here.eject.flit.eq(Mux(link.valid[:count].any(), link.flit, 0)),
            link.credit[:count].eq(here.eject.credit),
        ]
        if self._shape.managers:
            m.d.comb += [here.manager_valid.eq(link.valid[count]), here.manager_flit.eq(link.flit)]
            m.d.sync += link.credit[count].eq(link.valid[count])
        if self._shape.shared:
            self._release(m, link.message_valid, word_on(link))
        if self._streams:
            join_words(m, self, self._streams, 1)
            if not self._streams.check_bits:
                m.d.comb += link.stream_credit.eq(here.words_in_0.credit)

    def _release(self, m: Module, valid: Value, message: Any) -> None:
        """Hand a message on a cycle later: the process may look at its result at once."""
        release: Any = self.release
        m.d.sync += [release.valid.eq(valid), release.message.as_value().eq(message)]

    def _join_outgoing(self, m: Module) -> None:
        """Send a message or a word, else a flit of the manager, else one of the process."""
        here: Any = self
        shape, link = self._shape, here.out_0
        count = shape.channels
        message: Value = Const(0, 1)
        if shape.shared:
            message = here.arrive.valid
        elif self._streams:
            message = here.words_out_0.valid.any()
        sends = Signal()
        wants: list[Value] = []
        m.d.comb += here.inject.credit.eq(link.credit[:count])
        word: Value = Const(0, 1)
        if shape.managers:
            m.submodules.credits = credits = CreditCounter(shape.buffer_flits)
            m.d.comb += [
                sends.eq(here.request_valid & credits.available & ~message),
                here.request_leaves.eq(sends),
                credits.spend.eq(sends),
                credits.credit.eq(link.credit[count]),
                link.valid[count].eq(sends),
            ]
            word = Mux(sends, here.request_flit, 0)
            wants.append(here.request_valid & credits.available)
        valid, flit = self._held(m, message | sends, wants)
        m.d.comb += link.valid[:count].eq(valid)
        if shape.shared:
            m.d.comb += link.message_valid.eq(message)
            word = word | self._send(m, link, "message", Mux(message, here.arrive.message, 0))
        elif self._streams:
            words = here.words_out_0
            m.d.comb += link.stream_valid.eq(words.valid)
            m.d.comb += here.late.eq(message & Cat(wants).any())
            word = word | self._send(m, link, "stream", Mux(message, words.word, 0))
        m.d.comb += link.flit.eq(word | flit)

    def _send(self, m: Module, link: Any, sharer: str, said: Value) -> Value:
        """Put a message or a word, which is 0 if there is none, on a link; return what is left."""
        width = len(link.flit.as_value())
        if len(said) > width:
            m.d.comb += getattr(link, f"{sharer}_rest").eq(said[width:])
        return said[:width]

    def _held(self, m: Module, blocked: Value, wants: list[Value]) -> tuple[Value, Value]:
        """Return the process's flit as it goes on the link; 0 while something else does."""
        here: Any = self
        shape, inject = self._shape, here.inject
        if not (shape.shared or shape.managers or self._streams):
            return inject.valid, Mux(inject.valid.any(), inject.flit, 0)
        places = shape.channels * shape.buffer_flits
        m.submodules.hold = hold = Hold(shape.channels, here.out_0.signature.flit, places)
        m.d.comb += [
            hold.valid.eq(inject.valid),
            hold.flit.eq(inject.flit),
            hold.blocked.eq(blocked),
            here.overflows.eq(hold.overflow),
        ]
        wants.append(hold.waits)
        return hold.out_valid, hold.out_flit.as_value()


class NodeInterface(Placed):
    """A node port, and with managers a manager, on a link to a router and on the config chain.

    Cycles and rules: docs/microarchitecture-networks.md, N2.

    Parameters
    ----------
    shape : NodeShape
        Of the routers.
    registers : int, 1 to 16
        Groups of the node port.
    headers : tuple of int
        Header of replies to each manager; as many as ``shape.managers``.

    Attributes
    ----------
    link : Signature
        The link to the router: as of :class:`Node`.

    Members
    -------
    reset, index, host, next
        As of :class:`Node`.
    in_0 : In(link), out_0 : Out(link)
    inject : In(FlitSignature), eject : Out(FlitSignature)
        Packets of the process; only with channels.
    manager : In(1), manager_index : In(2)
        Only with managers: there is one, and its number; constant.
    arrive, last, data, released, ready, done, broken, result
        As of :class:`NodePort`.
    s_axis : In(AxisSignature), m_axis : Out(AxisSignature)
        Only with streams: as of :class:`StreamPort`.
    """

    def __init__(self, shape: NodeShape, registers: int, headers: tuple[int, ...] = ()) -> None:
        self._set_up = set_up_shape(shape, headers)
        self._slots, self._layout = shape.slots, shape.layout
        self._port = process_port(shape, registers)
        self._end: LinkEnd | GuardedLinks = LinkEnd(shape)
        if shape.check_bits:
            self._end = GuardedLinks(
                self._end,
                links=1,
                check_bits=shape.check_bits,
                places=shape.buffer_flits,
                registers=0,
            )
        inside = self._end.signature.members
        self.link = link_of(self._end.signature, shape)
        members: dict[str, Any] = {"in_0": In(self.link), "out_0": Out(self.link)}
        self._exposed = [name for name in ("inject", "eject") if name in inside]
        members |= {name: inside[name] for name in self._exposed}
        if self._set_up:
            members |= {"manager": In(1), "manager_index": In(2)}
        members |= {name: self._port.signature.members[name] for name in PROCESS}
        self._stream = shape.stream
        self._stream_port = StreamPort(shape.stream) if shape.stream else None
        self._registers = registers
        if self._stream_port:
            members |= {name: self._stream_port.signature.members[name] for name in AXIS}
        super().__init__(members, counters=shape.counters)

    def _place(self, m: Module) -> None:
        here: Any = self
        end: Any = self._end
        m.submodules.end = end
        self._join_links(m, end, 1)
        for name in self._exposed:
            show(m, self, name, end, name)
        send, answer = self._port.send, self._port.answer
        m.d.comb += [
            end.arrive.valid.eq(send.valid),
            end.arrive.message.eq(turned(self._layout, send.message)),
            answer.valid.eq(end.release.valid),
            answer.message.eq(turned(self._layout, end.release.message)),
        ]
        m.d.comb += self._port.granted.eq(1)
        events: dict[RouterWord, list[Any]] = {RouterWord.CORRUPT: [], RouterWord.LOST: []}
        if self._slots:
            self._join_slots(m, self._slots)
        if self._stream and self._stream_port:
            streams: Any = self._stream_port
            ready = here.ready[self._registers : self._registers + len(streams.opens)]
            self._join_streams(m, ready, streams)
            ends, link = (streams.receive, streams.send), streams_of(self, end, 0)
            join_streams(m, self._stream, 0, ends, link, ready, events)
            if self._stream.shared:
                m.d.comb += streams.late.eq(end.late)
                join_events(m, end, ready, events)
        targets: dict[int, Any] = {Target.PORT: self._join_process(m, self._port)}
        if self._set_up:
            targets[Target.MANAGER] = self._join_manager(m, Manager(self._set_up), end)
        if hasattr(end, "fence"):
            events[RouterWord.CORRUPT].append(end.corrupt)
            events[RouterWord.LOST].append(end.lost)
            if hasattr(end, "overflows"):
                events[RouterWord.OVERFLOW] = [end.overflows]
            targets[Target.ROUTER] = self._place_router_words(m, events, end.fence)
        self._join_chain(m, targets)

    def _join_slots(self, m: Module, layout: SlotLayout) -> None:
        """Join the process's port to the link's barrier wires."""
        here: Any = self
        port: Any = self._port
        sends = [getattr(port, f"send_{s}") for s in range(layout.slots)]
        words: list[Value] = [Cat(send.message.kind, send.message.data) for send in sends]
        valid, word = sent(layout, [send.valid for send in sends], words)
        m.d.comb += [here.out_0.slots.valid.eq(valid), here.out_0.slots.words.eq(word)]
        for s in range(layout.slots):
            answer = getattr(port, f"answer_{s}")
            comes, said, _ = received(layout, here.in_0.slots, s)
            m.d.sync += [
                answer.valid.eq(comes),
                Cat(answer.message.kind, answer.message.data).eq(said),
            ]
