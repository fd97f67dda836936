"""An engine with links, config port and watchdog that are free, and a log of what it serves.

The engine's queues, memory, commands and visits are replaced by stand-ins that do all that the
real parts can do, and more: one entry is kept, and the others are anything at any time. The real
parts have proofs of their own.
"""

from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import Code, EngineLayout, Kind, interval_of
from syncfabric.rtl.engine import engine as module
from syncfabric.rtl.engine.commands import Commands
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.engine.rule import EntryMemory
from syncfabric.rtl.engine.sources import TASKS, NoVisits, OwnPort, Queue
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either
from tests.formal.properties import Properties

CODES = {"setup": Code.SETUP, "go": Code.GO, "kill": Code.KILL, "read": Code.READ}
_TASKS = data.StructLayout(dict.fromkeys(TASKS, 1))


class _FreeQueue(Queue):
    """Shows any message as its head, whenever the real queue may show one."""

    def __init__(self, layout: EngineLayout, free: Any) -> None:
        self.held, self._free = Signal(), free
        super().__init__(layout)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        free, stays, gets = self._free, Signal(), Signal()
        m.d.comb += [
            stays.eq(self.held & ~self.take),
            gets.eq(~stays & free.valid),
            self.waits.eq(stays | (gets & free.behind)),
            self.comes.eq(gets & ~free.behind),
        ]
        m.d.sync += self.held.eq(stays | gets)
        with m.If(~stays):
            m.d.sync += self.head.eq(free.message)
        return m


class _FreeCommands(Commands):
    """Offers any command with any staged image, but none while one is loaded."""

    def __init__(self, layout: EngineLayout, free: Any) -> None:
        self._free = free
        super().__init__(layout)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        loaded, free = Signal(), self._free
        m.d.sync += loaded.eq((loaded | self.granted) & ~self.done)
        m.d.comb += self.command_valid.eq(free.valid & ~loaded)
        for name in ("code", "epoch", "entry", "word", "image"):
            m.d.comb += Value.cast(getattr(self, name)).eq(Value.cast(getattr(free, name)))
        return m


class _FreeVisits(NoVisits):
    """A visit is due at any time."""

    def __init__(self, free: Signal) -> None:
        self._free = free
        super().__init__()

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += self.due.eq(self._free)
        return m


class _OneEntry(EntryMemory):
    """Keeps one entry; what is read of the others is free."""

    def __init__(self, layout: EngineLayout, entry: Value, strange: Value, *, block: bool) -> None:
        self._entry, self._strange, self._late = entry, strange, block
        super().__init__(layout, block=block)
        self.kept = {
            name: Signal(self.signature.members[name].shape, name=f"kept_{name}")
            for name in ("image", "epoch", "state", "acc")
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        low = 0
        for name, kept in self.kept.items():
            shown, stored = Value.cast(getattr(self, name)), Value.cast(kept)
            strange = self._strange[low : low + len(shown)]
            low += len(shown)
            word = Mux(self.read_entry == self._entry, stored, strange)
            m.d["sync" if self._late else "comb"] += shown.eq(word)
            enable = self.write_image if name == "epoch" else getattr(self, f"write_{name}")
            with m.If(enable & (self.write_entry == self._entry)):
                m.d.sync += stored.eq(getattr(self, f"next_{name}"))
        return m


def free_ports(layout: EngineLayout, *, shared: bool) -> dict[str, Any]:
    """Return the ports of a wrapper around a free engine; ``which`` is the entry that is kept."""
    message = struct(layout.message)
    head = wiring.Signature({"valid": Out(1), "behind": Out(1), "message": Out(message)})
    words = {"code": 2, "epoch": 2, "entry": layout.entry_bits, "word": 4}
    command = {name: Out(width) for name, width in words.items()}
    command |= {"valid": Out(1), "image": Out(struct(layout.image))}
    ports: dict[str, Any] = {f"next_{p}": In(head) for p in range(layout.links)}
    ports |= {"command": In(wiring.Signature(command)), "due": In(1)}
    stored = layout.image.width + 2 + layout.state.width + layout.data_bits
    ports |= {"which": In(layout.entry_bits), "strange": In(stored)}
    ports |= {"arrive_valid": In(1), "arrive_message": In(message)}
    ports |= {"sent": In(layout.links)} if layout.routed else {}
    return ports | ({"hold": In(1)} if shared else {})


@dataclass(frozen=True)
class _Log:
    """What is granted: registers of the wrapper, or a cycle of them later."""

    valid: Value
    port: Value
    message: Any
    tasks: Any

    def later(self, m: Module) -> "_Log":
        values = (self.valid, self.port, self.message, self.tasks)
        kept = [Signal.like(value, name="log") for value in values]
        m.d.sync += [new.eq(old) for new, old in zip(kept, values, strict=True)]
        return _Log(*kept)


class FreeEngine:
    """Places an engine among stand-ins, and claims that each source is granted in its turn.

    Parameters
    ----------
    m, claims
        Of the wrapper.
    wrapper : Component
        With ``free_ports``.
    layout : EngineLayout
        With an own process.
    stages : int

    Attributes
    ----------
    engine : Engine
    commands : Commands
    memory : EntryMemory
    queues : list of Queue
        Their stand-ins.
    entry : Value
        The entry that is kept.
    granted : _Log
        What executes in this cycle: ``port`` is one-hot with a bit for each port and 0 for commands
        and visits, ``tasks`` has a bit for each of them.
    registered : bool
        There is a register before the links.
    swept : Signal
        The sweep after reset is over.
    """

    def __init__(
        self, m: Module, claims: Properties, wrapper: Any, layout: EngineLayout, stages: int
    ) -> None:
        shared = hasattr(wrapper, "hold")
        interval = interval_of(stages, shared=shared)
        self.registered = stages > interval
        self.commands = commands = _FreeCommands(layout, wrapper.command)
        self.local = local = OwnPort(layout)
        self.entry = claims.constant("entry", wrapper.which)
        self.memory = _OneEntry(layout, self.entry, wrapper.strange, block=interval == 3)
        self.queues = queues = [
            _FreeQueue(layout, getattr(wrapper, f"next_{p}")) for p in range(layout.links)
        ]
        turns = iter(queues)
        with patch.multiple(
            module,
            Queue=lambda *_, **__: next(turns),
            Commands=lambda _: commands,
            OwnPort=lambda _: local,
            EntryMemory=lambda *_, **__: self.memory,
            Visits=lambda _: _FreeVisits(wrapper.due),
        ):
            self.engine = engine = Engine(
                layout, stages=stages, watchdog=1, counters=False, shared=shared
            )
            m.submodules.engine = engine.elaborate(None)
        m.d.comb += [
            engine.arrive.valid.eq(wrapper.arrive_valid),
            engine.arrive.message.eq(wrapper.arrive_message),
        ]
        if shared:
            m.d.comb += engine.hold.eq(wrapper.hold)
        if layout.routed:
            outs = [getattr(engine, f"out_{p}") for p in range(layout.links)]
            claims.assume(*(wrapper.hold | ~out.valid for out in outs))
            m.d.comb += [out.sent.eq(sent) for out, sent in zip(outs, wrapper.sent, strict=True)]
        head = self._log_local(m, claims, wrapper, layout)
        takes = Cat(*(queue.take for queue in queues), local.take)
        heads = Cat(*(queue.held for queue in queues), head.valid)
        claims.holds("one source at most is granted at a time", (takes & (takes - 1)) == 0)
        claims.holds("a source is granted only while it has a head", (takes & ~heads) == 0)
        words = [Mux(queue.take, queue.head.as_value(), 0) for queue in queues]
        words.append(Mux(local.take, head.message.as_value(), 0))
        log = _Log(
            takes.any(),
            Cat(*(queue.take for queue in queues), local.take & head.tasks.arrival),
            data.View(struct(layout.message), either(words)),
            data.View(_TASKS, Mux(local.take, head.tasks.as_value(), 0)),
        )
        for _ in range(interval - 1):
            log = log.later(m)
        self.granted = log
        claims.assume(
            *(self.swept | ~getattr(wrapper, f"next_{p}").valid for p in range(layout.links))
        )

    def _log_local(self, m: Module, claims: Properties, wrapper: Any, layout: EngineLayout) -> _Log:
        """Log the head of the local source; claim what it loads, and when."""
        local, command = self.local, self.commands
        log = _Log(
            Signal(init=1, name="local_valid"),
            Const(0, 1),
            Signal(struct(layout.message), name="local_message"),
            Signal(_TASKS, name="local_tasks", init={"sweep": 1}),
        )
        swept = Signal(range(layout.entries + 1), init=1)
        visited = Signal(layout.entry_bits)
        free, sweeps, commands, visits, arrives = (Signal() for _ in range(5))
        m.d.comb += [
            free.eq(~log.valid | local.take),
            sweeps.eq(swept != layout.entries),
            commands.eq(~sweeps & command.command_valid),
            visits.eq(~sweeps & ~command.command_valid & wrapper.due),
            arrives.eq(~(sweeps | command.command_valid | wrapper.due)),
        ]
        claims.holds("a command is loaded before a visit", local.command_grant == (free & commands))
        claims.holds("a visit is loaded before an arrival", local.visit_grant == (free & visits))
        claims.holds("an arrival is granted last", local.arrive_ready == (free & arrives))
        shown = Cat(getattr(local, task) for task in TASKS)
        same = (local.head.entry == log.message.entry) & (local.head.data == log.message.data)
        same &= (local.head.epoch == log.message.epoch) & (local.head.kind == log.message.kind)
        if layout.key_bits:
            same &= local.head.tag == log.message.tag
        claims.lemma(
            "the local source serves what it has loaded",
            shown == Mux(log.valid, log.tasks.as_value(), 0),
            ~(log.valid & log.tasks.arrival) | same,
            ~log.valid | (local.head.entry == log.message.entry),
            ~(log.valid & ~log.tasks.visit & ~log.tasks.sweep)
            | (local.head.epoch == log.message.epoch),
        )
        arrival = wrapper.arrive_message
        with m.If(free):
            m.d.sync += [
                log.valid.eq(sweeps | commands | visits | (arrives & wrapper.arrive_valid)),
                log.message.eq(arrival),
                log.message.kind.eq(arrival.kind & Kind.LAST),
                log.tasks.eq(0),
                log.tasks.sweep.eq(sweeps),
                log.tasks.visit.eq(visits),
                log.tasks.arrival.eq(arrives & wrapper.arrive_valid),
            ]
            with m.If(sweeps):
                m.d.sync += [swept.eq(swept + 1), log.message.entry.eq(swept)]
            with m.If(visits):
                m.d.sync += [visited.eq(visited + 1), log.message.entry.eq(visited)]
            with m.If(commands):
                m.d.sync += [
                    *(log.tasks[name].eq(command.code == code) for name, code in CODES.items()),
                    log.message.entry.eq(command.entry),
                    log.message.epoch.eq(command.epoch),
                ]
        self.swept = ~sweeps & ~(log.valid & log.tasks.sweep)
        return log
