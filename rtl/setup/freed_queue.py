"""GIDs that are free again, until the manager's software asks for them."""

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.gid_queue import GidQueue

__all__ = ["FreedQueue"]


class FreedQueue(wiring.Component):
    """A queue of GIDs that says when it overflows, and whether it had one to give.

    Members
    -------
    push : In(1), gid : In(8)
        A GID comes.
    overflow : Out(1)
        There is no place for it.
    pop : In(1)
        The oldest is asked for, and taken away if there is one.
    found : Out(1), oldest : Out(8)
        In the cycle after ``pop``: there was one, and which; meaningless in others.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "push": In(1),
                "gid": In(8),
                "overflow": Out(1),
                "pop": In(1),
                "found": Out(1),
                "oldest": Out(8),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.queue = queue = GidQueue()
        m.d.comb += [
            self.overflow.eq(self.push & queue.full),
            queue.push.eq(self.push & ~queue.full),
            queue.gid.eq(self.gid),
            queue.pop.eq(self.pop & queue.some),
            self.oldest.eq(queue.oldest),
        ]
        m.d.sync += self.found.eq(queue.some)
        return m
