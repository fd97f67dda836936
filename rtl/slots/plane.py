"""All slots of a router: between its links, its process and its config port."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, IMAGE_ADDRESS, WORD_BITS
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.rtl.engine.ports import EngineConfigSignature, MessageSignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.slots.slot import Slot, SlotLinkSignature, received, sent

__all__ = ["SlotPlane"]


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
    """

    def __init__(self, layout: SlotLayout, watchdog: int, *, reports: bool) -> None:
        self._layout, self._watchdog, self._reports = layout, watchdog, reports
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
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        layout, here = self._layout, self
        watched = self._watchdog > 0
        slots: list[Any] = [Slot(layout, watchdog=watched) for _ in range(layout.slots)]
        tick = tick_of(m, layout.first * self._watchdog) if watched else None
        strays = []
        for s, slot in enumerate(slots):
            m.submodules[f"slot_{s}"] = slot
            strays.append(self._join(m, s, slot))
            if tick is not None:
                m.d.comb += slot.visit.eq(tick)
        for p in range(layout.engine.links):
            link: Any = getattr(here, f"out_{p}")
            words: list[Value] = [Cat(slot.kind, slot.acc) for slot in slots]
            valid, word = sent(layout, [slot.sends[p] for slot in slots], words)
            m.d.comb += [link.valid.eq(valid), link.words.eq(word)]
        refused = self._command(m, slots)
        m.d.sync += self.unexpected.eq(Cat(*strays, refused))
        if self._reports:
            self._report(m, slots)
        return m

    def _join(self, m: Module, s: int, slot: Any) -> Value:
        """Join a slot to the links and the process; return whether something is for nothing."""
        layout, here = self._layout, self
        came, kinds, data = [], [], []
        strays: Value = slot.strays
        for p in range(layout.engine.links):
            valid, word, dropped = received(layout, getattr(here, f"in_{p}"), s)
            came.append(valid)
            kinds.append(word[:2])
            data.append(word[2:])
            strays |= dropped
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
        return strays

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
            with m.If(config.valid & config.write & (config.address == IMAGE_ADDRESS + k)):
                m.d.sync += word.eq(config.data)
        commit = struct(COMMIT)(config.data[: COMMIT.width])
        ours, asked, answered = Signal(), Signal(), Signal()
        error, status = Signal(), Signal(1 + EPOCH_BITS)
        named = [commit.entry == layout.first + s for s in range(len(slots))]
        accepted = Cat(slot.accepted for slot in slots).any()
        m.d.comb += [
            ours.eq(config.write & (config.address == 0) & (commit.entry >= layout.first)),
            asked.eq(config.valid & ours & ~answered),
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
