"""A process's port to entries and slots: a port of all entries, and one of each slot."""

from typing import Any

from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.slots import SlotLayout
from syncfabric.models.messages import COUNTER_BITS
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.transport.link import show

__all__ = ["SlotsPort"]

_IN = ("arrive", "last", "data")
_OUT = ("released", "ready", "done", "broken", "result")


class SlotsPort(wiring.Component):
    """Registers of entries below those of slots.

    Rules: docs/microarchitecture-wires.md, X1 (4).

    Parameters
    ----------
    layout : SlotLayout
    registers : int, 1 to 16
        Of entries.

    Members
    -------
    arrive, last, data, released, ready, done, broken, result, refused_arrives
        As of :class:`NodePort`, for registers of entries and slots.
    send, taken, answer
        As of :class:`NodePort`.
    send_0 .. : Out(MessageSignature), answer_0 .. : In(MessageSignature)
        To and from each slot; what is sent is taken.
    """

    def __init__(self, layout: SlotLayout, registers: int) -> None:
        self._entries = NodePort(layout.engine, registers, counted=False)
        self._slots = [NodePort(layout.message, 1, counted=False) for _ in range(layout.slots)]
        width, bits = registers + layout.slots, layout.engine.data_bits
        members: dict[str, Any] = {name: In(width) for name in _IN}
        members |= {name: Out(width) for name in _OUT}
        members |= {"data": In(width * bits), "result": Out(width * bits)}
        inside = self._entries.signature.members
        members |= {name: inside[name] for name in ("send", "taken", "answer")}
        message = MessageSignature(layout.message)
        for s in range(layout.slots):
            members |= {f"send_{s}": Out(message), f"answer_{s}": In(message)}
        super().__init__(members | {"refused_arrives": Out(COUNTER_BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ports: list[Any] = [self._entries, *self._slots]
        m.submodules.entries = self._entries
        for name in ("send", "taken", "answer"):
            show(m, self, name, self._entries, name)
        for s, port in enumerate(self._slots):
            m.submodules[f"slot_{s}"] = port
            m.d.comb += port.taken.eq(1)
            show(m, self, f"send_{s}", port, "send")
            show(m, self, f"answer_{s}", port, "answer")
        for name in _IN:
            m.d.comb += Cat(getattr(port, name) for port in ports).eq(getattr(self, name))
        for name in _OUT:
            m.d.comb += getattr(self, name).eq(Cat(getattr(port, name) for port in ports))
        events = [ports[0].refuses, Cat(port.refuses for port in ports[1:]).any()]
        m.submodules.refused = counter = SaturatingCounter(COUNTER_BITS, len(events))
        m.d.comb += [counter.events.eq(total(events)), self.refused_arrives.eq(counter.count)]
        return m
