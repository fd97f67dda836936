"""A node: config node, router, engine, their links, set-up, and the port of its process."""

from typing import Any, cast

from amaranth import Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.streams import StreamLayout
from syncfabric.models.layout.words import RouterWord, Target
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.guard.ends import GuardedLinks
from syncfabric.rtl.lifecycle.manager import Manager
from syncfabric.rtl.lifecycle.set_up_port import ConfigAccess, LocalPort, SinkPort
from syncfabric.rtl.lifecycle.shape import SetUpShape, set_up_shape
from syncfabric.rtl.lifecycle.sink import Sink
from syncfabric.rtl.planes.placed import AXIS, PROCESS, Placed, link_of, process_port, sharing
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.router.routing import DimensionRouting, Routing, SourceRouting, TableRouting
from syncfabric.rtl.slots.plane import SlotPlane
from syncfabric.rtl.streams.guard import join_streams
from syncfabric.rtl.streams.plane import StreamPlane
from syncfabric.rtl.streams.process import StreamPort
from syncfabric.rtl.transport.link import Joined, LinksApart, OwnLinks, SharedLinks, show
from syncfabric.rtl.transport.routed import RoutedLinks
from syncfabric.rtl.transport.streamed import StreamedLinks, join_events, streams_of

_EVENTS = {
    RouterWord.OVERFLOW: "overflows",
    RouterWord.CORRUPT: "corrupt",
    RouterWord.LOST: "lost",
}


class Node(Placed):
    """Router and engine on a config chain, with set-up by packets if there are managers.

    Cycles and rules: docs/microarchitecture-engine.md, Node; docs/microarchitecture-networks.md,
    N1 (8) and N3 to N5.

    Parameters
    ----------
    shape : NodeShape
    headers : tuple of int
        Header of replies to each manager; as many as ``shape.managers``.

    Attributes
    ----------
    link : Signature
        A link to a neighbour: ``packets`` (FlitSignature; only with channels) and ``messages``
        (MessageSignature; only if these have links of their own), with the wires of guards, and
        ``slots`` (SlotLinkSignature; only with barrier wires), and ``streams`` (only with these:
        StreamSignature, or FaultSignature where words are among packets).

    Members
    -------
    reset : In(1)
        Resets everything but this input's own register.
    index : In(16)
        Number of the node on the config chain; constant.
    host : In(ChainSignature), next : Out(ChainSignature)
        The chain towards the host, and away from it.
    in_0 .. : In(link), out_0 .. : Out(link)
    inject : In(FlitSignature), eject : Out(FlitSignature)
        Packets of the process; only with ``own`` and channels.
    x, y, .., number, routes, dateline : In
        Constants of the routing: coordinates; the router's number, which set-up needs too, and the
        port for each router; outputs at which packets change channels.
    delays : In
        Only with check bits and registers on links: how many each link has; constant.
    manager : In(1), manager_index : In(2)
        Only with ``own`` and managers: there is one, and its number; constant.
    freed_valid, freed_entry, freed_epoch : Out
        As of :class:`Engine`.
    arrive, last, data, released, ready, done, broken, result
        With ``own`` and a node port: as of :class:`NodePort`.
    s_axis : In(AxisSignature), m_axis : Out(AxisSignature)
        With ``own`` and streams: as of :class:`StreamPort`.
    arrive, arrive_ready, release
        With ``own`` and no node port: as of :class:`Engine`.
    clk_en : Out(1)
        Only with clock enables: as of :class:`Placed`.
    """

    def __init__(self, shape: NodeShape, headers: tuple[int, ...] = ()) -> None:
        self._shape = shape
        self._set_up = set_up_shape(shape, headers)
        self._collective = collective(shape, apart=self._apart)
        self._port = process_port(shape, shape.registers) if shape.registers else None
        if shape.wires and shape.own and not self._port:
            raise ValueError("Node needs a node port, registers of 1 and more, with own and wires")
        inside = self._collective.signature.members
        self.link = link_of(self._collective.signature, shape)
        members: dict[str, Any] = {}
        for p in range(shape.links):
            members |= {f"in_{p}": In(self.link), f"out_{p}": Out(self.link)}
        # What is exposed as it is: the name here, and there.
        names = shape.grid.names if shape.grid else ()
        exposed = {name: name for name in (*names, "number", "routes", "dateline", "delays")}
        exposed |= {name: f"sync_{name}" for name in ("freed_valid", "freed_entry", "freed_epoch")}
        if not self._port:
            exposed |= {name: f"sync_{name}" for name in ("arrive", "arrive_ready", "release")}
        if self._set_up:
            del exposed["number"]
            members["number"] = In(self._set_up.router_bits)
            self._end = (LocalPort if shape.own else SinkPort)(self._set_up)
        elif shape.own:
            exposed |= {"inject": f"in_{shape.links}", "eject": f"out_{shape.links}"}
        if self._set_up and shape.own:
            ends = self._end.signature.members
            members |= {name: ends[name] for name in ("inject", "eject")}
            members |= {"manager": In(1), "manager_index": In(2)}
        self._exposed = {name: end for name, end in exposed.items() if end in inside}
        members |= {name: inside[end] for name, end in self._exposed.items()}
        if self._port:
            members |= {name: self._port.signature.members[name] for name in PROCESS}
        if shape.stream and shape.own:
            self._stream_port = StreamPort(shape.stream)
            members |= {name: self._stream_port.signature.members[name] for name in AXIS}
        enable = shape.clock_enables or self._apart
        super().__init__(members, counters=shape.counters, clock_enable=enable)

    def _place(self, m: Module) -> None:
        m.submodules.collective = part = self._collective
        there: Any = part
        self._join_links(m, part, self._shape.links)
        for name, end in self._exposed.items():
            show(m, self, name, part, end)
        events = {w: [getattr(part, n)] for w, n in _EVENTS.items() if hasattr(part, n)}
        slots = self._place_slots(m, events) if self._shape.slots else None
        targets: dict[int, Any] = {Target.ENGINE: slots.config if slots else there.sync_config}
        if self._set_up:
            targets |= self._place_set_up(m, self._set_up, events, slots)
        if events:
            fence = getattr(part, "fence", None)
            targets[Target.ROUTER] = self._place_router_words(m, events, fence)
        if self._port:
            targets[Target.PORT] = self._join_process(m, self._port)
            wiring.connect(m, self._port.send, there.sync_arrive)
            wiring.connect(m, there.sync_release, self._port.answer)
            m.d.comb += self._port.granted.eq(there.sync_arrive_ready)
        self._join_chain(m, targets)

    def _place_slots(self, m: Module, events: dict[RouterWord, list[Any]]) -> Any:
        """Place the slots of barrier wires, and join them to links, engine and process."""
        shape, part, port = self._shape, cast(Any, self._collective), cast(Any, self._port)
        assert shape.slots
        reports = self._set_up is not None
        m.submodules.slots = slots = SlotPlane(
            shape.slots, shape.watchdog, reports=reports, streams=shape.streams
        )
        there: Any = slots
        for name in (f"{end}_{p}" for p in range(shape.links) for end in ("in", "out")):
            wiring.connect(m, getattr(there, name), wiring.flipped(getattr(self, name).slots))
        for s in range(shape.wires if port else 0):
            wiring.connect(m, getattr(port, f"send_{s}"), getattr(there, f"arrive_{s}"))
            wiring.connect(m, getattr(there, f"release_{s}"), getattr(port, f"answer_{s}"))
        wiring.connect(m, there.engine, part.sync_config)
        events[RouterWord.UNEXPECTED] = [*there.unexpected]
        if shape.stream:
            self._place_streams(m, shape.stream, slots, events)
        return slots

    def _place_streams(
        self,
        m: Module,
        layout: StreamLayout,
        slots: SlotPlane,
        events: dict[RouterWord, list[Any]],
    ) -> None:
        """Place streams along the trees of the first slots."""
        m.submodules.streams = streams = StreamPlane(layout)
        here: Any = streams
        part: Any = self._collective
        for p in range(layout.links):
            ends = getattr(here, f"in_{p}"), getattr(here, f"out_{p}")
            join_streams(m, layout, p, ends, streams_of(self, part, p), here.opens, events)
        if layout.shared:
            m.d.comb += here.late.eq(part.late)
            join_events(m, part, here.opens, events)
        for s in range(layout.channels):
            for name in (f"{part}_{s}" for part in ("alive", "starts", "children", "parent")):
                m.d.comb += getattr(here, name).eq(getattr(slots, name))
        m.d.comb += [
            slots.breaks.eq(streams.breaks),
            slots.waits.eq(streams.waits),
            streams.visit.eq(slots.visit),
            streams.clear.eq(self._resets),
        ]
        overflows = events.setdefault(RouterWord.OVERFLOW, [])
        overflows.append(streams.overflows)
        if layout.own:
            port, first = self._stream_port, self._shape.registers
            ready = cast(Any, self._port).ready[first : first + layout.channels]
            self._join_streams(m, ready, port)
            wiring.connect(m, port.send, getattr(here, f"in_{layout.links}"))
            wiring.connect(m, getattr(here, f"out_{layout.links}"), port.receive)
            overflows.append(port.overflows)

    def _place_set_up(
        self,
        m: Module,
        set_up: SetUpShape,
        events: dict[RouterWord, list[Any]],
        slots: Any,
    ) -> dict[int, Any]:
        """Place sink, manager and the port of both; return the targets that they make."""
        part: Any = self._collective
        here: Any = self
        end: Any = self._end
        links = self._shape.links
        m.submodules.sink = sink = Sink(set_up)
        m.submodules.access = access = ConfigAccess()
        m.submodules.set_up_port = end
        wiring.connect(m, end.router_in, getattr(part, f"in_{links}"))
        wiring.connect(m, getattr(part, f"out_{links}"), end.router_out)
        wiring.connect(m, sink.access, access.sink)
        wiring.connect(m, access.engine, slots.config if slots else part.sync_config)
        m.d.comb += [
            access.locks.eq(sink.locks),
            sink.number.eq(here.number),
            sink.valid.eq(end.sink_valid),
            sink.flit.eq(end.sink_flit),
            end.listens.eq(sink.listens),
            end.reply_valid.eq(sink.reply_valid),
            end.reply_flit.eq(sink.reply_flit),
            sink.reply_leaves.eq(end.reply_leaves),
        ]
        for name in ("freed_valid", "freed_entry", "freed_epoch"):
            freed = getattr(part, f"sync_{name}")
            if slots:
                freed = Mux(part.sync_freed_valid, freed, getattr(slots, name))
            m.d.comb += getattr(sink, name).eq(freed)
        if slots:
            m.d.comb += slots.freed_ready.eq(~part.sync_freed_valid)
        if hasattr(part, "number"):
            m.d.comb += part.number.eq(here.number)
        events[RouterWord.OVERFLOW].extend(end.overflows)
        unexpected = events.setdefault(RouterWord.UNEXPECTED, [])
        unexpected += [*sink.dropped, end.unexpected]
        targets: dict[int, Any] = {Target.ENGINE: access.chain}
        if self._shape.own:
            for name in ("inject", "eject"):
                show(m, self, name, end, name)
            targets[Target.MANAGER] = self._join_manager(m, Manager(set_up), end)
        return targets


class NodeApart(Node):
    """The same, and its router has a clock of its own, with an enable: domain ``packets``.

    Only with channels, messages on links of their own, and what goes with clock enables.

    Members
    -------
    clk_en : Out(1)
        Something may change in the domain ``sync``: everything but the router.
    packets_clk_en : Out(1)
        Something may change in the domain ``packets``.
    """

    _apart = True

    def _crosses(self) -> Value:
        there: Any = self._collective
        return there.overflows.any()


def collective(shape: NodeShape, *, apart: bool = False) -> Joined | GuardedLinks:
    """Return a router and its engine, joined by their transport, with guards if links have them.

    Parameters
    ----------
    shape : NodeShape
    apart : bool, optional
        The router's clock is another, as of :class:`NodeApart`.
    """
    joined = _joined(shape, apart)
    if not shape.check_bits:
        return joined
    return GuardedLinks(
        joined,
        links=shape.links,
        check_bits=shape.check_bits,
        places=shape.buffer_flits,
        registers=shape.most_registers,
    )


def _joined(shape: NodeShape, apart: bool) -> Joined:
    engine = Engine(shape.layout, **shape.options)
    packets = router(shape) if shape.channels else None
    if packets and shape.grid and shape.layout.routed:
        return RoutedLinks(packets, engine, shape.layout, shape.grid)
    if packets and shape.stream and shape.stream.shared:
        return StreamedLinks(packets, engine, shape.stream)
    if packets and shape.shared:
        return SharedLinks(packets, engine, shape.links)
    return (LinksApart if apart else OwnLinks)(packets, engine)


def router(shape: NodeShape) -> Router:
    """Return the router of packets."""
    return Router(
        _routing(shape),
        channels=shape.link_channels,
        buffer_flits=shape.buffer_flits,
        flit_bits=shape.flit_bits,
        output_register=shape.output_register,
        messages=tuple(range(shape.links)) if sharing(shape) else (),
        **sharing(shape),
        cut=shape.check_bits > 0,
        dated=shape.channels if shape.datelines else 0,
    )


def _routing(shape: NodeShape) -> Routing:
    if shape.routing == "table":
        return TableRouting(shape.outputs, shape.routers)
    if shape.grid:
        adaptive = range(shape.escapes, shape.channels) if shape.escapes else range(0)
        return DimensionRouting(shape.grid, shape.ports, shape.own, adaptive)
    return SourceRouting(shape.outputs)
