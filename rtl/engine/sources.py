"""Sources of an engine: its inputs with their queues, and the local one, one head for all."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS, Code, EngineLayout, Kind
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.activity import running, transient
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
        held, kept, behind, front = Signal(), Signal(), Signal(), Signal()
        broken = Signal()
        if self._block:
            m.d.sync += front.eq(places.rest)
        else:
            m.d.comb += front.eq(places.some)
        m.d.comb += [
            kept.eq(held & ~self.take),
            behind.eq(kept | places.some),
            broken.eq(self.message.kind == Kind.BROKEN),
            places.push.eq(self.valid & (behind & ~places.full & ~broken)),
            places.pop.eq(front & ~kept),
            self.waits.eq(kept | front),
            self.comes.eq(self.valid & ~behind if self._block else self.valid),
            self.overflow.eq(self.valid & behind & (broken | places.full)),
            write.en.eq(places.push),
            write.addr.eq(places.write),
            write.data.eq(self.message),
            read.addr.eq(places.after if self._block else places.read),
        ]
        m.d.sync += transient(held).eq(self.waits | self.comes)
        with m.If(~kept):
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


TASKS = ("arrival", "setup", "go", "kill", "read", "visit", "sweep")
"""What the local source may have at its head, a flip-flop each."""


class OwnPort(wiring.Component):
    """Holds one message of this router's own; a new one can be loaded as the last is served.

    Rules: docs/microarchitecture-engine.md, E4 (8 to 11), E8 (2) and E9.

    Parameters
    ----------
    layout : EngineLayout

    Members
    -------
    arrive : In(MessageSignature), arrive_ready : Out(1)
        The process's arrival; granted while ``ready``.
    command_valid : In(1), code, epoch, entry : In
        A COMMIT that is offered.
    command_grant : Out(1)
        It is loaded in this cycle.
    visit_due : In(1), visit_grant : Out(1)
        The watchdog's visit; it is loaded in this cycle.
    take : In(1)
        The head is served.
    head : Out(message)
        Its message; of arrivals and commands.
    arrival, setup, go, kill, read, visit, sweep : Out(1)
        What the head is: one-hot, or 0 if there is none.
    waits, comes : Out(1)
        The head stays; a head is loaded.
    """

    def __init__(self, layout: EngineLayout) -> None:
        self._layout = layout
        members: dict[str, Any] = {
            "arrive": In(MessageSignature(layout)),
            "arrive_ready": Out(1),
            "command_valid": In(1),
            "code": In(2),
            "epoch": In(EPOCH_BITS),
            "entry": In(layout.entry_bits),
            "command_grant": Out(1),
            "visit_due": In(1),
            "visit_grant": Out(1),
            "take": In(1),
            "head": Out(struct(layout.message)),
            "waits": Out(1),
            "comes": Out(1),
        }
        # The sweep's first command is there after reset.
        members |= {task: Out(1, init=task == "sweep") for task in TASKS}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        head, arrive = self.head, self.arrive
        held, sweeping = Signal(init=1), Signal(init=1)
        turn = Signal(self._layout.entry_bits, init=1)
        free, counts, command, arrival = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            free.eq(~held | self.take),
            command.eq(~sweeping & self.command_valid),
            counts.eq(sweeping | (self.visit_due & ~self.command_valid)),
            self.arrive_ready.eq(free & ~command & ~counts),
            arrival.eq(~command & ~counts & arrive.valid),
            self.command_grant.eq(free & command),
            self.visit_grant.eq(free & counts & ~sweeping),
            self.waits.eq(~free),
            self.comes.eq(free & (command | counts | arrive.valid)),
        ]
        m.d.sync += transient(held).eq(self.waits | self.comes)
        with m.If(free & counts):
            # The sweep ends where the counter comes round, which is where visits begin.
            m.d.sync += [turn.eq(turn + 1), sweeping.eq(sweeping & ~turn.all())]
        visit = counts & ~sweeping
        codes = {code: command & (self.code == code) for code in Code}
        kill = visit | codes[Code.KILL]
        with m.If(free):
            m.d.sync += [
                self.arrival.eq(arrival),
                self.setup.eq(codes[Code.SETUP]),
                self.go.eq(codes[Code.GO]),
                self.kill.eq(codes[Code.KILL]),
                self.read.eq(codes[Code.READ]),
                self.visit.eq(visit),
                self.sweep.eq(sweeping),
                head.entry.eq(Mux(counts, turn, Mux(command, self.entry, arrive.message.entry))),
                head.epoch.eq(Mux(command, self.epoch, arrive.message.epoch)),
                head.kind.eq(
                    Mux(kill, Kind.BROKEN, 0)
                    | Mux(codes[Code.GO], Kind.GO, 0)
                    | Mux(arrival, arrive.message.kind & Kind.LAST, 0)
                ),
                head.data.eq(arrive.message.data),
                head.tag.eq(arrive.message.tag),
            ]
        return m


def _members() -> dict[str, Any]:
    return {"due": Out(1), "granted": In(1)}


class Visits(wiring.Component):
    """Makes a visit due once in so many cycles. Rules: docs/microarchitecture-engine.md, E8.

    Parameters
    ----------
    period : int, >= 4

    Members
    -------
    due : Out(1)
        A visit is to be made.
    granted : In(1)
        It is.
    """

    def __init__(self, period: int) -> None:
        if period < 4:
            raise ValueError(f"Visits need a period of at least 4 cycles, not {period!r}")
        self._period = period
        super().__init__(_members())

    def elaborate(self, platform: object) -> Module:
        m = Module()
        count = Signal(range(self._period))
        ends = Signal()
        m.d.comb += ends.eq(count == self._period - 1)
        m.d.sync += [
            running(count).eq(count + 1),
            self.due.eq(ends | (self.due & ~self.granted)),
        ]
        with m.If(ends):
            m.d.sync += count.eq(0)
        return m


class NoVisits(wiring.Component):
    """No watchdog: nothing is ever due. Members as of :class:`Visits`."""

    def __init__(self) -> None:
        super().__init__(_members())

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.due.eq(Const(0, 1))
        return m
