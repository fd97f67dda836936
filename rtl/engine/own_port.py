"""The local source of an engine: sweep, commands, visits and own arrivals, one head for all."""

from typing import Any

from amaranth import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS, Code, EngineLayout, Kind
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.activity import running, transient

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
        The process's arrival; taken while ``ready``.
    command_valid : In(1), code, epoch, entry : In
        A COMMIT that is offered.
    command_taken : Out(1)
        It is loaded in this cycle.
    visit_due : In(1), visit_taken : Out(1)
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
            "command_taken": Out(1),
            "visit_due": In(1),
            "visit_taken": Out(1),
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
            self.command_taken.eq(free & command),
            self.visit_taken.eq(free & counts & ~sweeping),
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
            ]
            if self._layout.key_bits:
                m.d.sync += head.tag.eq(arrive.message.tag)
        return m


def _members() -> dict[str, Any]:
    return {"due": Out(1), "taken": In(1)}


class Visits(wiring.Component):
    """Makes a visit due once in so many cycles. Rules: docs/microarchitecture-engine.md, E8.

    Parameters
    ----------
    period : int, >= 4

    Members
    -------
    due : Out(1)
        A visit is to be made.
    taken : In(1)
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
            self.due.eq(ends | (self.due & ~self.taken)),
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
