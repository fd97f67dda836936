"""A node port between a process and an engine that answer each other in any manner."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import EngineLayout, Kind
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.messages import struct
from tests.formal.properties import Properties


class NodePortProof(wiring.Component):
    """A node port; one of its registers, any, is looked at.

    Parameters
    ----------
    registers : int
    """

    def __init__(self, registers: int) -> None:
        self._registers = registers
        self._layout = layout = EngineLayout(1, True, registers + 1, 1, "bitwise")
        super().__init__(
            {
                **{name: In(registers) for name in ("arrive", "last", "data")},
                **{name: In(1) for name in ("takes", "comes")},
                "answer": In(struct(layout.message)),
                "which": In(range(registers)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, registers = Properties(m), self._registers
        m.submodules.port = port = NodePort(self._layout, registers)
        which = claims.constant("which", self.which)
        claims.assume(which < registers)
        answer, send = self.answer, port.send
        m.d.comb += [
            *(getattr(port, name).eq(getattr(self, name)) for name in ("arrive", "last", "data")),
            port.granted.eq(self.takes & send.valid),
            port.answer.valid.eq(self.comes),
            port.answer.message.eq(answer),
        ]

        def of(word: Value) -> Value:
            return word.bit_select(which, 1)

        comes = self.comes & (answer.entry == which)
        starts = comes & (answer.kind == Kind.GO)
        broken = comes & (answer.kind == Kind.BROKEN)
        ends = broken | (comes & (answer.kind == Kind.LAST))
        released = comes & ~starts
        plain = comes & (answer.kind == Kind.PLAIN)
        ready, may, waiting, said = (
            Signal(name=name) for name in ("is_ready", "may", "waiting", "said_last")
        )
        word, epoch, done, was_broken, result = (
            Signal(name="word"), Signal(2), Signal(), Signal(), Signal(name="last_result"),
        )  # fmt: skip
        accepted = of(self.arrive) & (plain | (may & ~comes))
        granted = port.granted & (send.message.entry == which)
        m.d.sync += [
            ready.eq((ready | starts | plain) & ~ends),
            may.eq((may | starts | plain) & ~ends & ~accepted),
            waiting.eq(accepted | (waiting & ~granted & ~comes)),
            done.eq((done | released) & ~accepted & ~starts),
            was_broken.eq(Mux(comes, broken, was_broken)),
        ]
        with m.If(accepted):
            m.d.sync += [said.eq(of(self.last)), word.eq(of(self.data))]
        with m.If(comes):
            m.d.sync += epoch.eq(answer.epoch)
        with m.If(released):
            m.d.sync += result.eq(answer.data)
        claims.lemma("it may arrive from GO to the group's end", of(port.ready) == ready)
        claims.holds("each arrival that is accepted is sent once", ~granted | waiting)
        stalled = waiting & ~send.valid
        claims.holds(
            "one that waits is offered, or another is, in this cycle or the next",
            ~stalled | ~claims.before("stalled", stalled),
        )
        mine = send.valid & (send.message.entry == which)
        kind = Mux(said, Kind.LAST, Kind.PLAIN)
        claims.holds(
            "it is sent as the process made it",
            ~mine | ((send.message.kind == kind) & (send.message.data == word)),
        )
        claims.holds("it bears the epoch of the last answer", ~mine | (send.message.epoch == epoch))
        claims.holds("what is offered has been accepted", ~mine | waiting)
        claims.holds("every answer but GO releases, at once", of(port.released) == released)
        shown = Cat(of(port.done), of(port.broken), of(port.result))
        claims.holds(
            "an answer is seen at once, and stays",
            (shown[:2] == Cat(done, Mux(comes, broken, was_broken)))
            & Mux(released, shown[2] == answer.data, ~done | (shown[2] == result)),
        )
        waited = Signal(range(registers + 1))
        with m.If(~waiting | granted):
            m.d.sync += waited.eq(0)
        with m.Elif(port.granted):
            m.d.sync += waited.eq(waited + 1)
        claims.holds("it waits for one arrival of each other register at most", waited < registers)
        claims.reached("it waits for each other register", waited == registers - 1)
        # All registers together: what is refused is counted.
        count = port.refused_arrives
        refused = claims.before("refused", of(self.arrive) & ~accepted & ~may)
        grew = count != claims.before("count", count)
        full = claims.before("full", count.all())
        claims.holds(
            "an arrival that is refused is counted",
            ~claims.before("refused_before", refused) | grew | full,
        )
        claims.reached("an arrival waits as its group breaks", waiting & broken)
        claims.reached("an arrival in the cycle of its release", accepted & released)
        return m
