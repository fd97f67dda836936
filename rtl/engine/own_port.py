"""The local source of an engine: sweep, commands, visits and own arrivals, one head for all."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS, Code, EngineLayout, Kind
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.messages import struct

__all__ = ["TASKS", "OwnPort"]

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
        m.d.sync += held.eq(self.waits | self.comes)
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
        return m
