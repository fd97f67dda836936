"""A node: config node, router, engine, their links, and the port of its process."""

from typing import Any

from amaranth import Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.node import ROUTE, PortWord, RouterWord, Target
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.messages import COUNTER_BITS
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.planes.collective import collective
from syncfabric.rtl.planes.words import Words
from syncfabric.rtl.transport.config_chain import NODE_BITS, ChainSignature, ConfigNode
from syncfabric.rtl.transport.link import show

__all__ = ["Node"]

_EVENTS = {"overflows": RouterWord.OVERFLOW, "corrupt": RouterWord.CORRUPT, "lost": RouterWord.LOST}
_PLANES = {"packets": "{}", "messages": "sync_{}"}
"""Parts of a link, and the names of its ends at the router and its engine."""


class Node(wiring.Component):
    """Router and engine on a config chain. Its reset takes a cycle to all of its state.

    Cycles and rules: docs/microarchitecture-engine.md, Node.

    Parameters
    ----------
    shape : NodeShape

    Attributes
    ----------
    link : Signature
        A link to a neighbour: ``packets`` (FlitSignature; only with channels) and ``messages``
        (MessageSignature; only if these have links of their own), with the wires of guards.

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
    x, y : In
        Position in a mesh; only with X-Y routing.
    freed_valid, freed_entry : Out
        As of :class:`Engine`.
    arrive, last, data, released, ready, done, broken, result
        With ``own`` and a node port: as of :class:`NodePort`.
    arrive, arrive_ready, release
        With ``own`` and no node port: as of :class:`Engine`.
    """

    def __init__(self, shape: NodeShape) -> None:
        self._shape = shape
        self._collective = collective(shape)
        self._port = NodePort(shape.layout, shape.registers) if shape.registers else None
        inside = self._collective.signature.members
        planes = {name: ends.format("out_0") for name, ends in _PLANES.items()}
        self.link = wiring.Signature(
            {name: Out(inside[end].signature) for name, end in planes.items() if end in inside}
        )
        members: dict[str, Any] = {
            "reset": In(1),
            "index": In(NODE_BITS),
            "host": In(ChainSignature()),
            "next": Out(ChainSignature()),
        }
        for p in range(shape.links):
            members |= {f"in_{p}": In(self.link), f"out_{p}": Out(self.link)}
        # What is shown as it is, by the part that it is of: the name here, and there.
        own = {"inject": f"in_{shape.links}", "eject": f"out_{shape.links}"} if shape.own else {}
        own |= {name: name for name in ("x", "y")}
        freed = {name: f"sync_{name}" for name in ("freed_valid", "freed_entry")}
        process = {name: f"sync_{name}" for name in ("arrive", "arrive_ready", "release")}
        shown = own | freed | ({} if self._port else process)
        self._shown = {name: end for name, end in shown.items() if end in inside}
        members |= {name: inside[end] for name, end in self._shown.items()}
        if self._port:
            port = self._port.signature.members
            members |= {name: port[name] for name in _PROCESS}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m, inside = Module(), Module()
        resets = Signal(reset_less=True)
        m.d.sync += resets.eq(self.reset)
        m.submodules.inside = ResetInserter(resets)(inside)
        self._place(inside)
        return m

    def _place(self, m: Module) -> None:
        """Place what is reset."""
        m.submodules.collective = part = self._collective
        for p in range(self._shape.links):
            for name in (f"in_{p}", f"out_{p}"):
                link = getattr(self, name)
                for plane in self.link.members:
                    inner = getattr(part, _PLANES[plane].format(name))
                    wiring.connect(m, inner, wiring.flipped(getattr(link, plane)))
        for name, end in self._shown.items():
            show(m, self, name, part, end)
        targets: dict[int, Any] = {Target.ENGINE: part.sync_config}
        if words := self._router_words(m):
            targets[Target.ROUTER] = words.config
        if self._port:
            m.submodules.port = self._port
            targets[Target.PORT] = self._join_port(m, self._port).config
        m.submodules.config = config = ConfigNode(tuple(targets))
        m.d.comb += config.index.eq(self.index)
        wiring.connect(m, wiring.flipped(self.host), config.host)
        wiring.connect(m, config.next, wiring.flipped(self.next))
        for number, target in targets.items():
            wiring.connect(m, getattr(config, f"target_{number}"), target)

    def _router_words(self, m: Module) -> Any:
        """Place the router's words and counters; return the words, or None if there are none."""
        part: Any = self._collective
        there = part.signature.members
        counts: dict[int, Value] = {
            address: self._count(m, name, getattr(part, name))
            for name, address in _EVENTS.items()
            if name in there
        }
        if not counts:
            return None
        table = (RouterWord.TABLE,) if "table_write" in there else ()
        fence = (RouterWord.FENCE,) if "fence" in there else ()
        if fence:
            counts[RouterWord.FENCE] = kept = Signal.like(part.fence, name="fence")
            m.d.comb += part.fence.eq(kept)
        read = {address: len(word) for address, word in counts.items()}
        m.submodules.words = words = Words(read, (*table, *fence))
        for address, word in counts.items():
            m.d.comb += getattr(words, f"read_{address}").eq(word)
        data = words.config.data
        if table:
            route = struct(ROUTE)(data[: ROUTE.width])
            m.d.comb += [
                part.table_write.eq(words.write_0),
                part.table_destination.eq(route.destination),
                part.table_output.eq(route.output),
            ]
        if fence:
            m.d.sync += kept.eq(Mux(words.write_1, data, kept))
        return words

    def _count(self, m: Module, name: str, events: Signal) -> Value:
        """Count events, so that those of t are seen from t + 2; without counters return 0."""
        count = Signal(COUNTER_BITS, name=f"{name}_count")
        if self._shape.counters:
            kept = Signal.like(events, name=f"kept_{name}")
            counter = SaturatingCounter(COUNTER_BITS, (1 << len(events)) - 1)
            m.submodules[f"{name}_counter"] = counter
            m.d.sync += kept.eq(events)
            m.d.comb += [counter.events.eq(kept), count.eq(counter.count)]
        return count

    def _join_port(self, m: Module, port: NodePort) -> Words:
        """Place the node port between process and engine; return its words."""
        part: Any = self._collective
        m.submodules.port_words = words = Words({PortWord.REFUSED_ARRIVE: COUNTER_BITS})
        wiring.connect(m, port.send, part.sync_arrive)
        wiring.connect(m, part.sync_release, port.answer)
        m.d.comb += port.taken.eq(part.sync_arrive_ready)
        if self._shape.counters:
            m.d.comb += words.read_16.eq(port.refused_arrives)
        for name in _PROCESS:
            show(m, self, name, port, name)
        return words


_PROCESS = ("arrive", "last", "data", "released", "ready", "done", "broken", "result")
"""Members of a node port that the process has."""
