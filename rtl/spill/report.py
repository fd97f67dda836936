"""Spilled groups whose last barrier is over, until their managers are told."""

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.gid_queue import GidQueue

__all__ = ["FreedReport"]


class FreedReport(wiring.Component):
    """A list of GIDs, and one report that the set-up sink can take.

    Cycles as in docs/microarchitecture.md, S7.

    Members
    -------
    gid : In(8)
        Of the entry that is worked on.
    push : In(1)
        It goes to the end of the list.
    ready : Out(1), pop : In(1), oldest : Out(8)
        The report is empty and the list is not; the first of the list is taken away; which it was,
        in the cycle after.
    put : In(1), manager : In(2)
        The entry is reported, to this manager.
    withdraw : In(1)
        What is reported of the entry holds no more.
    freed : Out(1), freed_gid : Out(8), freed_manager : Out(2)
        The report.
    clear_freed : In(1)
        The sink takes it.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "gid": In(8),
                "push": In(1),
                "ready": Out(1),
                "pop": In(1),
                "oldest": Out(8),
                "put": In(1),
                "manager": In(2),
                "withdraw": In(1),
                "freed": Out(1),
                "freed_gid": Out(8),
                "freed_manager": Out(2),
                "clear_freed": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.list = listed = GidQueue()
        m.d.comb += [
            listed.push.eq(self.push),
            listed.gid.eq(self.gid),
            listed.pop.eq(self.pop),
            self.oldest.eq(listed.oldest),
            self.ready.eq(listed.some & ~self.freed),
        ]
        with m.If(self.put):
            m.d.sync += [
                self.freed.eq(1),
                self.freed_gid.eq(self.gid),
                self.freed_manager.eq(self.manager),
            ]
        with m.Elif(self.clear_freed | (self.withdraw & (self.freed_gid == self.gid))):
            m.d.sync += self.freed.eq(0)
        return m
