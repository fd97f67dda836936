"""The life of a group at a router, where it is set up through the network."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import LIFE, Kind

__all__ = ["LIFE_BITS", "LIFE_STATE", "LifeStep", "RegisterLife", "up_kind"]

LIFE_BITS = LIFE.width
"""Bits of the state that software and benches see: go, last, dying, freed, broken."""

LIFE_STATE = data.StructLayout({**{field.name: field.width for field in LIFE.fields}, "wave": 2})
"""All of the state; ``wave`` is the kind of the messages to the children."""

_EVENTS = (
    "written",
    "command_go",
    "command_kill",
    "message_go",
    "message_broken",
    "plain",
    "release",
    "root_fires",
    "arrives",
    "has_arrived",
    "quiet",
    "trips",
    "clear_freed",
)
_EFFECTS = ("goes", "dies", "begins", "ends", "frees", "frees_member")


def up_kind(last: Any) -> Any:
    """Return the kind of a message to the parent: LAST has the number of GO."""
    return Mux(last, Kind.GO, Kind.REDUCE)


class LifeStep(wiring.Component):
    """What becomes of a life with what happens in a cycle. Combinational.

    The same for every kind of network; cycles as in
    docs/microarchitecture.md, S1.

    Members
    -------
    was : In(LIFE_STATE), after : Out(LIFE_STATE)
        The state in this cycle, and from the next on.
    written : In(1)
        The control word is being written.
    command_go, command_kill : In(1)
        Commands that are not refused.
    message_go, message_broken : In(1)
        A message of that kind is used in this cycle.
    plain : In(1)
        A REDUCE that is no LAST, or an arrive without ``last``, is used in this cycle.
    release, root_fires : In(1)
        The episode ends here; it is turned around here.
    arrives, has_arrived : In(1)
        The node's own process arrives; it has arrived and is not released.
    quiet : In(1)
        Nothing is pending.
    trips : In(1)
        The watchdog releases the process, and tells it that the group is broken.
    clear_freed : In(1)
        The manager has been told.
    goes, dies : Out(1)
        The wave of GO begins; that of BROKEN does, and all else is dropped.
    begins : Out(1)
        Either.
    ends : Out(1)
        The register becomes invalid with the end of this cycle.
    frees : Out(1)
        The group's last barrier is over.
    frees_member : Out(1)
        The process is released with the next cycle, and told that the group is broken.
    last : Out(1)
        All arrivals of the episode were the last, those of this cycle included.
    wave_now : Out(2)
        Kind of the messages to the children that leave in the cycle of their making.
    """

    def __init__(self) -> None:
        members: dict[str, Any] = {"was": In(LIFE_STATE), "after": Out(LIFE_STATE)}
        members |= {"last": Out(1), "wave_now": Out(2)}
        members |= {name: In(1) for name in _EVENTS}
        super().__init__(members | {name: Out(1) for name in _EFFECTS})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        was, after = self.was, self.after
        m.d.comb += [
            self.goes.eq((self.command_go | self.message_go) & ~was.go),
            self.dies.eq((self.command_kill | self.message_broken) & ~was.dying),
            self.begins.eq(self.goes | self.dies),
            self.ends.eq(was.dying & self.quiet),
            self.frees.eq(self.root_fires & self.last & ~self.dies),
            self.frees_member.eq(self.dies & (self.has_arrived | self.arrives)),
            self.last.eq(was.last & ~self.plain),
            # What messages make leaves before a command shows.
            self.wave_now.eq(after.wave),
            after.eq(was),
            after.last.eq(self.last | self.release),
        ]
        with m.If(self.dies):
            m.d.comb += after.wave.eq(Kind.BROKEN)
        with m.Elif(self.goes):
            m.d.comb += after.wave.eq(Kind.GO)
        with m.Elif(self.release):
            m.d.comb += after.wave.eq(Kind.DISTRIBUTE)
        with m.If(self.command_kill & ~self.message_broken):
            m.d.comb += self.wave_now.eq(Mux(self.release, Kind.DISTRIBUTE, was.wave))
        with m.If(self.frees):
            m.d.comb += after.freed.eq(1)
        with m.Elif(self.clear_freed | self.dies):
            m.d.comb += after.freed.eq(0)  # a manager that kills a group wants no news of it
        with m.If(self.dies):
            m.d.comb += [after.dying.eq(1), after.go.eq(0)]
        with m.Elif(self.goes):
            m.d.comb += after.go.eq(1)
        with m.If(self.frees_member | self.trips):
            m.d.comb += after.broken.eq(1)
        with m.Elif(self.arrives):
            m.d.comb += after.broken.eq(0)
        with m.If(self.ends):
            m.d.comb += [after.dying.eq(0), after.go.eq(0)]
        with m.If(self.written):
            m.d.comb += [after.go.eq(0), after.last.eq(1), after.freed.eq(0), after.broken.eq(0)]
        return m


class RegisterLife(wiring.Component):
    """State that set-up and tear-down add to a register.

    Members
    -------
    written .. clear_freed : In(1), begins, dies, ends, frees_member : Out(1)
        As of :class:`LifeStep`.
    go, last, dying, freed, broken : Out(1)
        The state.
    wave, wave_now : Out(2)
        Kind of the messages to the children; the same for those that leave in the cycle of their
        making.
    up_kind, up_kind_now : Out(2)
        Kind of the message to the parent; the same for one that leaves in the cycle of its making.
    """

    def __init__(self) -> None:
        kinds = ("wave", "wave_now", "up_kind", "up_kind_now")
        super().__init__(
            {
                **{name: In(1) for name in _EVENTS},
                **{name: Out(1) for name in ("begins", "dies", "ends", "frees_member")},
                **{field.name: Out(1) for field in LIFE.fields},
                **{name: Out(2) for name in kinds},
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.step = step = LifeStep()
        state = Signal(LIFE_STATE, init={"wave": Kind.DISTRIBUTE})
        m.d.sync += state.eq(step.after)
        m.d.comb += [
            step.was.eq(state),
            *(getattr(step, name).eq(getattr(self, name)) for name in _EVENTS),
            *(
                getattr(self, name).eq(getattr(step, name))
                for name in ("begins", "dies", "ends", "frees_member")
            ),
            *(getattr(self, field.name).eq(getattr(state, field.name)) for field in LIFE.fields),
            self.wave.eq(state.wave),
            self.wave_now.eq(step.wave_now),
            self.up_kind.eq(up_kind(state.last)),
            self.up_kind_now.eq(up_kind(step.last)),
        ]
        return m
