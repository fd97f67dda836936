"""Inputs of an engine: a head and a queue behind it, and which of the heads is served."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EngineLayout, Kind
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.places import Places


class Queue(wiring.Component):
    """Head in flip-flops, queue in memory. A message that comes alone is the head a cycle later.

    Rules: docs/microarchitecture-engine.md, E4.

    Parameters
    ----------
    layout : EngineLayout
    block : bool
        The memory is block RAM: what enters the queue can leave it two cycles later.

    Members
    -------
    valid : In(1), message : In(message)
        The link.
    take : In(1)
        The head is served.
    head : Out(message)
        The head.
    waits : Out(1)
        There will be a head in the next cycle, whether a message arrives now or not.
    comes : Out(1)
        A message arrives; if nothing waits it is the next head.
    overflow : Out(1)
        A message is dropped.
    """

    def __init__(self, layout: EngineLayout, *, block: bool = False) -> None:
        # One for each entry, and no fewer than LUT RAM has anyway.
        self._places = max(16, layout.entries)
        self._block = block
        message = struct(layout.message)
        super().__init__(
            {
                "valid": In(1),
                "message": In(message),
                "take": In(1),
                "head": Out(message),
                "waits": Out(1),
                "comes": Out(1),
                "overflow": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.places = places = Places(self._places.bit_length() - 1)
        m.submodules.memory = memory = Memory(
            shape=len(self.message.as_value()),
            depth=self._places,
            init=[],
            attrs={"ram_style": "block"} if self._block else None,
        )
        write = memory.write_port()
        read = memory.read_port(domain="sync" if self._block else "comb")
        held, stays, behind, front = Signal(), Signal(), Signal(), Signal()
        broken = Signal()
        if self._block:
            m.d.sync += front.eq(places.rest)
        else:
            m.d.comb += front.eq(places.some)
        m.d.comb += [
            stays.eq(held & ~self.take),
            behind.eq(stays | places.some),
            broken.eq(self.message.kind == Kind.BROKEN),
            places.push.eq(self.valid & (behind & ~places.full & ~broken)),
            places.pop.eq(front & ~stays),
            self.waits.eq(stays | front),
            self.comes.eq(self.valid & ~behind if self._block else self.valid),
            self.overflow.eq(self.valid & behind & (broken | places.full)),
            write.en.eq(places.push),
            write.addr.eq(places.write),
            write.data.eq(self.message),
            read.addr.eq(places.after if self._block else places.read),
        ]
        m.d.sync += transient(held).eq(self.waits | self.comes)
        with m.If(~stays):
            m.d.sync += self.head.eq(Mux(front, read.data, self.message))
        return m


class Choice(wiring.Component):
    """Grants the sources in turn; what arrives alone is granted without arbitration.

    Rules: docs/microarchitecture-engine.md, E5.

    Parameters
    ----------
    sources : int
        The last one is the local source, which is granted after reset.
    interval : int, 1 to 3
        Cycles of a service.

    Members
    -------
    waits, comes : In(sources)
        Sources that will have a head in the next cycle; sources whose head arrives in this one.
    hold : In(1)
        No service begins in this cycle, and nothing is chosen.
    grant : Out(sources)
        Sources tried in this cycle, or of the service in flight.
    begins : Out(1)
        Exactly one is, so that its service begins.
    executes : Out(1)
        The last cycle of a service.
    """

    def __init__(self, sources: int, interval: int) -> None:
        self._interval = interval
        super().__init__(
            {
                "waits": In(sources),
                "comes": In(sources),
                "hold": In(1),
                "grant": Out(sources, init=1 << sources - 1),
                "begins": Out(1),
                "executes": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        beyond, waited = Signal.like(self.grant, init=0), Signal()
        among, before = Signal.like(self.grant), Signal.like(self.grant)
        some, several = _some_and_several(list(self.grant))
        # What is granted in turn stays in its flip-flops: sources beyond it are the next.
        later = self.waits & beyond
        m.d.comb += [
            beyond.eq(Mux(waited, _below(self.grant), 0)),
            among.eq(Mux(later.any(), later, self.waits)),
            before.eq(_below(among)),
        ]
        # In flight from the second cycle to the last, where the next choice is made.
        flight = Signal(self._interval - 1)
        m.d.sync += transient(flight).eq(Cat(self.begins, flight)[: self._interval - 1])
        m.d.comb += [
            self.begins.eq(some & ~several & ~self.hold & ~flight.any()),
            self.executes.eq(Cat(self.begins, flight)[-1]),
        ]
        # What arrives is known late: it has but one LUT to pass.
        chosen = (among & ~before) | Mux(self.waits.any(), 0, self.comes)
        idle = ~Cat(self.begins, flight).any() & ~self.hold
        with m.If(self.executes | idle):
            m.d.sync += [transient(self.grant).eq(chosen), waited.eq(self.waits.any())]
        return m


def _below(bits: Value) -> Value:
    """Return, for each bit, whether a lower one is set."""
    return Cat(bits[:i].any() for i in range(len(bits)))


def _some_and_several(bits: list[Value]) -> tuple[Value, Value]:
    """Return whether any bit is set, and whether more than one is."""
    if len(bits) == 1:
        return bits[0], bits[0] & ~bits[0]
    half = len(bits) // 2
    some, several = _some_and_several(bits[:half])
    others, many = _some_and_several(bits[half:])
    return some | others, several | many | (some & others)
