"""The life of a barrier register that is set up through the network."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import Kind

__all__ = ["LIFE_BITS", "RegisterLife"]

LIFE_BITS = 5
"""Bits of the state that a bench sees: go, last, dying, freed, broken."""


class RegisterLife(wiring.Component):
    """State that set-up and tear-down add to a register; the same for every kind of network.

    Cycles as in docs/microarchitecture.md, S1.

    Members
    -------
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
    clear_freed : In(1)
        The manager has been told.
    go, last, dying, freed, broken : Out(1)
        The state.
    begins : Out(1)
        A wave of GO or BROKEN to the children begins with the next cycle.
    dies : Out(1)
        All else is dropped with the end of this cycle.
    ends : Out(1)
        The register becomes invalid with the end of this cycle.
    frees_member : Out(1)
        The process is released with the next cycle, and told that the group is broken.
    wave, wave_now : Out(2)
        Kind of the messages to the children; the same for those that leave in the cycle of their
        making.
    up_kind, up_kind_now : Out(2)
        Kind of the message to the parent; the same for one that leaves in the cycle of its making.
    """

    def __init__(self) -> None:
        inputs = (
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
            "clear_freed",
        )
        outputs = ("go", "dying", "freed", "broken", "begins", "dies", "ends", "frees_member")
        super().__init__(
            {
                **{name: In(1) for name in inputs},
                **{name: Out(1) for name in outputs},
                "last": Out(1),
                "wave": Out(2, init=Kind.DISTRIBUTE),
                "wave_now": Out(2),
                "up_kind": Out(2),
                "up_kind_now": Out(2),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        goes, last = Signal(), Signal()
        m.d.comb += [
            goes.eq((self.command_go | self.message_go) & ~self.go),
            self.dies.eq((self.command_kill | self.message_broken) & ~self.dying),
            self.begins.eq(goes | self.dies),
            self.ends.eq(self.dying & self.quiet),
            self.frees_member.eq(self.dies & (self.has_arrived | self.arrives)),
            last.eq(self.last & ~self.plain),
            self.up_kind.eq(Mux(self.last, Kind.GO, Kind.REDUCE)),
            self.up_kind_now.eq(Mux(last, Kind.GO, Kind.REDUCE)),
        ]
        m.d.sync += self.last.eq(last | self.release)
        with m.If(self.dies):
            m.d.comb += self.wave_now.eq(Kind.BROKEN)
        with m.Elif(goes):
            m.d.comb += self.wave_now.eq(Kind.GO)
        with m.Elif(self.release):
            m.d.comb += self.wave_now.eq(Kind.DISTRIBUTE)
        with m.Else():
            m.d.comb += self.wave_now.eq(self.wave)
        m.d.sync += self.wave.eq(self.wave_now)
        with m.If(self.root_fires & last & ~self.dies):
            m.d.sync += self.freed.eq(1)
        with m.Elif(self.clear_freed | self.dies):
            m.d.sync += self.freed.eq(0)  # a manager that kills a group wants no news of it
        with m.If(self.dies):
            m.d.sync += [self.dying.eq(1), self.go.eq(0)]
        with m.Elif(goes):
            m.d.sync += self.go.eq(1)
        with m.If(self.frees_member):
            m.d.sync += self.broken.eq(1)
        with m.Elif(self.arrives):
            m.d.sync += self.broken.eq(0)
        with m.If(self.ends):
            m.d.sync += [self.dying.eq(0), self.go.eq(0)]
        with m.If(self.written):
            m.d.sync += [
                self.go.eq(0),
                self.last.eq(1),
                self.freed.eq(0),
                self.broken.eq(0),
            ]
        return m
