"""Parts of an engine, each for itself: what `engine_bench` replaces, and the choice of a source."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import WORD_BITS, EngineLayout
from syncfabric.models.layout.words import COUNTER_ADDRESS, EngineWord
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.rtl.engine.commands import Commands
from syncfabric.rtl.engine.rule import EntryMemory
from syncfabric.rtl.engine.sources import Choice, Visits
from tests.formal.properties import Properties


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
        claims.holds("one source at most is granted at a time", (takes & (takes - 1)) == 0)
        claims.holds("only a source that has a head is granted", (takes & ~held) == 0)
        claims.holds(
            "no service begins during another, or with hold", ~choice.begins | ~(busy | self.hold)
        )
        claims.holds("a service executes in its last cycle", choice.executes == executes)
        claims.holds(
            "one cycle at most is idle while there is a head", ~(idle & claims.before("idle", idle))
        )
        others = sources - 1
        claims.holds(
            f"a head waits for {others} services of others at most", paused | (waited <= others)
        )
        claims.holds(f"with hold it waits for {sources} at most", waited <= sources)
        claims.reached(f"a head waits for {others}", ~paused & (waited == others))
        claims.reached(f"a head waits for {sources}", waited == sources)
        return m


class MemoryProof(wiring.Component):
    """The memory of an engine, as any one entry sees it.

    Parameters
    ----------
    block : bool
    """

    def __init__(self, *, block: bool) -> None:
        self._layout, self._block = EngineLayout(1, False, 4, 1, "bitwise"), block
        inside = EntryMemory(self._layout, block=block).signature.members
        ports = {name: member for name, member in inside.items() if member.flow == In}
        super().__init__(ports | {"which": In(self._layout.entry_bits)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.memory = memory = EntryMemory(self._layout, block=self._block)
        for name in self.signature.members:
            if name != "which":
                m.d.comb += getattr(memory, name).eq(getattr(self, name))
        which = claims.constant("entry", self.which)
        enables = {"image": "image", "epoch": "image", "state": "state", "acc": "acc"}
        read: Value = memory.read_entry == which
        at = self.write_entry == which
        same, known = [], []
        for name, enable in enables.items():
            kept = Signal.like(Value.cast(getattr(memory, name)), name=f"last_{name}")
            with m.If(getattr(self, f"write_{enable}") & at):
                m.d.sync += kept.eq(getattr(self, f"next_{name}"))
            been = Signal(name=f"written_{name}")
            m.d.sync += been.eq(been | (getattr(self, f"write_{enable}") & at))
            then, held = kept, been
            if self._block:
                then, held = (
                    claims.before(f"was_{name}", kept),
                    claims.before(f"held_{name}", been),
                )
            same.append(~held | (Value.cast(getattr(memory, name)) == then))
            known.append(held)
        read = claims.before("read", read) if self._block else read
        claims.holds("an entry is read as it was last written", ~read | Cat(same).all())
        claims.reached("an entry is read", read & memory.epoch.all() & Cat(known).all())
        return m


class VisitsProof(wiring.Component):
    """The watchdog's visits, which are granted at any time.

    Parameters
    ----------
    period : int
    """

    def __init__(self, period: int) -> None:
        self._period = period
        super().__init__({"granted": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, period = Properties(m), self._period
        m.submodules.visits = visits = Visits(period)
        m.d.comb += visits.granted.eq(self.granted & visits.due)
        was = claims.before("due", visits.due & ~visits.granted)
        rises, cycle = Signal(), Signal(range(period))
        ends = cycle == period - 1
        m.d.sync += [cycle.eq(Mux(ends, 0, cycle + 1)), rises.eq(ends)]
        claims.holds(
            "a visit is due once in a period, until it is granted", visits.due == (was | rises)
        )
        claims.reached("a visit is due", visits.due & rises)
        return m


class CommandsProof(wiring.Component):
    """The config port of an engine; the engine loads and executes commands when it likes."""

    def __init__(self) -> None:
        self._layout = EngineLayout(4, True, 32, 0, "none")
        super().__init__(
            {
                **{name: In(1) for name in ("valid", "write", "takes", "does", "accepted")},
                "address": In(5),
                "data": In(WORD_BITS),
                "answer": In(WORD_BITS),
                "counts": In(3 * COUNTER_BITS),
                "which": In(range(2)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, words = Properties(m), self._layout.image_words
        m.submodules.commands = commands = Commands(self._layout)
        config, names = commands.config, ("valid", "write", "address", "data")
        # A request stays until and with its answer; a COMMIT is loaded, and done later.
        waits = claims.before("waits", self.valid & ~config.ready)
        request = Cat(getattr(self, name) for name in names)
        claims.assume(~waits | (request == claims.before("request", request)))
        loaded = Signal()
        commits = self.write & (self.address == 0)
        granted, done = self.takes & commands.command_valid, self.does & loaded
        m.d.sync += loaded.eq((loaded | granted) & ~done)
        m.d.comb += [
            *(getattr(config, name).eq(getattr(self, name)) for name in names),
            commands.granted.eq(granted),
            commands.done.eq(done),
            commands.accepted.eq(self.accepted),
            commands.answer.eq(self.answer),
            commands.counts.eq(self.counts),
        ]
        first = self.valid & ~waits & ~commits
        word = self.address - EngineWord.IMAGE
        stages = self.write & (word < words)
        counter = (self.address - COUNTER_ADDRESS)[:2]
        reads = ~self.write & (self.address >= COUNTER_ADDRESS)
        reads &= self.address <= EngineWord.REFUSED_COMMAND
        # A COMMIT is offered from its first cycle until it is loaded, so once.
        been = Signal()
        m.d.sync += been.eq((been | granted) & ~config.ready)
        claims.holds(
            "a COMMIT is offered until it is loaded, and once",
            commands.command_valid == (self.valid & commits & ~been),
        )
        claims.holds(
            "another request is answered in the next cycle, a COMMIT when it is done",
            config.ready == claims.before("answered", first | done),
        )
        claims.holds("an answer is to a request", ~config.ready | waits)
        wrong = Mux(done, ~self.accepted, first & ~stages & ~reads)
        claims.holds(
            "an error answers exactly what there is not, or is refused",
            config.error == claims.before("wrong", wrong),
        )
        count = self.counts.word_select(counter, COUNTER_BITS)
        shown = Mux(done, self.answer, Mux(first & reads, count, 0))
        claims.holds(
            "what is read is the command's answer, or the counter",
            config.rdata == claims.before("shown", shown),
        )
        which = claims.constant("word", self.which)
        kept = Signal(WORD_BITS)
        with m.If(first & stages & (word == which)):
            m.d.sync += kept.eq(self.data)
        image = Cat(commands.image.as_value(), Const(0, WORD_BITS))
        mask = Cat(Const(-1, self._layout.image.width), Const(0, WORD_BITS))
        claims.holds(
            "a staged word is what was written to it last",
            image.word_select(which, WORD_BITS) == (kept & mask.word_select(which, WORD_BITS)),
        )
        claims.reached("a COMMIT is refused", config.ready & config.error & commits)
        claims.reached("a word is staged, and then another", kept.any() & first & stages)
        return m
