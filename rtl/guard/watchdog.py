"""A register's patience: who waits too long is released, and told that the barrier is broken."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["RegisterWatchdog"]


class RegisterWatchdog(wiring.Component):
    """Sees whether the same wait meets a second tick.

    Cycles as in docs/microarchitecture-faults.md, F5.

    Members
    -------
    tick : In(1)
        The time is over once more.
    waits : In(1)
        The process waits for its release; looked at only while the register is not tripped.
    ends : In(1)
        The wait ends in this cycle by itself.
    clear : In(1)
        The register is to be as before.
    arrives, written : In(1)
        The process arrives; the register is written anew: it is not broken then.
    trips, tripped : Out(1)
        The process has waited too long; it had, and the register takes part in nothing since.
    broken : Out(1)
        The last release was such.
    """

    def __init__(self) -> None:
        inputs = ("tick", "waits", "ends", "clear", "arrives", "written")
        outputs = ("trips", "tripped", "broken")
        super().__init__({n: In(1) for n in inputs} | {n: Out(1) for n in outputs})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        old, waits = Signal(), Signal()
        m.d.comb += [
            waits.eq(self.waits & ~self.tripped),
            self.trips.eq(self.tick & old & waits & ~self.ends),
        ]
        m.d.sync += [
            old.eq(waits & (old | self.tick)),
            self.tripped.eq((self.tripped | self.trips) & ~self.clear),
            self.broken.eq((self.broken & ~self.arrives & ~self.written) | self.trips),
        ]
        return m
