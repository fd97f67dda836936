"""All slots of a router: between its links, its process and its config port."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, WORD_BITS, Code, Kind
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.engine.ports import EngineConfigSignature, MessageSignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import either, total
from syncfabric.rtl.slots.slot import Slot, SlotLinkSignature, received, sent
from syncfabric.rtl.transport.link import show

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
    send, granted, answer
        As of :class:`NodePort`.
    send_0 .. : Out(MessageSignature), answer_0 .. : In(MessageSignature)
        To and from each slot; what is sent is granted.
    """

    def __init__(self, layout: SlotLayout, registers: int) -> None:
        self._entries = NodePort(layout.engine, registers, counted=False)
        self._slots = [NodePort(layout.message, 1, counted=False) for _ in range(layout.slots)]
        width, bits = registers + layout.slots, layout.engine.data_bits
        members: dict[str, Any] = {name: In(width) for name in _IN}
        members |= {name: Out(width) for name in _OUT}
        members |= {"data": In(width * bits), "result": Out(width * bits)}
        inside = self._entries.signature.members
        members |= {name: inside[name] for name in ("send", "granted", "answer")}
        message = MessageSignature(layout.message)
        for s in range(layout.slots):
            members |= {f"send_{s}": Out(message), f"answer_{s}": In(message)}
        super().__init__(members | {"refused_arrives": Out(COUNTER_BITS)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ports: list[Any] = [self._entries, *self._slots]
        m.submodules.entries = self._entries
        for name in ("send", "granted", "answer"):
            show(m, self, name, self._entries, name)
        for s, port in enumerate(self._slots):
            m.submodules[f"slot_{s}"] = port
            m.d.comb += port.granted.eq(1)
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


class SlotPlane(wiring.Component):
    """Slots side by side, before the config port of the engine whose entries come before them.

    Rules: docs/microarchitecture-wires.md, X1 to X5.

    Parameters
    ----------
    layout : SlotLayout
    watchdog : int
        Cycles from visit to visit of the engine; 0: none.
    reports : bool
        Ends of groups are reported.
    streams : int
        The first slots have streams along their trees, so many.

    Members
    -------
    in_0 .. : In(SlotLinkSignature), out_0 .. : Out(SlotLinkSignature)
    arrive_0 .. : In(MessageSignature), release_0 .. : Out(MessageSignature)
        Of each slot, only with ``own``: the process's messages, and those for it.
    config : In(EngineConfigSignature), engine : Out(EngineConfigSignature)
        Requests for both, and those that are the engine's.
    unexpected : Out(slots + 1)
        Events: slots to which something came in the cycle before that changed nothing, and a
        command that was refused in it.
    freed_valid : Out(1), freed_entry, freed_epoch : Out, freed_ready : In(1)
        Only with ``reports``: a group has ended by LAST; reported when ready.
    alive_0 .., starts_0 .. : Out(1), children_0 .. : Out(ports), parent_0 .. : Out(links)
        Of each slot with a stream: whether it is, and its GO on the wires; its image.
    breaks, waits : In(streams), visit : Out(1)
        Slots that end as by KILL; whose SETUP waits; the watchdog looks. Only with ``streams``.
    """

    def __init__(
        self, layout: SlotLayout, watchdog: int, *, reports: bool, streams: int = 0
    ) -> None:
        self._layout, self._watchdog, self._reports = layout, watchdog, reports
        self._streams = streams
        link, message = SlotLinkSignature(layout), MessageSignature(layout.message)
        members: dict[str, Any] = {}
        for p in range(layout.engine.links):
            members |= {f"in_{p}": In(link), f"out_{p}": Out(link)}
        for s in range(layout.slots if layout.engine.own else 0):
            members |= {f"arrive_{s}": In(message), f"release_{s}": Out(message)}
        members |= {
            "config": In(EngineConfigSignature()),
            "engine": Out(EngineConfigSignature()),
            "unexpected": Out(layout.slots + 1),
        }
        if reports:
            members |= {
                "freed_valid": Out(1),
                "freed_entry": Out(8),
                "freed_epoch": Out(EPOCH_BITS),
                "freed_ready": In(1),
            }
        for s in range(streams):
            members |= {f"alive_{s}": Out(1), f"starts_{s}": Out(1)}
            members |= {f"children_{s}": Out(layout.engine.ports)}
            members |= {f"parent_{s}": Out(layout.engine.links)}
        if streams:
            members |= {"breaks": In(streams), "waits": In(streams), "visit": Out(1)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        layout, here = self._layout, self
        watched = self._watchdog > 0
        slots: list[Any] = [
            Slot(layout, watchdog=watched, stream=s < self._streams) for s in range(layout.slots)
        ]
        tick = tick_of(m, layout.first * self._watchdog) if watched else None
        unexpected = []
        for s, slot in enumerate(slots):
            m.submodules[f"slot_{s}"] = slot
            unexpected.append(self._join(m, s, slot))
            if tick is not None:
                m.d.comb += slot.visit.eq(tick)
        for p in range(layout.engine.links):
            link: Any = getattr(here, f"out_{p}")
            words: list[Value] = [Cat(slot.kind, slot.acc) for slot in slots]
            valid, word = sent(layout, [slot.sends[p] for slot in slots], words)
            m.d.comb += [link.valid.eq(valid), link.words.eq(word)]
        for s, slot in enumerate(slots[: self._streams]):
            m.d.comb += [
                getattr(here, f"alive_{s}").eq(slot.alive),
                getattr(here, f"starts_{s}").eq(slot.sends.any() & (slot.kind == Kind.GO)),
                getattr(here, f"children_{s}").eq(slot.kept_children),
                getattr(here, f"parent_{s}").eq(slot.kept_parent),
                slot.breaks.eq(here.breaks[s]),
            ]
        if self._streams and tick is not None:
            m.d.comb += here.visit.eq(tick)
        refused = self._command(m, slots)
        m.d.sync += self.unexpected.eq(Cat(*unexpected, refused))
        if self._reports:
            self._report(m, slots)
        return m

    def _join(self, m: Module, s: int, slot: Any) -> Value:
        """Join a slot to the links and the process; return whether something is for nothing."""
        layout, here = self._layout, self
        came, kinds, data = [], [], []
        unexpected: Value = slot.unexpected
        for p in range(layout.engine.links):
            valid, word, dropped = received(layout, getattr(here, f"in_{p}"), s)
            came.append(valid)
            kinds.append(word[:2])
            data.append(word[2:])
            unexpected |= dropped
        if layout.engine.own:
            arrive, release = getattr(here, f"arrive_{s}"), getattr(here, f"release_{s}")
            came.append(arrive.valid)
            kinds.append(Cat(0, arrive.message.kind[1]))
            data.append(arrive.message.data)
            m.d.comb += [
                release.valid.eq(slot.sends[-1]),
                release.message.kind.eq(slot.kind),
                release.message.data.eq(slot.acc),
            ]
        m.d.comb += [slot.comes.eq(Cat(came)), slot.kinds.eq(Cat(kinds)), slot.data.eq(Cat(data))]
        return unexpected

    def _command(self, m: Module, slots: list[Any]) -> Value:
        """Execute commands of slots, and hand on all others; return whether one is refused."""
        layout, config, engine = self._layout, self.config, self.engine
        staged = Signal(sum(field.width for field in layout.image))
        low = 0
        for field in layout.image:
            for slot in slots:
                m.d.comb += getattr(slot, field.name).eq(staged[low : low + field.width])
            low += field.width
        for k in range(-(-len(staged) // WORD_BITS)):
            word = staged[WORD_BITS * k : WORD_BITS * (k + 1)]
            with m.If(config.valid & config.write & (config.address == EngineWord.IMAGE + k)):
                m.d.sync += word.eq(config.data)
        commit = struct(COMMIT)(config.data[: COMMIT.width])
        ours, asked, answered = Signal(), Signal(), Signal()
        error, status = Signal(), Signal(1 + EPOCH_BITS)
        named = [commit.entry == layout.first + s for s in range(len(slots))]
        asks: Value = config.valid & ours & ~answered
        if self._streams:
            idle = Cat(~slot.alive for slot in slots[: self._streams])
            waiting = Cat(named[: self._streams]) & idle & self.waits
            asks = asks & ~((commit.code == Code.SETUP) & waiting.any())
        accepted = Cat(slot.accepted for slot in slots).any()
        m.d.comb += [
            ours.eq(
                config.write
                & (config.address == EngineWord.COMMIT)
                & (commit.entry >= layout.first)
            ),
            asked.eq(asks),
            engine.valid.eq(config.valid & ~ours),
            *(getattr(engine, name).eq(getattr(config, name)) for name in _REQUEST),
            config.ready.eq(engine.ready | answered),
            config.error.eq(engine.error | error),
            config.rdata.eq(engine.rdata | status),
        ]
        for name, slot in zip(named, slots, strict=True):
            m.d.comb += [
                slot.asked.eq(asked & name),
                slot.code.eq(commit.code),
                slot.commit_epoch.eq(commit.epoch),
            ]
        seen = [Mux(slot.asked, Cat(slot.alive, slot.epoch), 0) for slot in slots]
        m.d.sync += [
            answered.eq(asked),
            error.eq(asked & ~accepted),
            status.eq(either(seen)),
        ]
        return asked & ~accepted

    def _report(self, m: Module, slots: list[Any]) -> None:
        """Keep which slots are to be reported, and report the lowest."""
        reported, lowest = Signal(len(slots)), Signal(len(slots))
        m.d.comb += [
            lowest.eq(reported & -reported),
            self.freed_valid.eq(reported.any()),
            self.freed_entry.eq(
                either([Mux(lowest[s], self._layout.first + s, 0) for s in range(len(slots))])
            ),
            self.freed_epoch.eq(
                either([Mux(lowest[s], slot.epoch, 0) for s, slot in enumerate(slots)])
            ),
        ]
        done = Mux(self.freed_ready, lowest, 0)
        m.d.sync += reported.eq((reported & ~done) | Cat(slot.frees for slot in slots))


_REQUEST = ("write", "address", "data")


def tick_of(m: Module, every: int) -> Value:
    """Return what is high in the last of every ``every`` cycles since reset, from a flip-flop.

    Parameters
    ----------
    m : Module
        Where the count is; it never stands still.
    every : int, >= 1
        Cycles.
    """
    most = every - 1
    age, tick = Signal(range(most + 1)), Signal(init=int(most == 0))
    m.d.sync += [age.eq(Mux(tick, 0, age + 1)), tick.eq(age == most - 1 if most else 1)]
    return tick
