"""What the spill engines of all kinds of network share: an entry's operations and its life."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL, LIFE, Command, Kind, RegisterWord
from syncfabric.models.networks.spec import (
    RegisterSpec,
)
from syncfabric.rtl.barrier.combine import identity
from syncfabric.rtl.barrier.ports import SpillReleaseSignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.life import LifeStep, up_kind
from syncfabric.rtl.spill.episode import EntryEpisode
from syncfabric.rtl.spill.form import EntryForm
from syncfabric.rtl.spill.kind import Work
from syncfabric.rtl.spill.operations import SpillOperations, asking_ports
from syncfabric.rtl.spill.report import FreedReport

__all__ = ["SpillBase"]


class SpillBase(EntryEpisode):
    """Does in three cycles what a register does in one, for any group in the memory.

    Cycles: docs/microarchitecture.md, sections 5, I6 and S7.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Layouts and options.
    form : EntryForm
        The entries of its kind.
    members : dict of str to member
        Ports beside those below: what messages come by, and the send register ``send``.

    Members
    -------
    here : In(links), take : Out(links)
        Messages that no register matches, by port; the one that is accepted.
    config_valid, config_gid, config_word, config_write, config_data : In
        A config request for an entry.
    config_ready, config_error, config_rdata : Out
        Its answer, in the cycle after the engine has served it.
    stray, refused_write : Out(1)
        Events to count.
    started, arrive, release, refused_arrive
        Only with a process: the node port of spilled groups.
    access : In(AccessSignature)
        Only with a set-up sink: its accesses, answered likewise.
    spill_freed, spill_gid, spill_manager, clear_spill_freed
        Only there: a group whose last barrier is over, as of :class:`FreedReport`.
    """

    def __init__(self, network: RegisterSpec, form: EntryForm, members: dict[str, Any]) -> None:
        self._network, self._form = network, form
        members = members | asking_ports(network, form.links, process=form.process, sink=form.sink)
        members |= {"stray": Out(1), "refused_write": Out(1)}
        if form.process:
            members |= {
                "started": In(1),
                "release": Out(SpillReleaseSignature(network)),
                "refused_arrive": Out(1),
            }
        if form.sink:
            members |= {
                "spill_freed": Out(1),
                "spill_gid": Out(8),
                "spill_manager": Out(2),
                "clear_spill_freed": In(1),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form = self._form
        layout = form.entry(self._network)
        m.submodules.operations = now = SpillOperations(
            self._network,
            form.links,
            layout,
            form.heard(self._network),
            process=form.process,
            sink=form.sink,
        )
        self._join(m, now)
        pending, gid = self._pending()
        entry, after, held = Signal(layout), Signal(layout), Signal(len(pending))
        work = Work(now, entry, after, held)
        m.d.comb += [
            now.send_empty.eq(~pending.any()),
            held.eq(Mux(pending.any() & (gid == now.gid), pending, 0)),
            entry.eq(now.entry),
            after.eq(entry),
            now.after.eq(after),
        ]
        with m.If(now.fetches):
            m.d.comb += after.queued.eq(0)
        self._load(m, work)
        busy = entry.arrived.any() | entry.fired | entry.queued | held.any()
        life = None
        if self._network.managed:
            m.submodules.life = life = LifeStep()
            busy = busy | entry.life.dying
            m.d.comb += [life.was.eq(entry.life), after.life.eq(life.after)]
            with m.If(now.entry.life.dying & ~now.entry.queued & ~held.any()):
                # It has ended since; no operation was needed for that.
                m.d.comb += [
                    entry.control.valid.eq(0),
                    entry.life.go.eq(0),
                    entry.life.dying.eq(0),
                ]
        self._merge(m, work, busy, life)
        self._configure(m, work, busy, life)
        if life and form.sink:
            self._report(m, work, life)
        return m

    def _join(self, m: Module, now: SpillOperations) -> None:
        """Join what asks for operations to what accepts them."""
        form = self._form
        ports = asking_ports(self._network, form.links, process=form.process, sink=form.sink)
        for name, port in ports.items():
            outer, inner = getattr(self, name), getattr(now, name)
            if port.is_signature:
                wiring.connect(m, wiring.flipped(outer), inner)
            elif port.flow is In:
                m.d.comb += inner.eq(outer)
            else:
                m.d.comb += outer.eq(inner)
        for p in range(form.links):
            m.d.comb += getattr(now, f"heard_{p}").eq(self._heard(p))

    def _report(self, m: Module, work: Work, life: LifeStep) -> None:
        """List the groups whose last barrier is over, and report one after the other."""
        now, entry, after = work.now, work.entry, work.after
        m.submodules.report = report = FreedReport()
        m.d.comb += [
            now.report_ready.eq(report.ready),
            now.report_gid.eq(report.oldest),
            report.pop.eq(now.takes_report),
            report.gid.eq(now.gid),
            report.push.eq(life.frees & ~entry.listed),
            report.manager.eq(entry.control.manager),
            report.put.eq(now.reports & entry.control.valid & entry.life.freed),
            report.withdraw.eq(life.dies | life.written),
            life.clear_freed.eq(report.put),
            self.spill_freed.eq(report.freed),
            self.spill_gid.eq(report.freed_gid),
            self.spill_manager.eq(report.freed_manager),
            report.clear_freed.eq(self.clear_spill_freed),
        ]
        with m.If(now.reports):
            m.d.comb += after.listed.eq(0)
        with m.Elif(life.frees):
            m.d.comb += after.listed.eq(1)

    def _send_kind(self, m: Module, work: Work) -> None:
        """Let the send register say what its messages are."""
        wave: Value = Const(Kind.DISTRIBUTE)
        up: Value = Const(Kind.REDUCE)
        if self._network.managed:
            life, kind = work.entry.life, Signal(2)
            with m.If(work.now.fetches):
                m.d.sync += kind.eq(Mux(work.entry.fired, up_kind(life.last), life.wave))
            wave = up = kind
        m.d.comb += [self.send.wave.eq(wave), self.send.up_kind.eq(up)]

    def _configure(self, m: Module, work: Work, busy: Value, life: LifeStep | None) -> None:
        """Serve a config request."""
        now, entry, after, form = work.now, work.entry, work.after, self._form
        word, value, valid = now.word, now.value, entry.control.valid
        flags = [getattr(entry.life, field.name) for field in LIFE.fields] if life else []
        words = self._words(entry, flags)
        is_control = word == RegisterWord.CONTROL
        in_image = Cat(word == known for known in form.words).any()
        refuses = Mux(is_control, busy, valid | ~in_image)
        asks_write, writes = now.configures & now.write, Signal()
        if life:
            commands = asks_write & (word == form.command)
            obeys = life.command_go | life.command_kill
            refuses = Mux(word == form.command, ~obeys, refuses)
            m.d.comb += [
                life.command_go.eq(commands & (value == Command.GO) & valid & ~busy),
                life.command_kill.eq(commands & (value == Command.KILL) & valid),
                life.written.eq(writes & is_control),
            ]
        exists = Cat(word == known for known in words).any()
        m.d.comb += [
            now.contents.eq(Array(words.get(w, 0) for w in range(8))[word]),
            now.refused.eq(Mux(now.write, refuses, ~exists)),
            self.refused_write.eq(asks_write & refuses),
            writes.eq(asks_write & ~refuses),
        ]
        with m.If(writes & is_control):
            control = struct(CONTROL)(value[: CONTROL.width])
            m.d.comb += [
                after.control.eq(control),
                after.acc.eq(identity(control.op, self._network.data_bits)),
            ]
            if not form.turns:
                m.d.comb += after.control.turn.eq(0)
        with m.If(writes & in_image):
            self._write(m, work)
