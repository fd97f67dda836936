"""The collective engine of a router: entries in memory, one message served at a time."""

from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS, EngineLayout, interval_of
from syncfabric.rtl.engine.commands import (
    Commands,
    EngineCounters,
    NoCounters,
    ReadBack,
    StatusOnly,
)
from syncfabric.rtl.engine.ports import EngineConfigSignature, MessageSignature, OutputSignature
from syncfabric.rtl.engine.rule import EntryMemory, Rule
from syncfabric.rtl.engine.sources import TASKS, Choice, NoVisits, OwnPort, Queue, Visits
from syncfabric.rtl.engine.tag import tag_of, turned
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.activity import transient
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.selector import Selector


@dataclass
class _Service:
    """What is served, as it goes from stage to stage."""

    message: Any
    port: Value
    tasks: dict[str, Value]


class Engine(wiring.Component):
    """Merges messages of all groups of a router, one at a time, and sends on what is complete.

    Cycles and rules: docs/microarchitecture-engine.md.

    Parameters
    ----------
    layout : EngineLayout
        Links, groups, data, operations.
    stages : int, 1 to 4
        Cycles a router.
    watchdog : int
        Cycles between two visits; 0: none.
    counters, read_back : bool
        Parts that may be left out.
    shared : bool
        Links are shared with packets, and can ask the engine to pause. Routed ones must while
        a message of it has not been sent.

    Members
    -------
    in_0 .. : In(MessageSignature), out_0 .. : Out(OutputSignature)
        Links.
    arrive : In(MessageSignature), arrive_ready : Out(1), release : Out(MessageSignature)
        The process; only with ``layout.own``.
    config : In(EngineConfigSignature)
    hold : In(1)
        No service begins in this cycle; only with ``shared``.
    freed_valid : Out(1), freed_entry, freed_epoch : Out
        A group has ended by LAST, at its root: the root's entry, and its epoch.
    """

    def __init__(
        self,
        layout: EngineLayout,
        *,
        stages: int,
        watchdog: int = 0,
        counters: bool = True,
        read_back: bool = True,
        shared: bool = False,
    ) -> None:
        block = layout.entries > 32
        if not shared < stages <= 4 or (block and stages < 4):
            raise ValueError(
                f"Engine of {layout.groups} groups needs stages {4 if block else 1 + shared}..4,"
                f" not {stages!r}"
            )
        if layout.routed and not shared:
            raise ValueError("Engine of routed messages needs shared links")
        self._layout = layout
        self._stages = stages
        self._interval = interval_of(stages, shared=shared)
        self._shared = shared
        self._block = block
        self._visits = Visits(watchdog) if watchdog else NoVisits()
        self._counters = (EngineCounters if counters else NoCounters)(layout.links)
        self._answers = (ReadBack if read_back else StatusOnly)(layout)
        link = MessageSignature(layout)
        members: dict[str, Any] = {"config": In(EngineConfigSignature())}
        for p in range(layout.links):
            members |= {f"in_{p}": In(link), f"out_{p}": Out(OutputSignature(layout))}
        if layout.own:
            members |= {"arrive": In(link), "arrive_ready": Out(1), "release": Out(link)}
        if shared:
            members["hold"] = In(1)
        members |= {
            "freed_valid": Out(1),
            "freed_entry": Out(layout.entry_bits),
            "freed_epoch": Out(EPOCH_BITS),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        layout, links = self._layout, self._layout.links
        m.submodules.choice = choice = Choice(links + 1, self._interval)
        m.submodules.commands = commands = Commands(layout)
        m.submodules.visits = visits = self._visits
        m.submodules.counters = counters = self._counters
        m.submodules.own_port = own = OwnPort(layout)
        m.submodules.rule = rule = Rule(layout)
        m.submodules.answers = answers = self._answers
        wiring.connect(m, wiring.flipped(self.config), commands.config)
        if layout.own:
            wiring.connect(m, wiring.flipped(self.arrive), own.arrive)
            m.d.comb += self.arrive_ready.eq(own.arrive_ready)
        if self._shared:
            m.d.comb += choice.hold.eq(self.hold)
        heads = self._place_inputs(m, choice, own, counters)
        m.d.comb += [
            own.command_valid.eq(commands.command_valid),
            own.code.eq(commands.code),
            own.epoch.eq(commands.epoch),
            own.entry.eq(commands.entry),
            own.visit_due.eq(visits.due),
            visits.granted.eq(own.visit_grant),
            commands.granted.eq(own.command_grant),
            commands.counts.eq(counters.counts),
            counters.unexpected.eq(rule.unexpected),
            counters.refused.eq(rule.refused),
        ]

        # The entry is needed first: it takes more LUTs, but fewer one after the other.
        early = layout.entry_bits
        entry = either([Mux(choice.grant[p], head[:early], 0) for p, head in enumerate(heads)])
        m.submodules.rest = rest = Selector(links + 1, layout.message.width - early)
        m.d.comb += rest.select.eq(choice.grant)
        m.d.comb += [getattr(rest, f"word_{p}").eq(head[early:]) for p, head in enumerate(heads)]
        word = Cat(entry, rest.word)
        local = choice.grant[links]
        arrivals = [local & own.arrival] if layout.own else []
        chosen = _Service(
            struct(layout.message)(word),
            Cat(choice.grant[:links], *arrivals),
            {task: local & getattr(own, task) for task in TASKS if task != "arrival"},
        )
        service = self._read(m, chosen, rule, answers, commands)
        m.d.comb += [
            rule.active.eq(choice.executes),
            rule.message.eq(service.message),
            rule.port.eq(service.port),
            rule.staged_parent.eq(commands.image.parent),
            *(getattr(rule, task).eq(value) for task, value in service.tasks.items()),
        ]
        command = Cat(service.tasks[task] for task in ("setup", "go", "kill", "read")).any()
        m.d.comb += [
            commands.done.eq(choice.executes & command),
            commands.accepted.eq(rule.accepted),
            commands.answer.eq(answers.answer),
            answers.read.eq(service.tasks["read"]),
            answers.word.eq(commands.word),
        ]
        self._send(m, service, rule)
        return m

    def _place_inputs(
        self, m: Module, choice: Choice, own: OwnPort, counters: wiring.Component
    ) -> list[Value]:
        """Place a queue for each link, beside the local source; return all heads."""
        heads = []
        overflows: list[Value] = []
        layout = self._layout
        for p in range(layout.links):
            link = getattr(self, f"in_{p}")
            queue = Queue(layout, block=self._block)
            m.submodules[f"queue_{p}"] = queue
            m.d.comb += [
                queue.valid.eq(link.valid),
                queue.message.eq(turned(layout, link.message)),
                queue.take.eq(choice.begins & choice.grant[p]),
                choice.waits[p].eq(queue.waits),
                choice.comes[p].eq(queue.comes),
            ]
            heads.append(queue.head.as_value())
            overflows.append(queue.overflow)
        m.d.comb += [
            own.take.eq(choice.begins & choice.grant[-1]),
            choice.waits[-1].eq(own.waits),
            choice.comes[-1].eq(own.comes),
            counters.overflow.eq(Cat(overflows)),
        ]
        return [*heads, own.head.as_value()]

    def _read(
        self, m: Module, chosen: _Service, rule: Rule, answers: Any, commands: Commands
    ) -> _Service:
        """Read the entry of what is chosen, and return it as it is served."""
        layout, interval = self._layout, self._interval
        m.submodules.memory = memory = EntryMemory(layout, block=interval == 3)
        m.d.comb += memory.read_entry.eq(chosen.message.entry)
        service = chosen
        for _ in range(interval - 1):
            service = self._kept(m, service)
        for name, shape in (
            ("image", layout.image.width),
            ("epoch", 2),
            ("state", layout.state.width),
            ("acc", layout.data_bits),
        ):
            read: Value = Value.cast(getattr(memory, name))
            if interval > 1:
                kept = Signal(shape, name=f"kept_{name}", reset_less=True)
                m.d.sync += kept.eq(read)
                read = kept
            for part in (rule, answers):
                m.d.comb += Value.cast(getattr(part, name)).eq(read)
        m.d.comb += [
            memory.write_entry.eq(service.message.entry),
            memory.write_image.eq(rule.writes_image),
            memory.next_image.eq(commands.image),
            memory.next_epoch.eq(
                Mux(service.tasks["sweep"], 0, service.message.epoch + service.tasks["setup"])
            ),
            memory.write_state.eq(rule.write_state),
            memory.next_state.eq(rule.next_state),
            memory.write_acc.eq(rule.merges),
            memory.next_acc.eq(rule.next_acc),
        ]
        return service

    def _kept(self, m: Module, service: _Service) -> _Service:
        """Return a service a cycle later."""

        def later(value: Value) -> Signal:
            kept = Signal(len(value), reset_less=True)
            m.d.sync += kept.eq(value)
            return kept

        return _Service(
            struct(self._layout.message)(later(Value.cast(service.message))),
            later(service.port),
            {task: later(value) for task, value in service.tasks.items()},
        )

    def _send(self, m: Module, service: _Service, rule: Rule) -> None:
        """Put messages on links: in the same cycle, or in the next if there is a register."""
        layout = self._layout
        later = self._stages > self._interval
        domain = m.d.sync if later else m.d.comb
        # What is granted while a routed message has not been sent would write over it.
        holds = self.hold if layout.routed else Const(0, 1)
        for p in range(layout.links):
            link = getattr(self, f"out_{p}")
            left = link.valid & ~link.sent if layout.routed else Const(0, 1)
            domain += transient(link.valid).eq(rule.sends[p] | left)
            names: dict[str, Value] = {}
            with m.If(~holds):
                for field in layout.name.fields:
                    part = link if field.name == "route_class" else link.message
                    name = getattr(rule.image, f"{field.name}_{p}")
                    if layout.routed:
                        name = Mux(rule.down, name, getattr(rule.image, f"{field.name}_u"))
                    names[field.name] = name
                    domain += getattr(part, field.name).eq(name)
                domain += [link.message.kind.eq(rule.kind), link.message.data.eq(rule.next_acc)]
                name = Cat(names["entry"], names["epoch"])
                tag = tag_of(layout, rule.image.key, name, rule.kind, rule.next_acc)
                domain += link.message.tag.eq(tag)
        if layout.own:
            m.d.sync += [
                transient(self.release.valid).eq(rule.sends[layout.links]),
                self.release.message.entry.eq(service.message.entry),
                self.release.message.epoch.eq(rule.epoch),
                self.release.message.kind.eq(rule.kind),
                self.release.message.data.eq(rule.next_acc),
                self.release.message.tag.eq(rule.image.key),
            ]
        m.d.sync += [
            transient(self.freed_valid).eq(rule.frees),
            self.freed_entry.eq(service.message.entry),
            self.freed_epoch.eq(rule.epoch),
        ]
