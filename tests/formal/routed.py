"""Routed messages: slots of an input, and the order in which messages leave by an output."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.networks.grid import Grid
from syncfabric.rtl.router.routing import EAST, NORTH, SOUTH, WEST
from syncfabric.rtl.transport.routed import CLASSES, Output, Slots
from tests.formal.properties import Properties

GRID = Grid((4, 4))
LAYOUT = EngineLayout(4, True, 2, 0, "none", GRID.bits)
WIDTH = LAYOUT.link_message.width


class SlotsProof(wiring.Component):
    """Slots of the input EAST of router (1, 1); what arrives is any, even for a full slot."""

    def __init__(self) -> None:
        super().__init__({"valid": In(CLASSES), "word": In(WIDTH), "leave": In(CLASSES)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.slots = slots = Slots(LAYOUT, GRID, EAST)
        message, here = slots.message, Signal()
        m.d.comb += [
            slots.x.eq(1),
            slots.y.eq(1),
            slots.valid.eq(self.valid),
            message.as_value().eq(self.word),
            slots.leave.eq(self.leave),
            here.eq((message.x == 1) & (message.y == 1)),
        ]
        claims.assume(~self.valid.all())
        claims.holds("what is for here goes to the engine", slots.here == (self.valid.any() & here))
        drops = []
        for c in range(CLASSES):
            full, kept = Signal(name=f"full_{c}"), Signal(WIDTH, name=f"kept_{c}")
            enters, ask = Signal(name=f"enters_{c}"), getattr(slots, f"ask_{c}")
            m.d.comb += enters.eq(self.valid[c] & ~here & ~full)
            claims.assume(~self.leave[c] | full)
            m.d.sync += full.eq(enters | (full & ~self.leave[c]))
            with m.If(enters):
                m.d.sync += kept.eq(self.word)
            drops.append(self.valid[c] & ~here & full)
            there = type(message)(message.shape(), kept)
            turn = Mux(there.y > 1, 1 << NORTH, 1 << SOUTH)
            route: Value = Mux(there.x != 1, 1 << WEST, turn)
            if c:
                route = Signal(4, name="straight", init=1 << WEST)
            claims.holds(f"class {c} asks for its output alone", ask == Mux(full, route, 0)[:4])
            shown = getattr(slots, f"word_{c}").as_value()
            claims.holds(f"class {c} shows what came", ~full | (shown == kept))
            debt = claims.before(f"debt_{c}", (self.valid[c] & here) | self.leave[c])
            claims.holds(f"class {c} gives a credit for each message", slots.credit[c] == debt)
            claims.reached(f"class {c} leaves as another arrives", self.leave[c] & self.valid[c])
        claims.holds("what finds its slot full is counted", slots.overflow == Cat(drops).any())
        claims.reached("an overflow", slots.overflow)
        return m


class OutputProof(wiring.Component):
    """The output EAST: a slot of class 0 and three of class 1, and the engine's own message.

    Who asks keeps asking, with the same word, until its message leaves. A credit comes back two
    cycles after its message at the earliest, as slots give it.
    """

    CLASS_OF = (1, 0, 1, 1)

    def __init__(self) -> None:
        count = len(self.CLASS_OF)
        members = {"ask": In(count + 1), "own_class": In(1), "credit": In(CLASSES), "who": In(3)}
        super().__init__(members | {"words": In(WIDTH * (count + 1))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, count = Properties(m), len(self.CLASS_OF)
        m.submodules.output = output = Output(LAYOUT, tuple((c, False) for c in self.CLASS_OF))
        words = [self.words.word_select(i, WIDTH) for i in range(count + 1)]
        m.d.comb += [
            output.ask.eq(self.ask[:count]),
            output.own.eq(self.ask[count]),
            output.own_class.eq(self.own_class),
            output.own_word.eq(words[count]),
            output.credit.eq(self.credit),
            *(getattr(output, f"word_{i}").eq(words[i]) for i in range(count)),
        ]
        waits = claims.before("waits", self.ask & ~output.take)
        claims.assume(~(waits & ~self.ask).any())
        kept_class = claims.before("class", self.own_class)
        claims.assume(~waits[count] | (self.own_class == kept_class))
        of_class = [
            Cat(*(self.ask[i] & (k == c) for i, k in enumerate(self.CLASS_OF)),
                self.ask[count] & (self.own_class == c))
            for c in range(CLASSES)
        ]  # fmt: skip
        claims.holds("one message leaves at most", ~(output.take & (output.take - 1)).any())
        claims.holds("what leaves has asked", ~(output.take & ~self.ask).any())
        for i in range(count + 1):
            claims.holds(
                f"message {i} is sent whole", ~output.take[i] | (output.message == words[i])
            )
        for c in range(CLASSES):
            sends, out = Signal(name=f"sends_{c}"), Signal(name=f"out_{c}")
            m.d.comb += sends.eq((output.take & of_class[c]).any())
            just = claims.before(f"just_{c}", sends)
            claims.assume(~self.credit[c] | (out & ~just))
            m.d.sync += out.eq(sends | (out & ~self.credit[c]))
            claims.holds(f"class {c} is sent only with its credit", ~sends | ~out)
            claims.holds(f"class {c} is shown when it is sent", output.valid[c] == sends)
            could = claims.before(f"could_{c}", of_class[c].any() & ~out & ~sends)
            claims.holds(f"class {c} waits a cycle at most for the other", ~could | sends)
            claims.reached(f"class {c} after class {c}", sends & (of_class[c] & waits).any())
        # One candidate, which is any: how often its class is sent while it asks.
        who = claims.constant("who", self.who)
        asks = self.ask.bit_select(who, 1) & (who <= count)
        rivals = Mux(of_class[0].bit_select(who, 1), of_class[0], of_class[1])
        passed = Signal(range(count + 2))
        others = (output.take & rivals).any() & ~output.take.bit_select(who, 1)
        m.d.sync += passed.eq(Mux(asks & ~output.take.bit_select(who, 1), passed + others, 0))
        claims.holds("each rival of a candidate goes before it once at most", passed < count)
        claims.reached("all rivals before it", passed == count - 1)
        return m
