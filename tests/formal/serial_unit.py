"""The serial barrier unit whole, with one register, whatever comes while it is set up and after."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import CONTROL, Kind, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.serial_unit.unit import SerialUnit
from syncfabric.rtl.messages import node_word, parent_word, struct
from tests.formal.properties import Properties

__all__ = ["SerialUnitProof"]

IMAGE = data.StructLayout(
    {"present": 4, "root": 1, "relay": 1, "turn": 1, "gid": 8, "epoch": 2, "up": 2}
)
"""What is written; ``up`` is the number of the port towards the parent, a neighbour."""


class SerialUnitProof(wiring.Component):
    """A unit with one register, at the centre of a mesh of 3x3, that software writes once.

    Messages of other groups, or without sense, come at any time. Those that count keep to their
    order: a child arrives when the register is written, and again when it has been told; the parent
    answers once what it was asked.

    Parameters
    ----------
    image : int
        Fields of `IMAGE`.
    """

    def __init__(self, **image: int) -> None:
        self._image = IMAGE.const({"gid": 5, "epoch": 1} | image)
        self._network = network = MeshSpec(
            kind="mesh", width=3, height=3, data_bits=0, barrier_registers=1, barrier_unit="serial"
        )
        super().__init__(
            {
                "start": In(1),
                "here": In(4),
                "words": In(4 * network.layout.sync.width),
                "classes": In(4),
                "arrive": In(1),
                "credits": In(8),
                "take": In(4),
                "asks": In(1),
                "word": In(3),
                "given": In(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.unit = unit = SerialUnit(self._network, counted=False)
        image = data.View(IMAGE, self._image.as_value())
        live = self._software(m, claims, unit, image)
        reduces, answers = self._messages(m, claims, unit, image)
        m.d.comb += [
            unit.x.eq(1),
            unit.y.eq(1),
            unit.start.eq(self.start),
            unit.arrive.eq(self.arrive),
            unit.has_credit.eq(self.credits),
            unit.sent.eq(self.take & unit.offer),
        ]
        down, up, wrong = Signal(4), Signal(4), Signal(4)
        for p in range(4):
            message = getattr(unit, f"send_{p}")
            m.d.comb += [
                down[p].eq(unit.sent[p] & (message.kind == Kind.DISTRIBUTE)),
                up[p].eq(unit.sent[p] & (message.kind == Kind.REDUCE)),
                wrong[p].eq(
                    unit.sent[p] & ((message.gid != image.gid) | (message.epoch != image.epoch))
                ),
            ]
        released = unit.released[0]
        arrived, owed, waits = Signal(4), Signal(4), Signal(4)
        inside, asked, answered = Signal(), Signal(), Signal()
        accepted = self.arrive & unit.ready[0] & (~inside | released)
        all_in = (image.present & ~arrived) == 0
        # A root's episode ends with its release; another's with the answer, when that is taken.
        ends = Mux(image.root, released, answers)
        m.d.sync += [
            arrived.eq((arrived & ~ends.replicate(4)) | reduces),
            waits.eq((waits & ~down) | reduces),
            inside.eq((inside & ~released) | accepted),
            asked.eq((asked & ~answers) | up.any()),
            answered.eq((answered & ~released) | answers),
            owed.eq((owed | Mux(ends, image.present, 0)) & ~down),
        ]
        claims.assume(
            ~(image.root & image.relay),
            (reduces & (waits | ~image.present | ~live.replicate(4))) == 0,
            ~answers | asked,
        )
        told = owed | Mux(ends, image.present, 0)
        claims.holds(
            "no release before all children have arrived", ~(released & image.root) | all_in
        )
        claims.holds(
            "no release without the process's arrival, and one for each", ~released | inside
        )
        claims.holds(
            "no release but the root's without the parent's answer",
            ~released | image.root | answered,
        )
        claims.holds(
            "nothing goes up before all are in",
            ~up.any() | (all_in & ~image.root & (inside | image.relay)),
        )
        claims.holds("one message goes up an episode", ~(up.any() & asked))
        claims.holds("it goes to the parent", (up & ~(1 << image.up)) == 0)
        claims.holds("a child is told after the release, once", (down & ~told) == 0)
        claims.holds("all children are told before the next release", ~ends | (owed == 0))
        claims.holds("what is sent bears the group's number and epoch", ~wrong.any())
        claims.holds(
            "a relay's process is told nothing", ~image.relay | ~(released | unit.ready[0])
        )
        claims.holds("ready only when set up", ~unit.ready[0] | live)
        told_all = claims.before("told", down) == image.present
        claims.reached("all children are told in one cycle", told_all)
        claims.reached(
            "an episode ends, and another", ends & claims.before("ended", asked | inside)
        )
        return m

    def _software(self, m: Module, claims: Properties, unit: SerialUnit, image: data.View) -> Value:
        """Let software write the image, the control word last; return whether it is set up."""
        given, config = self.given, unit.config
        control = struct(CONTROL)(given[: CONTROL.width])
        done, asked, live = Signal(5), Signal(), Signal()
        here = {0: (2, 1), 1: (1, 2), 2: (0, 1), 3: (1, 0)}
        claims.assume(self.word <= RegisterWord.SOUTH, ~self.asks | ~asked)
        for p in range(4):
            present = node_word(given).present == image.present.bit_select(p, 1)
            claims.assume(~self.asks | (self.word != RegisterWord.EAST + p) | present)
        parent = parent_word(given)
        at: Value = Cat(
            (parent.x == x) & (parent.y == y) & (image.up == p) for p, (x, y) in here.items()
        ).any()
        claims.assume(
            ~self.asks | (self.word != RegisterWord.PARENT) | (at & (parent.relay == image.relay)),
            ~self.asks
            | (self.word != RegisterWord.CONTROL)
            | (
                (control.gid == image.gid)
                & (control.epoch == image.epoch)
                & (control.root == image.root)
                & (control.turn == image.turn)
                & (control.op == 0)
                & control.valid
                & done.all()
            ),
        )
        m.d.comb += [
            config.valid.eq(self.asks),
            config.address.eq(self.word),
            config.write.eq(1),
            config.data.eq(given),
        ]
        last = self.asks & (self.word == RegisterWord.CONTROL)
        m.d.sync += [
            done.eq(done | Mux(self.asks, (1 << self.word)[1:6], 0)),
            asked.eq(asked | last),
        ]
        delayed: Value = last
        for stage in range(4):
            delayed = claims.before(f"last_{stage}", delayed)
        m.d.sync += live.eq(live | delayed)
        return live | delayed

    def _messages(
        self, m: Module, claims: Properties, unit: SerialUnit, image: data.View
    ) -> tuple[Value, Value]:
        """Present messages; return the children's arrivals and the answer among those taken."""
        width = self._network.layout.sync.width
        reduces, answers = Signal(4), Signal(4)
        m.d.comb += unit.here.eq(self.here)
        for p in range(4):
            message: Any = struct(self._network.layout.sync)(
                self.words[p * width : (p + 1) * width]
            )
            late = self.classes[p]
            m.d.comb += [
                getattr(unit, f"message_{p}").eq(message),
                getattr(unit, f"class_{p}").eq(Mux(self.here[p], Cat(~late, late), 0)),
            ]
            ours = unit.take[p] & (message.gid == image.gid) & (message.epoch == image.epoch)
            m.d.comb += [
                reduces[p].eq(ours & (message.kind == Kind.REDUCE) & (late == 1 - p % 2)),
                answers[p].eq(
                    ours
                    & (message.kind == Kind.DISTRIBUTE)
                    & (late != image.turn)
                    & (image.up == p)
                ),
            ]
        return reduces, answers.any()
