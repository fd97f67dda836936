"""Parts of an engine, each for itself: what `engine_bench` replaces, and the choice of a source."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import (
    COUNTER_ADDRESS,
    IMAGE_ADDRESS,
    WORD_BITS,
    EngineCounter,
    EngineLayout,
    Kind,
)
from syncfabric.models.messages import COUNTER_BITS
from syncfabric.rtl.engine.choice import Choice
from syncfabric.rtl.engine.commands import Commands
from syncfabric.rtl.engine.memory import EntryMemory
from syncfabric.rtl.engine.queue import Queue
from syncfabric.rtl.engine.watchdog import Visits
from syncfabric.rtl.messages import struct
from tests.formal.properties import Properties

__all__ = ["ChoiceProof", "CommandsProof", "MemoryProof", "RoomProof", "VisitsProof"]


class ChoiceProof(wiring.Component):
    """The choice among sources whose heads come whenever they may, by any queue.

    Parameters
    ----------
    sources : int
    interval : int
        Cycles of a service.
    """

    def __init__(self, sources: int, interval: int) -> None:
        self._sources, self._interval = sources, interval
        names = ("comes", "behind")
        which = In(range(sources))
        super().__init__({name: In(sources) for name in names} | {"hold": In(1), "which": which})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, sources = Properties(m), self._sources
        m.submodules.choice = choice = Choice(sources, self._interval)
        held, takes = Signal(sources, init=1 << sources - 1), Signal(sources)
        stays, gets = held & ~takes, self.comes & (~held | takes)
        m.d.comb += [
            takes.eq(Mux(choice.begins, choice.grant, 0)),
            choice.waits.eq(stays | (gets & self.behind)),
            choice.comes.eq(gets & ~self.behind),
            choice.hold.eq(self.hold),
        ]
        m.d.sync += held.eq(stays | gets)
        who = claims.constant("who", self.which)
        claims.assume(who < sources)
        # A head waits for services of others: with `hold`, for one more.
        waited = Signal(range(sources + 3))
        paused = Signal()
        mine = held.bit_select(who, 1)
        with m.If(~mine | takes.bit_select(who, 1)):
            m.d.sync += [waited.eq(0), paused.eq(self.hold)]
        with m.Elif(choice.begins):
            m.d.sync += waited.eq(waited + 1)
        with m.Elif(self.hold):
            m.d.sync += paused.eq(1)
        busy: Value = Signal()
        executes: Value = choice.begins
        for i in range(self._interval - 1):
            executes = claims.before(f"began_{i}", executes)
            busy = busy | executes
        idle = held.any() & ~choice.begins & ~busy & ~self.hold
        claims.holds("one source at most is served at a time", (takes & (takes - 1)) == 0)
        claims.holds("only a source that has a head is served", (takes & ~held) == 0)
        claims.holds("no service begins during another, or with hold",
            ~choice.begins | ~(busy | self.hold))
        claims.holds("a service executes in its last cycle", choice.executes == executes)
        claims.holds("one cycle at most is idle while there is a head", ~(idle & claims.before("idle", idle)))
        others = sources - 1
        claims.holds(f"a head waits for {others} services of others at most", paused | (waited <= others))
        claims.holds(f"with hold it waits for {sources} at most", waited <= sources)
        claims.reached(f"a head waits for {others}", ~paused & (waited == others))
        claims.reached(f"a head waits for {sources}", waited == sources)
        return m
