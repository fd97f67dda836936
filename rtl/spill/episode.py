"""How a message or an arrival changes a spilled entry: the rules of a register."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value

from syncfabric.models.messages import Kind
from syncfabric.rtl.barrier.combine import combine_two, identity
from syncfabric.rtl.setup.life import LifeStep
from syncfabric.rtl.spill.kind import EntryKind, Work

__all__ = ["EntryEpisode"]


class EntryEpisode(EntryKind):
    """Merges what comes, turns it around, and says what is to be sent and who is told."""

    def _merge(self, m: Module, work: Work, busy: Value, life: LifeStep | None) -> None:
        """Judge a message or a local arrival by the rules of a register."""
        now, entry, after, held = work.now, work.entry, work.after, work.held
        control, message = entry.control, now.heard.message
        bits = self._network.data_bits
        lives: Value = control.valid
        reduce = message.kind == Kind.REDUCE
        if life:
            lives = lives & ~entry.life.dying
            # Once GO has been, its number means LAST.
            reduce = reduce | ((message.kind == Kind.GO) & entry.life.go)
        ours, down, arrives = Signal(), Signal(), Signal()
        fire, release, fire_up = Signal(), Signal(), Signal()
        used, arrived = self._children(work, ours & reduce)
        hears: Value = used | down
        if self._form.process:
            arrived = Cat(arrived, entry.arrived[-1] | arrives)
            m.d.comb += [
                arrives.eq(
                    now.comes
                    & lives
                    & self._is_ready(entry)
                    & self._is_member(entry)
                    & ~entry.arrived[-1]
                    & ~entry.fired
                ),
                self.refused_arrive.eq(now.comes & ~arrives),
            ]
        acc, result = Signal(bits), Signal(bits)
        m.d.comb += [
            ours.eq(now.hears & lives & (message.epoch == control.epoch)),
            down.eq(
                ours
                & (message.kind == Kind.DISTRIBUTE)
                & self._from_parent(work)
                & ~control.root
                & entry.fired
                & ~entry.queued
                & ~held.any()
            ),
            acc.eq(
                Mux(used | arrives, combine_two(control.op, entry.acc, message.data), entry.acc)
            ),
            fire.eq(
                (now.hears | now.comes) & lives & ~entry.fired & self._is_complete(work, arrived)
            ),
            fire_up.eq(fire & ~control.root),
            release.eq(down | (fire & control.root)),
            result.eq(Mux(down, message.data, acc)),
        ]
        drops: Value = release
        waves: Value = release
        if life:
            heard = ours & self._hears_waves(work)
            plain = used & (message.kind == Kind.REDUCE)
            if self._form.process:
                plain = plain | (arrives & ~now.last)
                m.d.comb += life.has_arrived.eq(entry.arrived[-1] | entry.fired)
            m.d.comb += [
                life.message_go.eq(heard & (message.kind == Kind.GO) & ~entry.life.go & ~busy),
                life.message_broken.eq(heard & (message.kind == Kind.BROKEN)),
                life.plain.eq(plain),
                life.release.eq(release),
                life.root_fires.eq(fire & control.root),
                life.arrives.eq(arrives),
            ]
            hears = hears | life.message_go | life.message_broken
            drops = release | life.dies
            if self._form.passes_waves:
                waves = release | life.begins
        with m.If(drops):
            m.d.comb += [after.arrived.eq(0), after.fired.eq(0)]
        with m.Else():
            m.d.comb += [after.arrived.eq(arrived), after.fired.eq(entry.fired | fire_up)]
        with m.If(release):
            m.d.comb += [after.acc.eq(identity(control.op, bits)), after.result.eq(result)]
        with m.Else():
            m.d.comb += after.acc.eq(acc)
        goes_on = self._downward(entry).any()
        if life and self._form.beyond:
            # The root switch has its root node where other switches have their parent.
            beyond = (life.command_go | life.command_kill) & ~control.root
            goes_on = goes_on | (beyond & self._upward(entry).any())
            with m.If(waves):
                m.d.comb += after.beyond.eq(beyond)
        m.d.comb += self.stray.eq(now.hears & ~hears)
        with m.If(fire_up | (waves & goes_on)):
            # An entry that waits already is sent as it stands when its turn comes.
            m.d.comb += [after.queued.eq(1), now.queue.eq(~entry.queued)]
        if self._form.process:
            self._tell(m, work, release, result, life)

    def _is_ready(self, entry: Any) -> Value:
        """Return whether members of a group may arrive."""
        if self._network.managed:
            return entry.life.go | self._is_alone(entry)
        return self.started

    def _tell(
        self, m: Module, work: Work, release: Value, result: Value, life: LifeStep | None
    ) -> None:
        """Tell the process of a release, and of the group's beginning and sudden end."""
        told: Value = release
        if life:
            told = release | life.dies | (life.goes & ~self._is_alone(work.entry))
        told = told & self._is_member(work.entry)
        m.d.sync += [
            self.release.valid.eq(told),
            self.release.gid.eq(Mux(told, work.now.gid, 0)),
            self.release.result.eq(Mux(told & release, result, 0)),
        ]
        if life:
            m.d.sync += self.release.kind.eq(Mux(told, life.after.wave, 0))
