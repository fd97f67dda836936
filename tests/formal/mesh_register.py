"""A barrier register of the mesh, whatever comes by links, from its process and from software."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import CONTROL, Kind
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.register import BarrierRegister
from syncfabric.rtl.messages import struct
from tests.formal.mesh_image import IMAGE, present_messages, write_image
from tests.formal.properties import Properties

__all__ = ["MeshRegisterProof"]


class MeshRegisterProof(wiring.Component):
    """One register with an image that is any; it is written, unwritten and rewritten at any time.

    Parameters
    ----------
    pipeline : int
        Of the barrier unit.
    serial : bool
        With ``operations = "all"``.
    faithful : bool
        A child that has arrived does not do so again before it is told. Else anything comes.
    """

    def __init__(self, *, pipeline: int = 1, serial: bool = False, faithful: bool = False) -> None:
        self._network = network = MeshSpec(
            kind="mesh",
            width=3,
            height=3,
            data_bits=0,
            barrier_registers=1,
            barrier_pipeline=pipeline,
            operations="all" if serial else "bitwise",
        )
        self._serial, self._faithful = serial, faithful
        super().__init__(
            {
                "image": In(IMAGE.size),
                "started": In(1),
                "here": In(4),
                "words": In(4 * network.layout.sync.width),
                "classes": In(4),
                "chosen": In(5),
                "arrive": In(1),
                "take": In(5),
                "write": In(6),
                "given": In(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.register = register = BarrierRegister(self._network)
        image = data.View(IMAGE, claims.constant("image", self.image))
        written = write_image(m, claims, register, image, self.write, self.given)
        live = Signal()
        control = struct(CONTROL)(self.given[: CONTROL.width])
        with m.If(written):
            m.d.sync += live.eq(control.valid)
        reduces, answers = self._messages(m, claims, register, image)
        pending, sent = register.send.pending, register.send.sent
        m.d.comb += [
            register.started.eq(self.started),
            register.arrive.eq(self.arrive),
            sent.eq(self.take & pending),
        ]
        up: Value = sent[4]
        down: Value = sent[:4]
        if not self._network.barrier_pipeline:  # it goes a cycle before its release shows
            down = claims.before("down", down)

        released = register.released
        arrived, owed = Signal(4), Signal(4)
        inside, asked, answered = Signal(), Signal(), Signal()
        accepted = self.arrive & register.ready & ~written & (~inside | released)
        # A relay is not told of its release: its parent's answer is what ends an episode.
        ends = Mux(image.relay, answered, released)
        counts = live & ~written
        all_in = (image.present & ~arrived) == 0
        at_once = Mux(counts, reduces, 0) if not self._network.barrier_pipeline else 0
        all_up = (image.present & ~arrived & ~at_once) == 0
        m.d.sync += [
            arrived.eq((arrived & ~ends.replicate(4)) | (reduces & counts.replicate(4))),
            inside.eq((inside & ~released) | accepted),
            asked.eq((asked & ~ends) | up),
            answered.eq((answered & ~ends) | (answers & asked & ~ends)),
            owed.eq((owed | Mux(ends, image.present, 0)) & ~down),
        ]
        claims.holds("no release before all children have arrived", ~released | all_in)
        claims.holds(
            "no release without the process's arrival, and one for each", ~released | inside
        )
        claims.holds(
            "no release but the root's without the parent's answer",
            ~released | image.root | answered,
        )
        claims.holds(
            "nothing goes up before all are in",
            ~up | (all_up & ~image.root & (inside | image.relay)),
        )
        claims.holds("one message goes up an episode", ~(up & asked & ~ends))
        claims.holds(
            "a relay's process is told nothing", ~image.relay | ~(released | register.ready)
        )
        claims.holds("a rewrite in the middle is refused", ~written | ~(inside | asked) | ends)
        claims.holds("ready only when set up and started", ~register.ready | (live & self.started))
        claims.holds(
            "an arrival that does not count is told",
            register.refused == (self.arrive & ~(accepted & live)),
        )
        done = Signal()
        with m.If(accepted | written):
            m.d.sync += done.eq(0)
        with m.Elif(released):
            m.d.sync += done.eq(1)
        claims.holds(
            "done from the release to the next arrival", register.done == (done | released)
        )
        if self._faithful:
            told = Mux(ends, image.present, 0) | owed
            claims.holds("a child is told after the release, once", (down & ~told) == 0)
            claims.holds("all children are told before the next release", ~ends | (owed == 0))
            claims.holds(
                "messages to children and to the parent are never due at once",
                ~(pending[4] & pending[:4].any()),
            )
            waits = Signal(4)
            m.d.sync += waits.eq((waits | reduces) & ~sent[:4])
            claims.assume((reduces & waits) == 0)
        late = Signal(range(4))
        complete = image.root & live & all_in & inside & ~released
        m.d.sync += late.eq(Mux(complete & (late != 3), late + 1, 0))
        if not self._serial:
            claims.holds("a root is released in the cycle after all are in", late <= 1)
        claims.reached(
            "a root with four children is released", released & image.root & image.present.all()
        )
        claims.reached(
            "one with a parent and three children is released",
            released & ~image.root & (image.present == 7),
        )
        claims.reached("a relay passes on", up & image.relay)
        return m

    def _messages(
        self, m: Module, claims: Properties, register: BarrierRegister, image: data.View
    ) -> tuple[Value, Value]:
        """Present messages; return which children's arrivals they are, and whether an answer is."""
        layout = self._network.layout.sync
        reduces, answers = Signal(4), Signal(4)
        messages = present_messages(m, register, layout, self.here, self.words, self.classes)
        for p, message in enumerate(messages):
            late = self.classes[p]
            ours = self.here[p] & (message.gid == image.gid) & (message.epoch == image.epoch)
            counts = self.chosen[p] if self._serial else 1
            m.d.comb += [
                # A child to the east or west sends Y first, to the north or south X first.
                reduces[p].eq(ours & (message.kind == Kind.REDUCE) & (late == 1 - p % 2) & counts),
                answers[p].eq(
                    ours
                    & (message.kind == Kind.DISTRIBUTE)
                    & (late != image.turn)
                    & image.up.bit_select(p, 1)
                ),
            ]
        if self._serial:
            candidates = Cat(register.countable, register.waiting)
            claims.assume((self.chosen & (self.chosen - 1)) == 0, (self.chosen & ~candidates) == 0)
            m.d.comb += [
                register.chosen.eq(self.chosen[:4]),
                register.chosen_local.eq(self.chosen[4]),
            ]
        return reduces, answers.any()
