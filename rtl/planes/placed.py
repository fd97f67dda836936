"""What nodes and node interfaces have in common: reset, config chain, words, the process's port."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from amaranth import Const, Module, Mux, ResetInserter, Signal, Value
from amaranth.hdl import Fragment
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import PortWord, RouterWord
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.lifecycle.manager import Manager
from syncfabric.rtl.parts.activity import activity, arrives, transient
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.slots.plane import SlotsPort
from syncfabric.rtl.slots.slot import SlotLinkSignature
from syncfabric.rtl.streams.guard import stream_link
from syncfabric.rtl.streams.process import StreamPort
from syncfabric.rtl.transport.config_chain import NODE_BITS, ChainSignature, ConfigNode, Words
from syncfabric.rtl.transport.link import show

PROCESS = ("arrive", "last", "data", "released", "ready", "done", "broken", "result")
"""Members of a node port that the process has."""

AXIS = ("s_axis", "m_axis")
"""Members of a port of streams that the process has."""

_PLANES = {"packets": "{}", "messages": "sync_{}", "streams": "faults_{}"}
"""Parts of a link, and the names of its ends at what is inside."""


def link_of(inside: wiring.Signature, shape: NodeShape) -> wiring.Signature:
    """Return a link to a neighbour: what leaves by ends ``out_0`` and ``sync_out_0``, and wires."""
    slots, streams = shape.slots, shape.stream
    ends = {plane: name.format("out_0") for plane, name in _PLANES.items()}
    there = inside.members
    members = {p: Out(there[end].signature) for p, end in ends.items() if end in there}
    members |= {"slots": Out(SlotLinkSignature(slots))} if slots else {}
    members |= {"streams": Out(stream_link(streams))} if streams else {}
    return wiring.Signature(members)


def sharing(shape: NodeShape) -> dict[str, Any]:
    """Return what shares the links of packets, as of :class:`FlitSignature`; empty: nothing."""
    if shape.stream and shape.stream.shared:
        words = {"message_bits": shape.stream.word.width, "classes": shape.stream.channels}
        return {**words, "sharer": "stream"}
    if not shape.shared:
        return {}
    layout = shape.layout
    return {"message_bits": layout.link_message.width, "classes": layout.lanes}


def process_port(shape: NodeShape, registers: int) -> NodePort | SlotsPort:
    """Return a process's port to an engine, and to slots if there are any."""
    if shape.slots:
        return SlotsPort(shape.slots, registers)
    return NodePort(shape.layout, registers)


class Placed(wiring.Component, ABC):
    """A place on the config chain, whose reset takes a cycle to all of its state.

    Rules: docs/microarchitecture-engine.md, Node (1, 4, 5).

    Parameters
    ----------
    members : mapping
        Of the component, beside ``reset``, ``index``, ``host`` and ``next``.
    counters : bool
        Events are counted.
    clock_enable : bool, optional
        It shows whether it needs the next edge of its clock.

    Members
    -------
    reset : In(1)
        Resets all but this input's own register.
    index : In(NODE_BITS)
        Its number on the chain.
    host : In(ChainSignature()), next : Out(ChainSignature())
        The chain, towards the host and away from it.
    clk_en : Out(1)
        Only with ``clock_enable``: something may change. Else the clock may stand.
    """

    _apart = False  # packets have a clock domain of their own

    def __init__(
        self,
        members: Mapping[str, Any],
        *,
        counters: bool,
        clock_enable: bool = False,
    ) -> None:
        self._counters, self._clock_enable = counters, clock_enable
        super().__init__(
            {
                "reset": In(1),
                "index": In(NODE_BITS),
                "host": In(ChainSignature()),
                "next": Out(ChainSignature()),
                **members,
                **({"clk_en": Out(1)} if clock_enable else {}),
                **({"packets_clk_en": Out(1)} if self._apart else {}),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m, inside = Module(), Module()
        self._resets = resets = Signal(name="resets", reset_less=True)
        m.d.sync += resets.eq(self.reset)
        self._place(inside)
        if not self._clock_enable:
            m.submodules.inside = ResetInserter(resets)(inside)
            return m
        fragment = Fragment.get(inside, platform)
        here: Any = self
        if not self._apart:
            m.d.comb += here.clk_en.eq(arrives(self) | resets | activity(fragment))
            m.submodules.inside = ResetInserter(resets)(fragment)
            return m
        comes = arrives(self, packets=False) | self._crosses()
        m.d.comb += [
            here.clk_en.eq(comes | resets | activity(fragment)),
            here.packets_clk_en.eq(
                arrives(self, packets=True) | resets | activity(fragment, "packets")
            ),
        ]
        m.submodules.inside = ResetInserter({"sync": resets, "packets": resets})(fragment)
        return m

    def _crosses(self) -> Value:
        """Return whether something comes from the domain of packets."""
        return Const(0, 1)

    @abstractmethod
    def _place(self, m: Module) -> None:
        """Place what is reset."""

    def _join_links(self, m: Module, part: Any, count: int) -> None:
        """Join the links ``in_0``, ``out_0`` .. to the ends of what is inside."""
        for name in (f"{end}_{p}" for p in range(count) for end in ("in", "out")):
            link = getattr(self, name)
            for plane, ends in _PLANES.items():
                if inner := getattr(part, ends.format(name), None):
                    wiring.connect(m, inner, wiring.flipped(getattr(link, plane)))

    def _join_chain(self, m: Module, targets: Mapping[int, Any]) -> None:
        """Place the config node before ports of its targets, by number."""
        m.submodules.config = config = ConfigNode(tuple(targets))
        m.d.comb += config.index.eq(self.index)
        wiring.connect(m, wiring.flipped(self.host), config.host)
        wiring.connect(m, config.next, wiring.flipped(self.next))
        for number, target in targets.items():
            wiring.connect(m, getattr(config, f"target_{number}"), target)

    def _place_router_words(
        self, m: Module, events: Mapping[RouterWord, Iterable[Value]], fence: Signal | None
    ) -> Any:
        """Place counters of a router's events, and its fence; return their port."""
        read: dict[int, Value] = {w: self._count(m, w.name, list(e)) for w, e in events.items()}
        if fence is not None:
            kept = Signal.like(fence, name="fence")
            m.d.comb += fence.eq(kept)
            read[RouterWord.FENCE] = kept
        widths = {int(address): len(word) for address, word in read.items()}
        m.submodules.words = words = Words(widths, [RouterWord.FENCE] * (fence is not None))
        for address, word in read.items():
            m.d.comb += getattr(words, f"read_{address}").eq(word)
        if fence is not None:
            m.d.sync += kept.eq(Mux(words.write_1, words.config.data, kept))
        return words.config

    def _count(self, m: Module, name: str, events: list[Value]) -> Value:
        """Count events, so that those of t are seen from t + 2; without counters return 0."""
        name = name.lower()
        count = Signal(COUNTER_BITS, name=f"{name}_count")
        if self._counters:
            happened = total(events)
            kept = Signal(len(happened), name=f"kept_{name}")
            counter = SaturatingCounter(COUNTER_BITS, (1 << len(kept)) - 1)
            m.submodules[f"{name}_counter"] = counter
            m.d.sync += transient(kept).eq(happened)
            m.d.comb += [counter.events.eq(kept), count.eq(counter.count)]
        return count

    def _join_process(self, m: Module, port: NodePort | SlotsPort) -> Any:
        """Join a node port to the process; return the port of its words."""
        m.submodules.port = port
        m.submodules.port_words = words = Words(PortWord.widths("r"))
        if self._counters:
            m.d.comb += words.read_16.eq(port.refused_arrives)
        for name in PROCESS:
            show(m, self, name, port, name)
        return words.config

    def _join_streams(self, m: Module, ready: Value, streams: StreamPort) -> None:
        """Join a process to its ports of streams, which are open while slots are ready."""
        m.submodules.stream_port = streams
        m.d.comb += streams.opens.eq(ready)
        for name in AXIS:
            show(m, self, name, streams, name)

    def _join_manager(self, m: Module, manager: Manager, end: Any) -> Any:
        """Join a manager to an end of set-up packets; return the port of its words."""
        here: Any = self
        m.submodules.manager = manager
        m.d.comb += [
            manager.enable.eq(here.manager),
            manager.index.eq(here.manager_index),
            manager.count.eq(self._count(m, "manager_unexpected", [manager.unexpected])),
            end.request_valid.eq(manager.request_valid),
            end.request_flit.eq(manager.request_flit),
            manager.request_leaves.eq(end.request_leaves),
            manager.reply_valid.eq(end.manager_valid),
            manager.reply_flit.eq(end.manager_flit),
        ]
        return manager.config
